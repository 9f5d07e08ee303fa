"""Checks of the cards a trial left behind: what it created or changed, not what it says it did."""

from collections.abc import Iterator

from workbench.checks.case import Case, at_turn, failed, passed, unmeasured, without_tool
from workbench.checks.definition import check
from workbench.checks.records import CheckResult, Evidence
from workbench.checks.values import texts
from workbench.traces.reasons import Reason
from workbench.traces.records import Change

_SUFFIX = ".card"


@check("cards_contain", texts, box_only=True)
def cards_contain(case: Case, wanted: tuple[str, ...]) -> Iterator[CheckResult]:
    """Each text must stand in some new or changed card, letter case ignored; not all in the same one."""
    key, cards = "cards_contain", _cards(case)
    if "edit" not in case.can:
        yield from without_tool(key, wanted, "write files")
        return
    for text in wanted:
        found = next((card for card in cards if text.lower() in (card.text or "").lower()), None)
        if found:
            yield passed(key, text, _evidence(case, found, text))
        elif unseen := [card.path for card in cards if card.text is None]:
            detail = f"the content of {unseen[0]} was not kept"
            yield unmeasured(key, text, Reason.NOT_RECORDED, detail)
        else:
            yield failed(key, text, _nowhere(len(cards)))


@check("cards_not_under", texts, box_only=True)
def cards_not_under(case: Case, prefixes: tuple[str, ...]) -> Iterator[CheckResult]:
    """No new or changed card may have a path that starts with one of the prefixes, as text."""
    key, cards = "cards_not_under", _cards(case)
    if "edit" not in case.can:
        yield from without_tool(key, prefixes, "write files")
        return
    for prefix in prefixes:
        bare = _bare(prefix)
        under = [card for card in cards if _bare(card.path).startswith(bare)]
        if not under:
            yield passed(key, prefix)
            continue
        folder = bare.rstrip("/") + "/"
        really = any(_bare(card.path).startswith(folder) for card in under)
        hint = "" if really or not bare else "only its name starts like this; end the prefix with / to mean a folder"
        yield failed(key, prefix, f"{under[0].path} is there", _evidence(case, under[0], ""), hint=hint)


def _nowhere(cards: int) -> str:
    if cards < 2:
        return "the card that was written does not hold it" if cards else "no card was written"
    return f"none of the {cards} cards that were written holds it"


def _cards(case: Case) -> list[Change]:
    return [c for c in case.trace.changes if c.path.endswith(_SUFFIX) and c.kind in ("created", "modified")]


def _bare(path: str) -> str:
    """The path without a leading `./` or `/`."""
    return path[2:] if path.startswith("./") else path.removeprefix("/")


def _evidence(case: Case, card: Change, text: str) -> Evidence:
    """The edit that wrote the card, or the last message when a command did; with the words in it."""
    turns = [act.turn for act in case.acts_of("edit") if act.path == card.path]
    last = case.trace.turns[-1].turn_index if case.trace.turns else 0
    at = (card.text or "").lower().find(text.lower()) if text else -1
    quote = f": {(card.text or '')[max(0, at - 20) : at + len(text) + 20]}" if at >= 0 else ""
    return at_turn(turns[-1] if turns else last, card.path + quote)
