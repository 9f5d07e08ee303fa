"""What a session's messages amount to for a reader: the question, what is in context, what was tried."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from workbench.brains import cli_prompts, prompt_format
from workbench.brains.cli_prompts import Source, Told
from workbench.brains.hands import Deed, Hands
from workbench.guidance.skills import Skill
from workbench.traces.records import AssistantTurn, ToolCall, ToolResultTurn, Turn, UserTurn

_NUMBERED = re.compile(r"[ ]*\d+(?:\t|→|$)")
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
    blind: bool = False
    """The search tool did not work."""
    own: bool = False
    """The session is one of our agent's."""
    cwd: str = "."
    """Folder that paths in calls and results are relative to; guidance names its paths from the root."""
    folder: str = ""
    """Absolute path of the root, where a CLI told it; paths below it are used without it."""

    def from_cwd(self, path: str) -> str:
        """A root-relative path as a call must name it."""
        return path if path.startswith(("/", "~")) else posixpath.relpath(path or ".", self.cwd)

    def from_root(self, path: str) -> str:
        """A path out of a call or a result as guidance would name it."""
        whole = posixpath.normpath(posixpath.join(self.cwd, path))
        return whole.removeprefix(f"{self.folder}/") if self.folder else whole


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
    if not talk.own:  # ours names them from the root; a CLI may tell the folder after what is named by it
        talk.loaded = [(talk.from_root(path) if path else "", text) for path, text in talk.loaded]
        talk.skills = [
            replace(skill, path=talk.from_root(skill.path)) if skill.path else skill for skill in talk.skills
        ]
    return talk


def _take_system(talk: Conversation, system: str) -> None:
    context = prompt_format.parse(system)
    talk.loaded += context.files
    talk.skills += context.skills
    if context.cwd is not None:
        talk.cwd, talk.own = context.cwd, True
        talk.loaded += [("", context.rest)] if context.rest else []
        return
    if not _take_told(talk, cli_prompts.parse(context.rest)) and not talk.loaded and context.rest:
        talk.loaded.append(("", context.rest))


def _take_user(talk: Conversation, text: str) -> str:
    """Keep what a CLI put into a user message; return what the user said."""
    if talk.own:
        return text.strip()
    told = cli_prompts.parse(text)
    _take_told(talk, told)
    return told.rest


def _take_told(talk: Conversation, told: Told) -> bool:
    """Keep what a CLI told; returns whether it told anything."""
    if told.opened:
        talk.opened.append(_with_header(talk, *told.opened))
    if not (told.files or told.skills or told.folder):
        return False
    # Instructions without a file are a last resort: a vendor's own prompt would answer everything.
    talk.loaded = [source for source in talk.loaded if source[0]] + [*told.files]
    talk.skills += told.skills
    talk.folder = talk.folder or told.folder
    return True


def _with_header(talk: Conversation, path: str, body: str) -> Source:
    """A skill's body under what its listing says of it, as its file has it."""
    name = posixpath.basename(posixpath.dirname(path))
    header = [
        f"---\nname: {skill.name}\ndescription: {skill.description}\n---" for skill in talk.skills if skill.name == name
    ]
    return talk.from_root(path), "\n".join([*header, body])


def _take_result(talk: Conversation, deed: Deed, turn: ToolResultTurn) -> str:
    """Take in what a deed gave; return its own output, without what the harness added."""
    context = prompt_format.parse(turn.text)
    own, brought, failed = (context.rest, (), False) if talk.own else cli_prompts.unwrapped(context.rest)
    failed = failed or turn.is_error
    if deed.kind == "read":
        path = talk.from_root(deed.target)
        talk.tried.add(path)
        if not failed and own:
            talk.opened.append((path, _without_numbers(own)))
    elif deed.kind == "search" and failed and not talk.blind:
        talk.blind = True
    elif deed.kind == "search":
        talk.searches.append(deed.target)
        talk.hits += [] if failed else _hits(talk, own)
    else:
        talk.done[deed] = own
    talk.opened += [*context.files, *((talk.from_root(path), text) for path, text in brought)]
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
