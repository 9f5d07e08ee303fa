"""Text nobody vouches for, everywhere it can come from: it stays text, and the screen stays up."""

import re
from dataclasses import replace
from itertools import cycle

from tests.tui.conftest import LOW, settle, until
from tests.tui.maps import GLOB
from tests.tui.orchard import OrchardDesk, checks, rows, trace
from tests.tui.watches import answered
from workbench.checks.records import CheckResult, Outcome
from workbench.corpus.records import Problem
from workbench.desk.records import SectionRows
from workbench.desk.watching.records import Edit, Withheld
from workbench.guidance.records import FileWeight, Wanted, WantedPlaces
from workbench.insight.impact import FileChange, Reason, Touch
from workbench.traces.records import AssistantTurn, TextBlock, ToolCall, ToolResultTurn, Trace
from workbench.tui.app import WorkbenchApp

EVIL = (
    "[/bold] [red]x[/red] [$error] a[b] [[c]] \\[ [@click=app.quit]q[/] "
    "\x1b]0;title\x07 \x1b[31mred\x1b[0m \x9b31m \x1b]52;c;aGk=\x07 \u202eback \ud800 \x00\x08\x7f"
)
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def evil_trace() -> Trace:
    """A trace whose every free text is hostile, one line of it a megabyte long."""
    told = trace()
    call = ToolCall(id="e", name=EVIL, arguments={EVIL: EVIL, "file_path": EVIL})
    long = TextBlock(text=EVIL * 20 + "x" * 1_000_000 + "é" * 10_000)
    return told.model_copy(
        update={
            "meta": told.meta.model_copy(update={"prompt": EVIL, "engine": EVIL}),
            "turns": (
                AssistantTurn(turn_index=0, content=(call, TextBlock(text=EVIL))),
                ToolResultTurn(turn_index=1, tool_use_id="e", content=(long,), is_error=True),
                AssistantTurn(turn_index=2, content=(long,)),
            ),
        }
    )


def evil_sections() -> tuple[SectionRows, ...]:
    """Sections whose titles, ids, expectations, checks, notes and statuses are hostile."""
    every = []
    for section in rows():
        changed = []
        for row in section.rows:
            audit = row.audit.model_copy(update={"prompt": EVIL, "watch_for": EVIL, "expected_level": EVIL})
            last = row.last
            if last is not None:
                bad = CheckResult(kind=EVIL, target=EVIL, outcome=Outcome.FAILED, detail=EVIL, hint=EVIL)
                graded = tuple(a.model_copy(update={"note": EVIL, "grader": EVIL}) for a in last.assessments)
                finished = last.finished.model_copy(update={"checks": (bad, *checks())})
                last = replace(last, finished=finished, assessments=graded)
            changed.append(replace(row, audit=audit, last=last))
        statuses = tuple(s.model_copy(update={"qualifier": EVIL, "text": EVIL}) for s in section.section.statuses)
        titled = section.section.model_copy(update={"title": f"{section.section.title} {EVIL}", "statuses": statuses})
        every.append(replace(section, file=f"{section.file} {EVIL}", section=titled, rows=tuple(changed)))
    return tuple(every)


def painted(app: WorkbenchApp) -> str:
    """Every character the terminal would get, styles aside."""
    height = app.size.height
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips()[:height])


async def test_nothing_hostile_reaches_the_terminal(desk: OrchardDesk, app: WorkbenchApp) -> None:
    desk._rows = evil_sections()
    desk.trace_of = {row.audit.id: evil_trace() for section in desk._rows for row in section.rows}
    desk.problem = Problem(severity="error", code="x", file=EVIL, message=EVIL, fix=EVIL, audit_id=EVIL)
    async with app.run_test(size=LOW, notifications=True) as pilot:
        await settle(pilot)
        for keys in (("down",), ("2", "j", "enter", "end"), ("3", "down"), ("g", "escape"), ("exclamation_mark",)):
            await pilot.press(*keys)
            await settle(pilot)
            assert not _RAW.search(painted(app))
        await pilot.press("escape", "1", "s")
        await settle(pilot)
        assert not _RAW.search(painted(app))
        app.complain(EVIL)
        await pilot.pause()
        assert not _RAW.search(painted(app))
        assert app.is_running


async def test_nothing_hostile_that_is_watched_reaches_the_terminal(desk: OrchardDesk, app: WorkbenchApp) -> None:
    desk._rows = evil_sections()
    desk.trace_of = {row.audit.id: evil_trace() for section in desk._rows for row in section.rows}
    touch = Touch("card-glob", (Reason("gained", EVIL, 1, EVIL),))
    change = FileChange(EVIL, f"{EVIL}\nold", f"{EVIL}\n{EVIL}")
    edit = Edit(1, EVIL, EVIL, (change,), (EVIL,), (touch, Touch("note-names", ())))
    async with app.run_test(size=LOW, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        watch = desk.watches[0]
        watch.edited(edit)
        watch.flipped("card-glob", answered(desk, "card-glob", Outcome.FAILED, EVIL), "broken", (EVIL, EVIL))
        watch.break_corpus(Problem(severity="error", code="x", file=EVIL, message=EVIL, fix=EVIL))
        watch.lose(EVIL)
        watch._tell(Withheld(("note-names",), EVIL))
        for keys in (("home",), ("down",), ("2",), ("3",), ("escape",)):
            await until(pilot, lambda: not getattr(app.screen, "due", False))
            await settle(pilot)
            assert not _RAW.search(painted(app))
            await pilot.press(*keys)
        await settle(pilot)
        assert not _RAW.search(painted(app))
        assert app.is_running


async def test_nothing_hostile_that_is_mapped_reaches_the_terminal(desk: OrchardDesk, app: WorkbenchApp) -> None:
    box, line = desk.maps.box, EVIL.replace("\n", " ")
    place = GLOB.model_copy(update={"path": EVIL, "quote": line * 9, "start": 5, "end": 70, "via": EVIL})
    wanted = WantedPlaces(
        wanted=Wanted(check="correct_contains", text=EVIL), places=(place,), near=(place,), unsearched=EVIL
    )
    answers = tuple(
        one.model_copy(
            update={"wanted": (wanted,), "place": place, "expected_level": EVIL, "told": EVIL, "taught": taught}
        )
        for one, taught in zip(box.placements, cycle(("deeper", "nowhere", "unplaced")))
    )
    file = box.files[0].file.model_copy(update={"path": EVIL, "via": EVIL})
    desk.maps.left_out = (EVIL,)
    desk.maps.box = box.model_copy(
        update={
            "box": EVIL,
            "rules": EVIL,
            "files": (FileWeight(file=file),),
            "faults": (box.faults[0].model_copy(update={"path": EVIL, "told": EVIL, "target": EVIL}),),
            "unasked": (box.unasked[0].model_copy(update={"path": EVIL, "heading": EVIL, "quote": EVIL}),),
            "placements": answers,
            "unsearched": EVIL,
        }
    )
    async with app.run_test(size=LOW, notifications=True) as pilot:
        await settle(pilot)
        for keys in (("m",), ("n",), ("3",), ("2", "3"), ("2", "down", "3"), ("2", "end", "3"), ("1", "enter")):
            await pilot.press(*keys)
            await settle(pilot)
            assert not _RAW.search(painted(app))
        assert app.is_running
