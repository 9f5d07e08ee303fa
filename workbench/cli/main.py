"""The command line: one typer app, commands in modules of their own that import the desk only when they run."""

import sys
from typing import Annotated

import typer

from workbench.cli.inspect import lint_command, list_command, show_command
from workbench.cli.options import ProjectOption, SelectingCommand, opened, project_before_command
from workbench.cli.run import headless, run_command
from workbench.cli.setup import init_command
from workbench.cli.status import status_command
from workbench.cli.stored import prune_command, regrade_command, report_command

app = typer.Typer(
    name="workbench",
    help="What does your coding agent actually know from the guidance you wrote for it?",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=SelectingCommand)(run_command)
app.command("list", cls=SelectingCommand)(list_command)
app.command("show", cls=SelectingCommand)(show_command)
app.command("lint", cls=SelectingCommand)(lint_command)
app.command("status")(status_command)
app.command("report")(report_command)
app.command("regrade")(regrade_command)
app.command("prune")(prune_command)
app.command("init")(init_command)


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
    from workbench.tui.app import run_bench

    run_bench(opened(project))


def run() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    from workbench.desk.records import DeskError

    try:
        app()
    except DeskError as error:
        typer.echo(f"workbench: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone; give the interpreter nothing to flush into the void.
        sys.stdout = None
        sys.exit(141)
