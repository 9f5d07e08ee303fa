"""Files of strangers are read when they are plain files, and never waited for."""

import os
from pathlib import Path

import pytest

from workbench.host.foreign import open_plain, read_plain


def test_only_a_plain_file_is_read_and_no_more_of_it_than_was_said(tmp_path: Path) -> None:
    plain, link, pipe = tmp_path / "plain", tmp_path / "link", tmp_path / "pipe"
    plain.write_bytes(b"0123456789")
    link.symlink_to(plain)
    os.mkfifo(pipe)
    assert read_plain(plain, 10) == b"0123456789"
    assert read_plain(plain, 4, start=6) == b"6789"
    for path in (link, pipe, tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(OSError, match=str(path)):
            read_plain(path, 10)
    with pytest.raises(OSError, match="too large"):
        read_plain(plain, 9)


def test_a_file_that_has_become_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    plain, link, pipe = tmp_path / "plain", tmp_path / "link", tmp_path / "pipe"
    plain.write_bytes(b"0123")
    link.symlink_to(plain)
    os.mkfifo(pipe)
    for path in (plain, str(link)):
        with open_plain(path) as file:
            assert file.read() == b"0123"
    for path in (pipe, tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(OSError, match=str(path)):
            open_plain(path)
