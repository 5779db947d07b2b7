"""The one record that every source makes: a function, what it takes, and what came of a call."""
