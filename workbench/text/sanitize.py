"""Text nobody vouches for, made harmless: no terminal escapes, no reordering of what is read, no torn characters.

Agents, tools and files can hold bytes that a terminal obeys (a title, the clipboard, colours) or that make a line read
differently than it is. Whatever enters the bench passes here once, at the door; from then on it is only text.
"""

import re

_SHOWN = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}
"""C0 controls and DEL have a picture of their own, so a reader sees which one stood there."""

_DIRECTION = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_REPLACED = dict.fromkeys((*range(0x80, 0xA0), *_DIRECTION, *range(0xD800, 0xE000)), 0xFFFD)
_TABLE = _SHOWN | _REPLACED

# Searching is many times faster than translating text beyond ASCII, and nearly all text is already clean.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """Make text safe to show and to keep: same words, no control over whoever shows it.

    C0 controls other than tab and newline become their pictures (`␛`), DEL `␡`; C1 controls, bidirectional controls
    and lone surrogates become U+FFFD; CRLF and CR become newlines. Cleaning twice changes nothing more.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_TABLE) if _UNSAFE.search(text) else text


def clean_line(text: str, limit: int = 200) -> str:
    """Make text fit one line of at most `limit` characters: cleaned, white space folded, a cut shown as `…`."""
    head = text[: 8 * limit + 256]  # what lies far behind the limit cannot show; folding a megabyte for it is waste
    line = _SPACES.sub(" ", clean(head)).strip()
    if len(line) > limit or len(head) < len(text):
        return line[: max(limit - 1, 0)].rstrip() + "…"
    return line
