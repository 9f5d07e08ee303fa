"""What stands in the map where there is nothing to show, and what to do about it."""

from collections.abc import Iterator, Sequence

from textual.content import Content

from workbench.guidance.records import BoxMap
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.map_answers import Row

_FIRST = {"claude": "CLAUDE.md or AGENTS.md", "codex": "AGENTS.md", "pi": "AGENTS.md or CLAUDE.md"}
"""What an engine's agent would load from the folder it starts in."""


def no_map(error: str, width: int) -> Iterator[Row]:
    """There is no box to map, or it could not be read."""
    if error:
        yield hang(Content.styled("✗ ", "$error"), Content(shown(error)), width), None
        yield hang(Content("  "), Content.styled("ctrl+r reads again", "$dim"), width), None
        return
    yield Content.styled("No audit is loaded, so there is no box to map.", "bold"), None
    told = "`workbench init` writes a first corpus; ! on the bench says what is wrong in one that cannot be read."
    yield hang(Content(""), Content.styled(told, "$dim"), width), None


def no_answers(terms: str, *, only: bool, placed: bool, width: int) -> Iterator[Row]:
    """No answer is shown: all stand where expected, the bench's filter leaves none, or the box has none."""
    if only and placed:
        said, todo, sign = "Nothing differs: every answer stands where its level expects it.", "d shows all", "✓ "
        yield hang(Content.styled(sign, "$success"), Content.styled(said, "bold"), width), None
    elif terms:
        said, todo = (
            f"The bench's filter “{shown(terms)}” leaves no audit of this box.",
            "change it on the bench with /",
        )
        yield hang(Content("  "), Content.styled(said, "bold"), width), None
    else:
        todo = "its files stand below"
        yield hang(Content("  "), Content.styled("No audit is asked in this box.", "bold"), width), None
    yield hang(Content("  "), Content.styled(todo, "$dim"), width), None


def no_guidance(box: BoxMap, width: int) -> Iterator[Row]:
    """Nothing of a box reaches an agent by itself: told over its files."""
    if any(one.file.layer in ("always", "conditional") for one in box.files):
        return
    engine = box.rules.partition("@")[0]
    said = f"No guidance: nothing of this box reaches an agent of {engine} by itself."
    yield hang(Content.styled("! ", "$warning"), Content.styled(said, "bold"), width), None
    first = _FIRST.get(engine, "AGENTS.md")
    told = f"{first} in its root would load before the first word."
    yield hang(Content("  "), Content.styled(told, "$dim"), width), None


def left_out(told: Sequence[str], width: int) -> Iterator[Row]:
    """What is not on the map, told over the answers that are."""
    for one in told:
        yield hang(Content.styled("! ", "$warning"), Content(shown(one)), width), None
    if told:
        yield Content(""), None
