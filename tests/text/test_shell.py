"""Shell commands by their grammar: which simple commands, where, fed by what; and no input is too hostile."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.text.shell import UNKNOWN, Command, parse, run


def told(command: Command) -> str:
    """A command as the tables below write it: `folder: words <input >output`, with marks for pipe and branch."""
    words = ["?" if word == UNKNOWN else word.replace(UNKNOWN, "?") for word in command.argv]
    words += [f"<{path}".replace(UNKNOWN, "?") for path in command.reads_stdin_from]
    words += [f">{path}".replace(UNKNOWN, "?") for path in command.writes_to]
    marks = ("|" if command.piped else "") + ("~" if command.conditional else "") + ("*" if command.globs else "")
    folder = "?" if command.cwd is None else command.cwd
    return f"{folder}: {' '.join(words)}{' ' + marks if marks else ''}"


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        # words
        ("cat a.md b.md", [".: cat a.md b.md"]),
        ("""cat 'it''s' "a b" c\\ d""", [".: cat its a b c d"]),
        ("cat \"a  b\" $'c\\td'", [".: cat a  b c\td"]),
        ('cat "say \\"hi\\"" "\\$x"', ['.: cat say "hi" $x']),
        ("cat a \\\n  b", [".: cat a b"]),
        ("cat docs/{a,b}.md {1..3}", [".: cat docs/a.md docs/b.md 1 2 3"]),
        ("cat '{a,b}' \"*.md\"", [".: cat {a,b} *.md"]),
        ("cat docs/*.md", [".: cat docs/*.md *"]),
        ("cat ~/x ~bob/y", [".: cat ?/x ?bob/y"]),
        ("cat a # not b", [".: cat a"]),
        # variables
        ("D=x; cat $D/y ${D}/z", [".: cat x/y x/z"]),
        ("D=x; cat \"$D/y\" '$D/y'", [".: cat x/y $D/y"]),
        ("export D=x && cat $D", [".: cat x"]),
        ("D=x; D=$D/y; cat $D", [".: cat x/y"]),
        ("D=x; unset D; cat $D", [".: cat ?"]),
        ("cat $HOME/x $1 ${D:-y}", [".: cat ?/x ? ?"]),
        ('F="a b"; cat $F "$F"', [".: cat a b a b"]),
        ("D=x cat $D", [".: cat ?"]),
        ("if t; then D=x; else D=y; fi; cat $D", [".: t", ".: cat ?"]),
        ("if t; then D=x; else D=x; fi; D=z; cat $D", [".: t", ".: cat z"]),
        ("while t; do D=x; done; cat $D", [".: t", ".: cat ?"]),
        # folders
        ("cd docs && cat a", ["docs: cd docs", "docs: cat a"]),
        ("cd docs; cd ../src; cat a", ["docs: cd docs", "src: cd ../src", "src: cat a"]),
        ("cd docs; cd -; cat a", ["docs: cd docs", ".: cd -", ".: cat a"]),
        ("pushd docs; cat a; popd; cat b", ["docs: pushd docs", "docs: cat a", ".: popd", ".: cat b"]),
        ("cd /abs/x/..; cat a", ["/abs: cd /abs/x/..", "/abs: cat a"]),
        ("cd $X; cat a", ["?: cd ?", "?: cat a"]),
        ("cd; cat a", ["?: cd", "?: cat a"]),
        ("(cd x; cat a); cat b", ["x: cd x", "x: cat a", ".: cat b"]),
        ("cd x | cat; cat a", ["x: cd x", ".: cat |", ".: cat a"]),
        ("cd x || exit 1; cat a", ["x: cd x", "x: exit 1 ~", "x: cat a"]),
        ('cat "$(pwd)/a" $PWD/b', [".: pwd", ".: cat ./a ./b"]),
        # several commands
        ("cat a | grep b", [".: cat a", ".: grep b |"]),
        ("cat a |& grep b", [".: cat a", ".: grep b |"]),
        ("cat a && cat b; cat c & cat d", [".: cat a", ".: cat b", ".: cat c", ".: cat d"]),
        ("cat a || cat b || cat c", [".: cat a", ".: cat b ~", ".: cat c ~"]),
        ("! cat a", [".: cat a"]),
        ("{ cat a; cat b; }", [".: cat a", ".: cat b"]),
        ("[ -f a ] && cat a", [".: cat a"]),
        ("if cat a; then cat b; elif c; then cat d; fi", [".: cat a", ".: cat b ~", ".: c ~", ".: cat d ~"]),
        ("case $x in a) cat b;; esac", [".: cat b ~"]),
        ("for f in a b; do cat $f; done", [".: cat a", ".: cat b"]),
        ('for f in docs/*.md; do cat "$f"; done', [".: cat docs/*.md *"]),
        ("for f in $(ls); do cat $f; done", [".: ls", ".: cat ?"]),
        ("f() { cat a; }; f", [".: cat a"]),
        ("f() { cat a; }", []),
        ("cat $(cat a) `cat b` <(cat c)", [".: cat a", ".: cat b", ".: cat c", ".: cat ? ? ?"]),
        ('echo "now $(cat a)"', [".: cat a", ".: echo now ?"]),
        # redirections and documents
        ("cat < a > b", [".: cat <a >b"]),
        ("< a cat", [".: cat <a"]),
        ("cat a >> b 2>&1", [".: cat a >b"]),
        ("cat a 2>/dev/null &> b", [".: cat a >b"]),
        ("> b", [".: >b"]),
        ("while read l; do cat $l; done < a", [".: <a", ".: read l", ".: cat ?"]),
        ("cat <<EOF > f\ncat no.md\nEOF\ncat a", [".: cat >f", ".: cat a"]),
        ("cat > f <<'EOF'\n$(cat no.md)\nEOF", [".: cat >f"]),
        ("cat <<EOF | grep x\nno\nEOF", [".: cat", ".: grep x |"]),
        ("cat <<EOF && cat a\nno\nEOF", [".: cat", ".: cat a"]),
        ("cat <<EOF || cat a\nno\nEOF", [".: cat", ".: cat a ~"]),
        ("cat <<EOF > f; cat a\nno\nEOF", [".: cat >f"]),
        ("cat > f a b; cat > f <<EOF a\nno\nEOF", [".: cat a b >f", ".: cat a >f"]),
        ("cat a | tee b > c", [".: cat a", ".: tee b >c |"]),
        # wrappers
        ("sudo env A=1 timeout -k 3 5 nice -n 2 cat a", [".: cat a"]),
        ("command cat a; command -v cat", [".: cat a", ".: command -v cat"]),
        ("bash -lc 'cd x && cat a'; cat b", ["x: cd x", "x: cat a", ".: cat b"]),
        ('/bin/sh -c "cat a"', [".: cat a"]),
        ("eval 'cd x'; cat a", ["x: cd x", "x: cat a"]),
        ("bash script.sh", [".: bash script.sh"]),
        ("ls | xargs cat", [".: ls", ".: xargs cat |"]),
        # broken input gives what can be made out
        ("cat a; ; cat", [".: cat a", ".: cat"]),
        ("", []),
        ("# only a comment", []),
    ],
)
def test_what_a_line_holds(line: str, commands: list[str]) -> None:
    assert [told(command) for command in parse(line)] == commands


def test_a_document_is_kept_with_the_command_it_feeds() -> None:
    assert parse("apply_patch <<'EOF'\n*** Begin\n$x\nEOF\n")[0].stdin_text == "*** Begin\n$x\n"
    assert parse("cat <<< 'a b'")[0].stdin_text == "a b"


def test_a_line_starts_where_it_is_told_and_says_where_it_ends() -> None:
    script = run("cd sub; cat ../a", cwd="docs")
    assert (script.commands[1].cwd, script.cwd) == ("docs/sub", "docs/sub")
    assert run("cat a", cwd=None).commands[0].cwd is None
    assert run("(cd sub)", cwd="docs").cwd == "docs"


HOSTILE = {
    "deep": "$(" * 3000 + "cat x" + ")" * 3000,
    "open": "(" * 100_000,
    "long": "cat " + "a " * 500_000,
    "many": "cat a;" * 170_000,
    "garbage": "\0é\n|&;<>(" * 50_000,
    "doubling": "A=aaaaaaaaaaaa;" + "A=$A$A$A$A;" * 40 + "cat $A",
    "splitting": "A='" + "a " * 2000 + "'; cat " + "$A " * 50_000,
    "braces": "cat " + "{a,b}" * 40,
    "calling itself": "f() { f; f; }; f",
    "loops": "".join(f"for a{i} in 1 2 3 4 5 6 7 8; do " for i in range(20)) + "cat x;" + "done;" * 20,
    "evaluating": "for a in 1 2 3 4 5 6 7 8; do eval '" + "\0é\n|&;<>(" * 2000 + "'; done",
    "documents": "cat " + "<<A " * 20_000 + "\n" + "A\n" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lines_end(name: str) -> None:
    started = time.process_time()
    run(HOSTILE[name])
    assert time.process_time() - started < 10


WORDS = """
cat a b.md $D ${D} $(ls) `x` | || && ; & ( ) { } < > >> 2>&1 << EOF if then else fi for in do done case esac while cd
docs .. - -- * {a,b} ' " \\ # [ ] [[ ]] = A=1 f() sudo eval bash -c <<< $ ~ ! é
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\0", "\ud800"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25).map(" ".join) | st.text(max_size=60))
def test_no_line_is_refused(line: str) -> None:
    for command in run(line).commands:
        assert all(isinstance(word, str) for word in command.argv)
