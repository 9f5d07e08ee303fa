"""The command line under which codex sees one workspace, nothing of the user's, and may do what the surface allows."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.corpus.records import Surface
from workbench.engines.codex.installed import Program
from workbench.engines.credentials import of_the_user
from workbench.engines.json_parts import Json
from workbench.engines.protocol import Task

PROFILE = _PROVIDER = "workbench"
"""Name of the permissions its tools are held by, and of the provider it asks."""
_OFF = (
    *(
        "apps",
        "plugins",
        "remote_plugin",
        "hooks",
        "shell_snapshot",
        "multi_agent",
        "goals",
        "memories",
        "skill_search",
    ),
    *("tool_suggest", "image_generation", "browser_use", "browser_use_external", "computer_use", "in_app_browser"),
    *("unbounded_connection_retries", "workspace_dependencies", "sleep_tool", "daemon_auto_start"),
    *("tool_call_mcp_elicitation", "auth_elicitation", "api_key_model_discovery"),
)
"""Features that reach the user's account or the network, outlive the run, or wait without end."""
_QUIET = (
    "check_for_update_on_startup=false",
    "analytics.enabled=false",
    "feedback.enabled=false",
    'otel.exporter="none"',
    'history.persistence="none"',
    "skills.bundled.enabled=false",
    "agents.enabled=false",
    "allow_login_shell=false",
)
_WILD = frozenset("*?[]{}")
_RETRIES = 2


def tools(surface: Surface, *, web: bool) -> tuple[str, ...]:
    """The tools it has; on the dev surface its sandbox lets none of them write."""
    reading = ("exec_command", "write_stdin", "view_image")
    if surface == "dev":
        return reading
    return (*reading, "apply_patch", *(("web_search",) if web else ()))


def arguments(task: Task, program: Program, closed: Sequence[Path], *, key: str, base_url: str, web: bool) -> list[str]:
    """The whole command. `closed` may not be read by its tools; `key` names the variable that holds its credential.

    Without a `key` its own login is used, and only at its own provider.
    """
    settings = [
        *_QUIET,
        *(f"features.{name}=false" for name in _OFF),
        f'web_search="{"live" if web and task.surface == "box" else "disabled"}"',
        *_provider(key, base_url),
        *_permissions(task.surface, closed),
        f"background_terminal_max_timeout={max(1000, round(task.tool_timeout * 1000))}",
        'shell_environment_policy.inherit="core"',
    ]
    return [program.path, "app-server", *(word for setting in settings for word in ("-c", setting))]


def configuration(task: Task) -> str:
    """What stands in its own file: variables of its tools may be secret, and anybody can read a command line."""
    return f"shell_environment_policy.set = {_table(task.env)}\n"


def thread(task: Task, root: Path) -> Json:
    """How a session is asked for.

    Without a `cwd`, so that codex does not take the box for trusted and run its hooks and servers: it then starts
    where its process did, with the whole workspace for its root.
    """
    wanted = {"model": task.model, "baseInstructions": task.system_prompt}
    return {
        "approvalPolicy": "never",
        "ephemeral": False,
        "runtimeWorkspaceRoots": [str(root)],
        **{name: value for name, value in wanted.items() if value},
    }


def unclosable(closed: Sequence[Path]) -> Path | None:
    """A path codex would take for a pattern, and so would not keep shut; None when there is none."""
    return next((path for path in closed if _WILD & set(str(path))), None)


def closed(task: Task, sessions: Path, login: Path, program: str) -> list[Path]:
    """Absolute paths, links followed, that its tools must not read: the answer key, the session's file, any login.

    What holds `program` itself stays open: its sandbox starts it again.
    """
    wanted = map(os.path.realpath, (*task.secrets, sessions, login, *of_the_user([program])))
    there = [Path(path) for path in dict.fromkeys(wanted) if os.path.exists(path)]
    # Within what is shut already nothing can be shut: the sandbox finds no place for it.
    return [path for path in there if not any(other in path.parents for other in there)]


def _provider(key: str, base_url: str) -> Iterator[str]:
    """A provider of our own, as the built-in one takes no key here and tries WebSockets first."""
    limits = f"request_max_retries={_RETRIES}, stream_max_retries={_RETRIES}, supports_websockets=false"
    if not key and not base_url:
        yield 'model_provider="openai"'
        return
    place = f"base_url={json.dumps(base_url.rstrip('/').removesuffix('/v1') + '/v1')}, " if base_url else ""
    credential = f"env_key={json.dumps(key)}" if key else "requires_openai_auth=true"
    yield f'model_provider="{_PROVIDER}"'
    yield f'model_providers.{_PROVIDER}={{name="OpenAI", {place}{credential}, wire_api="responses", {limits}}}'


def _permissions(surface: Surface, closed: Sequence[Path]) -> Iterator[str]:
    """Everything may be read but what is closed; a box agent may write in its workspace and its temporary folder."""
    rules = [(":root", "read"), (":tmpdir", "write"), *((str(path), "deny") for path in closed)]
    places = ", ".join(f"{_quoted(name)}={_quoted(access)}" for name, access in rules)
    access = "read" if surface == "dev" else "write"
    yield f'default_permissions="{PROFILE}"'
    yield f'permissions.{PROFILE}.filesystem={{{places}, ":workspace_roots"={{"."={_quoted(access)}}}}}'


def _table(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{_quoted(name)}={_quoted(value)}" for name, value in values.items()) + "}"


def _quoted(value: str) -> str:
    """A TOML string: JSON's, but for DEL, which TOML wants escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
