"""How each engine's agent finds its guidance, as measured on the real ones."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineRules:
    """What one engine loads by itself, what it loads on a read, and what it never does."""

    name: str
    names: tuple[tuple[str, ...], ...]
    """Candidates in a folder, in groups; of each group every existing file loads, and a group is tried only when
    those before it gave nothing."""
    imports: bool
    """Whether `@path` in a guidance file loads that file."""
    rule_folder: str
    """Folder of rule files with optional `paths:`; empty when the engine has none."""
    skill_folders: tuple[str, ...]
    """Folders of `<name>/SKILL.md` whose names and descriptions the agent is told."""
    skill_tool: bool
    """Whether a skill is opened by a tool of its own rather than by reading its file."""
    nested: bool
    """Whether reading or editing a file loads the guidance of the folders it lies in."""


CLAUDE = EngineRules(
    name="claude",
    names=(("CLAUDE.md", ".claude/CLAUDE.md"), ("AGENTS.md",)),
    imports=True,
    rule_folder=".claude/rules",
    skill_folders=(".claude/skills",),
    skill_tool=True,
    nested=True,
)
CODEX = EngineRules(
    name="codex",
    names=(("AGENTS.md",),),
    imports=False,
    rule_folder="",
    skill_folders=(".agents/skills",),
    skill_tool=False,
    nested=False,
)
PI = EngineRules(
    name="pi",
    names=(("AGENTS.md",), ("CLAUDE.md",)),
    imports=False,
    rule_folder="",
    skill_folders=(".pi/skills", ".agents/skills"),
    skill_tool=False,
    nested=True,
)

RULES = {rules.name: rules for rules in (CLAUDE, CODEX, PI)}


def rules_named(name: str) -> EngineRules:
    """The rules of an engine; raises ValueError listing the known names."""
    try:
        return RULES[name]
    except KeyError:
        raise ValueError(f"no guidance rules named {name!r}; known: {', '.join(RULES)}") from None
