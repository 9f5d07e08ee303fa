"""Audits as they were when a trial was judged: from the corpora, else from the commits that held them."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from workbench.corpus.loading import parse
from workbench.corpus.records import Audit
from workbench.desk.library import Library
from workbench.host.git import Git, GitError
from workbench.runs.identity import audit_hash

_COMMITS = 100
"""Commits of a corpus that are looked through."""


class Definitions:
    """Looks definitions up by their hash; what was looked through once is remembered."""

    def __init__(self, root: Path, library: Library) -> None:
        self._git, self._library = Git(root), library
        self._of_file = cache(self._recorded)

    def find(self, wanted: Mapping[str, tuple[str, str, str]]) -> dict[str, Audit]:
        """Name → its definition, of name → (corpus, audit id, hash); what no commit holds is left out."""
        found = {}
        for name, (file, audit_id, hashed) in wanted.items():
            now = self._library.audit(audit_id)
            if now is not None and audit_hash(now) == hashed:
                found[name] = now
            elif hashed and (then := self._of_file(file).get((audit_id, hashed))) is not None:
                found[name] = then
        return found

    def _recorded(self, file: str) -> dict[tuple[str, str], Audit]:
        """(id, hash) → audit, over the last commits that touched a corpus."""
        return {
            (audit.id, audit_hash(audit)): audit for data in self._versions(file) for audit in parse(data, file).audits
        }

    def _versions(self, file: str) -> Iterable[bytes]:
        try:
            commits = self._git.run("log", f"--max-count={_COMMITS}", "--format=%H", "--", f"./{file}").split()
            for commit in commits:
                status, data, _ = self._git.attempt("show", f"{commit}:./{file}")
                if status == 0:
                    yield data
        except GitError:
            return
