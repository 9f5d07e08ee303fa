"""Checks of commands and lookups. A command counts as issued, whatever became of it."""

import re
from collections.abc import Iterator

from workbench.checks.case import Case, at_act, failed, passed, without_tool
from workbench.checks.definition import check
from workbench.checks.records import CheckResult
from workbench.checks.values import OneOf, texts
from workbench.traces.acts import Act

BOX_SEARCH = re.compile(r"\bbbx\s+search\b", re.IGNORECASE | re.ASCII)
"""A command that asks the box's own search."""


@check("bash_contains", texts, box_only=True)
def bash_contains(case: Case, wanted: tuple[str, ...]) -> Iterator[CheckResult]:
    """Each text must stand in some command, letter case ignored."""
    if "command" not in case.can:
        yield from without_tool("bash_contains", wanted, "run commands")
        return
    commands = case.acts_of("command")
    for text in wanted:
        found = next((act for act in commands if text.lower() in act.command.lower()), None)
        if found:
            yield passed("bash_contains", text, at_act(found))
        else:
            yield failed("bash_contains", text, "no command holds it" if commands else "no command was run")


@check("should_search", OneOf("web", "box", "any"), box_only=True)
def should_search(case: Case, where: str) -> Iterator[CheckResult]:
    """Something must have been looked up: on the web, with the box's own search, or either."""
    needed = {"web": {"web"}, "box": {"command"}, "any": {"web", "command"}}[where]
    if not needed & case.can:
        yield from without_tool("should_search", [where], f"search {'the web' if where == 'web' else where}")
        return
    found = _searches(case, where)
    if found:
        yield passed("should_search", where, at_act(found[0]))
    else:
        looked = any(act.kind == "search" for act in case.acts)
        hint = "it did look through files, which this check does not count" if looked else ""
        yield failed("should_search", where, "nothing was looked up there", hint=hint)


def _searches(case: Case, where: str) -> list[Act]:
    web = [act for act in case.acts_of("web") if where != "box"]
    box = [act for act in case.acts_of("command") if where != "web" and BOX_SEARCH.search(act.command)]
    return web + box
