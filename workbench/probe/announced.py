"""Skills in what was heard: told of by name and description, and opened or not."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.guidance import frontmatter
from workbench.probe.hearing import Hearing
from workbench.probe.matching import Page, lines_of
from workbench.probe.records import FileContext, Standing, Visit

_BODY = 0.8
"""The share of a skill's body that must stand in a request for it to have been opened: agents fill in arguments."""
_SURE = 60
"""Characters of a description by which it is recognized: agents cut long ones."""


def is_skill(path: str) -> bool:
    """Whether a path is that of a skill's own file."""
    return path.endswith("/SKILL.md")


def skill_context(path: str, text: str, heard: Hearing) -> FileContext:
    """How a skill stood: on condition when its body came, referenced when only its description did."""
    skill = _Skill.of(path, text)
    told = max((skill.told_in(page) for page in heard.first), default=0)
    others = [later for later in heard.later if not _opens(path, later.after)]
    announcing = next((later for later in others if not told and skill.told_in(later.page)), None)
    body = lines_of(text)
    seen = max((later.page.in_order(body) for later in heard.later if _opens(path, later.after)), default=0)
    # That a file could be read by its path proves nothing unless the agent was told of the skill.
    reached = bool(told or announcing) or not any(path in str(call.arguments) for call in heard.calls)
    opened = seen > 0 and seen >= _BODY * sum(len(line) + 1 for line in body) and reached
    standing: Standing = "conditional" if opened else "referenced" if told or announcing else "never"
    via = f"the skill {skill.name} opened" if opened else "its description" if standing == "referenced" else ""
    if announcing:
        via += f", told of after {' or '.join(visit.told for visit in announcing.after) or 'the start'}"
    loaded = seen if opened else 0
    return FileContext(
        path=path,
        standing=standing,
        via=via,
        size=len(text.strip()),
        loaded=loaded,
        told=told,
        skill=skill.name,
        text=text,
    )


def told_apart(root: Path, skills: Mapping[str, FileContext], heard: Hearing) -> dict[str, FileContext]:
    """The skills; of several with one name and description only those that were meant stay what they seemed.

    Those are the ones whose file or folder the agent was told, else the ones that were opened.
    """
    alike: defaultdict[tuple[str, str], list[FileContext]] = defaultdict(list)
    for path, file in skills.items():
        if file.standing != "never":
            skill = _Skill.of(path, file.text)
            alike[skill.name, skill.description].append(file)
    settled = dict(skills)
    for group in alike.values():
        meant = [file for file in group if _placed(root, file.path, heard)]
        meant = meant or [file for file in group if file.standing == "conditional"] or group
        for file in group:
            if file not in meant:
                never = {"standing": "never", "via": "", "loaded": 0, "told": 0}
                settled[file.path] = file.model_copy(update=never)
    return settled


def _placed(root: Path, path: str, heard: Hearing) -> bool:
    """Whether the first request says where a skill lies: its file, or the folder of its kind."""
    folder = str(root / path.rsplit("/", 2)[0])
    return any(path in page.flat or folder in page.flat for page in heard.first)


@dataclass(frozen=True, slots=True)
class _Skill:
    name: str
    folder: str
    description: str

    @classmethod
    def of(cls, path: str, text: str) -> "_Skill":
        """The skill that a file of this path and text describes."""
        header, _ = frontmatter.parse(text)
        folder = path.split("/")[-2]
        description = " ".join(frontmatter.text_of(header, "description").split())
        return cls(frontmatter.text_of(header, "name") or folder, folder, description)

    def told_in(self, page: Page) -> int:
        """Characters of name and description in a page; 0 when it does not tell of the skill."""
        named = any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", page.flat) for name in (self.name, self.folder))
        if not named or not self.description or self.description[:_SURE] not in page.flat:
            return 0
        return len(self.name) + _shared(self.description, page.flat)


def _opens(path: str, visits: tuple[Visit, ...]) -> bool:
    return any(visit.kind == "skill" and visit.path == path for visit in visits)


def _shared(text: str, page: str) -> int:
    """How many of a text's first characters stand in a page together."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] in page else (low, middle - 1)
    return low
