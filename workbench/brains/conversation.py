"""What a session's messages amount to for a reader: the question, what is in context, what was tried."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.brains import prompt_format
from workbench.brains.hands import Deed, Hands
from workbench.guidance.skills import Skill
from workbench.traces.records import AssistantTurn, ToolCall, ToolResultTurn, Turn, UserTurn

Source = tuple[str, str]
"""(path, text); the path is empty for instructions that come from no file."""

_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_CONTENTS = re.compile(
    r"^Contents of ([^\n]+?)(?: \([^()\n]*\))?:\n(.*?)(?=^Contents of [^\n]+:\n|</system-reminder>|\Z)",
    re.DOTALL | re.MULTILINE,
)
_INSTRUCTIONS = re.compile(r'<project_instructions path="([^"\n]+)">\n?(.*?)</project_instructions>', re.DOTALL)
_AGENTS = re.compile(
    r"^# (AGENTS\.md) instructions for [^\n]+\n(.*?)(?=^# AGENTS\.md instructions|\Z)", re.DOTALL | re.MULTILINE
)
_HARNESS = re.compile(r"<(environment_context|user_instructions|INSTRUCTIONS)>.*?</\1>", re.DOTALL)
_NUMBERED = re.compile(r"[ ]*\d+(?:\t|→)")
_HIT = re.compile(r"(?:\./)?([^\s:][^:\n]*?)[:](\d+)[:](.*)$")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line a search showed."""

    path: str
    line: int
    text: str


@dataclass
class Conversation:
    """Everything a reader decides by, in the order it came."""

    question: str = ""
    loaded: list[Source] = field(default_factory=list)
    """In context before the question."""
    opened: list[Source] = field(default_factory=list)
    """Came with tool results: files read, and guidance that came with them."""
    skills: list[Skill] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    """Paths whose reading was attempted, with success or not."""
    done: dict[Deed, str] = field(default_factory=dict)
    """What other deeds gave back."""
    hits: list[Hit] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    """The patterns searched."""
    calls: int = 0
    cwd: str = "."
    """Folder that paths in calls and results are relative to; guidance names its paths from the root."""

    def from_cwd(self, path: str) -> str:
        """A root-relative path as a call must name it."""
        return path if path.startswith(("/", "~")) else posixpath.relpath(path or ".", self.cwd)

    def from_root(self, path: str) -> str:
        """A path out of a call or a result as guidance would name it."""
        return posixpath.normpath(posixpath.join(self.cwd, path))


def follow(system: str, messages: Sequence[Turn], hands: Hands) -> Conversation:
    """Read a session so far."""
    talk = Conversation()
    _take_system(talk, system)
    pending: dict[str, ToolCall] = {}
    finished = True
    for turn in messages:
        if isinstance(turn, UserTurn):
            said = _take_user(talk, "\n".join(block.text for block in turn.content))
            if said and finished:
                talk.question, finished = said, False
        elif isinstance(turn, AssistantTurn):
            pending |= {call.id: call for call in turn.calls}
            talk.calls += len(turn.calls)
            finished = not turn.calls
        elif turn.tool_use_id in pending:
            call = pending[turn.tool_use_id]
            own = _take_result(talk, hands.meaning(call), turn)
            # A command meant as a read or a search was run all the same.
            if command := hands.command_in(call):
                talk.done[Deed("command", command)] = own
    return talk


def _take_system(talk: Conversation, system: str) -> None:
    context = prompt_format.parse(system)
    talk.loaded += context.files
    talk.skills += context.skills
    if context.cwd is not None:
        talk.cwd = context.cwd
        talk.loaded += [("", context.rest)] if context.rest else []
        return
    named = _foreign_files(context.rest)
    talk.loaded += named
    if not talk.loaded and context.rest:
        talk.loaded.append(("", context.rest))


def _take_user(talk: Conversation, text: str) -> str:
    """Keep guidance a harness put into a user message; return what the user said."""
    named = _foreign_files(text)
    if named:
        # Instructions without a file are a last resort: a vendor's own prompt would answer everything.
        talk.loaded = [source for source in talk.loaded if source[0]] + named
    rest = _REMINDER.sub(" ", text)
    return _HARNESS.sub(" ", "" if _AGENTS.match(rest) else rest).strip()


def _foreign_files(text: str) -> list[Source]:
    """Guidance files in the shapes other agents put them before a model."""
    found = [
        (path, body.strip("\n"))
        for pattern in (_CONTENTS, _INSTRUCTIONS, _AGENTS)
        for path, body in pattern.findall(text)
    ]
    return [(path, body) for path, body in found if body.strip()]


def _take_result(talk: Conversation, deed: Deed, turn: ToolResultTurn) -> str:
    """Take in what a deed gave; return its own output, without what the harness added."""
    context = prompt_format.parse(turn.text)
    brought = [*context.files, *_foreign_files("\n".join(_REMINDER.findall(context.rest)))]
    own = _REMINDER.sub("", context.rest)
    if deed.kind == "read":
        path = talk.from_root(deed.target)
        talk.tried.add(path)
        if not turn.is_error and own:
            talk.opened.append((path, _without_numbers(own)))
    elif deed.kind == "search":
        talk.searches.append(deed.target)
        talk.hits += [] if turn.is_error else _hits(talk, own)
    else:
        talk.done[deed] = own
    talk.opened += brought
    return own


@lru_cache(maxsize=64)
def _without_numbers(text: str) -> str:
    """A file's text out of a listing with line numbers, if it is one."""
    lines = text.split("\n")
    numbered = sum(1 for line in lines if _NUMBERED.match(line))
    if numbered * 10 < len(lines) * 8:
        return text
    return "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)


def _hits(talk: Conversation, text: str) -> list[Hit]:
    found = (_HIT.match(line) for line in text.split("\n"))
    return [Hit(talk.from_root(match[1]), int(match[2]), match[3]) for match in found if match]
