"""Secrets kept out of what is written."""

import json
from collections.abc import Sequence
from typing import Any

MARK = "[redacted]"
SHORTEST = 6
"""Values shorter than this are no secrets: replacing them would garble everything."""

_STRUCTURE = frozenset({"type", "role", "kind", "layer"})


class Redaction:
    """Replaces secret values in text and in JSON lines, leaving the lines' own structure whole."""

    def __init__(self, secrets: Sequence[str]) -> None:
        wanted = {secret for secret in secrets if len(secret.strip()) >= SHORTEST}
        self._secrets = sorted(wanted, key=len, reverse=True)
        self._needles = {form for secret in wanted for form in _escaped(secret)}

    def text(self, text: str) -> str:
        """The text with every secret replaced."""
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return text

    def line(self, line: bytes) -> bytes:
        """One JSON object with every secret in its values replaced, and in the names of tool arguments."""
        if not any(needle in line for needle in self._needles):
            return line
        return json.dumps(self._value(json.loads(line), free=False)).encode("ascii")

    def _value(self, value: Any, free: bool) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(item, free) for item in value]
        if not isinstance(value, dict):
            return value
        if free:
            return {self.text(key): self._value(item, True) for key, item in value.items()}
        return {
            key: item if key in _STRUCTURE else self._value(item, key in ("arguments", "assertions"))
            for key, item in value.items()
        }


def _escaped(secret: str) -> set[bytes]:
    """How a secret can stand inside a JSON string."""
    forms = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}
