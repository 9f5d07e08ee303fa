"""What counts as a document: a file people write so that somebody reads it."""

NAMES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "SKILL.md",
    "GEMINI.md",
    ".cursorrules",
    "copilot-instructions.md",
)
"""Names people write guidance under, in any folder, beside what the rules of an engine find."""
_ENDINGS = (".md", ".mdx", ".mdc", ".markdown", ".rst", ".txt", ".adoc")


def is_document(path: str) -> bool:
    """Whether a box-relative path is that of a document, going by its name."""
    name = path.rpartition("/")[2]
    return name in NAMES or name.lower().endswith(_ENDINGS)
