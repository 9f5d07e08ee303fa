"""How loaded guidance stands in what a model sees: written by the agent, read back by the reader."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.guidance.skills import Skill
from workbench.traces.records import LoadedFile

IDENTITY = (
    "You are a coding agent. You work in one folder with the tools you are given and answer what you are asked. "
    "What the folder's guidance says below holds for all you do there."
)
"""Who the model is told it is, where a task brings no prompt of its own."""

_PLACE = "Working folder, relative to the root of what you may read and write: "
_GUIDANCE = re.compile(r'<guidance path="([^"\n]*)" via="([^"\n]*)" lines="(\d{1,7})">$')
_SKILL = re.compile(r"- (\S[^\n]*?) \[([^\]\n]*)\]: (.*)$")


@dataclass(frozen=True, slots=True)
class Context:
    """What a text tells a model: guidance files by path, skills, and everything else."""

    files: tuple[tuple[str, str], ...]
    """(path, text) in order."""
    skills: tuple[Skill, ...]
    rest: str
    cwd: str | None
    """The working folder, relative to the root; None when the text was not made by `system_prompt`. When it was,
    `rest` holds nothing but a task's own prompt."""


def system_prompt(prompt: str, files: Sequence[LoadedFile], skills: Sequence[Skill], cwd: str) -> str:
    """What a model is told before the question: who it is, the loaded guidance, the skills, where it works."""
    parts = [prompt or IDENTITY, *map(guidance_block, files)]
    if skills:
        parts.append(skills_block(skills))
    return "\n\n".join([*parts, f"{_PLACE}{cwd or '.'}"])


def guidance_block(file: LoadedFile) -> str:
    """One guidance file as a block; its line count bounds it, so its text may hold anything, this mark-up too."""
    path, via = (html.escape(" ".join(part.split())) for part in (file.path, file.via))
    lines = file.text.count("\n") + 1
    return f'<guidance path="{path}" via="{via}" lines="{lines}">\n{file.text}\n</guidance>'


def skills_block(skills: Sequence[Skill]) -> str:
    """The skills a model may open, one a line with the path of each."""
    lines = [f"- {' '.join(skill.name.split())} [{skill.path}]: {skill.description}" for skill in skills]
    return "\n".join(["<skills>", *lines, "</skills>"])


@lru_cache(maxsize=32)
def parse(text: str) -> Context:
    """Take such a text apart; without any block of ours all of it is `rest`."""
    files: list[tuple[str, str]] = []
    skills: list[Skill] = []
    rest: list[str] = []
    lines = text.removeprefix(IDENTITY).split("\n")
    at, in_skills = 0, False
    cwd: str | None = None
    while at < len(lines):
        line = lines[at]
        at += 1
        if block := _GUIDANCE.match(line):
            count = int(block[3])
            files.append((html.unescape(block[1]), "\n".join(lines[at : at + count])))
            at += count + 1
        elif line in ("<skills>", "</skills>"):
            in_skills = line == "<skills>"
        elif in_skills and (known := _SKILL.match(line)):
            skills.append(Skill(known[1], known[3], known[2]))
        elif line.startswith(_PLACE):
            cwd = line.removeprefix(_PLACE)
        else:
            rest.append(line)
    return Context(tuple(files), tuple(skills), "\n".join(rest).strip(), cwd)
