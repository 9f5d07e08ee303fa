"""A secret is kept out in whatever spelling a program echoes it."""

import base64
import json
from urllib.parse import quote

import pytest

from workbench.traces.redaction import MARK, Redaction

KEY = 'sk-dummy/k+y"0123=ä'


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        json.dumps({"key": KEY}),
        json.dumps({"key": KEY}, ensure_ascii=False).replace("/", "\\/"),
        f"https://x/?key={quote(KEY, safe='')}&b",
        f"https://x/{quote(KEY)}",
        *(f"Basic {base64.b64encode(user + KEY.encode() + b':').decode()}" for user in (b"", b"u:", b"me:", b"api:")),
        base64.urlsafe_b64encode(KEY.encode()).decode(),
    ],
)
def test_no_spelling_of_a_secret_gets_through(echo: str) -> None:
    redaction = Redaction((KEY,))
    line = redaction.line(
        json.dumps({"type": "turn", "content": [{"type": "text", "text": f"401 {echo} end"}]}).encode()
    )
    told = json.loads(line)["content"][0]["text"]
    assert MARK in redaction.text(echo)
    assert told.startswith("401 ")
    assert told.endswith(" end")
    assert told == f"401 {redaction.text(echo)} end"
    encoded = base64.b64encode(KEY.encode()).decode()
    for part in ("dummy", encoded[4:12], encoded[-14:-6]):
        assert part not in told


def test_what_is_too_short_for_a_secret_stays() -> None:
    assert Redaction(("12345", "")).text("12345 MTIzNDU=") == "12345 MTIzNDU="
