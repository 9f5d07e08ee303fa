"""How agent CLIs put guidance, skills and the working folder before a model, and how they wrap what tools give back."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.guidance.skills import Skill

Source = tuple[str, str]
"""(path, text); the path is empty for instructions that come from no file."""

# Claude Code: reminders inside user messages, beside and inside tool results; for newer models the surroundings and the
# skills in a system message; a skill's body in a user message of its own.
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
_CONTENTS = re.compile(
    r"^Contents of ([^\n]+?)(?: \([^()\n]*\))?:\n(.*?)(?=^Contents of [^\n]+:\n|\Z)", re.DOTALL | re.MULTILINE
)
_LISTED = re.compile(r"\bskills are available\b[^\n]*\n\n((?:- [^\n]*(?:\n|\Z))+)")
_SKILL_BODY = re.compile(r"\ABase directory for this skill: ([^\n]+)\n(.*)\Z", re.DOTALL)
# Codex: a user message of guidance and surroundings; skills in a developer message, their paths shortened.
_AGENTS = re.compile(
    r"^# AGENTS\.md instructions for ([^\n]+)\n+<INSTRUCTIONS>\n(.*?)\n?</INSTRUCTIONS>", re.DOTALL | re.MULTILINE
)
_SURROUNDINGS = re.compile(r"<(environment_context|user_instructions)>.*?</\1>", re.DOTALL)
_SKILL_LIST = re.compile(r"<skills_instructions>(.*?)</skills_instructions>", re.DOTALL)
_SKILL_ROOT = re.compile(r"^- `(\w+)` = `([^`\n]+)`$", re.MULTILINE)
_SKILL_LINE = re.compile(r"^- ([\w.:-]+): (.*?)(?: \(file: ([^()\n]+)\))?$", re.MULTILINE)
# pi: all in the system prompt, up to 1.0 under headings, later in elements.
_INSTRUCTIONS = re.compile(r'<project_instructions path="([^"\n]+)">\n?(.*?)</project_instructions>', re.DOTALL)
_PROJECT = re.compile(
    r"^# Project Context$(.*?)(?=^The following skills |^Current date: |\Z)", re.DOTALL | re.MULTILINE
)
_HEADED = re.compile(r"^## (/[^\n]+)\n(.*?)(?=^## /|\Z)", re.DOTALL | re.MULTILINE)
_SKILL = re.compile(
    r"<skill>\s*<name>(.*?)</name>\s*<description>(.*?)</description>\s*<location>(.*?)</location>\s*</skill>",
    re.DOTALL,
)
_FOLDER = re.compile(r"(?:Primary|Current) working directory: ([^\n]+)|<cwd>\s*([^<\n]+?)\s*</cwd>")
# What codex puts before the output of a command or a script, and how pi tells that one failed.
_WRAPPING = re.compile(
    r"\A(?:Chunk ID: .*|Script (?:completed|(?P<failed>failed)))\n(?:Wall time.*\n)?(?:Output:\n\n?)?"
    r"(?:Process exited with code (?P<code>-?\d+)\n)?(?:Original token count: \d+\n)?(?:Output:\n)?"
)
_FAILURE = re.compile(r"\AENOENT: |\ncat: [^\n]*: No such file|\n\nCommand exited with code \d+\s*\Z|\Acat: [^\n]*\Z")


@dataclass(frozen=True, slots=True)
class Told:
    """What a CLI told its model in one message, beside what its user said."""

    files: tuple[Source, ...]
    """Guidance with paths as they were given."""
    skills: tuple[Skill, ...]
    """Those known by name only have no path."""
    opened: Source | None
    """The SKILL.md of a skill that was called, without its header."""
    folder: str
    """Absolute path of the working folder; empty when it was not told."""
    rest: str
    """The message without any of it."""


@lru_cache(maxsize=64)
def parse(text: str) -> Told:
    """Take a message of a CLI apart: a system prompt, or a message in its user's name."""
    reminders = _REMINDER.findall(text)
    rest = _SURROUNDINGS.sub(" ", _AGENTS.sub(" ", _REMINDER.sub(" ", text))).strip()
    files = [source for reminder in reminders for source in _CONTENTS.findall(reminder)]
    files += _INSTRUCTIONS.findall(text)
    files += [source for section in _PROJECT.findall(text) for source in _HEADED.findall(section)]
    files += [(f"{folder}/AGENTS.md", body) for folder, body in _AGENTS.findall(text)]
    opened = _SKILL_BODY.match(rest)
    folder = _FOLDER.search(text)
    return Told(
        tuple((path, body.strip("\n")) for path, body in files if body.strip()),
        tuple(_skills(text)),
        (f"{opened[1]}/SKILL.md", opened[2].strip("\n")) if opened else None,
        (folder[1] or folder[2]).rstrip("/") if folder else "",
        "" if opened else rest,
    )


def unwrapped(text: str) -> tuple[str, tuple[Source, ...], bool]:
    """A tool's own output, the guidance a CLI added to it, and whether it says that the tool failed."""
    brought = [source for reminder in _REMINDER.findall(text) for source in _CONTENTS.findall(reminder)]
    text = _REMINDER.sub("", text).rstrip("\n") if "<system-reminder>" in text else text
    head = _WRAPPING.match(text)
    code = head["code"] if head else None
    failed = bool(head and head["failed"]) or code not in (None, "0") or _FAILURE.search(text) is not None
    own = text[head.end() :] if head else text
    return own, tuple((path, body.strip("\n")) for path, body in brought), failed


def _skills(text: str) -> Iterator[Skill]:
    for listed in _LISTED.findall(text):
        yield from (Skill(name, told, "") for name, told, _ in _SKILL_LINE.findall(listed))
    for listing in _SKILL_LIST.findall(text):
        roots = dict(_SKILL_ROOT.findall(listing))
        for name, told, path in _SKILL_LINE.findall(listing):
            root, slash, below = path.partition("/")
            if path:
                yield Skill(name, told, f"{roots.get(root, root)}{slash}{below}")
    for found in _SKILL.findall(text):
        yield Skill(*(html.unescape(part).strip() for part in found))
