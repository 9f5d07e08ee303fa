"""Codex as it is run: its command line, its program, and what comes of a pretended one."""

import tomllib
from pathlib import Path

import pytest

from tests.engines.test_codex import CAPTURES, acts
from workbench.engines.codex import command, installed
from workbench.engines.codex.engine import CodexEngine
from workbench.engines.codex.installed import Program
from workbench.engines.protocol import Ending, EngineSettings, Task
from workbench.traces.events import TraceEvent, trace_of
from workbench.traces.reasons import Reason
from workbench.traces.records import Trace


def test_the_command_line_keeps_shut_what_must_not_be_read(tmp_path: Path) -> None:
    secret = tmp_path / 'odd "name"'
    secret.mkdir()
    link = tmp_path / "link"
    link.symlink_to(secret)
    task = Task(trial="t", prompt="?", workspace=tmp_path, secrets=(link, tmp_path / "gone"), env={"A": 'b"c'})
    closed = command.closed(task, tmp_path / "sessions", tmp_path / "auth.json", "codex")
    assert closed[0] == secret
    assert command.unclosable([tmp_path / "a[1]"]) == tmp_path / "a[1]"
    words = command.arguments(task, Program("codex"), closed, key="KEY", base_url="http://h/v1/", web=True)
    told = dict(word.split("=", 1) for word in words if "=" in word)
    assert f'"{tmp_path}/odd \\"name\\""="deny"' in told["permissions.workbench.filesystem"]
    assert '":workspace_roots"={"."="write"}' in told["permissions.workbench.filesystem"]
    assert 'base_url="http://h/v1"' in told["model_providers.workbench"]
    assert 'env_key="KEY"' in told["model_providers.workbench"]
    assert "shell_environment_policy.set" not in told  # a command line is there for everybody to read
    assert tomllib.loads(command.configuration(task))["shell_environment_policy"]["set"] == {"A": 'b"c'}
    assert told["web_search"] == '"live"'


def test_the_program_itself_is_found_behind_the_script_of_npm(tmp_path: Path) -> None:
    vendor = tmp_path / "node_modules" / "@openai"
    native = vendor / "codex-linux-x64" / "vendor" / installed.triple() / "bin" / "codex"
    script = vendor / "codex" / "bin" / "codex.js"
    for path, text in ((native, "#!/bin/sh\necho codex-cli 0.99.1\n"), (script, "#!/usr/bin/env node\n")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    link = tmp_path / "codex"
    link.symlink_to(script)
    found = installed.find(str(link))
    assert found
    assert (found.path, found.version) == (str(native), "0.99.1")
    assert "0.171.0 or newer" in found.problem


def test_preflight_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    found = CodexEngine(EngineSettings(program=str(tmp_path / "none"))).preflight(())
    assert [problem.split(":")[0] for problem in found.problems] == ["codex is not on PATH", "no credential"]
    (tmp_path / "auth.json").write_text("{}")
    login = CodexEngine(EngineSettings(program=str(tmp_path / "none"), login=True)).preflight(())
    assert login.credential == str(tmp_path / "auth.json")


PRETENDER = r"""#!/bin/sh
case $1 in
  --version) echo codex-cli 0.171.0 ;;
  app-server)
    {keep} cp {rollout} "$CODEX_HOME/sessions/kept.jsonl"
    sed -e "s|\"path\":null|\"path\":\"$CODEX_HOME/sessions/kept.jsonl\"|" {profile} {stream} ;;
esac
"""
PROFILE = """-e 's|"activePermissionProfile":null|"activePermissionProfile":{"id":"workbench"}|'"""


def pretend(folder: Path, *, keep: bool = True, profile: bool = True) -> tuple[Trace, Ending]:
    """A whole run with a program that repeats a captured stream, and leaves a captured session file or none."""
    program, box = folder / "codex", folder / "trial" / "box"
    box.mkdir(parents=True)
    told = {"keep": "" if keep else ":", "profile": PROFILE if profile else ""}
    files = {"rollout": CAPTURES / "codex-denied.rollout.jsonl", "stream": CAPTURES / "codex-appserver-ok.jsonl"}
    program.write_text(PRETENDER.format(**told, **files))
    program.chmod(0o755)
    events: list[TraceEvent] = []
    task = Task(trial="t", prompt="Where?", workspace=box, keys={"CODEX_API_KEY": "dummy"}, timeout=30)
    ending = CodexEngine(EngineSettings(program=str(program))).run(task, events.append)
    assert list(box.parent.iterdir()) == [box]
    return trace_of(events), ending


def test_a_run_is_told_from_the_file_that_is_kept(tmp_path: Path) -> None:
    trace, ending = pretend(tmp_path)
    assert ending.reason is None, ending
    assert ending.cost_basis == "list"
    assert ("cat _content/secret/s.md", True) in acts(trace)
    assert len(trace.assistant_turns) == 6
    assert trace.meta.model == "gpt-5.5"


def test_a_run_whose_file_is_gone_cannot_be_judged(tmp_path: Path) -> None:
    _, ending = pretend(tmp_path, keep=False)
    assert (ending.reason, ending.detail) == (Reason.CRASHED, "codex kept no file of the session")


def test_nothing_is_asked_when_the_permissions_were_not_taken(tmp_path: Path) -> None:
    _, ending = pretend(tmp_path, profile=False)
    assert ending.reason is Reason.MISSING
    assert "overrules" in ending.detail


def test_nothing_is_started_without_a_program(tmp_path: Path) -> None:
    engine = CodexEngine(EngineSettings(program=str(tmp_path / "none")))
    ending = engine.run(
        Task(trial="t", prompt="?", workspace=tmp_path, keys={"CODEX_API_KEY": "x"}), lambda event: None
    )
    assert ending.reason is Reason.MISSING
