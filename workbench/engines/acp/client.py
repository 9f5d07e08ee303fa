"""Our end of an ACP connection: what the agent tells is told on, what it asks is answered by policy.

Imports the ACP package, which takes a second: import this where it is needed.
"""

from typing import Any

from acp import RequestError
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

from workbench.engines.acp.policy import Policy, Refused
from workbench.engines.acp.telling import Telling
from workbench.engines.json_parts import dollars


class Client:
    """The methods an agent may call, by the names the package gives them. Terminals are not offered."""

    def __init__(self, telling: Telling, policy: Policy) -> None:
        self._telling, self._policy = telling, policy
        self.refused = 0
        """Permissions that were asked for and not given."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Something happened in the session; before we asked anything, nothing does that matters."""
        if not self._telling.begun:
            return
        match update.session_update:
            case "agent_message_chunk" | "agent_thought_chunk":
                words = getattr(update.content, "text", "")
                thought = update.session_update == "agent_thought_chunk"
                self._telling.said(words, update.message_id, thought=thought)
            case "tool_call" | "tool_call_update":
                self._telling.call(update)
            case "usage_update" if update.cost and update.cost.currency.upper() == "USD":
                self._telling.cost_usd = dollars(update.cost.amount) or None

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """The agent asks before it acts."""
        call = self._telling.known(tool_call)
        diffs = [item.path for item in tool_call.content or () if item.type == "diff"]
        command = call.command if call.kind == "execute" else ""
        allowed = self._policy.allows(call.kind, [*call.paths, *diffs], command)
        self.refused += not allowed
        wanted = ("allow_once", "allow_always") if allowed else ("reject_once", "reject_always")
        for kind in wanted:
            for option in options:
                if option.kind == kind:
                    outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
                    return RequestPermissionResponse(outcome=outcome)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> ReadTextFileResponse:
        """The agent reads a file through us."""
        try:
            text = self._policy.read(path, line, limit)
        except Refused as refused:
            self._telling.served("read", path, str(refused), is_error=True)
            raise RequestError.invalid_params({"details": str(refused)}) from None
        self._telling.served("read", path, text, is_error=False)
        return ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        """The agent writes a file through us."""
        try:
            self._policy.write(path, content)
        except Refused as refused:
            self._telling.served("edit", path, str(refused), is_error=True)
            raise RequestError.invalid_params({"details": str(refused)}) from None
        self._telling.served("edit", path, "written", is_error=False)
        return WriteTextFileResponse()
