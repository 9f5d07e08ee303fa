"""Answer keys known by what they hold: at another revision a corpus may lie under a path that nobody names today."""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from workbench.boxes import objects
from workbench.boxes.objects import Tree
from workbench.host.git import Git

# Keys wherever YAML can have them, in flows and JSON too: rather too many files are kept from a trial than one too few.
_CORPUS = re.compile(rb"(?<![\w-])tests[\"']?\s*:")
_ID = re.compile(rb"(?<![\w-])id[\"']?\s*:\s*(?:[&!]\S*\s+)*[\"']?([^\s\"'#,}\]]+)")
_YAML = (".yaml", ".yml")


class Answers:
    """The files at `secrets`, absolute paths, recognized wherever they lie; folders and what is gone tell nothing."""

    def __init__(self, secrets: Sequence[Path]) -> None:
        self._secrets = [path for path in secrets if path.is_file()]
        self._judged: dict[str, bool] = {}
        self._equal: frozenset[str] = frozenset()

    def among(self, git: Git, tree: Tree) -> frozenset[str]:
        """The blobs of a tree that give answers away; all trees are of one repository.

        That is what equals a secret file as it is today, and a corpus, under any YAML name, that holds one of the
        audits of today's corpora. Raises GitError, BoxError for a blob that is not here, and OSError for a secret file
        that cannot be read.
        """
        blobs = {item.blob: path for path, item in tree.items() if item.mode not in (objects.LINK, objects.SUBMODULE)}
        if not blobs:
            return frozenset()
        like = next(iter(blobs))
        self._equal = self._equal or frozenset(objects.blob_name(data, like) for data in self._held)
        new = [blob for blob, path in blobs.items() if path.lower().endswith(_YAML) and blob not in self._judged]
        self._judged |= {blob: self._tells(data) for blob, data in objects.contents(git, new)}
        return frozenset(blob for blob in blobs if blob in self._equal or self._judged.get(blob))

    def _tells(self, data: bytes) -> bool:
        return bool(_CORPUS.search(data)) and not _ids(data).isdisjoint(self._known_ids)

    @cached_property
    def _held(self) -> tuple[bytes, ...]:
        return tuple(path.read_bytes() for path in self._secrets)

    @cached_property
    def _known_ids(self) -> frozenset[bytes]:
        return frozenset(name for data in self._held if _CORPUS.search(data) for name in _ids(data))


def _ids(data: bytes) -> set[bytes]:
    return set(_ID.findall(data))
