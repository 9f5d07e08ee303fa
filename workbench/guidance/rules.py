"""Rule files: always loaded, or with `paths:` once a matching file is touched."""

from dataclasses import dataclass

from workbench.guidance import frontmatter, globs
from workbench.guidance.tree import Tree, join


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule file; no globs means it always loads."""

    path: str
    globs: tuple[str, ...]
    base: str
    """Box-relative folder the globs are relative to: the one holding the rule folder's first part."""

    @property
    def told(self) -> str:
        """The globs, and the folder they are relative to."""
        return ", ".join(self.globs) + (f" in {self.base}/" if self.base else "")

    def match(self, path: str) -> str:
        """The glob that covers a box-relative path; empty when none does."""
        prefix = f"{self.base}/" if self.base else ""
        if not path.startswith(prefix):
            return ""
        return next((glob for glob in self.globs if globs.covers(glob, path[len(prefix) :])), "")


def find(tree: Tree, base: str, rule_folder: str) -> list[Rule]:
    """The rule files under `base`'s rule folder, sub-folders too, sorted by path."""
    found = []
    for path in tree.walk(join(base, rule_folder)):
        text = tree.text(path) if path.endswith(".md") else None
        if text is not None:
            header, _ = frontmatter.parse(text)
            found.append(Rule(path, frontmatter.list_of(header, "paths"), base))
    return found
