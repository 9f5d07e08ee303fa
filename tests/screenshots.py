"""`make screenshots`: pictures of every screen, taken from the running bench on a copy of the samples.

The samples are really asked, by the reader; what agents load is what those of `make test-engines` really load, where
they are installed. Each picture is an SVG; where `rsvg-convert` is installed (Debian: librsvg2-bin, with
fonts-firacode) a PNG is made beside it.
"""

import asyncio
import html
import os
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

from tests.projects import git
from tests.real_engines import loopback
from tests.real_engines.install import found
from tests.tui.conftest import LOW, WIDE, settle, until
from workbench.checks.records import Outcome
from workbench.corpus.records import LEVELS
from workbench.desk.desk import Desk
from workbench.desk.watching.records import Settled, WatchEvent
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.confirm import ConfirmScreen
from workbench.tui.screens.context import ContextScreen
from workbench.tui.screens.edit import EditScreen
from workbench.tui.screens.map import MapScreen
from workbench.tui.themes import CONTRAST, DARK, LIGHT

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "screenshots"
SHOWN = "watering-young-trees"
FOLLOWED = "keep-apples"
MAPPED = "watering-young-trees"
SAMPLED = "find-dead-tree"
GUIDE = "audits/orchard/AGENTS.md"

Steps = Callable[["Pilot[None]", WorkbenchApp], Awaitable[None]]


async def _ask_all(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("a")
    await until(pilot, lambda: app.board.tally.finished and not app.board.live, 120)
    await settle(pilot)


async def _show(pilot: "Pilot[None]", app: WorkbenchApp, audit_id: str = SHOWN) -> None:
    bench = app.bench
    assert bench is not None
    for _ in range(60):
        if bench.rows.audit is not None and bench.rows.audit.audit.id == audit_id:
            break
        await pilot.press("right_square_bracket")
        await pilot.pause()
    await settle(pilot)


async def _follow(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app, FOLLOWED)


async def _welcome(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("f1")
    await settle(pilot)


async def _problems(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("exclamation_mark")
    await settle(pilot)


async def _status(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("s")
    await settle(pilot)


async def _help(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("question_mark")
    await settle(pilot)


async def _grade(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("G", "3", "f", "c", "a", "escape")
    await settle(pilot)


async def _grading(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("g")
    await settle(pilot)
    await pilot.press("3", "f")
    await settle(pilot)


async def _levels(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _grading(pilot, app)
    await pilot.press("d")
    await settle(pilot)


async def _agreement(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """As it looks after a sitting in which most trials were graded."""
    for index, trial in enumerate(app.desk.trials("latest")):
        right = (trial.verdict.outcome is Outcome.PASSED) is (index % 5 != 0)
        level = LEVELS[(0, 0, 1, 2, 2, 7)[index % 6]]
        app.desk.assess(trial.run_id, trial.trial.key, level=level, verdict="pass" if right else "fail")
    await pilot.press("K")
    await settle(pilot)


async def _transcript(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("2")
    await settle(pilot)


async def _checks(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("3")
    await settle(pilot)


async def _edit(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("e")
    await settle(pilot)


async def _fix(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """The question expected a page that has gone: the edit is saved, and the verdict flips."""
    await _edit(pilot, app)
    screen = app.screen
    assert isinstance(screen, EditScreen)
    screen.area.text = screen.area.text.replace('  should_read: ["docs/watering.md"]\n', "")
    await pilot.press("ctrl+s")
    await until(pilot, lambda: not screen.dirty)
    await settle(pilot)


async def _patterns(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app, SAMPLED)
    await pilot.press("p")
    await settle(pilot)
    await pilot.press("down")
    await until(pilot, lambda: "stays" in str(app.screen.query_one("#answers-tried").border_title))
    await settle(pilot)


async def _history(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    while len(app.desk.runs()) < 4:
        await _ask_all(pilot, app)
    await _show(pilot, app)
    await pilot.press("h")
    await settle(pilot)


async def _report(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _show(pilot, app)
    await pilot.press("o")
    await settle(pilot)


async def _find(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("f", *"read:docs", "space", *"is:failed")
    await settle(pilot)


async def _context(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """What the installed agents load of the samples, or the built-in one where none is installed."""
    await pilot.press("c")
    await until(pilot, lambda: isinstance(app.screen, ContextScreen) and app.screen.done, 300)
    await settle(pilot)
    await pilot.press("down")
    await settle(pilot)


async def _context_of_the_next(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _context(pilot, app)
    await pilot.press("right_square_bracket")
    await settle(pilot)


async def _map(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """At an audit whose answer stands elsewhere than expected."""
    await _show(pilot, app, MAPPED)
    await pilot.press("m")
    await until(pilot, lambda: isinstance(app.screen, MapScreen) and app.screen.view.read_yet, 60)
    await settle(pilot)


async def _map_files(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _map(pilot, app)
    await pilot.press("tab", "down")
    await settle(pilot)


async def _map_file(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await _map(pilot, app)
    await pilot.press("enter")
    await settle(pilot)


async def _engines(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("E")
    await settle(pilot)


async def _money(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """The question before the api engine is asked; it is not, and its key is none."""
    await pilot.press("E")
    await settle(pilot)
    await pilot.press(*["down"] * 6, "enter", "a")
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), 30)
    await settle(pilot)


async def _watch_begun(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """A watch on the samples as they were committed, which has seen nothing yet."""
    git(app.desk.project.root, "checkout", "-q", "--", GUIDE)
    await _ask_all(pilot, app)
    await pilot.press("w")
    await until(pilot, lambda: app.watching.watch, 60)
    told: list[WatchEvent] = []
    assert app.watching.watch is not None
    app.watching.watch.subscribe(told.append)
    await until(pilot, lambda: any(isinstance(event, Settled) for event in told), 60)
    await settle(pilot)


async def _watch(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """Somebody saves the guide with one rule more and one gone: what they answer flips."""
    await _watch_begun(pilot, app)
    watch, guide = app.watching.watch, app.desk.project.root / GUIDE
    assert watch is not None
    text = guide.read_text("utf-8").replace("go to `inbox/` and stay there", "stay with whoever took them")
    guide.write_text(text.replace("- Dates are", "- New trees are planted six metres apart.\n- Dates are"), "utf-8")
    await until(pilot, lambda: watch.rows and all(row.kind for row in watch.rows), 120)
    await until(pilot, lambda: not app.runs.live, 60)
    await settle(pilot)


async def _compare(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    """The guide as it was committed beside what somebody made of it, each audit asked three times."""
    guide = app.desk.project.root / "audits" / "orchard" / "AGENTS.md"
    text = guide.read_text("utf-8").replace("go to `inbox/` and stay there", "stay with whoever took them")
    guide.write_text(text.replace("20 litres", "30 litres"), "utf-8")
    await pilot.press("equals_sign")
    await settle(pilot)
    for keys in (("a", *"rev:HEAD", "enter"), ("b", *"working tree", "enter"), ("t",)):
        await pilot.press(*keys)
        await settle(pilot)
    await pilot.press("r")
    screen = app.screen
    assert isinstance(screen, CompareScreen)
    await until(pilot, lambda: screen.compared is not None, 300)
    await settle(pilot)
    git(app.desk.project.root, "checkout", "-q", "--", "audits/orchard")


async def _choose_sides(pilot: "Pilot[None]", app: WorkbenchApp) -> None:
    await pilot.press("equals_sign")
    await settle(pilot)
    await pilot.press("b")
    await settle(pilot)


PICTURES: tuple[tuple[str, str, tuple[int, int], Steps], ...] = (
    ("bench-dark", DARK.name, WIDE, _follow),
    ("bench-light", LIGHT.name, WIDE, _follow),
    ("bench-contrast", CONTRAST.name, WIDE, _show),
    ("welcome-dark", DARK.name, WIDE, _welcome),
    ("problems-light", LIGHT.name, WIDE, _problems),
    ("bench-80x24-audits", DARK.name, LOW, _show),
    ("bench-80x24-transcript", DARK.name, LOW, _transcript),
    ("bench-80x24-checks", LIGHT.name, LOW, _checks),
    ("graded-dark", DARK.name, WIDE, _grade),
    ("status-dark", DARK.name, WIDE, _status),
    ("status-light", LIGHT.name, WIDE, _status),
    ("status-80x24", DARK.name, LOW, _status),
    ("help-dark", DARK.name, WIDE, _help),
    ("help-80x24", LIGHT.name, LOW, _help),
    ("edit-80x24", LIGHT.name, LOW, _edit),
    ("patterns-dark", DARK.name, WIDE, _patterns),
    ("patterns-light", LIGHT.name, WIDE, _patterns),
    ("patterns-80x24", DARK.name, LOW, _patterns),
    ("grade-dark", DARK.name, WIDE, _grading),
    ("grade-light", LIGHT.name, WIDE, _grading),
    ("grade-80x24", DARK.name, LOW, _grading),
    ("levels-light", LIGHT.name, WIDE, _levels),
    ("agreement-dark", DARK.name, WIDE, _agreement),
    ("history-dark", DARK.name, WIDE, _history),
    ("history-80x24", LIGHT.name, LOW, _history),
    ("report-light", LIGHT.name, WIDE, _report),
    ("report-80x24", DARK.name, LOW, _report),
    ("find-dark", DARK.name, WIDE, _find),
    ("context-dark", DARK.name, WIDE, _context),
    ("context-light", LIGHT.name, WIDE, _context_of_the_next),
    ("context-80x24", DARK.name, LOW, _context),
    ("map-dark", DARK.name, WIDE, _map),
    ("map-light", LIGHT.name, WIDE, _map_files),
    ("map-narrow", DARK.name, LOW, _map),
    ("map-file", LIGHT.name, WIDE, _map_file),
    ("engines-dark", DARK.name, WIDE, _engines),
    ("engines-80x24", LIGHT.name, LOW, _engines),
    ("money-light", LIGHT.name, WIDE, _money),
    ("watch-dark", DARK.name, WIDE, _watch),
    ("watch-light", LIGHT.name, (120, 34), _watch),
    ("watch-narrow", DARK.name, LOW, _watch),
    ("watch-empty", LIGHT.name, WIDE, _watch_begun),
    ("compare-dark", DARK.name, WIDE, _compare),
    ("compare-narrow", LIGHT.name, LOW, _compare),
    ("compare-choose", LIGHT.name, WIDE, _choose_sides),
    ("edit-dark", DARK.name, WIDE, _fix),
)


async def take(project: Path) -> None:
    """Ask the samples once, then take every picture."""
    app = WorkbenchApp(Desk.open(project))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await _ask_all(pilot, app)
    for name, theme, size, steps in PICTURES:
        app = WorkbenchApp(Desk.open(project))
        async with app.run_test(size=size) as pilot:
            app.theme = theme
            await settle(pilot)
            await steps(pilot, app)
            _keep(name, app.export_screenshot(title="Workbench"), size)
            await app.watching.end()


def _keep(name: str, svg: str, size: tuple[int, int]) -> None:
    # Web fonts would be fetched by whoever looks at the picture; a monospace font of the reader's own will do.
    plain = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)
    plain = re.sub(r"terminal-\d+", f"terminal-{name}", plain)
    (FOLDER / f"{name}.svg").write_text(plain, encoding="utf-8")
    if shutil.which("rsvg-convert"):
        width = str(size[0] * 11)
        target = FOLDER / f"{name}.png"
        subprocess.run(["rsvg-convert", "-w", width, "-o", target], input=_unindented(plain).encode(), check=True)


def _unindented(svg: str) -> str:
    """Moves each run of text right by its leading spaces, which rsvg drops."""
    return re.sub(r"<text([^>]*)>(.*?)</text>", _moved, svg, flags=re.DOTALL)


def _moved(run: "re.Match[str]") -> str:
    attributes, text = run[1], html.unescape(run[2])
    bare = text.lstrip("\u00a0 ")
    length, x = re.search(r'textLength="([\d.]+)"', attributes), re.search(r'\bx="([\d.]+)"', attributes)
    if not (length and x and bare) or bare == text:
        return run[0] if bare else ""
    cell = float(length[1]) / len(text)
    attributes = attributes.replace(x[0], f'x="{float(x[1]) + cell * (len(text) - len(bare)):.1f}"')
    attributes = attributes.replace(length[0], f'textLength="{cell * len(bare):.1f}"')
    return f"<text{attributes}>{html.escape(bare)}</text>"


def main() -> None:
    """Copy the samples into a repository of their own and take the pictures there."""
    with TemporaryDirectory(prefix="workbench-pictures-") as scratch:
        project = Path(scratch) / "orchard"
        shutil.copytree(ROOT / "audits", project / "audits", ignore=shutil.ignore_patterns("workbench.yaml"))
        shutil.copy(ROOT / "workbench.toml", project)
        git(project, "init", "-q", "-b", "main")
        git(project, "config", "user.name", "Robin")
        git(project, "config", "user.email", "robin@example.org")
        git(project, "add", ".")
        git(project, "commit", "-qm", "The orchard")
        FOLDER.mkdir(exist_ok=True)
        _know_agents(Path(scratch) / "config" / "workbench")
        asyncio.run(take(project))


def _know_agents(config: Path) -> None:
    """Let the bench find the pinned agents, and nothing of whoever takes the pictures."""
    programs = found()
    config.mkdir(parents=True)
    tables = [f'[{name}]\nprogram = "{programs[name]}"\n' for name in ("claude", "codex", "pi") if name in programs]
    (config / "engines.toml").write_text("\n".join(tables), "utf-8")
    if node := programs.get("node"):
        os.environ["PATH"] = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
    os.environ |= {"XDG_CONFIG_HOME": str(config.parent), "ANTHROPIC_API_KEY": "none-that-opens-anything"}


if __name__ == "__main__":
    loopback.enter()
    main()
