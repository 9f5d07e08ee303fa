"""How candidates and what they say of answers are drawn."""

from textual.content import Content

from workbench.checks.records import Outcome
from workbench.insight.trying import Answer, Candidate, Tried
from workbench.tui.looks import OUTCOMES, check_words
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import hang

_TITLE = 40
_BEFORE, _AFTER, _HEAD = 120, 240, 280
"""Characters of an answer shown before and after a match, and of one without."""


def candidate_line(candidate: Candidate, tried: tuple[Tried, ...] | None, width: int) -> Content:
    """`contains  "seven"     ✓ 3 ✗ 1`, the last part once it is known."""
    counts = Content("")
    if tried is not None:
        for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.UNMEASURED):
            count = sum(each.result.outcome is outcome for each in tried)
            if count:
                counts += OUTCOMES[outcome].content + f" {count} "
        counts += Content.styled("!", "bold $attention") if any(each.amiss for each in tried) else Content(" ")
    kind = f"{check_words(candidate.kind)}  "
    room = max(6, width - len(kind) - counts.cell_length - 1)
    text = clip(shown(candidate.text).replace("\n", "␊"), room)
    line = Content.assemble((kind, "$dim"), (text, "bold"))
    return line + " " * max(1, width - line.cell_length - counts.cell_length) + counts


def candidate_title(candidate: Candidate | None) -> Content:
    """Over the answers: what is tried on them."""
    title = Content("Answers and samples")
    if candidate is None:
        return title
    text = clip(shown(candidate.text).replace("\n", "␊"), _TITLE)
    return title + Content.assemble((f"  {check_words(candidate.kind)} ", "$dim"), (text, "$attention"))


def _named(answer: Answer) -> Content:
    times = f"  ×{answer.times}" if answer.times > 1 else ""
    kind = "sample · " if answer.sample else ""
    return Content.assemble((kind, "$dim"), (shown(answer.name), "bold"), (times, "$dim"))


def tried_block(tried: Tried, width: int) -> Content:
    """One answer: what the candidate says of it, the words around the match, how near it came."""
    head = OUTCOMES[tried.result.outcome].content + " " + _named(tried.answer)
    if tried.result.outcome is Outcome.UNMEASURED:
        head += Content.styled(f"  {shown(tried.result.detail)}", "$warning")
    elif tried.amiss:
        head += Content.styled("  wrongly failed: this is a good answer", "bold $attention")
    elif tried.answer.sample == "wrong":
        caught = tried.result.outcome is Outcome.FAILED
        head += Content.styled("  caught" if caught else "  let through: another check must catch it", "$dim")
    lines = [head, hang(Content("  "), _excerpt(tried.answer.text, tried.span), width)]
    if tried.near:
        near = Content.styled(f"near miss: it holds this, {tried.near}", "$attention")
        lines.append(hang(Content.styled("  ↳ ", "$attention"), near, width))
    return Content("\n").join(lines)


def answer_block(answer: Answer, width: int) -> Content:
    """One answer that nothing was tried on."""
    return _named(answer) + "\n" + hang(Content("  "), _excerpt(answer.text, None), width)


def _excerpt(text: str, span: tuple[int, int] | None) -> Content:
    """The words around a match, lit; the beginning where there is none."""
    if span is None:
        head = shown(text[:_HEAD]).rstrip()
        return (
            Content.styled(head + ("…" if len(text) > _HEAD else ""), "$dim")
            if head
            else Content.styled("(nothing said)", "$dim")
        )
    start, end = max(0, span[0] - _BEFORE), min(len(text), max(span[1], span[0]) + _AFTER)
    lit = text[span[0] : min(span[1], span[0] + _AFTER)]
    return Content.assemble(
        ("…" if start else "") + shown(text[start : span[0]]),
        (shown(lit), "bold $background on $attention"),
        shown(text[span[0] + len(lit) : end]) + ("…" if end < len(text) else ""),
    )
