"""What is set above a project's own settings: a box may guide its agent, not reach out of its workspace through it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.engines.json_parts import parsed, record
from workbench.engines.protocol import Task

_GUIDANCE = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/**")
_STEERING = (
    "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_UNIX_SOCKET",
    "BASH_ENV", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX",
    "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy", "LD_PRELOAD",
    "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_FILE",
)  # fmt: skip
"""Variables that decide where the key goes and who may read on the way, or what code runs beside the program."""
_HELPERS = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper")
"""Settings that name commands, run at once and outside every permission rule."""
_NAME = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*)"\s*:')


def above_project(task: Task, env: Mapping[str, str], *, confined: bool) -> dict[str, object]:
    """No hooks, no helpers, no memory, no variables of the project's, no guidance from above, no answer key.

    `env` is the environment of the program: what a project sets otherwise is set back to it, since its settings would
    win over it. In a sandbox of ours (`confined`) the program's own is not wanted.
    """
    return {
        "disableAllHooks": True,
        "autoMemoryEnabled": False,
        **dict.fromkeys(_HELPERS, ""),
        **({"sandbox": {"enabled": False}} if confined else {}),
        "env": {name: env.get(name, "") for name in sorted(_set_by_project(task))},
        "claudeMdExcludes": list(_above(task.workspace)),
        "permissions": {"deny": list(_denials(task))},
    }


def _set_by_project(task: Task) -> set[str]:
    """Names of the variables that settings files of the workspace may set; the steering ones wherever there is one."""
    names: set[str] = set()
    root = task.workspace.resolve()
    start = (root / task.cwd).resolve()
    for folder in (start, *start.parents):
        file = folder / ".claude" / "settings.json"
        if folder.is_relative_to(root) and file.is_file():
            data = file.read_bytes()
            names.update(_STEERING, record(parsed(data).get("env")), _NAME.findall(data.decode("utf-8", "replace")))
    return names


def _above(workspace: Path) -> Iterator[str]:
    """Patterns for guidance in the folders above the workspace, which is loaded whatever the setting sources are."""
    for folder in dict.fromkeys((*workspace.parents, *workspace.resolve().parents)):
        base = _literal(str(folder)).rstrip("/")
        yield from (f"{base}/{name}" for name in _GUIDANCE)


def _denials(task: Task) -> Iterator[str]:
    for secret in dict.fromkeys((*task.secrets, *(path.resolve() for path in task.secrets))):
        for tool in ("Read", "Edit"):
            yield f"{tool}(/{_literal(str(secret))})"
            yield f"{tool}(/{_literal(str(secret))}/**)"


def _literal(path: str) -> str:
    """A path as a pattern for itself: what could mean more stands for any one character."""
    return re.sub(r"[\[\]{}()*!?\\]", "?", path)
