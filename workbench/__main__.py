"""The program's door: answers `--version` before anything heavy is imported."""

import sys


def main() -> None:
    """Run the command line; `--version` costs nothing but the interpreter."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from workbench import __version__

        sys.stdout.write(f"workbench {__version__}\n")
        return
    try:
        from workbench.cli.main import run

        run()
    except KeyboardInterrupt:  # while modules are still being read, where no command can take it
        sys.exit(130)


if __name__ == "__main__":
    main()
