"""Search across all trials of all runs: who read a path, who answered what, who ran which command.

A search is a list of terms: `read:` a part of a path that was read, `answer:` or a bare word a part of the answer,
`command:` of a command line, `search:` of what was searched for, `changed:` of a path that was changed, `audit:`,
`engine:`, `model:` and `run:` a part of the name, `is:` how it stands. Case is ignored. Bare words all have to occur;
terms of one key are alternatives, terms of different keys narrow; a leading `-` leaves out. Quotes hold words together.
"""

import shlex
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.checks.records import Outcome
from workbench.corpus.problems import did_you_mean
from workbench.desk.contents import Contents
from workbench.desk.records import DeskError

LIMIT = 500
"""Hits that are shown of one search."""

_LISTS = {"read": "reads", "command": "commands", "search": "searches", "changed": "changes"}
_COLUMNS = {
    "read": "lower(reads)",
    "answer": "answer",
    "command": "lower(commands)",
    "search": "lower(searches)",
    "changed": "lower(changes)",
    "audit": "lower(audit_id)",
    "engine": "lower(engine)",
    "model": "lower(model)",
    "run": "lower(run_id)",
}
_STANDS = {
    **{outcome.value: f"standing = '{outcome.value}'" for outcome in Outcome},
    "unsure": "standing = ''",
    "graded": "human",
    "ungraded": "not human",
}
KEYS = (*_COLUMNS, "is")
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a search; a bare word has the key `word`."""

    key: str
    value: str
    excludes: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One trial a search found."""

    run_id: str
    trial: str
    audit_id: str
    engine: str
    model: str
    at: str
    outcome: Outcome | None
    """How it stands; None when a human is unsure."""
    human: bool
    """Whether that is a human's verdict."""
    shown: str
    """The words or the path it was found by, on one line; the beginning of the answer when the terms name none."""


@dataclass(frozen=True, slots=True)
class Found:
    """The newest hits, and how many there are."""

    hits: tuple[Hit, ...]
    total: int


def parse(terms: Sequence[str] | str) -> tuple[Term, ...]:
    """Read a search as typed, or as words a shell has split. DeskError for an unknown key or value."""
    if isinstance(terms, str):
        try:
            terms = shlex.split(terms)
        except ValueError:
            raise DeskError(f"a quote is not closed in {terms!r}") from None
    return tuple(_term(word.strip()) for word in terms if word.strip())


def find(contents: Contents, terms: Sequence[Term]) -> Found:
    """The trials all terms agree on, newest run first, as far as the index knows."""
    where, values = _condition(terms)
    total, rows = contents.select(where, values, LIMIT)
    return Found(tuple(_hit(row, terms) for row in rows), total)


def _term(word: str) -> Term:
    excludes = word.startswith("-") and len(word) > 1
    told = word[1:] if excludes else word
    key, colon, value = told.partition(":")
    if not colon or not key.isalpha():
        return Term("word", told.lower(), excludes)
    if key not in KEYS:
        hint = did_you_mean(key, KEYS)
        raise DeskError(
            f"unknown key in {word!r}; {hint + ' ' if hint else ''}known are {', '.join(f'{k}:' for k in KEYS)};"
            f" to look for the words themselves write answer:{told!r}"
        )
    if not value:
        raise DeskError(f"{word!r} names nothing to look for")
    if key == "is" and value not in _STANDS:
        raise DeskError(f"unknown value in {word!r}; known are {', '.join(_STANDS)}")
    return Term(key, value.lower(), excludes)


def _condition(terms: Sequence[Term]) -> tuple[str, list[str]]:
    """The terms as an SQL condition; only the values are foreign, and they are parameters."""
    kinds: dict[str, list[Term]] = {}
    for position, term in enumerate(terms):
        alone = term.excludes or term.key == "word"
        kinds.setdefault(f"{term.key} {position}" if alone else term.key, []).append(term)
    clauses, values = ["1"], []
    for kind in kinds.values():
        clauses.append("(" + " or ".join(f"{'not ' if term.excludes else ''}({_test(term)})" for term in kind) + ")")
        values += [term.value for term in kind if term.key != "is"]
    return " and ".join(clauses), values


def _test(term: Term) -> str:
    if term.key == "is":
        return _STANDS[term.value]
    return f"instr({_COLUMNS['answer' if term.key == 'word' else term.key]}, ?)"


def _hit(row: sqlite3.Row, terms: Sequence[Term]) -> Hit:
    return Hit(
        run_id=row["run_id"],
        trial=row["trial"],
        audit_id=row["audit_id"],
        engine=row["engine"],
        model=row["model"],
        at=row["at"],
        outcome=Outcome(row["standing"]) if row["standing"] else None,
        human=bool(row["human"]),
        shown=_shown(row, [term for term in terms if not term.excludes]),
    )


def _shown(row: sqlite3.Row, terms: Sequence[Term]) -> str:
    parts = []
    for term in terms:
        if term.key in _LISTS:
            lines = row[_LISTS[term.key]].split("\n")
            parts += [line for line in lines if term.value in line.lower()][:1]
        elif term.key in ("word", "answer"):
            parts += _around(row["plain"], row["answer"].find(term.value), len(term.value))
    return " · ".join(dict.fromkeys(parts)) or " ".join(row["plain"][: 3 * _AROUND].split())


def _around(text: str, start: int, length: int) -> list[str]:
    """The words before and after a match; none where there is no match."""
    if start < 0:
        return []
    begin, end = max(0, start - _AROUND), start + length + _AROUND
    words = " ".join(text[begin:end].split())
    return [f"{'…' if begin else ''}{words}{'…' if end < len(text) else ''}"]
