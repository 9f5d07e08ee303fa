"""Numbers as they are read."""


def many(number: int, thing: str) -> str:
    """A number and what it counts: `1 turn`, `3 turns`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
