"""The command line: one typer app, commands in modules of their own that import the desk only when they run."""

import gc
import io
import os
import sys
from typing import Annotated

import typer

from workbench.cli.bisect import bisect_command
from workbench.cli.changed import ChangedCommand
from workbench.cli.compare import compare_command
from workbench.cli.context import context_command
from workbench.cli.doctor import doctor_command
from workbench.cli.endpoint import endpoint_command
from workbench.cli.find import find_command
from workbench.cli.grade import grade_command
from workbench.cli.import_ import import_command
from workbench.cli.inspect import lint_command, list_command, show_command
from workbench.cli.map import map_command
from workbench.cli.options import ProjectOption, SelectingCommand, opened, project_before_command
from workbench.cli.run import INTERRUPTED, USAGE, headless, run_command
from workbench.cli.selftest import selftest_command
from workbench.cli.setup import init_command
from workbench.cli.status import status_command
from workbench.cli.stored import prune_command, regrade_command, report_command
from workbench.cli.trend import trend_command
from workbench.cli.watch import watch_command

_STDERR = 2

app = typer.Typer(
    name="workbench",
    help="What does your coding agent actually know from the guidance you wrote for it?",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=ChangedCommand)(run_command)
app.command("list", cls=SelectingCommand)(list_command)
app.command("show", cls=SelectingCommand)(show_command)
app.command("lint", cls=SelectingCommand)(lint_command)
app.command("map", cls=SelectingCommand)(map_command)
app.command("selftest", cls=SelectingCommand)(selftest_command)
app.command("status")(status_command)
app.command("report")(report_command)
app.command("trend", cls=SelectingCommand)(trend_command)
app.command("import")(import_command)
app.command("find", cls=SelectingCommand)(find_command)
app.command("grade")(grade_command)
app.command("regrade")(regrade_command)
app.command("prune")(prune_command)
app.command("init")(init_command)
app.command("endpoint")(endpoint_command)
app.command("doctor")(doctor_command)
app.command("context")(context_command)
app.command("bisect")(bisect_command)
app.command("watch", cls=SelectingCommand)(watch_command)
app.command("compare", cls=SelectingCommand)(compare_command)


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    project: ProjectOption = None,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    """Open the bench; without a terminal, ask every audit that costs nothing and print a summary."""
    if version:
        from workbench import __version__

        typer.echo(f"workbench {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        project_before_command.set(project)
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.Exit(headless(project))
    # Thousands of objects are made that all stay: collecting garbage among them would only delay the first picture.
    # The app takes it up again when that is there.
    gc.disable()
    from workbench.desk.records import NoProject
    from workbench.tui.app import run_bench

    try:
        desk = opened(project)
    except NoProject as error:
        from workbench.tui.offer import offer_setup

        if not offer_setup(error.folder):
            raise
        desk = opened(error.folder)
    run_bench(desk)


def run() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    from workbench.desk.records import DeskError

    _open_streams()
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except DeskError as error:
        status = _refuse(str(error))
    except typer.TyperException as error:
        # Typer draws a box of several lines around what the command line does not take.
        told = getattr(error, "format_message", error.__str__)()
        status = _refuse(f"{' '.join(told.split()).rstrip('.')}; `{_helping(error)}` shows what can be asked for")
    except typer.Abort:
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; give the interpreter nothing to flush into the void.
        sys.stdout = None
        status = 141
    except OSError as error:
        sys.stdout = None
        status = _refuse(str(error))
    sys.exit(status)


def _helping(error: typer.TyperException) -> str:
    """What shows the help of the command at hand."""
    context = getattr(error, "ctx", None)
    command = context.info_name if context is not None and context.parent is not None else ""
    return " ".join(filter(None, ("workbench", command, "-h")))


def _open_streams() -> None:
    """Make every stream one that can be used, whatever the program was started with."""
    # A closed one would be the next file's descriptor, and what is printed would end in that file.
    while (handle := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        continue
    os.close(handle)
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(_STDERR, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an old terminal, or a name that is not UTF-8


def _refuse(told: str) -> int:
    """Say what is in the way; it may quote foreign text, such as a path."""
    from workbench.text.sanitize import clean

    typer.echo(f"workbench: {clean(told)}", err=True)
    return USAGE
