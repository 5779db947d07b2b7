"""An application in this process, called without a socket."""
