"""Bash: one command, bounded in time and output, killed with all it started."""

from collections.abc import Mapping
from typing import Any

from workbench.engines.credentials import of_the_user
from workbench.engines.toolbox.place import Place
from workbench.engines.toolbox.tool import Outcome, ToolError, schema
from workbench.host import processes, sandbox
from workbench.text.sanitize import clean

OUTPUT = 30_000
"""Bytes of output kept."""


class Bash:
    """Run a shell command in the working folder, with an environment that holds nothing of the user's."""

    schema = schema(
        "Bash",
        "Run a bash command. Each call starts afresh in the working folder; nothing keeps running after it.",
        {"command": "string: The command line"},
        {"timeout": "integer: Milliseconds it may take", "description": "string: What it is for, in a few words"},
    )

    def run(self, arguments: Mapping[str, Any], place: Place) -> Outcome:
        """Run the command; its exit is no error of ours, but of the result."""
        timeout = min(place.seconds_left(), max(1, int(arguments.get("timeout", 10**9))) / 1000)
        command = str(arguments["command"])
        if "\0" in command:
            raise ToolError("The command holds a NUL character; write it without.")
        argv = ["/bin/bash", "--noprofile", "--norc", "-c", command]
        if place.confined:
            hidden = (*place.secrets, *of_the_user())
            argv = sandbox.confine(argv, writable=(place.root, place.home.folder()), hidden=hidden)
        done = processes.run(
            argv,
            cwd=place.folder,
            env=environment(place),
            timeout=timeout,
            output_limit=OUTPUT,
        )
        output = clean(done.text).rstrip("\n")
        if done.truncated:
            output += f"\n[output cut after {OUTPUT} bytes]"
        if done.timed_out:
            told = f"The command ran into its limit of {timeout:.3g} s; it and what it had started were killed."
            return Outcome(f"{told}\n{output}".rstrip(), is_error=True)
        if done.returncode:
            return Outcome(f"Exit code {done.returncode}\n{output}".rstrip(), is_error=True)
        return Outcome(output or "(no output)")


def environment(place: Place) -> dict[str, str]:
    """The whole environment of a command; what the task names comes last and wins."""
    folder = str(place.home.folder())
    fixed = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
    }
    return {**fixed, "PWD": str(place.folder), **place.env}
