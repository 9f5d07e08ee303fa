"""Secrets kept out of what is written."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

MARK = "[redacted]"
SHORTEST = 6
"""Values shorter than this are no secrets: replacing them would garble everything."""

_LONG = 8
"""Bytes from which on a secret is known by its Base64 too: less would be found in anything."""
_STRUCTURE = frozenset({"type", "role", "kind", "layer"})


class Redaction:
    """Replaces secret values in text and in JSON lines, leaving the lines' own structure whole."""

    def __init__(self, secrets: Sequence[str]) -> None:
        wanted = {secret for secret in secrets if len(secret.strip()) >= SHORTEST}
        spelled = {spelling for secret in wanted for spelling in _spellings(secret)}
        self._secrets = sorted(spelled, key=len, reverse=True)
        self._needles = {form for spelling in spelled for form in _escaped(spelling)}

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


def _spellings(secret: str) -> Iterator[str]:
    """A secret as it stands in plain words, in JSON within a text, in an address, and in a header of Basic kind."""
    yield secret
    for plain in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield from (plain, plain.replace("/", "\\/"))
    data = secret.encode("utf-8", "surrogatepass")
    yield from (quote(data), quote(data, safe=""))
    if len(data) >= _LONG:
        yield from (_base64(data, before, digits) for before in range(3) for digits in (b"+/", b"-_"))


def _base64(data: bytes, before: int, digits: bytes) -> str:
    """The digits of Base64 that are the data's alone when so many bytes stand before it, whatever they are."""
    encoded = base64.b64encode(b"\0" * before + data, digits).decode()
    return encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]


def _escaped(secret: str) -> set[bytes]:
    """How a secret can stand inside a JSON string."""
    forms = (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}
