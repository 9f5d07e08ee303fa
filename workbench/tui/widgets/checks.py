"""The checks of the shown trial: what was expected, what each check says, and the way to its evidence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from workbench.checks.records import CheckResult, Evidence, Outcome
from workbench.desk.records import TrialView
from workbench.insight.context import measure
from workbench.insight.staleness import Staleness
from workbench.insight.trend import bars
from workbench.traces.acts import Act, ActKind
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import OUTCOMES, STALE, check_words, level_words, thousands
from workbench.tui.transcript.words import shown
from workbench.tui.widgets.hanging import hang

_TARGET = 300
_BARS = 11
_PLURALS: tuple[tuple[ActKind, str], ...] = (
    ("read", "reads"),
    ("search", "searches"),
    ("command", "commands"),
    ("edit", "edits"),
    ("skill", "skills"),
    ("web", "web"),
)


class CheckList(OptionList):
    """One option a check."""

    KEYS_TITLE = "The checks"
    KEYS: ClassVar[tuple[Command, ...]] = (
        Command("enter", "select", "evidence", "Show what the check went by; again for the next place"),
        Command("up,k", "cursor_up", "up", "The check above"),
        Command("down,j", "cursor_down", "down", "The check below"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)

    def on_focus(self) -> None:
        """Enter means something at once."""
        if self.highlighted is None and self.options:
            self.highlighted = 0


class ChecksPane(Vertical):
    """Posts `Jump` when the human wants to see the evidence of a check."""

    BORDER_TITLE = "Checks"

    @dataclass
    class Jump(Message):
        """Show this evidence in the transcript."""

        evidence: Evidence

    def __init__(self) -> None:
        super().__init__(id="checks")
        self.listing = CheckList(markup=False, compact=True, id="checks-list")
        self._expected = Static(id="expected", markup=False)
        self._numbers = Static(id="context", markup=False)
        self._view = TrialView(None, None, None)
        self._stale: Staleness | None = None
        self._acts: tuple[Act, ...] = ()
        self._drawn = 0
        self._checks: tuple[CheckResult, ...] = ()
        self._turns: dict[int, int] = {}
        """Check → which of its places was shown last."""

    def compose(self) -> ComposeResult:
        """Expectation, checks, numbers."""
        yield self._expected
        yield self.listing
        yield self._numbers

    def show(self, view: TrialView, acts: Sequence[Act] = ()) -> None:
        """Show what is known of a trial; a partial one has no checks yet."""
        self._view, self._acts, self._turns = view, tuple(acts), {}
        self._checks = view.summary.checks if view.summary is not None else ()
        self._draw()
        self.listing.display = bool(self._checks)
        self.border_subtitle = _count(view)

    def age(self, stale: Staleness | None) -> None:
        """Say what changed since the shown trial, as far as that is known."""
        if stale != self._stale:
            self._stale = stale
            self._draw()

    def on_resize(self) -> None:
        """Wrap again at another width."""
        if self._drawn != self.content_size.width:
            self._draw()

    def _draw(self) -> None:
        self._drawn = width = self.content_size.width
        self._expected.update(_expected(self._view, self._stale, width))
        numbers = _numbers(self._acts, self._view, width)
        self._numbers.update(numbers)
        self._numbers.display = bool(numbers.plain)
        mark = self.listing.highlighted
        self.listing.clear_options()
        self.listing.add_options(Option(_line(check, width)) for check in self._checks)
        self.listing.highlighted = mark if mark is not None and mark < len(self._checks) else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        evidence = self._checks[event.option_index].evidence
        if not evidence:
            self.notify("This check has no place in the transcript to show", timeout=3)
            return
        turn = self._turns.get(event.option_index, -1) + 1
        self._turns[event.option_index] = turn
        self.post_message(self.Jump(evidence[turn % len(evidence)]))


def _expected(view: TrialView, stale: Staleness | None, width: int) -> Content:
    audit = view.audit
    if audit is None:
        return Content("")
    level = level_words(shown(audit.expected_level)) or "not said"
    lines = [Content.assemble(("expected   ", "$dim"), (level, "bold"))]
    for name, text in (("watch for", audit.watch_for), ("notes", audit.notes)):
        if text.strip():
            lines.append(hang(Content.styled(f"{name:<11}", "$dim"), Content(" ".join(shown(text).split())), width))
    if stale is not None and view.summary is not None:
        lines += _ages(stale, width)
    return Content("\n").join(lines)


def _ages(stale: Staleness, width: int) -> list[Content]:
    """What changed since the trial, and what of that cannot be told."""
    told = [(Content.assemble(STALE.content, (" stale    ", "$dim")), Content(shown(stale.told)))] if stale else []
    unknown = Content.styled("not known  ", "$dim")
    told += [(unknown, Content.styled(shown(one), "$dim")) for one in stale.unknown]
    return [hang(head, text, width) for head, text in told]


def _line(check: CheckResult, width: int) -> Content:
    look = OUTCOMES[check.outcome]
    target = shown(check.target)
    target = target if len(target) <= _TARGET else f"{target[:_TARGET]}…"
    parts = [Content(f"{check_words(shown(check.kind))} "), Content.styled(target, "bold")]
    if check.outcome is not Outcome.PASSED:
        why = " · ".join(shown(str(part)).replace("_", " ") for part in (check.reason, check.detail) if part)
        parts.append(Content.styled(f"  {why}" if why else "", f"${look.color}"))
    elif len(check.evidence) > 1:
        parts.append(Content.styled(f"  {len(check.evidence)} places", "$dim"))
    line = hang(look.content + " ", Content("").join(parts), width)
    if check.hint:
        hint = hang(Content.styled("  ↳ ", "$attention"), Content.styled(shown(check.hint), "$dim"), width)
        return line + "\n" + hint
    return line


def _numbers(acts: Sequence[Act], view: TrialView, width: int) -> Content:
    """Acts and context, side by side where there is room."""
    lines = [line for line in (_acts(acts), _context(view)) if line.plain]
    beside = Content("    ").join(lines)
    return beside if beside.cell_length <= width else Content("\n").join(lines)


def _acts(acts: Sequence[Act]) -> Content:
    """What was done how often: `2 reads · 1 search`."""
    counts = Counter(act.kind for act in acts if act.ok)
    words = (f"{counts[kind]} {kind if counts[kind] == 1 else plural}" for kind, plural in _PLURALS if counts[kind])
    return Content.assemble(("acts       ", "$dim"), " · ".join(words)) if counts else Content("")


def _context(view: TrialView) -> Content:
    """Context size, first and largest, and what it began with so far: `18.2k → 19.4k  +1.2k  ▁▂▂▃`.

    `~` marks estimates. The bars are the trials of this audit by this engine and model, the shown one last.
    """
    use = measure(view.trace)
    if use is None:
        return Content("")
    mark = "~" if use.estimated else ""
    first, peak = f"{mark}{thousands(use.initial)}", f"{mark}{thousands(use.peak)}"
    growth = thousands(use.added)
    earlier = view.earlier[-_BARS:]
    spark = (f"  {bars([*earlier, use.initial])}" if earlier else "", "$primary")
    if growth == thousands(0):
        return Content.assemble(("context    ", "$dim"), first, spark)
    return Content.assemble(("context    ", "$dim"), f"{first} → {peak}", (f"  +{growth}", "$dim"), spark)


def _count(view: TrialView) -> Content:
    summary = view.summary
    if summary is None:
        return Content("running" if view.trace is not None else "")
    verdict = summary.verdict
    look = OUTCOMES[verdict.outcome]
    if verdict.reason is not None:
        return Content.assemble(look.content, f" unmeasured: {str(verdict.reason).replace('_', ' ')}")
    failed = sum(check.outcome is Outcome.FAILED for check in summary.checks)
    said = {
        Outcome.FAILED: f"{failed} of {len(summary.checks)} fail{'s' if failed == 1 else ''}",
        Outcome.PASSED: f"all {len(summary.checks)} pass" if len(summary.checks) > 1 else "passes",
        Outcome.UNJUDGED: "no checks",
        Outcome.UNMEASURED: "unmeasured",
    }[verdict.outcome]
    return Content.assemble(look.content, f" {said}")
