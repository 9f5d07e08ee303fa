"""Commands that only run another command, taken off it."""

import re

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_WRAPPERS: dict[str, str] = {
    "builtin": "",
    "command": "",
    "doas": "u",
    "env": "uC",
    "exec": "a",
    "ionice": "cnp",
    "nice": "n",
    "nohup": "",
    "setsid": "",
    "stdbuf": "ioe",
    "sudo": "ugCDhpRTU",
    "time": "fo",
    "timeout": "ks",
}
"""Wrapper → its short options that take a value of their own."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def unwrap(argv: list[str]) -> tuple[list[str], str | None]:
    """The command a wrapped one comes down to, and the script when that is `sh -c SCRIPT` or `eval SCRIPT`.

    `command -v x` and the like only look a name up and stay as they are.
    """
    while argv:
        name = program(argv[0])
        if name == "eval":
            return argv, " ".join(argv[1:])
        if name in SHELLS:
            return argv, _inline(argv[1:])
        if name not in _WRAPPERS or (name == "command" and argv[1:2] in (["-v"], ["-V"])):
            return argv, None
        inner = _without_options(argv[1:], _WRAPPERS[name])
        if name in ("env", "sudo", "doas"):
            while inner and _ASSIGNMENT.match(inner[0]):
                inner = inner[1:]
        elif name == "timeout":
            inner = inner[1:]
        if not inner:
            return argv, None
        argv = inner
    return argv, None


def program(name: str) -> str:
    """The program's name without the folder it lies in."""
    return name.rsplit("/", 1)[-1]


def _without_options(args: list[str], valued: str) -> list[str]:
    index = 0
    while index < len(args) and args[index].startswith("-") and len(args[index]) > 1:
        option = args[index]
        index += 1
        if option == "--":
            break
        if not option.startswith("--") and len(option) == 2 and option[1] in valued:
            index += 1
    return args[index:]


def _inline(args: list[str]) -> str | None:
    """The script after a shell's `-c`, however its letters are bundled (`-lc`)."""
    for index, arg in enumerate(args):
        if not arg.startswith("-"):
            return None
        if not arg.startswith("--") and "c" in arg:
            return args[index + 1] if index + 1 < len(args) else None
    return None
