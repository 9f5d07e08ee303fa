"""Commands: parse, call the desk, print."""
