"""How far humans, checks and acts say the same, over every graded trial."""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.desk.records import DeskError
from workbench.insight.agreement import Agreement, Concord, Pair
from workbench.tui.commands import Command, bindings
from workbench.tui.looks import level_words
from workbench.tui.transcript.words import clip, shown
from workbench.tui.widgets.hanging import hang
from workbench.tui.widgets.keybar import KeyBar

if TYPE_CHECKING:
    from workbench.desk.desk import Desk

_NAME = 14
_BAR = 20
_DIFFERING = 12
_TEXT = 116


class AgreementScreen(Screen[None]):
    """Three comparisons, each with its share, its κ where there is one, and what stayed out of it."""

    KEYS: ClassVar[tuple[Command, ...]] = (Command("escape,q,K", "close", "back", "Back to where you were", bar=True),)
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    AUTO_FOCUS = "#agreement"

    def __init__(self, desk: "Desk") -> None:
        super().__init__()
        self._desk = desk
        self._found: Agreement | None = None
        self._page = Static(id="agreement-page", markup=False)

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        with VerticalScroll(id="agreement") as page:
            page.border_title = "Agreement"
            yield self._page
        yield KeyBar(self.KEYS)

    def on_mount(self) -> None:
        """Traces are read for the observed levels; that may take a moment."""
        self._page.update(Content.styled("reading the graded trials", "$dim"))
        self.run_worker(self._load(), group="agreement", exclusive=True)

    async def _load(self) -> None:
        try:
            self._found = await asyncio.to_thread(self._desk.grading.agreement)
        except (DeskError, OSError) as error:
            self._page.update(Content.assemble(("✗ ", "$error"), shown(str(error))))
            return
        self._draw()

    def on_resize(self) -> None:
        """Wrap again."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if self._found is not None:
            trials, around = self._found.trials, self.query_one("#agreement")
            around.border_subtitle = f"{trials} graded trial{'' if trials == 1 else 's'}"
            self._page.update(agreement_page(self._found, min(_TEXT, around.scrollable_content_region.width)))

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def agreement_page(found: Agreement, width: int) -> Content:
    """The three comparisons, one under the other."""
    if not found.trials:
        return Content.assemble(
            ("Nothing is graded yet.\n\n", "bold"),
            ("g at the bench opens the trials that wait; what you save there is compared here.", "$dim"),
        )
    blocks = [_checks(found, width), _graders(found.pairs, width), _levels(found, width)]
    note = "κ is Cohen's, unweighted: 1 is full agreement, 0 what chance alone would give. It is left undefined where"
    blocks.append(hang(Content(""), Content.styled(f"{note} one side says one thing only.", "$dim"), width))
    return Content("\n\n\n").join(blocks)


def _title(name: str, says: str, width: int) -> Content:
    fits = len(name) + len(says) + 3 <= width
    return Content.assemble((name, "bold $primary"), (f"   {says}" if fits else "", "$dim"))


def _measure(name: str, concord: Concord, width: int) -> Content:
    """`verdicts  ━━━━━━──  12 of 14   86 %   κ 0.71`."""
    label = Content.styled(f"{clip(name, _NAME - 2):<{_NAME}}", "$dim")
    if concord.percent is None:
        return label + Content.styled(concord.undefined, "$dim")
    filled = round(_BAR * concord.same / concord.n)
    bar = Content.assemble(("━" * filled, "$primary"), ("━" * (_BAR - filled), "$rule"))
    share = f"{concord.same} of {concord.n}"
    told = Content.assemble((f"{share:<11}", "bold"), f"{concord.percent:>3.0f} %   ")
    if concord.kappa is None:
        kappa = Content.styled(f"κ undefined: {concord.undefined}", "$dim")
    else:
        kappa = Content.styled(f"κ {concord.kappa:.2f}", "bold")
    return hang(label, bar + "   " + told + kappa, width)


def _checks(found: Agreement, width: int) -> Content:
    lines = [_title("Human × checks", "the verdict saved last beside what the checks say", width), Content("")]
    lines.append(_measure("verdicts", found.checks, width))
    if found.checks.n:
        lines += [Content(""), Content.styled(" " * _NAME + f"{'':<12}{'checks pass':>12}{'checks fail':>14}", "$dim")]
        lines += [_cells(found.checks, verdict) for verdict in ("pass", "fail")]
    if found.apart:
        told = " · ".join(f"{times} {reason}" for reason, times in found.apart)
        lines += [Content(""), hang(Content.styled(f"{'apart':<{_NAME}}", "$dim"), Content(told), width)]
    return Content("\n").join(lines)


def _cells(concord: Concord, verdict: str) -> Content:
    cells = []
    for other, room in (("pass", 12), ("fail", 14)):
        times = concord.times(verdict, other)
        style = "$dim" if not times else "bold" if verdict == other else "bold $attention"
        cells.append(Content.styled(f"{times:>{room}}", style))
    return Content.styled(" " * _NAME + f"{f'human {verdict}':<12}", "$dim") + cells[0] + cells[1]


def _graders(pairs: tuple[Pair, ...], width: int) -> Content:
    lines = [_title("Human × human", "graders who assessed the same trials", width), Content("")]
    if not pairs:
        lines.append(Content.styled("no trial has been graded by two people yet", "$dim"))
    for index, pair in enumerate(pairs):
        lines += [Content("")] if index else []
        names = f"{clip(shown(pair.first), 30)} × {clip(shown(pair.second), 30)}"
        lines += [Content(names), _measure("verdicts", pair.verdicts, width), _measure("levels", pair.levels, width)]
    return Content("\n").join(lines)


def _levels(found: Agreement, width: int) -> Content:
    says = "the level saved last beside what the acts show"
    lines = [_title("Human level × observed level", says, width), Content("")]
    lines.append(_measure("levels", found.levels, width))
    if found.unobserved:
        told = f"{found.unobserved} whose acts show no level"
        lines += [Content(""), Content.styled(f"{'apart':<{_NAME}}", "$dim") + told]
    differing = found.levels.differing
    if differing:
        lines += [Content(""), Content.styled(f"{'differs most':<{_NAME}}", "$dim")]
    for (said, observed), times in differing[:_DIFFERING]:
        lines.append(
            Content.assemble(
                (f"{times:>{_NAME - 3}} ×", "bold"),
                f"  {level_words(shown(said)):<24}",
                ("acts show  ", "$dim"),
                level_words(observed),
            )
        )
    if len(differing) > _DIFFERING:
        lines.append(Content.styled(f"{'':<{_NAME}}and {len(differing) - _DIFFERING} more kinds", "$dim"))
    return Content("\n").join(lines)
