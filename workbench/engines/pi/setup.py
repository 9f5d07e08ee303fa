"""What one run of pi is given: a private configuration folder, a command line, an environment, and nothing else."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines.credentials import login_file
from workbench.engines.pi.installed import Program
from workbench.engines.protocol import Task

_BOX = ("read", "bash", "edit", "write", "grep", "find", "ls")
_DEV = ("read", "grep", "find", "ls")
_HELPERS = {"grep": ("rg",), "find": ("fd", "fdfind")}
"""Programs a tool cannot do without; offline, pi does not fetch them."""

_SETTINGS = {
    "retry": {"maxRetries": 2, "baseDelayMs": 500, "provider": {"maxRetries": 0}},
    "enableInstallTelemetry": False,
}
_QUIET = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


@dataclass(frozen=True, slots=True)
class Provider:
    """One of the providers pi can ask."""

    name: str
    variable: str
    """The environment variable its key is usually in."""
    url: str
    """Its address, without the version that its paths begin with."""
    version: str = "/v1"
    """What pi wants at the end of its address."""
    header: str = "Authorization"

    def headers(self, key: str) -> dict[str, str]:
        """What a request to it needs."""
        return {self.header: f"Bearer {key}" if self.header == "Authorization" else key}


PROVIDERS = {
    "openrouter": Provider("openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api"),
    "anthropic": Provider("anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com", "", "x-api-key"),
    "openai": Provider("openai", "OPENAI_API_KEY", "https://api.openai.com"),
}


def tools(surface: Surface) -> tuple[str, ...]:
    """The tools that work here on this surface."""
    return tuple(name for name in (_BOX if surface == "box" else _DEV) if not lacking(name))


def lacking(tool: str) -> str:
    """The program a tool needs and that is not on PATH; empty when nothing is missing."""
    helpers = _HELPERS.get(tool, ())
    return helpers[0] if helpers and not any(map(shutil.which, helpers)) else ""


def configure(folder: Path, provider: Provider, address: str, token: str) -> None:
    """Write pi's settings into its private folder: where its provider is, and the token that passes for a key."""
    entry = {"baseUrl": address + provider.version, "apiKey": token}
    (folder / "models.json").write_text(json.dumps({"providers": {provider.name: entry}}))
    (folder / "settings.json").write_text(json.dumps(_SETTINGS))


def command(program: Program, task: Task, provider: Provider) -> list[str]:
    """The command line; the prompt comes on stdin, where nothing in it can look like an option."""
    words = [*program.argv, "--mode", "json", "-p", "--no-session", "--offline"]
    words += ["--no-extensions", "--no-prompt-templates", "--no-themes"]
    if program.modern:
        words += ["--no-mcp", "--approve"]
    if task.model:  # without one pi takes the provider's default, and then wants no provider either
        words += ["--provider", provider.name, "--model", task.model]
    if task.system_prompt:
        words += ["--system-prompt", task.system_prompt]
    return [*words, "--tools", ",".join(tools(task.surface))]


def environment(folder: Path) -> dict[str, str]:
    """Where its private folder is, and that it should ask nobody but its provider."""
    return {"PI_CODING_AGENT_DIR": str(folder), **_QUIET}


def own_files() -> tuple[Path, ...]:
    """Files of the user's own pi that may hold keys."""
    login = login_file("pi")
    return (login, login.with_name("models.json"))


def stored_key(provider: Provider) -> str:
    """The key the user's own pi keeps for a provider; empty for none, for a login of another kind, or a command."""
    try:
        entry = json.loads(login_file("pi").read_bytes())[provider.name]
        key = entry["key"] if entry["type"] == "api_key" else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return key if isinstance(key, str) and not key.startswith(("!", "$")) else ""
