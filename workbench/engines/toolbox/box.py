"""The tools of a session, and the one door through which an agent's calls are run."""

from collections.abc import Mapping
from typing import Any

from workbench.brains.protocol import ToolSchema
from workbench.corpus.records import Surface
from workbench.engines.toolbox.bash import Bash
from workbench.engines.toolbox.edit import Edit
from workbench.engines.toolbox.glob import Glob
from workbench.engines.toolbox.grep import Grep
from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.read import Read
from workbench.engines.toolbox.skill import Skill
from workbench.engines.toolbox.tool import Outcome, Tool, ToolError, check
from workbench.engines.toolbox.write import Write
from workbench.host.files import OutsideError

_READING: tuple[Tool, ...] = (Read(), Grep(), Glob(), Skill())
_WORKING: tuple[Tool, ...] = (Read(), Grep(), Glob(), Bash(), Write(), Edit(), Skill())


def tools_for(surface: Surface) -> tuple[Tool, ...]:
    """The tools of a surface: a developer session only reads."""
    return _READING if surface == "dev" else _WORKING


class Toolbox:
    """A session's tools in its workspace."""

    def __init__(self, surface: Surface, place: Place) -> None:
        self._place = place
        offered = tools_for(surface)
        if not place.chain.engine.skill_tool:
            offered = tuple(tool for tool in offered if tool.schema.name != "Skill")
        self._tools = {tool.schema.name: tool for tool in offered}

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the agent is told it can do."""
        return tuple(tool.schema for tool in self._tools.values())

    def run(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Run one call; whatever is wrong with it is an outcome that says so, with guidance the touched file brings."""
        tool = self._tools.get(name)
        if tool is None:
            return Outcome(f"There is no tool {name!r}; known: {', '.join(self._tools)}.", is_error=True)
        try:
            check(tool.schema, arguments)
            outcome = tool.run(arguments, self._place)
        except (ToolError, OutsideError, OSError) as error:
            return Outcome(str(error), is_error=True)
        brought = self._place.chain.on_read(outcome.touched) if outcome.touched else ()
        return Outcome(outcome.text, outcome.is_error, outcome.touched, (*outcome.guidance, *brought))
