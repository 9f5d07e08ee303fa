"""The top line of grading mode: which queue, how far, and whether one grades blind."""

from typing import TYPE_CHECKING

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from workbench.desk.grading import QueueKind, open_queues
from workbench.tui.transcript.words import clip, shown

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_BAR = 20
_CURRENT = "bold $foreground on $block-cursor-blurred-background"


class GradeBar(Widget):
    """Nothing here tells who was asked or what came of it."""

    ALLOW_SELECT = False

    app: "WorkbenchApp"

    kind: reactive[QueueKind] = reactive[QueueKind]("ungraded")
    filter: reactive[str] = reactive("")
    progress: reactive[tuple[int, int, int]] = reactive((0, 0, 0))
    """Which trial shows (from 1), of how many, and how many of them are graded."""
    blind: reactive[bool] = reactive(False)

    def render(self) -> Content:
        """Queues on the left, progress on the right; a narrow line shows the chosen queue alone."""
        width = self.content_size.width
        right = self._progress(bar=width >= 100)
        left = Content.styled("Grading", "bold $primary") + "  " + self._queues(every=width >= 100)
        if self.filter:
            left = left + Content.styled(f"  / {clip(shown(self.filter), max(8, width // 4))}", "$dim")
        return left + " " * max(1, width - left.cell_length - right.cell_length) + right

    def _queues(self, *, every: bool) -> Content:
        names = open_queues(blind=self.blind) if every else (self.kind,)
        return Content(" ").join(
            Content.styled(f" {name} ", _CURRENT if name == self.kind else "$dim") for name in names
        )

    def _progress(self, *, bar: bool) -> Content:
        at, total, graded = self.progress
        parts = [Content.styled("blind", "bold $attention")] if self.blind else []
        if total:
            if bar:
                filled = round(_BAR * graded / total)
                parts.append(Content.assemble(("━" * filled, "$primary"), ("━" * (_BAR - filled), "$rule")))
            parts.append(Content.assemble((f"{at} of {total}", "bold"), (f"  {graded} graded", "$dim")))
        if self.app.watching.on:
            parts.append(Content.styled("◉ watching", "$attention"))
        return Content("   ").join(parts)
