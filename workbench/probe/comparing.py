"""The static chain beside what was seen: where they disagree, one of them is wrong."""

from collections.abc import Sequence
from pathlib import Path

from workbench.guidance import chain
from workbench.probe.records import Difference, FileContext, Standing, Visit


def differences(
    root: Path, cwd: str, rules: str, visits: Sequence[Visit], files: Sequence[FileContext]
) -> tuple[Difference, ...]:
    """What the chain of some rules says of each file, where the engine did something else; sorted by path.

    `visits` are those that were made. Raises ValueError for unknown rules.
    """
    loaded = chain.load(root, cwd, rules)
    said: dict[str, Standing] = {}
    for visit in visits:
        if visit.kind == "read":
            said |= {file.path: "conditional" for file in loaded.on_read(visit.path)}
    said |= {skill.path: "conditional" for skill in loaded.skills}
    said |= {file.path: "always" for file in loaded.files}
    seen = {file.path: _seen(file) for file in files}
    found = [
        Difference(path=path, chain=said.get(path, "never"), engine=seen.get(path, "never"))
        for path in sorted(said.keys() | seen.keys())
    ]
    return tuple(one for one in found if not _same(one))


def _seen(file: FileContext) -> Standing:
    """A skill that was announced can be opened, whether or not it was."""
    return "conditional" if file.skill and file.standing == "referenced" else file.standing


def _same(one: Difference) -> bool:
    return one.chain == one.engine or (one.chain == "never" and one.engine == "referenced")
