"""Activating a Bee Box's plugins in a workspace: its settings, the schema stubs they lack, its docs made anew."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ValidationError

from workbench.boxes.bbx import Bbx
from workbench.boxes.beebox_layout import CONFIG, DOCS_MARKER, PACKAGE_DOCS
from workbench.boxes.included import within
from workbench.boxes.location import BoxError
from workbench.boxes.workspace import Workspace
from workbench.host.files import OutsideError, confine
from workbench.text.sanitize import clean_line

_LIST = (("plugins", "list", "--json"), ("engine", "plugins", "list", "--json"))
_REFRESH = (("engine", "docs", "refresh"), ("docs", "refresh"))

_STUB = """\
import {{ cardSchema }} from "beebox/cards";
import plugin from "beebox/plugins/{plugin}";

export default cardSchema("{name}", plugin.schemas["{name}"]);
"""


class _Stub(BaseModel):
    kind: str
    name: str
    path: str
    present: bool


class _Plugin(BaseModel):
    name: str
    active: bool
    stubs: tuple[_Stub, ...] = ()


class _Listing(BaseModel):
    plugins: tuple[_Plugin, ...]


def activate(workspace: Workspace, plugins: Sequence[str], bbx: Bbx) -> None:
    """Make plugins active as an agent would find them; raises BoxError saying what is missing."""
    _add_to_settings(workspace.root / CONFIG, plugins)
    with _package_in_place(workspace.root, bbx):
        for plugin in _listed(workspace.root, plugins, bbx):
            for stub in plugin.stubs:
                if stub.kind == "schema" and not stub.present:
                    _write_stub(workspace.root, plugin.name, stub)
        workspace.commit_stage(touched=True)  # some versions leave a box with uncommitted changes as it is
        (workspace.root / DOCS_MARKER).unlink(missing_ok=True)
        done = bbx.run(workspace.root, *_REFRESH)
    shutil.rmtree(workspace.root / ".git" / "hooks", ignore_errors=True)
    _drop_outward_links(workspace.root)
    if done.returncode != 0:
        raise BoxError(f"bbx could not regenerate the docs ({done.returncode}): {clean_line(done.text)}")


def copy_package_docs(root: Path, bbx: Bbx) -> bool:
    """Give a workspace real copies of the installed package's docs; False when the package has none."""
    source = bbx.package / "box-docs" if bbx.package else None
    if not source or not source.is_dir():
        return False
    target = root / PACKAGE_DOCS
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target, symlinks=False, ignore_dangling_symlinks=True)
    return True


def _add_to_settings(config: Path, plugins: Sequence[str]) -> None:
    try:
        settings = json.loads(config.read_text(encoding="utf-8")) if config.exists() else {}
    except ValueError as error:
        raise BoxError(f"{CONFIG} is not JSON ({error}), so no plugin can be added to it") from error
    active = settings.get("plugins", []) if isinstance(settings, dict) else None
    if not isinstance(active, list):
        raise BoxError(f"{CONFIG} must hold an object whose `plugins` is a list")
    settings["plugins"] = [*active, *(name for name in plugins if name not in active)]
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _listed(root: Path, wanted: Sequence[str], bbx: Bbx) -> Iterator[_Plugin]:
    """What `bbx` says of the wanted plugins; raises BoxError for one that is not installed."""
    done = bbx.run(root, *_LIST)
    text = done.text
    try:
        listing = _Listing.model_validate_json(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, ValidationError):
        raise BoxError(f"bbx does not list its plugins ({done.returncode}): {clean_line(text)}") from None
    known = {plugin.name: plugin for plugin in listing.plugins}
    for name in wanted:
        if name not in known:
            raise BoxError(f"plugin {name!r} is not installed; this bbx has: {', '.join(sorted(known)) or 'none'}")
        yield known[name]


def _write_stub(root: Path, plugin: str, stub: _Stub) -> None:
    try:
        place = confine(root, stub.path)
    except OutsideError as error:
        raise BoxError(f"bbx wants a schema stub outside the box: {error}") from error
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_STUB.format(plugin=plugin, name=stub.name), encoding="utf-8")


@contextmanager
def _package_in_place(root: Path, bbx: Bbx) -> Iterator[None]:
    """While `bbx` works, its whole package stands where the box's schemas import it from; then only its docs do."""
    place = root / "node_modules" / "beebox"
    package = bbx.package
    if package is None or (place / "package.json").exists():
        yield
        return
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(package)
    try:
        yield
    finally:
        place.unlink()
        copy_package_docs(root, bbx)


def _drop_outward_links(root: Path) -> None:
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            place = os.path.join(folder, name)
            if os.path.islink(place) and not within(os.path.realpath(place), str(root)):
                os.unlink(place)
