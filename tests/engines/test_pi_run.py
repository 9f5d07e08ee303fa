"""pi as it is run: what it is given, when it is stopped, and what is said to be missing."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.engines.test_pi import CAPTURES
from workbench.engines.credentials import login_values
from workbench.engines.pi.engine import PiEngine
from workbench.engines.pi.secrets import VARIABLE
from workbench.engines.protocol import EngineSettings, Task
from workbench.host import sandbox
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.reasons import Reason

FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo 1.6.0; exit; }
printf '%s\\n' "$@" >argv; env >env; cat >prompt; cp "$PI_CODING_AGENT_DIR"/*.json .
cat "$CAPTURE"
[ -z "$LINGER" ] || sleep 300
"""


@pytest.fixture
def fake(tmp_path: Path) -> PiEngine:
    """An engine whose pi is a script that notes what it is given and plays a capture."""
    program = tmp_path / "bin" / "pi"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return PiEngine(EngineSettings(program=str(program), stall=20))


def task(tmp_path: Path, capture: str, **more: object) -> Task:
    box = tmp_path / "outer" / "box"
    box.mkdir(parents=True)
    env = {"CAPTURE": str(CAPTURES / f"{capture}.jsonl"), **more.pop("env", {})}  # type: ignore[dict-item]
    given = {"keys": {VARIABLE: "sk-dummy-key"}, "timeout": 30, "base_url": "http://127.0.0.1:1/v1", **more}
    return Task.model_validate({"trial": "t", "prompt": "-p @odd", "workspace": box, "env": env, **given})


def test_pi_is_given_a_place_of_its_own_and_never_the_key(fake: PiEngine, tmp_path: Path) -> None:
    events: list[TraceEvent] = []
    asked = task(tmp_path, "pi-160-ok", model="some/model", env={"SEEN": "by tools"})
    ending = fake.run(asked, events.append)
    box = asked.workspace
    argv = (box / "argv").read_text().split("\n")
    env = dict(line.split("=", 1) for line in (box / "env").read_text().splitlines() if "=" in line)
    assert ending.reason is None, ending.detail
    assert trace_of(events).meta.engine_version == "1.6.0"
    assert (box / "prompt").read_text() == "-p @odd\n"
    assert argv[argv.index("--model") + 1] == "some/model"
    assert {"--approve", "--no-extensions", "--offline", "--no-session"} <= set(argv)
    assert env["SEEN"] == "by tools"
    assert not Path(env["HOME"]).is_relative_to(Path.home())
    assert json.loads((box / "models.json").read_text())["providers"]["openrouter"]["baseUrl"].startswith("http://127.")
    assert not any(b"sk-dummy-key" in path.read_bytes() for path in box.iterdir())
    assert os.listdir(box.parent) == ["box"], "nothing of the run is left"


def test_the_turn_limit_is_counted_here(fake: PiEngine, tmp_path: Path) -> None:
    events: list[TraceEvent] = []
    ending = fake.run(task(tmp_path, "pi-160-ok", max_turns=1, env={"LINGER": "1"}), events.append)
    assert ending.reason is Reason.TURN_LIMIT
    assert len(trace_of(events).assistant_turns) == 1


def test_a_pi_that_falls_silent_is_given_up(fake: PiEngine, tmp_path: Path) -> None:
    ending = fake.run(task(tmp_path, "pi-notool", timeout=1, env={"LINGER": "1"}), lambda _: None)
    assert ending.reason is Reason.TIMED_OUT


def test_guidance_above_the_box_is_hidden_or_refused(
    fake: PiEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = task(tmp_path, "pi-160-ok")
    (asked.workspace.parent / "AGENTS.md").write_text("not the box's")
    monkeypatch.setattr(sandbox, "available", lambda: "")
    ending = fake.run(asked, lambda _: None)
    assert ending.reason is Reason.MISSING
    assert "AGENTS.md" in ending.detail
    assert "bubblewrap" in " ".join(fake.preflight([VARIABLE]).notes)


def test_a_folder_that_leads_out_is_no_place_to_start(fake: PiEngine, tmp_path: Path) -> None:
    asked = task(tmp_path, "pi-160-ok", cwd="out")
    (asked.workspace / "out").symlink_to(tmp_path)
    assert fake.run(asked, lambda _: None).reason is Reason.MISSING


def test_a_login_lends_its_key_when_the_user_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    entries = {
        "openrouter": {"type": "api_key", "key": "sk-stored-for-the-bench"},
        "anthropic": {"type": "oauth", "access": "x"},
    }
    (tmp_path / "auth.json").write_text(json.dumps(entries))
    lent = PiEngine(EngineSettings(login=True)).preflight([]).credential
    assert lent == str(tmp_path / "auth.json")
    assert "sk-stored-for-the-bench" in login_values("pi", EngineSettings(login=True)), "it is kept out of traces"
    assert login_values("pi", EngineSettings()) == ()
    assert PiEngine(EngineSettings()).preflight([]).credential == ""
    assert PiEngine(EngineSettings(login=True, provider="anthropic")).preflight([]).credential == ""


def test_preflight_says_what_is_missing(fake: PiEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fake.preflight([VARIABLE]).ready
    assert "OPENROUTER_API_KEY" in fake.preflight([]).problems[0]
    assert "install" in PiEngine(EngineSettings(program=str(tmp_path / "no"))).preflight([VARIABLE]).problems[0]
    assert "no provider 'x'" in PiEngine(EngineSettings(provider="x")).preflight([]).problems[-1]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert fake.tools("box") == ("read", "bash", "edit", "write", "ls")
    assert fake.tools("dev") == ("read", "ls")


def test_a_node_that_is_too_old_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, places = tmp_path / "package", tmp_path / "bin"
    for path, text in {
        package
        / "package.json": '{"version": "1.6.0", "bin": {"pi": "dist/cli.js"}, "engines": {"node": ">=22.19.0"}}',
        package / "dist" / "cli.js": "",
        places / "node": "#!/bin/sh\necho v20.20.2\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    (places / "pi").symlink_to(package / "dist" / "cli.js")
    monkeypatch.setenv("PATH", f"{places}{os.pathsep}{os.environ['PATH']}")
    found = PiEngine(EngineSettings()).preflight([VARIABLE])
    assert (found.version, found.program) == ("1.6.0", str(places / "pi"))
    assert "needs Node >=22.19.0" in found.problems[0]
    (places / "node").write_text("#!/bin/sh\necho v24.1.0\n")
    (package / "dist" / "cli.js").write_text("changed")
    assert PiEngine(EngineSettings()).preflight([VARIABLE]).ready
