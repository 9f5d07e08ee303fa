"""Traces on disk: JSON lines, one record a line, written so that a kill loses at most the line being written."""

import codecs
import contextlib
import functools
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from workbench.host.files import sha256, write_atomic
from workbench.traces.records import Assertions, Change, Loaded, Meta, Trace, Turn
from workbench.traces.redaction import Redaction

INLINE_LIMIT = 256 * 1024
"""Characters of a change's text kept on its line; longer text is a blob beside the trace."""

Line = Meta | Turn | Loaded | Change | Assertions


class TraceError(ValueError):
    """A trace that cannot be read: which file, which line, and why."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path, self.line, self.problem = path, line, problem


class TraceWriter:
    """Writes one trace: `with TraceWriter(path, redact=secrets) as writer: writer.write(meta)`.

    `redact` holds secret values; none of them reaches the disk. Each line is flushed as it is written and
    the file is synced when it is closed.
    """

    def __init__(self, path: Path, redact: Sequence[str] = ()) -> None:
        self.path = path
        self._redaction = Redaction(redact)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = path.open("wb")

    def write(self, record: Line) -> None:
        """Append one record; the text of a large change goes into a blob first."""
        if isinstance(record, Change) and record.text is not None and len(record.text) > INLINE_LIMIT:
            record = self._with_blob(record, record.text)
        self._file.write(self._redaction.line(_dump(record)) + b"\n")
        self._file.flush()

    @property
    def size(self) -> int:
        """Bytes written so far, those of blobs left out."""
        return self._file.tell()

    def close(self) -> None:
        """Sync and close; closing twice is fine."""
        if not self._file.closed:
            self._file.flush()
            with contextlib.suppress(OSError):
                os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> "TraceWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_blob(self, change: Change, text: str) -> Change:
        data = self._redaction.text(text).encode("utf-8", "surrogatepass")
        digest = change.sha256 or sha256(data)
        folder = blob_folder(self.path)
        folder.mkdir(exist_ok=True)
        write_atomic(folder / digest, data)
        return change.model_copy(update={"text": None, "sha256": digest})


def blob_folder(trace: Path) -> Path:
    """Where a trace keeps what is too large for a line, one file per content hash."""
    return trace.with_name(f"{trace.stem}.blobs")


def read(path: Path, *, strict: bool = False) -> Trace:
    """Read a trace.

    Tolerant by default, for runs that may have died: a torn last line is dropped and record types of other
    versions are skipped. `strict`, for fixtures, wants every line to be right, turn indexes 0, 1, 2 … and the
    assertions last.
    Raises TraceError with path and line, and OSError when the file cannot be read.
    """
    return _collect(path, path.read_bytes(), strict=strict)


def read_tail(path: Path, limit: int = 256 * 1024) -> Trace:
    """The meta record and the last records of a trace: at least one turn, and about `limit` bytes of its end.

    For showing the end of a large trace at once; read tolerantly. Raises as `read` does; line numbers in what it
    raises count from the first line that was read.
    """
    with path.open("rb") as file:
        first = file.readline()
        body, size = file.tell(), os.fstat(file.fileno()).st_size
        start = max(body, size - limit)
        file.seek(start)
        data = file.read()
    if start > body:
        data = data.partition(b"\n")[2]
    trace = _collect(path, first + data, strict=False)
    return trace if trace.turns or start == body else read_tail(path, limit * 8)


def _collect(path: Path, data: bytes, *, strict: bool) -> Trace:
    data = data.removeprefix(codecs.BOM_UTF8)
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    collected = _Collected(path, strict)
    for number, line in lines:
        try:
            record = _parse(line)
        except ValidationError as error:
            kind = error.errors(include_url=False, include_input=False)[0]
            if not strict and (number == lines[-1][0] or (kind["type"] == "union_tag_invalid" and not kind["loc"])):
                continue
            raise TraceError(path, number, _told(line, kind)) from error
        collected.add(number, record)
    return collected.trace()


class _Collected:
    """Records of one file as they are read, held to the order a trace has."""

    def __init__(self, path: Path, strict: bool) -> None:
        self._path, self._strict = path, strict
        self._meta: Meta | None = None
        self._turns: list[Turn] = []
        self._loaded: list[Loaded] = []
        self._changes: list[Change] = []
        self._assertions: Assertions | None = None

    def add(self, number: int, record: Line) -> None:
        """Take in the record of a line; TraceError where the order forbids it."""
        if (self._meta is None) != isinstance(record, Meta):
            problem = "a second meta record" if self._meta else "the first record must be a meta record"
            raise TraceError(self._path, number, problem)
        if self._strict and self._assertions is not None:
            raise TraceError(self._path, number, "nothing may follow the assertions")
        match record:
            case Meta():
                self._meta = record
            case Loaded():
                self._loaded.append(record)
            case Change():
                self._changes.append(self._whole(record))
            case Assertions():
                self._assertions = record
            case _:
                self._add_turn(number, record)

    def _add_turn(self, number: int, turn: Turn) -> None:
        last = self._turns[-1].turn_index if self._turns else -1
        if turn.turn_index <= last or (self._strict and turn.turn_index != last + 1):
            wanted = str(last + 1) if self._strict else f"above {last}"
            raise TraceError(self._path, number, f"turnIndex {turn.turn_index} must be {wanted}")
        self._turns.append(turn)

    def _whole(self, change: Change) -> Change:
        blob = blob_folder(self._path) / (change.sha256 or "-")
        if change.text is None and "/" not in change.sha256 and blob.is_file():
            with contextlib.suppress(OSError, UnicodeDecodeError):
                return change.model_copy(update={"text": blob.read_bytes().decode("utf-8", "surrogatepass")})
        return change

    def trace(self) -> Trace:
        """All that was taken in; TraceError when it is no whole trace."""
        if self._meta is None:
            raise TraceError(self._path, 1, "holds no meta record")
        if self._strict and self._assertions is None:
            raise TraceError(self._path, 1, "holds no assertions record")
        # Every part is validated already; checking tens of thousands of turns again would double the time.
        return Trace.model_construct(
            meta=self._meta,
            turns=tuple(self._turns),
            loaded=tuple(self._loaded),
            changes=_sorted(self._changes),
            assertions=self._assertions,
        )


def _told(line: bytes, problem: ErrorDetails) -> str:
    """Why a line is no record, in words for whoever wrote or pasted it."""
    if problem["type"] == "json_invalid" and not line.rstrip().endswith(b"}"):
        return "not a whole JSON object: a trace holds one on each line, so one spread over several must be joined"
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]


def _sorted(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: change.path))


@functools.cache
def _lines() -> TypeAdapter[Line]:
    return TypeAdapter(Annotated[Line, Field(discriminator="type")])


def _parse(line: bytes) -> Line:
    try:
        return _lines().validate_json(line)
    except ValidationError:
        # A lone surrogate is no Unicode and pydantic's parser refuses it; Python's own carries it through.
        if b"\\ud" not in line.lower():
            raise
        try:
            plain: Any = json.loads(line)
        except ValueError:
            plain = None
        if plain is None:
            raise
        return _lines().validate_python(plain)


def _dump(record: Line) -> bytes:
    try:
        return record.model_dump_json().encode()
    except ValueError:
        return json.dumps(record.model_dump(), default=str).encode("ascii")
