"""Assessment blocks of an edited report, read back: which trial, what the human filled in, and on which line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.corpus.records import LEVELS
from workbench.grading.records import CAUSES
from workbench.reports.assessment import KEYS
from workbench.text.sanitize import clean

VERDICTS = ("pass", "fail", "unsure")

_FENCE = re.compile(r"(`{3,})assessment\s*")
_ENTRY = re.compile(r"(\w+):(.*)")
_RUN = re.compile(r"Run: ([^,]+), workbench ")


class ReadBackError(ValueError):
    """A block that cannot be read: the message begins with its line."""


@dataclass(frozen=True, slots=True)
class Block:
    """One assessment block as it stands in the report."""

    line: int
    """Of its fence, counted from 1."""
    values: dict[str, str] = field(default_factory=dict)
    """Key → text as it was filled in; the note with its line breaks."""
    lines: dict[str, int] = field(default_factory=dict)
    """Key → the line it stands on."""

    def get(self, key: str) -> str:
        """What was filled in; empty when nothing was."""
        return self.values.get(key, "")

    def at(self, key: str) -> int:
        """The line to point at when the value of a key is wrong."""
        return self.lines.get(key, self.line)

    @property
    def blank(self) -> bool:
        """Whether no field is filled in."""
        return not any(self.get(key) for key in ("level", "verdict", "cause", "note"))

    def filled(self) -> dict[str, str]:
        """Level, verdict, cause and note, the level and the choices in the words they are kept in."""
        cause = " ".join(self.get("cause").split())
        return {
            "level": level_named(self.get("level")),
            "verdict": self.get("verdict").lower(),
            "cause": next((known for known in CAUSES if known == cause.lower()), cause),
            "note": self.get("note"),
        }

    def mistakes(self) -> Iterator[str]:
        """What no assessment could hold, each with its line and what is known instead."""
        filled = self.filled()
        for key, known in (("level", LEVELS), ("verdict", VERDICTS), ("cause", CAUSES)):
            if filled[key] and filled[key] not in known:
                numbered = " (or their numbers)" if key == "level" else ""
                yield (
                    f"line {self.at(key)}: {key} {self.get(key)!r} is unknown; known are {', '.join(known)}{numbered}"
                )


def level_named(value: str) -> str:
    """The level a human means by its name, in words or with underscores, or by its number 1–9; else the value."""
    if value in [str(number) for number in range(1, len(LEVELS) + 1)]:
        return LEVELS[int(value) - 1]
    return re.sub(r"[\s_-]+", "_", value.strip().lower())


def tidy(note: str) -> str:
    """A note without what editors take away: blanks at the ends of lines, and around the whole."""
    return "\n".join(line.rstrip() for line in note.split("\n")).strip()


def run_of(report: str) -> str:
    """The run a report says it tells of; empty when it says none."""
    found = next(filter(None, map(_RUN.match, report.split("\n"))), None)
    return re.sub(r"\\(.)", r"\1", found[1]) if found else ""


def read(report: str) -> tuple[Block, ...]:
    """Every assessment block, in order. Raises ReadBackError for one that is not closed or holds what is no entry."""
    lines = clean(report).split("\n")
    found, position = [], 0
    while position < len(lines):
        opening = _FENCE.fullmatch(lines[position])
        if opening:
            body = _body(lines, position, len(opening[1]))
            found.append(_block(body, position + 1))
            position += len(body) + 1
        position += 1
    return tuple(found)


def _body(lines: Sequence[str], opening: int, ticks: int) -> list[str]:
    closing = re.compile(rf"`{{{ticks},}}\s*")
    body: list[str] = []
    for line in lines[opening + 1 :]:
        if closing.fullmatch(line):
            return body
        body.append(line)
    raise ReadBackError(f"line {opening + 1}: the assessment block is not closed; end it with {'`' * ticks}")


def _block(body: Sequence[str], opening: int) -> Block:
    texts: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    key = ""
    for number, line in enumerate(body, opening + 1):
        entry = _ENTRY.fullmatch(line)
        if entry:
            key = entry[1]
            if key not in KEYS:
                raise ReadBackError(f"line {number}: {key!r} is no field; the fields are {', '.join(KEYS)}")
            if key in texts:
                raise ReadBackError(f"line {number}: {key!r} is filled in twice; keep one")
            texts[key], places[key] = [entry[2].strip()], number
        elif key and (line.startswith("  ") or not line.strip()):
            texts[key].append(line[2:])
        elif line.strip():
            raise ReadBackError(f"line {number}: expected `key: value`; indent further lines of a note by two spaces")
    return Block(opening, {key: tidy("\n".join(value)) for key, value in texts.items()}, places)
