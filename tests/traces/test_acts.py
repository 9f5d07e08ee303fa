"""The one classifier: what every engine's calls amount to, and which reads count."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.making import WORKSPACE, Call, bash, grep, make, read
from workbench.traces.acts import Act, classify
from workbench.traces.records import Trace
from workbench.traces.tools import TOOLS, capabilities


def told(act: Act) -> str:
    """An act as the tables below write it: `kind path query`, with `?reason` for a read that does not count."""
    doubt = {"it failed": "!", "it may not have run": "~", "it showed nothing": "0", "it has no result": "-"}
    mark = doubt.get(act.doubt, "") + ("*" if act.glob else "")
    parts = (act.kind, act.path, f"“{act.query}”" if act.query else "", mark)
    return " ".join(part for part in parts if part)


def deeds(trace: Trace) -> list[str]:
    """Acts but for the commands themselves."""
    return [told(act) for act in classify(trace) if act.kind != "command"]


@pytest.mark.parametrize(
    ("line", "acts"),
    [
        ("cat a.md", ["read a.md"]),
        ("cat -n a.md ./b.md docs/../c.md", ["read a.md", "read b.md", "read c.md"]),
        (f"cat {WORKSPACE}/docs/a.md /etc/hosts ../x", ["read docs/a.md", "read /etc/hosts", "read /nowhere/x"]),
        ("head -5 a; head -n 5 b; head -n5 c; tail -n +3 d; tail -c 9 e", [f"read {name}" for name in "abcde"]),
        ("less +5 a; more b; nl -ba c; tac d; bat -r 1:9 e", [f"read {name}" for name in "abcde"]),
        ("sed -n '1,20p' a", ["read a"]),
        ("sed -n -e 1p -e 2p a", ["read a"]),
        ("sed -ne 1p a", ["read a"]),
        ("awk -F: '{print $1}' a", ["read a"]),
        ("jq --arg k v '.[$k]' a.json", ["read a.json"]),
        ("cat < a", ["read a"]),
        ("while read l; do echo $l; done < a", ["read a"]),
        ("cat a | grep x", ["read a", "search - “x”"]),
        ("cat docs/*.md", ["read docs/*.md *"]),
        ("cd docs && cat a.md", ["read docs/a.md"]),
        ("D=docs; cat $D/a.md", ["read docs/a.md"]),
        ("cd $X; cat a.md", []),
        ("cat $X/a.md", []),
        ("cat $(ls)", ["search"]),
        ("xargs cat < list", ["read list"]),
        ("cat 'a b.md' \"c d.md\"", ["read a b.md", "read c d.md"]),
        ("echo 'cat a.md'; echo cat b.md", []),
        ("cat a || cat b", ["read a", "read b ~"]),
        ("if [ -f a ]; then cat a; fi", ["read a ~"]),
        ("cat a > b", ["edit b"]),
        ("cat a 2>/dev/null", ["read a"]),
        ("bash -lc 'cat docs/a.md'", ["read docs/a.md"]),
        # searches
        ("grep -rn x docs/", ["search docs “x”"]),
        ("grep -rne x docs", ["search docs"]),
        ("grep x a.md", ["read a.md", "search a.md “x”"]),
        ("grep -A 3 -e x a.md b.md", ["read a.md", "search a.md", "read b.md", "search b.md"]),
        ("grep -l x a.md", ["search a.md “x”"]),
        ("rg x", ["search “x”"]),
        ("rg -g '*.md' x docs", ["search docs “x”"]),
        ("rg x docs/a.md", ["read docs/a.md", "search docs/a.md “x”"]),
        ("rg --files docs", ["search docs"]),
        ("find docs src -name '*.md'", ["search docs “-name *.md”", "search src “-name *.md”"]),
        ("find . -name x -exec cat {} +", ["search . “-name x -exec cat {} +”"]),
        ("fd -e md eggs docs", ["search docs “eggs”"]),
        ("ls; ls -la docs; tree -L 2", ["search", "search docs", "search"]),
        ("git grep -n x; git -C docs grep y; git show", ["search “x”", "search “y”"]),
        ("wc -l a; file a; stat a", []),
        # edits
        ("cat > f <<EOF\ncat no.md\nEOF", ["edit f"]),
        ("echo x >> f; date > /dev/null", ["edit f"]),
        ("echo x | tee -a f", ["edit f"]),
        ("sed -i.bak s/a/b/ f", ["edit f"]),
        ("sed -i -e s/a/b/ f g", ["edit f", "edit g"]),
        ("cp a b; mv b c; rm c; touch d", ["edit b", "edit c", "edit c", "edit d"]),
        ("apply_patch <<'EOF'\n*** Update File: docs/a.md\n*** Add File: b.md\nEOF", ["edit docs/a.md", "edit b.md"]),
        ("echo x > $OUT", ["edit"]),
    ],
)
def test_what_a_shell_command_amounts_to(line: str, acts: list[str]) -> None:
    assert deeds(make(bash(line))) == acts


@pytest.mark.parametrize(
    ("call", "acts"),
    [
        (bash("cat a", "Exit code 1", error=True), ["read a !"]),
        (bash("cat a b", "cat: b: No such file or directory\n…", error=True), ["read a !", "read b !"]),
        (bash("cat gone; cat a", "cat: gone: No such file or directory\neggs"), ["read gone !", "read a"]),
        (bash("head gone a", "head: cannot open 'gone' for reading: No such file"), ["read gone !", "read a"]),
        (bash("cat < gone; cat a", "bash: line 1: gone: No such file or directory"), ["read gone !", "read a"]),
        (bash("cat gone.md; cat n", "cat: gone.md: No such file"), ["read gone.md !", "read n"]),
        (bash("cd gone; cat a", "bash: line 1: cd: gone: No such file or directory\neggs"), ["read gone/a ~"]),
        (bash("cat a", ""), ["read a 0"]),
        (bash("cat a", None), ["read a -"]),
        (read("docs/a.md"), ["read docs/a.md"]),
        (read("docs/a.md", error=True), ["read docs/a.md !"]),
        (read("docs/a.md", None), ["read docs/a.md -"]),
        (read(f"{WORKSPACE}/docs//a.md"), ["read docs/a.md"]),
        (read("/etc/passwd"), ["read /etc/passwd"]),
        (read("../../etc/passwd"), ["read /etc/passwd"]),
        (grep("eggs", "docs"), ["search docs “eggs”"]),
        (grep("eggs"), ["search “eggs”"]),
        (Call("Glob", {"pattern": "*.md"}), ["search “*.md”"]),
        (Call("Edit", {"file_path": "a"}), ["edit a"]),
        (Call("NotebookEdit", {"notebook_path": "a.ipynb"}), ["edit a.ipynb"]),
        (Call("WebSearch", {"query": "eggs"}), ["web “eggs”"]),
        (Call("WebFetch", {"url": "http://x"}), ["web “http://x”"]),
        (
            Call("Skill", {"skill": "hens"}),
            ["skill .claude/skills/hens/SKILL.md “hens”", "read .claude/skills/hens/SKILL.md"],
        ),
        (
            Call("Skill", {"skill": "/hens"}, error=True),
            [
                "skill .claude/skills/hens/SKILL.md “hens” !",
                "read .claude/skills/hens/SKILL.md !",
            ],
        ),
        (Call("Agent", {"prompt": "look"}), []),
        (Call("exec_command", {"cmd": "cat a", "workdir": f"{WORKSPACE}/docs"}), ["read docs/a"]),
        (Call("shell", {"command": ["bash", "-lc", "cat a"]}), ["read a"]),
        (Call("shell", {"command": ["cat", "a b"]}), ["read a b"]),
        (Call("apply_patch", {"input": "*** Delete File: a\n*** Update File: b"}), ["edit a", "edit b"]),
        (Call("web_search", {"query": "eggs"}), ["web “eggs”"]),
        (Call("read", {"path": "a"}), ["read a"]),
        (Call("ls", {"path": "docs"}), ["search docs"]),
        (Call("bash", {"command": "cat a"}), ["read a"]),
        (Call("find", {"pattern": "*.md"}), ["search “*.md”"]),
        (Call("mcp__hens__count", {"path": "a"}), []),
        (Call("Read", {"file_path": 7}), ["read"]),
        (Call("Bash", {}), []),
    ],
)
def test_what_a_call_amounts_to(call: Call, acts: list[str]) -> None:
    assert deeds(make(call)) == acts


def test_paths_start_where_the_agent_does() -> None:
    assert deeds(make(read("a.md"), bash("cat ../b.md; cd sub; cat c.md"), cwd="docs")) == [
        "read docs/a.md",
        "read b.md",
        "read docs/sub/c.md",
    ]


def test_claudes_shell_stays_where_a_command_left_it() -> None:
    steps = (bash("cd docs"), bash("cat a"), bash("cd /elsewhere"), bash("cat b"), bash("cd docs", error=True))
    assert deeds(make(*steps, bash("cat c"), engine="claude")) == ["read docs/a", "read b", "read c"]
    assert deeds(make(*steps, bash("cat c"))) == ["read a", "read b", "read c"]


def test_what_sub_agents_do_counts() -> None:
    acts = classify(make(read("a"), parent="call-9"))
    assert [(act.path, act.parent) for act in acts] == [("a", "call-9")]


def test_a_file_reached_through_a_link_has_its_real_name(tmp_path: Path) -> None:
    box = tmp_path / "box"
    (box / "docs").mkdir(parents=True)
    (box / "docs" / "a.md").touch()
    (tmp_path / "out.md").touch()
    (box / "link.md").symlink_to("docs/a.md")
    (box / "ways").symlink_to("docs")
    (box / "away.md").symlink_to(tmp_path / "out.md")
    (tmp_path / "alias").symlink_to(box)
    steps = (read("link.md"), bash("cat ways/a.md"), read("away.md"), read(str(tmp_path / "alias" / "docs" / "a.md")))
    trace = make(*steps, workspace=str(tmp_path / "alias"))
    real = str((tmp_path / "out.md").resolve())
    assert deeds(trace) == ["read docs/a.md", "read docs/a.md", f"read {real}", "read docs/a.md"]


@pytest.mark.parametrize(
    ("call", "literal", "counted"),
    [
        (read("/x/a.md", error=True), "/x/a.md", True),
        (bash("cat a.md"), "cat a.md", True),
        (bash("echo 'cat a.md'"), "echo 'cat a.md'", True),
        (bash("git grep x"), "git grep x", True),
        (bash("bbx x;grep y"), "bbx x;grep y", True),
        (bash("ls docs"), "ls docs", False),
        (bash("awk 1 a"), "awk 1 a", False),
        (bash("concat a"), "concat a", False),
        (grep("x"), "x", False),
    ],
)
def test_what_bee_box_would_make_of_it(call: Call, literal: str, counted: bool) -> None:
    act = classify(make(call))[0]
    assert (act.literal, act.bee_box_read) == (literal, counted)


def test_codex_commands_speak_of_claude_md() -> None:
    act = classify(make(bash("cat AGENTS.md"), engine="codex"))[0]
    assert (act.command, act.literal) == ("cat AGENTS.md", "cat CLAUDE.md")


def test_a_shell_can_read_search_and_edit() -> None:
    assert capabilities(["Bash"]) == {"command", "read", "search", "edit"}
    assert capabilities(["Read", "mcp__x"]) == {"read"}
    assert capabilities(["Skill"]) == {"skill", "read"}


values = st.text(max_size=20) | st.integers() | st.none() | st.lists(st.text(max_size=5), max_size=3)
arguments = st.dictionaries(
    st.sampled_from(["file_path", "command", "cmd", "path", "pattern", "skill", "input", "workdir"]), values
)


@settings(max_examples=150, deadline=None)
@given(name=st.sampled_from(sorted(TOOLS)), given=arguments)
def test_no_arguments_are_too_strange(name: str, given: dict[str, object]) -> None:
    classify(make(Call(name, given)))
