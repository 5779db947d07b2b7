"""The records of functions and calls: `Function`, which every source makes, `Call`, `Outcome`."""
