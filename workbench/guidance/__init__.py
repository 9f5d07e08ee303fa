"""What is taught: how each engine's rules load guidance, what it references, and where an answer stands in it."""
