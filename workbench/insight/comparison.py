"""The same audits on two sides, run beside run or guidance beside guidance: what differs, and whether it may be chance.

Nothing here asks or reads anything. What a side did not ask is missing and never failed; what has no verdict stays
apart; where an audit's checks demand something else than before, its verdicts are shown and not compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.checks.records import CheckResult
from workbench.insight.interval import Interval, wilson
from workbench.insight.loosening import SAME, Change, bent, change, demanded
from workbench.insight.sides import Side, Stand, Tried, stand
from workbench.text.amounts import many

ENOUGH = 5
"""Measured trials a side below which nothing is called a regression or an improvement."""

Kind = Literal[
    "broken",
    "fixed",
    "less",
    "more",
    "moved",
    "loosened",
    "tightened",
    "edited",
    "only_a",
    "only_b",
    "unmeasured",
    "unjudged",
    "unchanged",
]
"""What came of an audit from A to B, in the order it is told. `broken`: every trial passed, then none; `fixed`: none,
then every one; `less`, `more`: a smaller or larger share; `moved`: the same share at another level. Not compared:
`loosened`, `tightened`, `edited` (B demands less, more, is asked otherwise), what one side alone was asked, what has
no verdict on a side, what has no checks."""

KINDS: tuple[Kind, ...] = get_args(Kind)
COMPARED: tuple[Kind, ...] = ("broken", "fixed", "less", "more", "moved", "unchanged")
"""Kinds of audits whose verdicts count in the totals."""
WORDS: Mapping[Kind, str] = {
    "broken": "broken",
    "fixed": "fixed",
    "less": "passes less often",
    "more": "passes more often",
    "moved": "moved level",
    "loosened": "checks loosened",
    "tightened": "checks tightened",
    "edited": "asked otherwise",
    "only_a": "only in A",
    "only_b": "only in B",
    "unmeasured": "no verdict",
    "unjudged": "unjudged",
    "unchanged": "unchanged",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One audit on both sides."""

    name: str
    """The audit's id, with its variant where it has one."""
    file: str
    section: str
    kind: Kind
    a: Stand | None
    """None where the side was not asked it."""
    b: Stand | None
    change: Change = SAME
    """What became of its definition; `told` may hold something though nothing is looser."""

    @property
    def beyond_chance(self) -> bool:
        """Whether there were enough trials and their intervals do not overlap."""
        if self.kind not in COMPARED or self.a is None or self.b is None or self.a.interval is None:
            return False
        least = min(self.a.standing.measured, self.b.standing.measured)
        return least >= ENOUGH and self.b.interval is not None and self.a.interval.apart(self.b.interval)

    @property
    def told(self) -> str:
        """What came of it, in words; whether it is beyond chance, where that can be told."""
        if not self.beyond_chance:
            return WORDS[self.kind]
        return f"{WORDS[self.kind]}: {'regression' if self.kind in ('broken', 'less') else 'improvement'}"

    @property
    def grown(self) -> int | None:
        """Tokens by which the context it begins with grew; None where one side is not counted."""
        before, after = (side.initial if side else None for side in (self.a, self.b))
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class Total:
    """The compared audits of one side together."""

    passed: int
    measured: int
    interval: Interval | None

    def __str__(self) -> str:
        if self.interval is None:
            return "nothing measured"
        return f"{100 * self.passed / self.measured:.0f} % ({self.passed}/{self.measured}, 95 %: {self.interval})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides, audit by audit: what differs first."""

    rows: tuple[Row, ...]

    def of(self, *kinds: Kind) -> tuple[Row, ...]:
        """The rows of some kinds, in order."""
        return tuple(row for row in self.rows if row.kind in kinds)

    @property
    def counts(self) -> dict[Kind, int]:
        """Kind → how many audits, kinds that there are none of left out."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    @property
    def totals(self) -> tuple[Total, Total]:
        """A and B over the audits whose verdicts are compared, each trial counted once."""
        compared = self.of(*COMPARED)
        return _total(row.a for row in compared), _total(row.b for row in compared)

    @property
    def excluded(self) -> dict[Kind, int]:
        """Kind → how many audits are not in the totals."""
        return {kind: number for kind, number in self.counts.items() if kind not in COMPARED}

    @property
    def regressions(self) -> tuple[Row, ...]:
        """The audits that pass less often, beyond chance."""
        return tuple(row for row in self.of("broken", "less") if row.beyond_chance)

    @property
    def rule(self) -> str:
        """By which rule differences are called chance or not, and whether there are trials enough to say."""
        least = [_least(row) for row in self.of(*COMPARED)]
        if not least:
            return "nothing was measured on both sides"
        low, high = min(least), max(least)
        if high < ENOUGH:
            number = many(high, "trial") if low == high else f"{low}–{high} trials"
            return f"{number} a side: too few to speak of a regression or an improvement ({ENOUGH} needed)"
        short = sum(number < ENOUGH for number in least)
        rule = f"a regression or an improvement: {ENOUGH} trials a side or more, and 95 % intervals that do not overlap"
        return f"{rule}; {many(short, 'audit')} had fewer" if short else rule


def compare(a: Side, b: Side) -> Comparison:
    """Lay two sides beside each other."""
    names = dict.fromkeys((*a.tries, *b.tries))
    rows = [_row(name, a, b) for name in names]
    return Comparison(tuple(sorted(rows, key=lambda row: KINDS.index(row.kind))))


def _row(name: str, a: Side, b: Side) -> Row:
    before, after = a.tries.get(name), b.tries.get(name)
    trial = (after or before or ())[0].asked.trial
    ours, theirs = (stand(tries) if tries else None for tries in (before, after))
    bent = _change(name, a, b) if ours and theirs else SAME
    return Row(name, trial.file, trial.section, _kind(ours, theirs, bent), ours, theirs, bent)


def _kind(a: Stand | None, b: Stand | None, changed: Change) -> Kind:
    if a is None or b is None:
        return "only_b" if a is None else "only_a"
    if any(side.share is None and not _only_unjudged(side) for side in (a, b)):
        return "unmeasured"
    if changed.bent:
        return changed.bent
    if a.share is None or b.share is None:
        return "unjudged"
    if a.share == b.share:
        return "moved" if a.level and b.level and a.level != b.level else "unchanged"
    if {a.share, b.share} == {0.0, 1.0}:
        return "fixed" if b.share else "broken"
    return "more" if b.share > a.share else "less"


def _only_unjudged(side: Stand) -> bool:
    return side.standing.unjudged > 0 and not side.standing.unmeasured and not side.standing.unsure


def _change(name: str, a: Side, b: Side) -> Change:
    """What became of a definition, by the definitions where both are known, else by what was judged."""
    ours, theirs = a.definitions.get(name), b.definitions.get(name)
    if ours is not None and theirs is not None:
        return change(ours, theirs)
    prompts = [{one.prompt for one in side.tries[name] if one.prompt} for side in (a, b)]
    if all(prompts) and prompts[0] != prompts[1]:
        return Change("edited", ("asked otherwise: prompt",))
    judged = [_judged(side.tries[name]) for side in (a, b)]
    return bent(demanded(judged[0]), demanded(judged[1])) if all(judged) else SAME


def _judged(tries: Iterable[Tried]) -> list[CheckResult]:
    """The results of the last trial that was judged."""
    return next((list(one.asked.finished.checks) for one in reversed(list(tries)) if one.asked.finished.checks), [])


def _least(row: Row) -> int:
    return min(side.standing.measured for side in (row.a, row.b) if side is not None)


def _total(sides: Iterable[Stand | None]) -> Total:
    known = [side.standing for side in sides if side is not None]
    passed, measured = sum(one.passed for one in known), sum(one.measured for one in known)
    return Total(passed, measured, wilson(passed, measured))
