"""Bytes as they arrive, cut into lines."""

from collections import deque

LINE_LIMIT = 32 * 1024 * 1024
"""Bytes of the longest line that is handed on; a longer one is passed over."""


class LineBuffer:
    """Cuts a stream of bytes into lines; holds one unfinished line at most, and that up to the limit."""

    def __init__(self) -> None:
        self.ready: deque[bytes] = deque()
        """Whole lines nobody took yet, without their newlines, blank ones left out."""
        self.closed = False
        """Whether no more bytes will come."""
        self._part = bytearray()
        self._lost = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; none at all are the end."""
        if not chunk:
            self.close()
        for index, piece in enumerate(chunk.split(b"\n")):
            if index:
                self._end()
            self._lost = self._lost or len(self._part) + len(piece) > LINE_LIMIT
            if not self._lost:
                self._part += piece

    def close(self) -> None:
        """There is no more: an unfinished line is handed on as it is."""
        self._end()
        self.closed = True

    def _end(self) -> None:
        if self._part.strip() and not self._lost:
            self.ready.append(bytes(self._part))
        self._part.clear()
        self._lost = False
