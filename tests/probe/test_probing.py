"""A whole probe, as the desk and the command line ask for it: a copy, a process of its own, a report that is kept."""

import asyncio
import json
from pathlib import Path

import psutil
import pytest

from tests.cli.test_commands import workbench
from tests.probe.conftest import BOX
from tests.projects import make_project
from workbench.boxes.base import workspaces_base
from workbench.desk.desk import Desk
from workbench.desk.records import DeskError
from workbench.probe.asking import ask
from workbench.probe.probing import ProbeError
from workbench.probe.wire import ProbeRequest, Step


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a temporary folder of its own, so that nothing of the machine's is looked at."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return home


def _probe(box: Path, steps: list[Step] | None = None, **more: str) -> dict[str, str]:
    heard = [] if steps is None else steps
    report = asyncio.run(ask(ProbeRequest.model_validate({"engine": "reader", "box": box, **more}), heard.append))
    assert (report.problem, report.differences, report.leaks, report.skipped) == ("", (), (), 0)
    return {file.path: file.standing for file in report.files}


def test_the_in_process_agent_loads_what_its_chain_says(box: Path) -> None:
    steps: list[Step] = []
    before = {path: path.read_bytes() for path in box.rglob("*") if path.is_file()}
    standings = _probe(box, steps)
    assert standings == {
        "CLAUDE.md": "always",
        "AGENTS.md": "always",
        "wheel/CLAUDE.md": "conditional",
        ".claude/rules/sluice.md": "conditional",
        ".claude/skills/grind/SKILL.md": "conditional",
        "docs/sacks.md": "referenced",
        "GEMINI.md": "never",
    }
    told = [step.told for step in steps]
    assert told[0] == "copying the box"
    assert told[2:-1] == ["reading wheel/axle.txt", "reading sluice/probe.log", "opening the skill grind"]
    assert {path: path.read_bytes() for path in box.rglob("*") if path.is_file()} == before
    assert list(workspaces_base().iterdir()) == []


def test_other_rules_and_another_start_are_followed(box: Path) -> None:
    assert _probe(box, rules="codex")["AGENTS.md"] == "always"
    assert _probe(box, rules="codex")["CLAUDE.md"] == "never"
    below = _probe(box, cwd="wheel")
    assert (below["wheel/CLAUDE.md"], below["AGENTS.md"]) == ("always", "referenced")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"engine": "acp"}, "cannot be told where to send its requests"),
        ({"cwd": "lost"}, "no folder 'lost' is in the box"),
        ({"cwd": "../mill"}, "no folder '../mill' is in the box"),
        ({"engine": "claude", "settings": {"program": "/nowhere/claude"}}, "claude is not ready"),
    ],
)
def test_what_cannot_be_probed_is_refused_in_a_sentence(box: Path, more: dict[str, object], told: str) -> None:
    request = ProbeRequest.model_validate({"engine": "reader", "box": box, **more})
    with pytest.raises(ProbeError, match=told):
        asyncio.run(ask(request, lambda step: None))
    assert list(workspaces_base().iterdir()) == []


async def test_a_probe_that_is_given_up_leaves_no_process_behind(box: Path) -> None:
    begun = asyncio.Event()
    probe = asyncio.create_task(ask(ProbeRequest(engine="reader", box=box), lambda step: begun.set()))
    await begun.wait()
    child = [one for one in psutil.Process().children() if "workbench.probe.process" in " ".join(one.cmdline())]
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    assert len(child) == 1
    assert not child[0].is_running()


def test_the_command_prints_a_table_and_the_desk_keeps_the_report(tmp_path: Path) -> None:
    root = make_project(tmp_path / "mill", BOX)
    done = workbench(root, "context", "--engine", "reader")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1].startswith("reader ")
    assert "2 always · 3 on condition · 1 referenced · 1 never" in lines[1]
    assert any(line.split()[:4] == ["AGENTS.md", "@", "in", "CLAUDE.md"] for line in lines)
    contexts = Desk.open(root).contexts
    [kept] = contexts.known()
    assert (kept.engine, kept.box, contexts.stale(kept)) == ("reader", "mill", False)
    before = (root / "AGENTS.md").read_text("utf-8")
    (root / "AGENTS.md").write_text("Changed.\n")
    assert contexts.stale(kept)
    (root / "AGENTS.md").write_text(before)
    assert not contexts.stale(kept)
    (root / "CLAUDE.local.md").write_text("Another one.\n")
    assert contexts.stale(kept)


def test_json_holds_everything_but_the_texts(tmp_path: Path) -> None:
    root = make_project(tmp_path / "mill", BOX)
    done = workbench(root, "context", "--engine", "reader", "--cwd", "wheel", "--json")
    [report] = json.loads(done.stdout)
    assert {"engine", "version", "cwd", "files", "parts", "differences", "leaks", "requests", "total"} <= report.keys()
    assert report["total"] == sum(part["size"] for part in report["parts"])
    assert all("text" not in file for file in report["files"])
    refused = workbench(root, "context", "--engine", "claud")
    assert (refused.returncode, "no engine named 'claud'; did you mean `claude`?" in refused.stderr) == (2, True)


def test_of_several_boxes_one_is_named_and_keeps_what_its_corpus_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpora = {f"audits/{name}.yaml": f"box: ../{name}\ndeny: [{name}.md]\ntests: []\n" for name in ("mill", "barn")}
    root = make_project(tmp_path / "farm", {**corpora, "mill/AGENTS.md": "Flour.\n", "barn/AGENTS.md": "Hay.\n"})
    contexts = Desk.open(root).contexts
    monkeypatch.chdir(root / "audits")
    with pytest.raises(DeskError, match=r"name one with --box \.\./barn or --box \.\. or --box \.\./mill"):
        contexts.place()
    (root / "audits" / "gone.yaml").write_text("box: ../gone\ntests: []\n")
    contexts = Desk.open(root).contexts
    for named in ("../barn", contexts.box_of("audits/barn.yaml")):
        place = contexts.place(named)
        assert (place.box, place.deny) == (root / "barn", ("barn.md",))
    assert contexts.place("..").deny == ()
