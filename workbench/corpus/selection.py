"""The one language in which audits are picked, on the command line and on the screen.

A selection is a list of terms:

- a **bare word** picks an audit whose id is the word, whose id contains it, or which carries it as a tag (case counts);
- `tag:` a whole tag; `level:` a level by name or number 1–9; `section:` and `file:` a part of the name, case ignored;
  `surface:` box or dev; `is:` what became of it; `age:` how long ago it was asked (`age:>30d`, in h, d or w);
- a leading `-` turns any term round: `-tag:slow` leaves the slow ones out.

Terms of one kind are alternatives (`inbox memo` is either, `is:failed is:never` too), terms of different kinds narrow
(`tag:nav is:failed` is both), whatever one `-term` names is out. Three always narrow: `age:`, so that
`age:>7d age:<30d` is a span, `is:ungraded`, which asks about the human and not about the outcome, and `is:stale`, which
asks whether guidance, entry, engine or box changed since. An empty selection picks everything. In one string, quotes
hold words together: `section:"Don't Drop"`.
"""

import operator
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.corpus.problems import did_you_mean
from workbench.corpus.records import LEVELS, Audit


class SelectionError(ValueError):
    """A selection that means nothing: one line that says which term, and what is known instead."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an audit's last trial, for the terms that ask about it."""

    outcome: str | None = None
    """What the checks said: passed, failed, unmeasured or unjudged; None when it was never asked."""
    graded: bool = False
    """Whether a human assessed it."""
    asked: bool = False
    human_verdict: str = ""
    """pass, fail or unsure; where it is pass or fail it counts before the checks, as it does in lists."""
    age_days: float | None = None
    """Days since it was asked; None when it never was."""
    stale: bool = False
    """Whether something it hangs on is known to have changed since."""

    @property
    def standing(self) -> str | None:
        """The outcome lists show: the human's where there is one, else the checks'."""
        return {"pass": "passed", "fail": "failed"}.get(self.human_verdict, self.outcome)


Test = Callable[[Audit, Facts], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """One term: its kind, within which terms are alternatives, and what it asks."""

    kind: str
    test: Test
    excludes: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """A parsed selection; see the module for what it picks."""

    terms: tuple[Term, ...] = ()

    @property
    def asks_staleness(self) -> bool:
        """Whether `Facts.stale` decides what it picks."""
        return any(term.kind == _CONDITIONS for term in self.terms)

    def matches(self, audit: Audit, facts: Facts) -> bool:
        """Whether the selection picks this audit."""
        wanted: dict[str, bool] = {}
        for term in self.terms:
            hit = term.test(audit, facts)
            if term.excludes and hit:
                return False
            if not term.excludes:
                wanted[term.kind] = wanted.get(term.kind, False) or hit
        return all(wanted.values())


def parse(terms: Sequence[str] | str) -> Selection:
    """Read a selection from one string as typed, or from words a shell has already split. Raises SelectionError."""
    if isinstance(terms, str):
        try:
            terms = shlex.split(terms)
        except ValueError:
            raise SelectionError(
                f'a quote is not closed in {terms!r}; write "…" around words with an apostrophe'
            ) from None
    else:
        terms = [word for given in terms for word in _unquoted(given)]
    return Selection(tuple(_term(word.strip(), place) for place, word in enumerate(terms) if word.strip()))


def _unquoted(word: str) -> list[str]:
    """A shell's word without quotes that reached us inside it; what is no quotation stays as it is."""
    if '"' not in word and "'" not in word:
        return [word]
    try:
        return shlex.split(word)
    except ValueError:
        return [word]


def _term(word: str, place: int) -> Term:
    excludes = word.startswith("-")
    told = word[1:] if excludes else word
    key, colon, value = told.partition(":")
    if not told or told.startswith("-"):
        raise SelectionError(f"`{word}` is no term; a `-` stands right before what it leaves out, as in `-tag:slow`")
    if not colon:
        return Term("word", _word(told), excludes)
    if key not in _KEYS:
        hint = did_you_mean(key, _KEYS)
        raise SelectionError(f"unknown key in `{word}`; {hint + ' ' if hint else ''}known are: {', '.join(KEYS)}")
    if not value:
        raise SelectionError(f"`{word}` names nothing; write {_KEYS[key][1]}")
    # A kind of its own for each age term: they hold together, where alternatives would pick everything.
    kind = f"age {place}" if key == "age" else _APART.get(told, key)
    return Term(kind, _KEYS[key][0](value), excludes)


def _word(word: str) -> Test:
    return lambda audit, _: word in audit.id or word in audit.tags


def _tag(tag: str) -> Test:
    return lambda audit, _: tag in audit.tags


def _level(value: str) -> Test:
    name = value.lower().replace("-", "_").replace(" ", "_")
    if value in [str(number + 1) for number in range(len(LEVELS))]:
        name = LEVELS[int(value) - 1]
    _known("level", name, LEVELS, "1–9, ")
    return lambda audit, _: audit.expected_level == name


def _section(part: str) -> Test:
    return lambda audit, _: part.casefold() in audit.section.casefold()


def _file(part: str) -> Test:
    return lambda audit, _: part.casefold() in audit.file.casefold()


def _surface(value: str) -> Test:
    _known("surface", value, ("box", "dev"))
    return lambda audit, _: audit.surface == value


def _is(value: str) -> Test:
    _known("is", value, _STATES)
    if value == "never":
        return lambda _, facts: not facts.asked
    if value == "stale":
        return lambda _, facts: facts.stale
    if value == "ungraded":
        return lambda _, facts: facts.asked and not facts.graded
    return lambda _, facts: facts.standing == value


def _age(value: str) -> Test:
    found = _AGE.match(value)
    if found is None:
        raise SelectionError(f"`age:{value}` is no age; write {_AGE_HELP}")
    compare, days = _COMPARE[found[1]], float(found[2]) * _DAYS[found[3]]
    return lambda _, facts: facts.age_days is not None and compare(facts.age_days, days)


def _known(key: str, value: str, known: Sequence[str], before: str = "") -> None:
    if value not in known:
        hint = did_you_mean(value, known)
        raise SelectionError(
            f"unknown value in `{key}:{value}`; {hint + ' ' if hint else ''}known are: {before}{', '.join(known)}"
        )


_AGE = re.compile(r"(>=|<=|>|<)(\d+(?:\.\d+)?)([hdw])\Z")
_AGE_HELP = "a comparison (> < >= <=), a number and h, d or w, as in `age:>30d`"
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_STATES = ("failed", "passed", "unmeasured", "unjudged", "never", "ungraded", "stale")
_CONDITIONS = "conditions"
_APART = {"is:ungraded": "human", "is:stale": _CONDITIONS}
"""Terms that do not ask about the outcome, and so narrow what others of their key pick."""
_KEYS: dict[str, tuple[Callable[[str], Test], str]] = {
    "tag": (_tag, "a tag"),
    "level": (_level, "a level or its number"),
    "section": (_section, "a part of its title"),
    "file": (_file, "a part of its path"),
    "surface": (_surface, "box or dev"),
    "is": (_is, "one of " + ", ".join(_STATES)),
    "age": (_age, _AGE_HELP),
}
KEYS: tuple[str, ...] = tuple(f"{key}:" for key in _KEYS)
"""The known keys, each with its colon."""
VALUES: dict[str, tuple[str, ...]] = {"level:": LEVELS, "surface:": ("box", "dev"), "is:": _STATES}
"""What stands behind a key, where that is one of a few words."""
