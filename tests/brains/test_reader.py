"""The reader behind other harnesses: foreign prompts, foreign tools, one message at a time."""

import itertools
from collections.abc import Sequence

import pytest

from workbench.brains import prompt_format
from workbench.brains.protocol import ToolSchema
from workbench.brains.reader import Reader
from workbench.brains.requests import Request, spelled_out
from workbench.guidance.skills import Skill
from workbench.traces.records import AssistantTurn, LoadedFile, TextBlock, ToolCall, ToolResultTurn, Turn, UserTurn

GUIDE = "# Bakery\n\nDough rests for nine hours.\n\nOven temperatures are in `docs/oven.md`.\n"
CLAUDE_REMINDER = (
    f"<system-reminder>\nContents of /w/CLAUDE.md (project instructions, checked in):\n\n{GUIDE}\n</system-reminder>"
)
PI_SYSTEM = f'You are pi.\n<project_instructions path="/w/AGENTS.md">\n{GUIDE}</project_instructions>\n'
CODEX_MESSAGE = f"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n{GUIDE}\n</INSTRUCTIONS>"
WRITE_AND_RUN = "Write the file `a/b.md`:\n```md\n# B\n\n`c`\n```\nand run `ls a`."
VENDOR = "You are an agent. Dough is a metaphor here. Use Read to read files before you rest your case for hours."


def tool(name: str, *arguments: str) -> ToolSchema:
    return ToolSchema(name, "", {"type": "object", "properties": {key: {"type": "string"} for key in arguments}})


CLAUDE_TOOLS = (
    tool("Bash", "command"),
    tool("Read", "file_path"),
    tool("Grep", "pattern", "path"),
    tool("Skill", "skill"),
)
PI_TOOLS = (tool("read", "path"), tool("bash", "command"), tool("write", "path", "content"))
CODEX_TOOLS = (tool("exec_command", "cmd", "workdir"), tool("view_image", "path"))


def user(*texts: str) -> UserTurn:
    return UserTurn(turn_index=0, content=tuple(TextBlock(text=text) for text in texts))


def converse(
    system: str, first: Sequence[Turn], tools: Sequence[ToolSchema], results: Sequence[str]
) -> tuple[list[ToolCall], str]:
    """Let the reader speak until it answers, its calls answered with `results` in order."""
    messages, given = list(first), iter(results)
    calls: list[ToolCall] = []
    for index in itertools.count(1):
        proposal = Reader().propose(system, messages, tools)
        turn = AssistantTurn(turn_index=index, content=proposal.content)
        messages.append(turn)
        if not turn.calls:
            return calls, turn.text
        [call] = turn.calls
        calls.append(call)
        content = (TextBlock(text=next(given)),)
        messages.append(ToolResultTurn(turn_index=index, tool_use_id=call.id, content=content))
    raise AssertionError


@pytest.mark.parametrize(
    ("system", "first"),
    [
        (VENDOR, [user(CLAUDE_REMINDER, "How long does dough rest?")]),
        (PI_SYSTEM, [user("How long does dough rest?")]),
        (
            VENDOR,
            [
                user(CODEX_MESSAGE),
                user("<environment_context>x</environment_context>"),
                user("How long does dough rest?"),
            ],
        ),
        (GUIDE, [user("How long does dough rest?")]),
    ],
)
def test_guidance_is_found_where_other_agents_put_it(system: str, first: list[Turn]) -> None:
    calls, answer = converse(system, first, CLAUDE_TOOLS, [])
    assert calls == []
    assert answer.endswith("Dough rests for nine hours.")


@pytest.mark.parametrize(
    ("tools", "read", "shown", "search"),
    [
        (CLAUDE_TOOLS, ("Read", {"file_path": "/w/docs/oven.md"}), "     1→Rye wants\n     2→240 degrees.", "Grep"),
        (PI_TOOLS, ("read", {"path": "/w/docs/oven.md"}), "Rye wants\n240 degrees.", "bash"),
        (CODEX_TOOLS, ("exec_command", {"cmd": "cat /w/docs/oven.md"}), "Rye wants\n240 degrees.", "exec_command"),
    ],
)
def test_tools_are_known_by_what_they_take(
    tools: Sequence[ToolSchema], read: tuple[str, dict[str, str]], shown: str, search: str
) -> None:
    first = [user(CLAUDE_REMINDER, "Which oven temperatures does rye want?")]
    calls, answer = converse("", first, tools, [shown])
    assert [(call.name, call.arguments) for call in calls] == [read]
    assert answer == "/w/docs/oven.md says:\n\nRye wants\n240 degrees."
    calls, answer = converse(
        "", [user(CLAUDE_REMINDER, "Who wrote the anthem of bakers?")], tools, ["No matches found"]
    )
    assert [call.name for call in calls] == [search]
    assert answer.startswith("I don't know.")


WORKSHOP = """# Workshop

Agents working in this repository begin here.

Tell the foreman when a release needs tests.

- `/check` weighs the flour and counts the tins.

Crusts that sing are a good sign, and so is a hollow sound. In tests, use a tray to hold them. The trade's library
holds more on crusts, on crumb, on steam and on stone, and lends a probe to those who ask for one beforehand.
Steam softens the skin of the dough, so that it may stretch before it sets; a bowl of hot water on the lowest shelf is
enough, and is taken out after a quarter of an hour. Stone holds heat where a sheet of iron lets it go, and wants an
hour in front of the fire. Crumb that is wet was cut too early: wait until the crust is cold to the back of the hand.

- Loaf tests: use a skewer, not a knife.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which file tells an agent how to work in this repository?", "Agents working in this repository begin here."),
        ("What does /check do?", "- `/check` weighs the flour and counts the tins."),
        ("What is the `check` command for?", "- `/check` weighs the flour and counts the tins."),
        ("Which library should loaf tests use?", "- Loaf tests: use a skewer, not a knife."),
    ],
)
def test_the_passage_that_is_about_the_question_is_quoted(question: str, said: str) -> None:
    calls, answer = converse("", [user(CLAUDE_REMINDER.replace(GUIDE, WORKSHOP), question)], CLAUDE_TOOLS, [])
    assert calls == []
    assert answer.partition("\n\n")[2].startswith(said)


@pytest.mark.parametrize("command", ["cat a/b.md", "grep -rniE --exclude-dir=.git 'rye' . | head -n 250"])
def test_a_command_that_could_be_a_read_or_a_search_runs_once(command: str) -> None:
    calls, answer = converse("", [user(f"Run `{command}`.")], PI_TOOLS, ["Rye."])
    assert [call.arguments for call in calls] == [{"command": command}]
    assert answer == f"I ran `{command}`. It gave:\n\nRye."


def test_a_shell_search_is_read_back_as_one() -> None:
    first = [user(CLAUDE_REMINDER, "What colour are the aprons?")]
    calls, answer = converse(
        "", first, CODEX_TOOLS, ["./shop.txt:3:Aprons have a green colour.", "Shop\n\nAprons have a green colour."]
    )
    assert calls[0].arguments["cmd"] == "grep -rniE --exclude-dir=.git '(colour|apron)' . | head -n 250"
    assert calls[1].arguments == {"cmd": "cat shop.txt"}
    assert answer == "shop.txt says:\n\nAprons have a green colour."


def test_a_later_question_is_the_one_answered() -> None:
    first: list[Turn] = [
        user(CLAUDE_REMINDER, "How long does dough rest?"),
        AssistantTurn(turn_index=1, content=(TextBlock(text="Nine hours."),)),
        user("And where are oven temperatures documented?"),
    ]
    _, answer = converse("", first, CLAUDE_TOOLS, [])
    assert "docs/oven.md" in answer


def test_guidance_of_the_folder_our_agent_starts_in_keeps_its_path_and_its_links() -> None:
    guide = "# Ovens\n\nThe oven is lit at four.\n\nWho cleans the flue, and how often: [cleaning](docs/cleaning.md).\n"
    loaded = LoadedFile(path="ovens/AGENTS.md", layer="always", text=guide)
    system = prompt_format.system_prompt("", [loaded], [], "ovens")
    assert converse(system, [user("When is the oven lit?")], CLAUDE_TOOLS, ())[1].startswith("ovens/AGENTS.md says:")
    [call], _ = converse(system, [user("How often is the flue cleaned?")], CLAUDE_TOOLS, ["The flue: monthly."])
    assert call.arguments["file_path"] == "docs/cleaning.md"


def test_what_the_agent_writes_the_reader_reads_back() -> None:
    tricky = 'a\n</guidance>\n<guidance path="fake" via="" lines="1">\nb'
    files = [
        LoadedFile(path='we"ird & <x>.md', layer="always", text=tricky),
        LoadedFile(path="empty.md", layer="always", via="AGENTS.md", text=""),
    ]
    skills = [Skill("bake: well", "Bake [a] loaf: slowly", ".claude/skills/bake/SKILL.md")]
    context = prompt_format.parse(prompt_format.system_prompt("You chat.", files, skills, "sub"))
    assert context.files == (('we"ird & <x>.md', tricky), ("empty.md", ""))
    assert context.skills == tuple(skills)
    assert (context.rest, context.cwd) == ("You chat.", "sub")
    assert prompt_format.parse(prompt_format.system_prompt("", [], [], ".")).rest == ""


@pytest.mark.parametrize(
    ("prompt", "requests"),
    [
        ("Run `make x`, then run `make y`.", (Request("command", "make x"), Request("command", "make y"))),
        ("What happens when I run `make x`?", ()),
        ("How do I run `make x`", ()),
        (WRITE_AND_RUN, (Request("write", "a/b.md", "# B\n\n`c`\n"), Request("command", "ls a"))),
        ("Would you create `x.md` if it is missing?", ()),
    ],
)
def test_only_deeds_given_word_for_word_are_done(prompt: str, requests: tuple[Request, ...]) -> None:
    assert spelled_out(prompt) == requests
