"""A small box with every kind of guidance, and an agent that loads as it is told to."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.brains.protocol import ToolSchema
from workbench.guidance.tree import Tree
from workbench.probe.brain import Probing
from workbench.probe.candidates import candidates
from workbench.probe.itinerary import Itinerary, itinerary
from workbench.traces.records import AssistantTurn, TextBlock, ToolCall, ToolResultTurn, Turn, UserTurn

BOX = {
    "CLAUDE.md": "@AGENTS.md\n\n<!-- For those who keep this. -->\nThe mill closes at noon.\n",
    "AGENTS.md": "# The mill\n\nFlour goes into blue sacks, see `docs/sacks.md`.\n",
    "docs/sacks.md": "Blue sacks hold ten kilograms.\n",
    "wheel/CLAUDE.md": "The wheel is greased on Mondays.\n",
    "wheel/axle.txt": "Oak.\n",
    ".claude/rules/sluice.md": "---\npaths: sluice/**/*.log\n---\nLogs are only ever added to.\n",
    ".claude/skills/grind/SKILL.md": "---\nname: grind\ndescription: Grind a sack of rye\n---\n"
    "Open the sluice first.\n",
    "GEMINI.md": "For somebody else.\n",
}
READ = ToolSchema("Read", "Reads a file", {"type": "object", "properties": {"file_path": {"type": "string"}}})
SKILL = ToolSchema("Skill", "Opens a skill", {"type": "object", "properties": {"skill": {"type": "string"}}})

Answer = Callable[[ToolCall], Sequence[str]]


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """The mill, as a repository."""
    root = tmp_path / "mill"
    for name, text in BOX.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@dataclass
class Agent:
    """An agent in a box: what it says first, and what it answers to a call."""

    root: Path
    system: str = "You are a miller."
    first: tuple[str, ...] = ()
    tools: tuple[ToolSchema, ...] = (READ, SKILL)
    answer: Answer = lambda call: ["done"]
    steps: list[int] = field(default_factory=list)

    def run(self, question: str = "What holds here?") -> tuple[Probing, Itinerary, tuple[str, ...]]:
        """Go through a whole probe; the brain that was asked, the plan it followed, the candidates."""
        known = candidates(self.root)
        plan = itinerary(Tree(self.root), frozenset(known))
        for path, text in plan.staged.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        brain = Probing(self.root, plan.visits, self.steps.append)
        said = tuple(TextBlock(text=text) for text in (*self.first, question))
        messages: list[Turn] = [UserTurn(turn_index=0, content=said)]
        while True:
            proposal = brain.propose(self.system, messages, self.tools)
            calls = [block for block in proposal.content if isinstance(block, ToolCall)]
            if not calls:
                return brain, plan, known
            messages.append(_assistant(proposal.content, len(messages)))
            for call in calls:
                content = tuple(TextBlock(text=text) for text in self.answer(call))
                messages.append(ToolResultTurn(turn_index=len(messages), tool_use_id=call.id, content=content))


def _assistant(content: Sequence[object], index: int) -> Turn:
    return AssistantTurn.model_validate({"turn_index": index, "content": content})
