"""Each guidance file is credited with what really stood in the requests, and with nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.probe.conftest import BOX, READ, SKILL, Agent
from workbench.brains.protocol import ToolSchema
from workbench.probe.attribution import attribute, parts
from workbench.probe.comparing import differences
from workbench.probe.hearing import hearing, tool_size
from workbench.probe.leaks import leaks
from workbench.probe.records import FileContext
from workbench.traces.records import ToolCall

BARE = "@AGENTS.md\n\nThe mill closes at noon."
QUESTION = "What holds here?"
SHELL = ToolSchema("bash", "Runs a command", {"type": "object", "properties": {"command": {"type": "string"}}})


def _files(agent: Agent) -> dict[str, FileContext]:
    brain, _, known = agent.run(QUESTION)
    heard = hearing(brain.heard, brain.visit_of)
    assert heard is not None
    return {file.path: file for file in attribute(agent.root, heard, known)}


def _like_claude(root: Path) -> Agent:
    def answer(call: ToolCall) -> list[str]:
        asked = str(call.arguments)
        if call.name == "Skill":
            return ["Launching", f"Base directory: {root}/.claude/skills/grind\n\nOpen the sluice first."]
        if "axle" in asked:
            return [f"1\tOak.\n\n<note>\nContents of {root}/wheel/CLAUDE.md:\n\n{BOX['wheel/CLAUDE.md']}</note>"]
        if ".log" in asked:
            return [
                "1\tNothing of note.",
                f"Contents of {root}/.claude/rules/sluice.md:\n\nLogs are only ever added to.",
            ]
        return ["no such file"]

    first = (
        f"Contents of {root}/CLAUDE.md (project):\n\n{BARE}\n\nContents of {root}/AGENTS.md:\n\n{BOX['AGENTS.md']}",
        "Skills:\n- grind: Grind a sack of rye",
    )
    return Agent(root, first=first, answer=answer)


def test_files_stand_where_their_text_stood_and_say_what_brought_them(box: Path) -> None:
    files = _files(_like_claude(box))
    told = {path: (file.standing, file.via) for path, file in files.items()}
    assert told == {
        "CLAUDE.md": ("always", ""),
        "AGENTS.md": ("always", "@ in CLAUDE.md"),
        "wheel/CLAUDE.md": ("conditional", "reading wheel/axle.txt"),
        ".claude/rules/sluice.md": ("conditional", "reading sluice/probe.log, by sluice/**/*.log"),
        ".claude/skills/grind/SKILL.md": ("conditional", "the skill grind opened"),
        "docs/sacks.md": ("referenced", "AGENTS.md:3"),
        "GEMINI.md": ("never", ""),
    }
    assert [path for path, file in files.items() if not file.guidance] == ["docs/sacks.md"]
    assert list(files)[:2] == ["CLAUDE.md", "AGENTS.md"]
    assert files["CLAUDE.md"].loaded < files["CLAUDE.md"].size
    assert not files["CLAUDE.md"].cut
    assert files[".claude/skills/grind/SKILL.md"].told == len("grind" + "Grind a sack of rye")


def test_the_parts_are_the_whole_first_request(box: Path) -> None:
    agent = _like_claude(box)
    brain, _, known = agent.run(QUESTION)
    heard = hearing(brain.heard, brain.visit_of)
    assert heard is not None
    sizes = {part.name: part.size for part in parts(heard, attribute(box, heard, known), QUESTION)}
    assert sum(sizes.values()) - sizes["tools"] == len(agent.system + "".join(agent.first) + QUESTION)
    assert sizes["tools"] == tool_size(READ) + tool_size(SKILL)
    assert sizes["guidance"] == len(BOX["AGENTS.md"].strip()) + sum(len(line) + 1 for line in BARE.split("\n") if line)
    assert agent.steps == list(range(len(brain.made)))


def test_an_agent_with_a_limit_is_seen_to_cut(box: Path) -> None:
    long = "\n".join(f"Rule {number}: the sack of number {number} is tied twice." for number in range(40))
    (box / "AGENTS.md").write_text(long)
    file = _files(Agent(box, first=(f"# AGENTS.md instructions\n\n{long[:1000]}",)))["AGENTS.md"]
    assert (file.standing, file.cut) == ("always", True)
    assert 990 <= file.loaded <= 1000
    assert long.startswith(file.text.rstrip())


def test_a_skill_whose_file_was_only_read_by_its_path_was_not_loaded(box: Path) -> None:
    def answer(call: ToolCall) -> list[str]:
        return [BOX[".claude/skills/grind/SKILL.md"]] if "SKILL.md" in str(call.arguments) else ["-"]

    untold = _files(Agent(box, tools=(SHELL,), answer=answer))
    assert untold[".claude/skills/grind/SKILL.md"].standing == "never"
    told = _files(Agent(box, tools=(SHELL,), answer=answer, first=("- grind: Grind a sack of rye (file: …)",)))
    assert told[".claude/skills/grind/SKILL.md"].standing == "conditional"
    unopened = _files(Agent(box, tools=(SHELL,), first=("- grind: Grind a sack of rye (file: …)",)))
    assert unopened[".claude/skills/grind/SKILL.md"].standing == "referenced"


def test_of_skills_alike_the_one_that_was_meant_counts(box: Path) -> None:
    mine, other = ".agents/skills/grind/SKILL.md", ".claude/skills/grind/SKILL.md"
    (box / mine).parent.mkdir(parents=True)
    (box / mine).write_text(BOX[other])

    def read(call: ToolCall) -> list[str]:
        return [BOX[other]] if "SKILL.md" in str(call.arguments) else ["-"]

    listed = f"Skills below {box}/.agents/skills:\n- grind: Grind a sack of rye"
    by_place = _files(Agent(box, tools=(SHELL,), answer=read, first=(listed,)))
    assert (by_place[mine].standing, by_place[other].standing) == ("conditional", "never")
    opened = _files(_like_claude(box))
    assert (opened[mine].standing, opened[other].standing) == ("never", "conditional")


def test_of_files_with_one_text_the_named_one_counts(box: Path) -> None:
    (box / "AGENTS.md").write_text(BOX["wheel/CLAUDE.md"])
    named = _files(Agent(box, first=(f"Contents of {box}/wheel/CLAUDE.md:\n\n{BOX['wheel/CLAUDE.md']}",)))
    assert (named["wheel/CLAUDE.md"].standing, named["AGENTS.md"].standing) == ("always", "never")
    plain = _files(Agent(box, first=(f"Rules of the house:\n\n{BOX['wheel/CLAUDE.md']}",)))
    assert (plain["wheel/CLAUDE.md"].standing, plain["AGENTS.md"].standing) == ("never", "always")


def test_a_short_text_counts_only_where_its_path_is_named(box: Path) -> None:
    (box / "AGENTS.md").write_text("Rye\n")
    assert _files(Agent(box, first=("Grains:\nRye\nOats",)))["AGENTS.md"].standing == "never"
    assert _files(Agent(box, first=("# AGENTS.md\nRye\nOats",)))["AGENTS.md"].standing == "always"


def test_a_system_prompt_that_grows_is_seen_to_grow(box: Path) -> None:
    agent = _like_claude(box)
    brain, _, known = agent.run()
    grown = [*brain.heard[:2], replace(brain.heard[2], system=f"{agent.system}\n{BOX['GEMINI.md']}")]
    heard = hearing(grown, brain.visit_of)
    assert heard is not None
    assert {file.path: file.standing for file in attribute(box, heard, known)}["GEMINI.md"] == "conditional"


def test_the_static_chain_is_held_against_what_was_seen(box: Path) -> None:
    agent = _like_claude(box)
    brain, _, known = agent.run()
    heard = hearing(brain.heard, brain.visit_of)
    assert heard is not None
    files = attribute(box, heard, known)
    assert differences(box, "", "claude", brain.made, files) == ()
    told = {one.path: one.told for one in differences(box, "", "codex", brain.made, files)}
    assert told["CLAUDE.md"] == "the chain says never; it stood in the first request"
    lost = tuple(file.model_copy(update={"standing": "never"}) for file in files if file.path == "AGENTS.md")
    [one] = [one for one in differences(box, "", "claude", (), lost) if one.path == "AGENTS.md"]
    assert one.told == "the chain says always; it was not loaded"


def test_what_leaks_from_outside_is_told_and_what_the_box_itself_names_is_not(
    box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "robin"
    monkeypatch.setenv("HOME", str(home))
    (home / ".ssh").mkdir(parents=True)
    (home / "notes").mkdir(parents=True)
    (home / "notes" / "mine.txt").write_text("mine")
    (box / "AGENTS.md").write_text("The old rules are in /srv/old/AGENTS.md, do not open them.\n")
    named = (
        f"Contents of {home}/.claude/CLAUDE.md: x\nDenied: {home}/.ssh\n"
        f"See {home}/notes/mine.txt, {home}/notes/gone.txt and /bin/sh."
    )
    agent = Agent(box, first=(named, f"cwd {box}/CLAUDE.md", (box / "AGENTS.md").read_text()))
    brain, _, known = agent.run()
    heard = hearing(brain.heard, brain.visit_of)
    assert heard is not None
    found = leaks(heard, attribute(box, heard, known), box.parent / "mill", [home])
    assert found == (f"{home}/.claude/CLAUDE.md", f"{home}/notes/mine.txt")
