"""The reader as the model of agent CLIs: each tells the same box in its own way, and has tools of its own."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from workbench.brains.protocol import ToolSchema
from workbench.brains.reader import Reader
from workbench.traces.records import AssistantTurn, TextBlock, ToolCall, ToolResultTurn, Turn, UserTurn

GUIDE = "# Bakery\n\nDough rests for nine hours.\n\nOven temperatures are in `docs/oven.md`."
VENDOR = "You are an agent of somebody. Dough, anthems of bakers and timetables are nothing to you. Oven: be careful."


def tool(name: str, *arguments: str, description: str = "") -> ToolSchema:
    return ToolSchema(
        name, description, {"type": "object", "properties": {key: {"type": "string"} for key in arguments}}
    )


@dataclass(frozen=True)
class Cli:
    """How one CLI speaks to its model."""

    system: str
    first: tuple[str, ...]
    """Messages in the user's name before the question; a `+` at the end: in one message with it."""
    tools: tuple[ToolSchema, ...]
    read: str
    """What it gives back for a file that was read."""
    failed: str
    """What it gives back for a file that is not there."""


CLAUDE_SURROUNDINGS = "# Environment\n - Primary working directory: /w/box\n - Shell: bash"
CLAUDE_SKILLS = (
    "The following skills are available for use with the Skill tool:\n\n- demo: Publish the summer timetable"
)
CLAUDE_GUIDE = (
    "<system-reminder>\nInstructions follow.\n\nContents of /w/box/CLAUDE.md (project instructions):\n\n@AGENTS.md\n\n"
    f"Contents of /w/box/AGENTS.md (project instructions):\n\n{GUIDE}\n</system-reminder>"
)
CLAUDE_TOOLS = (
    tool("Bash", "command"),
    tool("Read", "file_path"),
    tool("Grep", "pattern", "path"),
    tool("Skill", "skill"),
)
CLAUDE_READ = (
    "1\t# Oven\n2\t\n3\tRye wants 240 degrees.\n4\n\n"
    "<system-reminder>\nContents of /w/box/docs/CLAUDE.md:\n\n"
    "Thermometers are calibrated in spring.\n</system-reminder>"
)
PI_SKILLS = (
    "<available_skills>\n  <skill>\n    <name>demo</name>\n"
    "    <description>Publish the summer timetable</description>\n"
    "    <location>/w/box/.agents/skills/demo/SKILL.md</location>\n  </skill>\n</available_skills>\n"
)
PI_TOOLS = (tool("read", "path"), tool("bash", "command"), tool("grep", "pattern", "path", "ignoreCase"))
CODEX_SYSTEM = (
    f"{VENDOR}\n\n<skills_instructions>\n### Skill roots\n- `r0` = `/w/box/.agents/skills`\n### Available skills\n"
    "- demo: Publish the summer timetable (file: r0/demo/SKILL.md)\n### How\n- Say: so.\n</skills_instructions>"
)
CODEX_FIRST = (
    f"# AGENTS.md instructions for /w/box\n\n<INSTRUCTIONS>\n{GUIDE}\n\n</INSTRUCTIONS>\n"
    "<environment_context>\n  <cwd>/w/box</cwd>\n</environment_context>"
)
CLIS = {
    "claude": Cli(
        VENDOR,
        (
            f"<system-reminder>\n{CLAUDE_SURROUNDINGS}\n</system-reminder>\n"
            f"<system-reminder>\n{CLAUDE_SKILLS}\n</system-reminder>\n{CLAUDE_GUIDE}+",
        ),
        CLAUDE_TOOLS,
        CLAUDE_READ,
        "<tool_use_error>File does not exist.</tool_use_error>",
    ),
    "claude, newer models": Cli(
        f"{VENDOR}\n\n{CLAUDE_SURROUNDINGS}\n\n{CLAUDE_SKILLS}\n\nIt is Monday.",
        (f"{CLAUDE_GUIDE}+",),
        CLAUDE_TOOLS,
        CLAUDE_READ,
        "<tool_use_error>File does not exist.</tool_use_error>",
    ),
    "codex": Cli(
        CODEX_SYSTEM,
        (CODEX_FIRST,),
        (tool("exec_command", "cmd", "workdir"), tool("view_image", "path")),
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 8\nOutput:\n"
        "# Oven\n\nRye wants 240 degrees.\n",
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 8\nOutput:\n"
        "cat: docs/oven.md: No such file or directory\n",
    ),
    "codex with scripts": Cli(
        CODEX_SYSTEM,
        (CODEX_FIRST,),
        (tool("exec", "input", description="Runs JavaScript; `tools.exec_command(...)`"), tool("wait", "cell_id")),
        "Script completed\nWall time 0.1 seconds\nOutput:\n\n# Oven\n\nRye wants 240 degrees.\n",
        "Script completed\nWall time 0.1 seconds\nOutput:\n\n"
        "Process exited with code 1\nOutput:\ncat: docs/oven.md: gone\n",
    ),
    "pi": Cli(
        f'{VENDOR}\n<project_instructions path="/w/box/AGENTS.md">\n{GUIDE}\n</project_instructions>\n{PI_SKILLS}'
        "<cwd>\n/w/box\n</cwd>",
        (),
        PI_TOOLS,
        "# Oven\n\nRye wants 240 degrees.\n",
        "ENOENT: no such file or directory, access '/w/box/docs/oven.md'",
    ),
    "pi, older": Cli(
        f"{VENDOR}\n\n# Project Context\n\nInstructions:\n\n## /w/box/AGENTS.md\n\n{GUIDE}\n\n\n"
        f"The following skills are there.\n\n{PI_SKILLS}Current working directory: /w/box",
        (),
        PI_TOOLS,
        "# Oven\n\nRye wants 240 degrees.\n",
        "ENOENT: no such file or directory, access '/w/box/docs/oven.md'",
    ),
}


def ask(cli: Cli, question: str, results: Sequence[str], after: Sequence[str] = ()) -> tuple[list[ToolCall], str]:
    """The reader's calls, answered in order, and its answer; `after` comes in the user's name behind a result."""
    told = list(cli.first)
    if told and told[-1].endswith("+"):
        question = f"{told.pop()[:-1]}\n{question}"
    said: list[str | Turn] = [*told, question]
    calls: list[ToolCall] = []
    while True:
        proposal = Reader().propose(cli.system, _numbered(said), cli.tools)
        turn = AssistantTurn(turn_index=0, content=proposal.content)
        said.append(turn)
        if not turn.calls:
            return calls, turn.text
        content = (TextBlock(text=results[len(calls)]),)
        said.append(ToolResultTurn(turn_index=0, tool_use_id=turn.calls[0].id, content=content))
        said += after[len(calls) : len(calls) + 1]
        calls += turn.calls


def _numbered(said: Sequence[str | Turn]) -> list[Turn]:
    turns = [UserTurn(turn_index=0, content=(TextBlock(text=t),)) if isinstance(t, str) else t for t in said]
    return [turn.model_copy(update={"turn_index": index}) for index, turn in enumerate(turns)]


def target(call: ToolCall) -> str:
    """What a call is about: its one argument, or the command in a script."""
    first = str(next(iter(call.arguments.values())))
    return str(json.loads(first[first.index('"') : first.index("})")])) if call.name == "exec" else first


@pytest.fixture(params=CLIS)
def cli(request: pytest.FixtureRequest) -> Cli:
    return CLIS[request.param]


def test_loaded_guidance_answers_under_its_own_path_and_the_vendors_prompt_never(cli: Cli) -> None:
    calls, answer = ask(cli, "How long does dough rest?", [])
    assert (calls, answer) == ([], "AGENTS.md says:\n\nDough rests for nine hours.")
    _, answer = ask(cli, "Who wrote the anthem of bakers?", ["No matches found", "No matches found"])
    assert answer.startswith("I don't know.")


def test_a_document_is_read_by_the_tool_there_is_and_understood(cli: Cli) -> None:
    calls, answer = ask(cli, "Which oven temperature does rye want?", [cli.read])
    assert [target(call) for call in calls] in ([f"{cat}docs/oven.md"] for cat in ("", "cat "))
    assert answer == "docs/oven.md says:\n\nRye wants 240 degrees."


def test_a_file_that_is_not_there_says_nothing(cli: Cli) -> None:
    calls, answer = ask(cli, "What is said in docs/oven.md of the directory?", [cli.failed, "", ""])
    assert "docs/oven.md" in target(calls[0])
    assert answer.startswith("I don't know.") or "AGENTS.md says" in answer


def test_a_skill_is_opened_as_the_cli_opens_it(cli: Cli) -> None:
    claude = cli.tools == CLAUDE_TOOLS
    body = "---\nname: demo\ndescription: Publish the summer timetable\n---\nPrint it on yellow paper.\n"
    result = "Launching skill: demo" if claude else cli.read.replace("# Oven\n\nRye wants 240 degrees.\n", body)
    after = (
        ["Base directory for this skill: /w/box/.claude/skills/demo\n\nPrint it on yellow paper.\n"] if claude else []
    )
    calls, answer = ask(cli, "How do I publish the summer timetable?", [result], after)
    assert len(calls) == 1
    assert (calls[0].arguments == {"skill": "demo"}) == claude
    place = ".claude" if claude else ".agents"
    assert answer.startswith(f"{place}/skills/demo/SKILL.md says:")
    assert "Print it on yellow paper." in answer


def test_guidance_that_a_read_brings_in_can_be_the_answer() -> None:
    _, answer = ask(CLIS["claude"], "Open docs/oven.md. When are thermometers calibrated?", [CLAUDE_READ])
    assert answer == "docs/CLAUDE.md says:\n\nThermometers are calibrated in spring."


def test_a_skill_of_the_vendors_that_goes_on_about_everything_is_left_alone() -> None:
    everything = f"- charts: Use this for a meter, {'a gauge, a bar, a pie, ' * 40}and all else.\n- demo:"
    cli = replace(
        CLIS["claude, newer models"], system=CLIS["claude, newer models"].system.replace("- demo:", everything)
    )
    found, read = "notes/meter.md:1:The water meter is under the lid.", "1\tThe water meter is under the lid."
    calls, answer = ask(cli, "Where is the water meter?", [found, read])
    assert [call.name for call in calls] == ["Grep", "Read"]
    assert answer == "notes/meter.md says:\n\nThe water meter is under the lid."


def test_a_search_tool_that_does_not_work_is_stood_in_for() -> None:
    results = [
        "rg is not available\n\nCommand exited with code 1",
        "./shop.txt:3:Aprons are green in colour.",
        "Aprons are green in colour.",
    ]
    calls, answer = ask(CLIS["pi"], "What colour are the aprons?", results)
    assert [call.name for call in calls] == ["grep", "bash", "read"]
    assert answer == "shop.txt says:\n\nAprons are green in colour."


def test_a_file_is_written_by_command_where_no_tool_writes() -> None:
    question = "Create `log/day.md` with this:\n\n```\nCalm's here.\n```"
    calls, answer = ask(CLIS["codex"], question, [CLIS["codex"].read.partition("# Oven")[0]])
    assert target(calls[0]) == "mkdir -p log && printf %s 'Calm'\"'\"'s here.\n' > log/day.md"
    assert answer.startswith("I wrote `log/day.md`")
