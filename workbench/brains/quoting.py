"""Answers out of passages, in the words of the file."""

from collections.abc import Sequence

from workbench.brains.evidence import Match
from workbench.text.passages import Passage, split

LIMIT = 1500
"""Characters quoted at most."""

MOST = 3
"""Passages quoted at most, unless a part of a file is the answer."""

DO_NOT_KNOW = (
    "I don't know. The guidance I was given does not say it, and I found no passage in this folder that answers it."
)


def answer(matches: Sequence[Match], texts: dict[str, str]) -> str:
    """Quote the best match with those of the same file that answer as well, or the whole part its title names.

    `texts` holds the files by path, to quote a part whole.
    """
    best = matches[0]
    alike = [match.passage for match in matches if match.passage.path == best.passage.path and _rivals(match, best)]
    chosen = _part(best, texts) or alike[:MOST]
    path = best.passage.path
    return f"{path or 'My instructions'} {'says' if path else 'say'}:\n\n{_quoted(chosen)}"


def _rivals(match: Match, best: Match) -> bool:
    """Whether a match answers as well as the best one, as far as words can tell."""
    return match.merit >= 0.98 * best.merit or (match.merit >= 0.92 * best.merit and match.words >= best.words)


def _part(best: Match, texts: dict[str, str]) -> list[Passage]:
    """All passages beside the best one, when the question's words stand above them rather than in them."""
    if best.own >= 0.35 * best.coverage:
        return []
    near = best.passage
    passages = split(near.path, texts.get(near.path, ""))
    return [p for p in passages if p.heading == near.heading and (not near.lead or p.lead == near.lead)]


def _quoted(passages: Sequence[Passage]) -> str:
    parts: list[str] = []
    length, lead, end = 0, "", 0
    for passage in sorted(passages, key=lambda p: p.line):
        same = bool(passage.lead) and passage.lead == lead
        text = passage.text if same or not passage.lead else f"{passage.lead}\n{passage.text}"
        if parts and length + len(text) > LIMIT:
            break
        if parts:
            parts.append("\n" if same or passage.line == end + 1 else "\n\n")
        parts.append(text)
        length, lead, end = length + len(text), passage.lead, passage.end_line
    quoted = "".join(parts)
    return quoted if len(quoted) <= LIMIT else f"{quoted[:LIMIT].rstrip()} …"
