"""What `workbench run` tells while trials finish: lines, a bar on a terminal, JSON for programs."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.desk.asking import LiveRun
    from workbench.runs.events import Paused, RunEvent
    from workbench.runs.records import Manifest, TrialFinished


@contextlib.contextmanager
def progress(live: "LiveRun", *, as_json: bool) -> "Iterator[Callable[[Sequence[RunEvent]], None]]":
    """A subscriber that tells what it hears for as long as the context lasts."""
    from workbench.cli.output import console, emit

    if as_json:
        yield _told(
            lambda finished: emit({"type": "trial"} | _document(live.manifest, finished)),
            lambda paused: emit({"type": "paused", "trial": paused.trial, "seconds": paused.seconds}),
        )
        return
    out = console()
    if not sys.stdout.isatty():
        yield _told(lambda finished: out.print(_line(finished)), lambda paused: out.print(str(paused), style="dim"))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("asking", total=live.tally.planned, completed=live.tally.finished)

        def show(finished: "TrialFinished") -> None:
            bar.console.print(_line(finished))
            bar.update(task, completed=live.tally.finished, description="asking")

        yield _told(show, lambda paused: bar.update(task, description=str(paused)))


def _told(
    finished: "Callable[[TrialFinished], None]", paused: "Callable[[Paused], None]"
) -> "Callable[[Sequence[RunEvent]], None]":
    """Tell what happens for as long as somebody hears it; the run goes on without, and is kept."""
    from workbench.runs.events import Paused
    from workbench.runs.records import TrialFinished

    heard = True

    def seen(events: "Sequence[RunEvent]") -> None:
        """Tell what is worth a line, until nobody hears it any more."""
        nonlocal heard
        try:
            for event in events if heard else ():
                if isinstance(event, TrialFinished):
                    finished(event)
                elif isinstance(event, Paused):
                    paused(event)
        except OSError:
            heard = False

    return seen


def _line(finished: "TrialFinished") -> object:
    from rich.text import Text

    from workbench.cli.output import glyph
    from workbench.text.amounts import dollars

    line = Text.assemble(glyph(finished.verdict.outcome), f" {finished.trial}")
    if finished.ending.cost_usd:
        line.append(f"  {dollars(finished.ending.cost_usd)}", "dim")
    if finished.verdict.reason:
        line.append(f"  {finished.verdict.reason}  {finished.verdict.detail}".rstrip(), "dim")
        return line
    failed = [check for check in finished.checks if check.outcome == "failed"]
    if failed:
        line.append(f"  {failed[0].kind} {failed[0].target}", "dim")
        line.append(f"  and {len(failed) - 1} more" if len(failed) > 1 else "", "dim")
    return line


def _document(manifest: "Manifest", finished: "TrialFinished") -> dict[str, object]:
    from workbench.reports.document import document

    trial = next(trial for trial in manifest.trials if trial.key == finished.trial)
    return document(manifest.run_id, manifest.engine, manifest.model, trial, finished, ())
