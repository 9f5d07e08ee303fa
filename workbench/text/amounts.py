"""Numbers as they are read."""


def many(number: int, thing: str) -> str:
    """A number and what it counts: `1 turn`, `3 turns`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def dollars(usd: float) -> str:
    """An amount of money: `$0.42`, and two digits that say something below a cent, `$0.0031`; `$0` is nothing."""
    if usd <= 0:
        return "$0"
    return f"${usd:.2f}" if usd >= 0.01 else f"${usd:.2g}" if usd >= 0.0001 else "< $0.0001"
