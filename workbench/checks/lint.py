"""The lint of a corpus: audits whose checks prove less than they seem to, and sections nobody has reported on."""

from collections.abc import Callable, Collection, Iterator

from workbench.checks import lint_words as words
from workbench.checks.definition import Check
from workbench.checks.registry import bind
from workbench.corpus.records import Audit, Corpus, Position, Problem, Section
from workbench.text.sanitize import clean_line

_LITERALS = ("correct_contains", "correct_contains_any", "response_not_contains", "cards_contain", "bash_contains")
_SAID = ("correct_contains", "correct_contains_any")
_READS = ("should_read", "should_read_any", "read_before_edit")
_PACKAGES = "node_modules/"

Say = Callable[[str, str, str, str], Problem]
"""Makes a warning of a code, a key, a message and a fix."""


def lint(corpus: Corpus, box_files: Collection[str] | None) -> tuple[Problem, ...]:
    """Everything worth a second look in a corpus, with what `bind` finds wrong in its checks.

    `box_files` are the box-relative paths a trial would find; None leaves out what depends on them.
    """
    known = None if box_files is None else "\n".join(box_files)
    found = [problem for audit in corpus.audits for problem in _audit(audit, known)]
    found += [_no_status(corpus, section) for section in corpus.sections if section.audit_ids and not section.statuses]
    return tuple(sorted(found, key=lambda problem: (problem.position.line, problem.position.column)))


def _audit(audit: Audit, known: str | None) -> Iterator[Problem]:
    def say(code: str, key: str, message: str, fix: str) -> Problem:
        """A piece of advice about this audit."""
        return Problem(
            severity="warning",
            code=code,
            file=audit.file,
            position=audit.position(key),
            audit_id=audit.id,
            message=message,
            fix=fix,
        )

    bound = bind(audit)
    yield from bound.problems
    if not bound.checks and not any(problem.severity == "error" for problem in bound.problems):
        yield say(
            "no-checks", "", "it has no checks: only a human can judge the answers", "add a check, if one can tell"
        )
    for check in bound.checks:
        yield from _literals(check, audit, say)
        yield from _negatives(check, say)
        if known is not None and check.kind in _READS:
            yield from _absent(check, audit, known, say)


def _literals(check: Check, audit: Audit, say: Say) -> Iterator[Problem]:
    key = check.kind
    for literal in check.value if key in _LITERALS else ():
        shown = f"`{key}` {_quoted(literal)}"
        if key in _SAID and words.vacuous(literal):
            yield say("vacuous", key, f"{shown} is in nearly any answer", "name what only a right answer says")
        elif key in _SAID and words.echoed(literal, audit.full_prompt):
            fix = "ask without it, or check for something the question does not give away"
            yield say("prompt-echo", key, f"{shown} is in the prompt already", fix)
        if words.looks_like_pattern(literal):
            matching = "correct_matches" if key in _SAID else "response_not_matches"
            fix = f"move it to `{matching}`" if "correct" in key or "response" in key else "write the plain text"
            yield say("regex-literal", key, f"{shown} looks like a pattern, but is compared letter by letter", fix)


def _negatives(check: Check, say: Say) -> Iterator[Problem]:
    judge = {"response_not_contains": words.bare, "response_not_matches": words.bare_pattern}.get(check.kind)
    for item in check.value if judge else ():
        if judge and judge(item):
            message = f"`{check.kind}` {_quoted(item)} also fails an answer that rightly says not to"
            yield say("bare-negative", check.kind, message, "match the form only a wrong answer has, such as a command")


def _absent(check: Check, audit: Audit, known: str, say: Say) -> Iterator[Problem]:
    staged = "\n".join(audit.fixture)
    missing = [fragment for fragment in check.value if fragment not in known and fragment not in staged]
    if check.kind == "should_read_any" and len(missing) < len(check.value):
        return
    for fragment in missing:
        message = f"`{check.kind}` {_quoted(fragment)} is in no path of the box"
        fix = "correct the path, or add a fixture"
        if fragment.startswith(_PACKAGES):
            message, fix = f"{message} as it is here", "it can pass only where that package is installed in the box"
        yield say("absent-target", check.kind, message, fix)


def _no_status(corpus: Corpus, section: Section) -> Problem:
    name = f"section {_quoted(section.title)}" if section.title else "the entries before the first section"
    return Problem(
        severity="warning",
        code="no-status",
        file=corpus.file,
        position=Position(line=section.line, column=1),
        message=f"no status was ever given to {name}",
        fix="run it and write one, so that the next reader knows how it stood",
    )


def _quoted(text: str) -> str:
    return f"'{clean_line(text, 60)}'"
