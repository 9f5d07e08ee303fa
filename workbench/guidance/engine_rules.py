"""How each engine's agent finds its guidance, as measured on the real ones; `workbench context` measures it again."""

import re
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class EngineRules:
    """What one engine loads by itself, what it loads on a read, and what it never does."""

    name: str
    names: tuple[tuple[str, ...], ...]
    """Candidates in a folder, in groups; of each group every existing file loads, and a group is tried only when
    those before it gave nothing."""
    skill_folders: tuple[str, ...]
    """Folders of skills, sought from the root down to where the agent starts; it is told names and descriptions."""
    one_kind: bool = False
    """Whether a file of the first group, anywhere from the root to the start, rules the other groups out everywhere;
    one that holds nothing does not count."""
    stand_ins: tuple[str, ...] = ()
    """Files that do not load themselves, as they are one person's, and yet count as one of the first group."""
    start_names: tuple[str, ...] = ()
    """Files that load from the folder the agent starts in, and from no other."""
    start_skill_folders: tuple[str, ...] = ()
    """Folders of skills that count in the folder the agent starts in, and in no other."""
    imports: bool = False
    """Whether `@path` in a guidance file loads that file, if it lies in or below the folder the agent starts in."""
    rule_folder: str = ""
    """Folder of rule files with optional `paths:`, in any folder that loads; empty when the engine has none."""
    skill_tool: bool = False
    """Whether a skill is opened by a tool of its own, and named after its folder, rather than by reading its file."""
    skills_deep: bool = False
    """Whether skills may lie in folders within a skill folder's folders."""
    skills_hide: bool = True
    """Whether `disable-model-invocation` keeps a skill from being told."""
    nested: bool = False
    """Whether reading or editing a file loads the guidance of the folders it lies in, below the start."""
    bare: bool = False
    """Whether headers and comment blocks are cut from guidance before the agent sees it."""
    limit: int = 0
    """Bytes of guidance files that load at the start, all together; 0 when there is no such limit."""


CLAUDE = EngineRules(
    name="claude",
    names=(("CLAUDE.md", ".claude/CLAUDE.md"), ("AGENTS.md", ".claude/AGENTS.md")),
    one_kind=True,
    stand_ins=("CLAUDE.local.md",),
    imports=True,
    rule_folder=".claude/rules",
    skill_folders=(".claude/skills",),
    skill_tool=True,
    nested=True,
    bare=True,
)
"""Measured on 2.1.332."""
CLAUDE_UNTIL_2_1_197 = replace(CLAUDE, names=CLAUDE.names[:1])
"""Measured on 2.1.197, which loads no AGENTS.md unless it is imported."""
CODEX = EngineRules(
    name="codex",
    names=(("AGENTS.override.md",), ("AGENTS.md",)),
    skill_folders=(".codex/skills", ".agents/skills"),
    skills_deep=True,
    skills_hide=False,
    limit=32_768,
)
"""Measured on 0.171.0."""
PI = EngineRules(
    name="pi",
    names=(("AGENTS.override.md",), ("AGENTS.md",), ("CLAUDE.md",)),
    start_names=(".pi/SYSTEM.md", ".pi/APPEND_SYSTEM.md"),
    skill_folders=(".agents/skills",),
    start_skill_folders=(".pi/skills",),
    skills_deep=True,
)
"""Measured on 1.6.0; skills and what lies in `.pi` count there in an approved project only."""
PI_0 = replace(PI, names=PI.names[1:])
"""Measured on 0.73.1, which knows no AGENTS.override.md."""

RULES = {rules.name: rules for rules in (CLAUDE, CODEX, PI)}
"""The newest measured rules of each engine."""
_OLDER = {"claude": ((2, 1, 197), CLAUDE_UNTIL_2_1_197), "pi": ((0, 999), PI_0)}
"""The last version that older rules are taken for."""


def rules_named(name: str) -> EngineRules:
    """The rules of an engine, such as `claude`, or of one version of it, such as `claude@2.1.197`.

    Raises ValueError listing the known names.
    """
    engine, _, version = name.partition("@")
    if engine not in RULES:
        raise ValueError(f"no guidance rules named {name!r}; known: {', '.join(RULES)}")
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    if engine in _OLDER and numbers:
        last, older = _OLDER[engine]
        if numbers <= last:
            return older
    return RULES[engine]
