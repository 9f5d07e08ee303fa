"""One entry of a corpus: its own keys validated, the rest kept raw for the checks."""

from typing import Any

from workbench.corpus.problems import Problems, did_you_mean, position_of, validated
from workbench.corpus.records import LEVELS, Audit, Position
from workbench.corpus.yaml12 import MappingNode, Node, YamlError, construct, duplicate_keys, pairs
from workbench.text.sanitize import clean, clean_line

KEYS: tuple[str, ...] = (
    "id",
    "surface",
    "prompt",
    "expected_level",
    "watch_for",
    "tags",
    "notes",
    "style",
    "max_turns",
    "engine",
    "context_dir",
    "fixture",
    "chat_mode",
    "plugins",
    "samples",
)
"""What the corpus knows itself; every other key of an entry is for the checks."""

_REQUIRED = {
    "id": "a short name of its own",
    "prompt": "the question",
    "expected_level": "one of " + ", ".join(LEVELS),
    "watch_for": "what a good answer shows",
}
_BOX_ONLY = ("context_dir", "fixture", "chat_mode", "plugins")
_SHOWN = ("id", "prompt", "expected_level", "watch_for", "notes", "style", "engine", "samples")


def read_entry(node: Node, file: str, section: str, problems: Problems) -> Audit | None:
    """Read one entry; None when an error makes it unfit to be asked, and `problems` says which."""
    if not isinstance(node, MappingNode):
        problems.error("wrong-type", "an audit must be a mapping of keys", "start it with `- id:`", position_of(node))
        return None
    own: dict[str, Any] = {}
    checks: dict[str, Any] = {}
    positions = {"": position_of(node)}
    name = _peek_id(node)
    sound = _note_duplicates(node, name, problems)
    try:
        for key, key_node, value_node, again in pairs(node):
            if not isinstance(key, str):
                sound = _refuse_key(key, key_node, name, problems)
            elif not again:
                positions[key] = position_of(key_node)
                (own if key in KEYS else checks)[key] = construct(value_node)
    except YamlError as error:
        problems.yaml(error, name)
        return None
    sound &= _complete(own, checks, positions, name, problems)
    _clean(own, checks, positions, name, problems)
    places = {"checks": checks, "file": file, "section": section, "positions": positions}
    audit = validated(Audit, own | places, positions, problems, name) if _REQUIRED.keys() <= own.keys() else None
    return audit if audit is not None and sound & _sensible(audit, problems) else None


def _peek_id(node: MappingNode) -> str:
    """The id as written, to name the entry in problems whatever else is wrong with it."""
    return next((str(value.value) for key, value in node.value if key.value == "id" and value.id == "scalar"), "")


def _note_duplicates(node: Node, name: str, problems: Problems) -> bool:
    try:
        twice = list(duplicate_keys(node))
    except YamlError:
        return False  # building the value meets the same error and tells it
    for key, key_node in twice:
        problems.error(
            "duplicate-key", f"the key `{key}` stands here a second time", "keep one", position_of(key_node), name
        )
    return not twice


def _refuse_key(key: Any, node: Node, name: str, problems: Problems) -> bool:
    problems.error("wrong-type", f"the key {key!r} must be text", "put it in quotes", position_of(node), name)
    return False


def _complete(
    own: dict[str, Any], others: dict[str, Any], positions: dict[str, Position], name: str, problems: Problems
) -> bool:
    """Whether everything an audit needs is there; a key like the one that is missing is pointed at."""
    missing = [key for key in _REQUIRED if key not in own]
    for key in missing:
        meant = next((other for other in others if did_you_mean(other, [key])), "")
        fix = f"write it instead of `{clean_line(meant)}`" if meant else f"add `{key}:` with {_REQUIRED[key]}"
        problems.error("missing", f"`{key}` is missing", fix, positions[meant], name)
    empty = [key for key in ("id", "prompt") if isinstance(own.get(key), str) and not own[key].strip()]
    for key in empty:
        problems.error("empty", f"`{key}` is empty", f"write {_REQUIRED[key]}", positions[key], name)
    return not missing and not empty


def _clean(
    own: dict[str, Any], checks: dict[str, Any], positions: dict[str, Position], name: str, problems: Problems
) -> None:
    """Make the texts that are shown or looked for harmless, as what they are held against is; say where one changed."""
    for texts, keys in ((own, _SHOWN), (checks, tuple(checks))):
        for key in keys:
            if key in texts and (cleaned := _harmless(texts[key])) != texts[key]:
                texts[key] = cleaned
                problems.warning(
                    "control-characters",
                    f"`{key}` holds control characters; they are replaced by visible ones",
                    "remove them",
                    positions[key],
                    name,
                )
    if "tags" in own:
        own["tags"] = _harmless(own["tags"])


def _harmless(value: Any) -> Any:
    """A value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_harmless(item) for item in value]
    return {key: _harmless(item) for key, item in value.items()} if isinstance(value, dict) else value


def _sensible(audit: Audit, problems: Problems) -> bool:
    """Whether a well-formed audit can be asked; an unknown level is only worth a word."""
    if audit.expected_level not in LEVELS:
        hint = did_you_mean(audit.expected_level, LEVELS)
        message = f"`expected_level` {audit.expected_level!r} is none of the nine: {', '.join(LEVELS)}"
        problems.warning("unknown-level", message, hint, audit.position("expected_level"), audit.id)
    sound = True
    if audit.max_turns < 1:
        problems.error(
            "bad-value", "`max_turns` must be at least 1", "write 1 or more", audit.position("max_turns"), audit.id
        )
        sound = False
    for key in _BOX_ONLY if audit.surface == "dev" else ():
        if key in audit.positions:
            message = f"`{key}` has no meaning on `surface: dev`, which works read-only in the checkout"
            problems.error("dev-only", message, f"remove `{key}` or `surface`", audit.position(key), audit.id)
            sound = False
    return sound
