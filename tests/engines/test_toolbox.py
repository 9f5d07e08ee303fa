"""The tools: what they give, what they refuse, and that nothing of a command is left."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.engines.toolbox.box import Toolbox, tools_for
from workbench.engines.toolbox.tool import Outcome
from workbench.host import sandbox

Tools = Callable[..., Toolbox]
FILES = {
    "AGENTS.md": "Be kind.\n",
    "docs/a.md": "one\ntwo Card\nthree\n",
    "docs/AGENTS.md": "Docs rule.\n",
    "src/x.py": "card = 1\ncard = 2\n",
    "src/.hidden.py": "Card\n",
    ".git/config": "card\n",
}
CUT = "[cut after 1; narrow the search or raise head_limit]"


def text(outcome: Outcome) -> str:
    assert not outcome.is_error, outcome.text
    return outcome.text


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Read", {"file_path": "docs/a.md"}, "1\tone\n2\ttwo Card\n3\tthree"),
        ("Read", {"file_path": "docs/a.md", "offset": 2, "limit": 1}, "2\ttwo Card\n[1 more; read on with offset 3]"),
        ("Grep", {"pattern": "card"}, "src/x.py"),
        ("Grep", {"pattern": "card", "-i": True, "output_mode": "count"}, "docs/a.md:1\nsrc/.hidden.py:1\nsrc/x.py:2"),
        ("Grep", {"pattern": "^two", "output_mode": "content", "-B": 1}, "docs/a.md-1-one\ndocs/a.md:2:two Card"),
        ("Grep", {"pattern": "card", "glob": "*.md", "-i": True}, "docs/a.md"),
        ("Grep", {"pattern": r"\Atwo Card\Z", "path": "docs", "-n": True}, "docs/a.md"),
        ("Grep", {"pattern": "card", "-i": True, "head_limit": 1}, f"docs/a.md\n{CUT}"),
        ("Grep", {"pattern": "nowhere"}, "No matches found"),
        ("Glob", {"pattern": "**/*.md"}, "AGENTS.md\ndocs/AGENTS.md\ndocs/a.md"),
        ("Glob", {"pattern": "*.{md,py}", "path": "src"}, "src/.hidden.py\nsrc/x.py"),
        ("Glob", {"pattern": "docs"}, "No files found"),
        ("Bash", {"command": "cd docs && cat a.md | head -n 1; exit 0"}, "one"),
    ],
)  # fmt: skip
def test_what_tools_give(tools: Tools, tool: str, arguments: dict[str, Any], expected: str) -> None:
    assert text(tools(FILES).run(tool, arguments)) == expected


def test_writing_and_editing_leave_all_else_as_it_was(tools: Tools, tmp_path: Path) -> None:
    box = tools({"a.txt": "eins\r\nzwei\r\n", "mixed.txt": "a\r\nb\n", **FILES})
    text(box.run("Edit", {"file_path": "a.txt", "old_string": "zwei", "new_string": "zwo"}))
    text(box.run("Edit", {"file_path": "a.txt", "old_string": "eins\nzwo", "new_string": "eins\nund\nzwo"}))
    text(box.run("Edit", {"file_path": "mixed.txt", "old_string": "b\n", "new_string": "b\nc\n"}))
    text(box.run("Write", {"file_path": "new/b.txt", "content": "b\r\n"}))
    root = tmp_path / "outer" / "box"
    assert (root / "a.txt").read_bytes() == b"eins\r\nund\r\nzwo\r\n"
    assert (root / "mixed.txt").read_bytes() == b"a\r\nb\nc\n"
    assert (root / "new/b.txt").read_bytes() == b"b\r\n"
    twice = box.run("Edit", {"file_path": "src/x.py", "old_string": "card", "new_string": "c"})
    assert twice.is_error
    assert "2 times" in twice.text


def test_a_folder_brings_its_guidance_with_the_first_read_or_edit(tools: Tools) -> None:
    box = tools(FILES)
    assert [file.path for file in box.run("Read", {"file_path": "docs/a.md"}).guidance] == ["docs/AGENTS.md"]
    assert box.run("Write", {"file_path": "docs/b.md", "content": ""}).guidance == ()


@pytest.mark.parametrize(
    "named",
    [
        "../secret.md",
        "/etc/hostname",
        "docs/../../secret.md",
        "link.md",
        "folder/secret.md",
        "~/x",
        "",
        "a\0b",
        "docs",
        "loop",
    ],
)
@pytest.mark.parametrize("tool", ["Read", "Write", "Edit", "Grep", "Glob"])
def test_nothing_outside_the_workspace_is_read_or_written(tools: Tools, tmp_path: Path, tool: str, named: str) -> None:
    secret = tmp_path / "outer" / "secret.md"
    box = tools(FILES)
    secret.write_text("hush")
    root = tmp_path / "outer" / "box"
    os.symlink(secret, root / "link.md")
    os.symlink(secret.parent, root / "folder")
    os.symlink("loop", root / "loop")
    arguments: dict[str, dict[str, Any]] = {
        "Read": {"file_path": named},
        "Write": {"file_path": named, "content": "x"},
        "Edit": {"file_path": named, "old_string": "hush", "new_string": "x"},
        "Grep": {"pattern": "hush", "path": named, "output_mode": "content"},
        "Glob": {"pattern": "*", "path": named},
    }
    outcome = box.run(tool, arguments[tool])
    assert "hush" not in outcome.text
    assert secret.read_text() == "hush"
    assert sorted(path.name for path in secret.parent.iterdir()) == ["box", "secret.md"]
    if named not in {"docs", "~/x"}:
        assert outcome.is_error


def test_links_within_the_workspace_may_be_read_but_not_written(tools: Tools, tmp_path: Path) -> None:
    box = tools(FILES)
    os.symlink("docs/a.md", tmp_path / "outer" / "box" / "near.md")
    assert text(box.run("Read", {"file_path": "near.md"})).startswith("1\tone")
    assert box.run("Write", {"file_path": "near.md", "content": ""}).is_error


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("Fly", {}, "no tool 'Fly'"),
        ("Read", {}, "`file_path` is missing"),
        ("Read", {"file_path": 3, "page": 1}, "`file_path` must be of type string; `page` is not an argument"),
        ("Read", {"file_path": "none.md"}, "does not exist"),
        ("Grep", {"pattern": "("}, "not a regular expression"),
        ("Skill", {"skill": "fly"}, "no skill 'fly'"),
        ("Bash", {"command": "echo out; echo err >&2; exit 3"}, "Exit code 3\nout\nerr"),
    ],
)
def test_errors_say_what_to_do(tools: Tools, tool: str, arguments: dict[str, Any], told: str) -> None:
    outcome = tools(FILES).run(tool, arguments)
    assert outcome.is_error
    assert told in outcome.text


def test_a_command_sees_nothing_of_the_users_environment(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY_OF_MINE", "hush")
    seen = text(tools(FILES, env={"BOX": "1", "PATH": "/opt/x:/usr/bin:/bin"}).run("Bash", {"command": "env"}))
    names = {line.split("=")[0] for line in seen.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LANG", "TERM", "PWD", "BOX", "SHLVL", "_"}
    assert "PATH=/opt/x:/usr/bin:/bin" in seen


needs_sandbox = pytest.mark.skipif(not sandbox.available(), reason="bubblewrap does not work here")


@needs_sandbox
def test_a_confined_command_writes_in_its_workspace_and_home_only(tools: Tools, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "key.yaml").write_text("hush")
    (tmp_path / "hint").write_text("hush")
    (tmp_path / "outer").mkdir()
    os.symlink(answers, tmp_path / "outer" / "way")
    box = tools(FILES, confined=True, secrets=(answers, tmp_path / "hint", tmp_path / "gone"))
    text(box.run("Bash", {"command": "echo new > docs/new.md && touch $HOME/x $TMPDIR/y && cd docs && cat a.md"}))
    assert (tmp_path / "outer" / "box" / "docs" / "new.md").read_text() == "new\n"
    for command in (f"touch {tmp_path}/outside", "touch /etc/outside", f"rm {tmp_path}/hint"):
        assert box.run("Bash", {"command": command}).is_error
    for command in (f"cat {tmp_path}/hint", f"cat {answers}/key.yaml", f"cat {tmp_path}/outer/way/key.yaml"):
        seen = box.run("Bash", {"command": command})
        assert seen.is_error
        assert "hush" not in seen.text
    assert not (tmp_path / "outside").exists()
    assert (tmp_path / "hint").read_text() == "hush"


@needs_sandbox
def test_a_confined_command_sees_no_credentials_of_the_user(
    tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "user"
    for name in (".ssh/id", ".claude/.credentials.json", ".claude/CLAUDE.md"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("hush")
    monkeypatch.setenv("HOME", str(home))
    seen = tools(FILES, confined=True).run("Bash", {"command": f"cd {home}; cat .ssh/id .claude/.credentials.json"})
    assert seen.is_error
    assert "hush" not in seen.text
    assert (home / ".ssh" / "id").read_text() == "hush"


@needs_sandbox
def test_a_confined_command_sees_no_other_process_and_leaves_none(tools: Tools) -> None:
    box = tools(FILES, confined=True, tool_timeout=1)
    assert text(box.run("Bash", {"command": f"test ! -e /proc/{os.getpid()}/environ && echo unseen"})) == "unseen"
    mark = f"600.{os.getpid()}"
    outcome = box.run("Bash", {"command": f"setsid sleep {mark} & sleep {mark}"})
    assert "limit of 1 s" in outcome.text
    sleeping = [found for found in psutil.process_iter(["cmdline"]) if mark in (found.info["cmdline"] or ())]
    _, alive = psutil.wait_procs(sleeping, timeout=5)
    assert [found for found in alive if found.status() != psutil.STATUS_ZOMBIE] == []


def test_a_command_is_ended_with_all_it_started(tools: Tools) -> None:
    begun = time.monotonic()
    command = "sleep 600 & echo $!; (sleep 600; echo) & echo $!; echo $$; exec sleep 600"
    outcome = tools(FILES, tool_timeout=0.5).run("Bash", {"command": command})
    assert outcome.is_error
    assert "limit of 0.5 s" in outcome.text
    assert time.monotonic() - begun < 10
    pids = [int(line) for line in outcome.text.splitlines() if line.isdigit()]
    assert len(pids) == 3
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=5)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []


def test_endless_output_is_cut(tools: Tools) -> None:
    outcome = tools(FILES).run(
        "Bash", {"command": "head -c 5000000 /dev/zero | tr '\\0' x; printf '\\033]0;title\\007'"}
    )
    assert len(text(outcome)) < 31_000
    assert outcome.text.endswith("[output cut after 30000 bytes]")


def test_a_developer_session_only_reads() -> None:
    assert [tool.schema.name for tool in tools_for("dev")] == ["Read", "Grep", "Glob", "Skill"]
