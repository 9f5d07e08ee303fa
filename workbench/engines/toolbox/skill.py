"""Skill: open one of the skills the agent was told of."""

from collections.abc import Mapping
from typing import Any

from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema


class Skill:
    """Bring a skill's instructions into the context."""

    schema = schema(
        "Skill",
        "Open a skill by its name; its instructions come with the result.",
        {"skill": "string: Name of the skill"},
        {"args": "string: What to pass to it"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Open a skill's instructions."""
        name = str(arguments["skill"]).lstrip("/")
        known = {skill.name: skill for skill in place.chain.skills}
        if name not in known:
            raise ToolError(f"There is no skill {name!r}; known: {', '.join(known) or 'none'}.")
        body = place.chain.body(known[name])
        if body is None:
            raise ToolError(f"The skill {name!r} cannot be read any more.")
        return Outcome(f"Launching skill: {name}", guidance=(body,))
