"""The top-level keys of a corpus beside `tests`: under which conditions its questions are asked."""

import re
from typing import Any

from workbench.corpus.problems import Problems, did_you_mean, position_of, validated
from workbench.corpus.records import CorpusSettings, Position
from workbench.corpus.yaml12 import MappingNode, YamlError, construct, pairs

_KNOWN = ("tests", *CorpusSettings.model_fields)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_settings(root: MappingNode, problems: Problems) -> CorpusSettings:
    """Read every top-level key but `tests`; a wrong one is told and left at its default."""
    settings = CorpusSettings()
    for key, key_node, value_node, again in pairs(root):
        position = position_of(key_node)
        if again:
            problems.error(
                "duplicate-key", f"the top-level key `{key}` stands here a second time", "keep one", position
            )
        elif key not in _KNOWN:
            hint = did_you_mean(str(key), _KNOWN) or f"known are: {', '.join(_KNOWN)}"
            problems.error("unknown-key", f"the top-level key `{key}` is unknown", hint, position)
        elif key != "tests":
            try:
                settings = _with(settings, key, construct(value_node), position, problems)
            except YamlError as error:
                problems.yaml(error)
    return settings


def _with(settings: CorpusSettings, key: str, value: Any, position: Position, problems: Problems) -> CorpusSettings:
    read = validated(CorpusSettings, {key: value}, {key: position}, problems)
    if read is None:
        return settings
    if read.history < 0:
        problems.error("bad-value", "`history` must be 0 or more", "write a number of commits", position)
        return settings
    update = {key: _names(read.env, position, problems)} if key == "env" else {key: getattr(read, key)}
    return settings.model_copy(update=update)


def _names(env: tuple[str, ...], position: Position, problems: Problems) -> tuple[str, ...]:
    """The names among what `env` lists; a value is never repeated, it may be a secret."""
    for item in env:
        name, equals, _ = item.partition("=")
        if equals:
            message = f"`env` holds names only, never values: {name!r} is given one"
            problems.error("env-value", message, f"write `{name}`; its value comes from your environment", position)
        elif not _NAME.match(item):
            problems.error("bad-value", f"`env` names no environment variable with {item!r}", "", position)
    return tuple(item for item in env if _NAME.match(item))
