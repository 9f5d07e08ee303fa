"""`--changed`: the audits that what changed since a revision can touch, told before they are asked."""

from typing import TYPE_CHECKING, Any

import typer

from workbench.cli.options import SelectingCommand
from workbench.text.amounts import many

if TYPE_CHECKING:
    from workbench.desk.changes import ChangeSet
    from workbench.insight.impact import Touch

_CHANGED, _ALONE = "--changed", "HEAD"


class ChangedCommand(SelectingCommand):
    """A selecting command whose `--changed` may stand alone, for the last commit."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a `--changed` its value where an option follows, nothing, or a term such as `tag:x`: no commit."""
        following = [*args, "-"][1:]
        alone = [
            arg == _CHANGED and (after.startswith("-") or ":" in after)
            for arg, after in zip(args, following, strict=True)
        ]
        given = [f"{_CHANGED}={_ALONE}" if bare else arg for arg, bare in zip(args, alone, strict=True)]
        return super().parse_args(ctx, given)


def tell(found: "ChangeSet", *, as_json: bool) -> None:
    """What changed, and each audit that can touch with its strongest reason."""
    from workbench.cli.output import console, emit

    if found.untold:
        typer.echo(f"workbench: {found.untold}", err=True)
    if as_json:
        emit(document(found))
        return
    out = console()
    files = sum(len(box.files) for box in found.boxes)
    what = " and ".join(filter(None, (many(files, "file") if files else "", ", ".join(found.corpora))))
    told = many(len(found.touches), "selected audit") if found.touches else "no selected audit"
    changed = files + len(found.corpora)
    touching = f"; {'they' if changed > 1 else 'it'} can touch {told}" if what else "; there is nothing to ask"
    out.print(f"{what or 'nothing'} changed since {found.revision}{touching}", style="dim")
    width = max((len(touch.audit_id) for touch in found.touches), default=0)
    for touch in found.touches:
        out.print(_line(touch, width))


def document(found: "ChangeSet") -> dict[str, Any]:
    """A change set as `--json` shows it."""
    return {
        "type": "changes",
        "revision": found.revision,
        "boxes": [
            {"box": box.box, "commit": box.commit, "files": [file.path for file in box.files]} for box in found.boxes
        ],
        "corpora": list(found.corpora),
        "touched": list(map(touch_document, found.touches)),
    }


def touch_document(touch: "Touch") -> dict[str, Any]:
    """An audit that an edit can touch, with why, as `--json` shows it."""
    return {
        "audit": touch.audit_id,
        "reasons": [
            {"because": one.because, "path": one.path, "line": one.line or None, "told": one.told}
            for one in touch.reasons
        ],
    }


def _line(touch: "Touch", width: int) -> object:
    from rich.text import Text

    strongest, *others = touch.reasons
    line = Text.assemble(f"  {touch.audit_id:<{width}}  ", (strongest.told, "dim"))
    line.append(f"  and {many(len(others), 'other reason')}" if others else "", "dim")
    return line
