"""One ACP session from hello to goodbye, over a wire that is already there.

Imports the ACP package, which takes a second: import this where it is needed.
"""

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, RequestError, text_block
from acp.client.connection import ClientSideConnection
from acp.meta import AGENT_METHODS
from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

import workbench
from workbench.engines.acp.client import Client
from workbench.engines.acp.telling import Telling
from workbench.engines.acp.wire import Wire
from workbench.engines.json_parts import count
from workbench.engines.limits import CutShort
from workbench.engines.narrator import Narrator
from workbench.engines.protocol import Ending, Task
from workbench.traces.reasons import Reason
from workbench.traces.records import TokenLedger

_AUTH_REQUIRED = -32000
_STOPPED = {
    "end_turn": (None, ""),
    "max_tokens": (Reason.TRUNCATED, "the answer was cut at the model's output limit"),
    "max_turn_requests": (Reason.TURN_LIMIT, "the agent reached its own limit of requests"),
    "refusal": (None, ""),
    "cancelled": (Reason.CANCELLED, "the agent says it was cancelled"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """What an agent starts with."""

    cwd: Path
    tools: tuple[str, ...]
    notes: tuple[str, ...]
    keys: frozenset[str]
    """Names of the variables in its environment that hold keys."""


class Conversation:
    """Asks one agent one question."""

    def __init__(
        self, task: Task, place: Place, narrator: Narrator, client: Client, telling: Telling, wire: Wire
    ) -> None:
        self._task, self._place, self._narrator, self._telling, self._wire = task, place, narrator, telling, wire
        self._notes = list(place.notes)
        # What an agent says wrongly is told to the root logger, which would print it.
        logging.basicConfig(handlers=[logging.NullHandler()])
        self._agent: Any = ClientSideConnection(client, wire)  # type: ignore[arg-type]
        self._session = ""

    async def ask(self) -> Ending:
        """From the first word to the answer; whatever the agent does, this ends."""
        try:
            reason, detail = await self._asked()
        except RequestError as error:
            reason = Reason.AUTH if error.code == _AUTH_REQUIRED else Reason.CRASHED
            detail = f"{error} {_detail(error.data)}".strip()
        except ConnectionError:
            cut = self._wire.gave_up or CutShort(Reason.CRASHED, "the agent ended before its answer")
            reason, detail = cut.reason, cut.detail
        except ValueError as error:  # an answer that is not what the protocol says
            reason, detail = Reason.CRASHED, f"the agent does not keep to the protocol: {error}"[:2000]
        finally:
            await self._agent.close()
        self._telling.flush()
        cost = self._telling.cost_usd
        return Ending(reason=reason, detail=detail, cost_usd=cost, cost_basis="" if cost is None else "reported")

    @property
    def farewell(self) -> bytes:
        """The line that asks the agent to stop working; empty before there is a session."""
        params = {"sessionId": self._session}
        message = {"jsonrpc": "2.0", "method": AGENT_METHODS["session_cancel"], "params": params}
        return json.dumps(message).encode() if self._session else b""

    async def _asked(self) -> tuple[Reason | None, str]:
        hello = await self._agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(
                fs=FileSystemCapabilities(read_text_file=True, write_text_file=self._task.surface == "box"),
                terminal=False,
            ),
            client_info=Implementation(name="workbench", version=workbench.__version__),
        )
        if hello.protocol_version != PROTOCOL_VERSION:
            return Reason.MISSING, f"the agent speaks ACP {hello.protocol_version}, we speak {PROTOCOL_VERSION}"
        session = await self._begin(hello)
        self._session = session.session_id
        await self._open(hello, session)
        answer = await self._agent.prompt(session_id=self._session, prompt=[text_block(self._task.prompt)])
        self._telling.flush(self._ledger(answer.usage))
        return _STOPPED.get(answer.stop_reason, (Reason.CRASHED, f"the agent stopped for {answer.stop_reason}"))

    async def _begin(self, hello: Any) -> Any:
        """A new session; an agent that wants a login gets one if it takes a key we were given."""
        cwd = str(self._place.cwd)
        try:
            return await self._agent.new_session(cwd=cwd, mcp_servers=[])
        except RequestError as error:
            method = next((m for m in hello.auth_methods or () if self._serves(m)), None)
            if error.code != _AUTH_REQUIRED or method is None:
                raise
            await self._agent.authenticate(method_id=method.id)
            return await self._agent.new_session(cwd=cwd, mcp_servers=[])

    def _serves(self, method: Any) -> bool:
        """Whether a way to log in is by variables that we were given."""
        wanted = {variable.name for variable in getattr(method, "vars", None) or () if not variable.optional}
        return bool(wanted) and wanted <= self._place.keys

    async def _open(self, hello: Any, session: Any) -> None:
        model = await self._choose(session)
        about = hello.agent_info
        self._telling.open(model)
        self._narrator.open(
            engine="acp",
            version=f"{about.name} {about.version}".strip() if about else "",
            model=model,
            tools=self._place.tools,
            session=self._session,
            notes=self._notes,
        )

    async def _choose(self, session: Any) -> str:
        """Set the model that is asked for, where the agent lets its client; gives the one in force."""
        wanted = self._task.model
        for option in session.config_options or ():
            if option.type != "select" or option.category != "model":
                continue
            if wanted and wanted != option.current_value:
                await self._agent.set_config_option(config_id=option.id, session_id=self._session, value=wanted)
            return wanted or str(option.current_value)
        if wanted:
            self._notes.append(f"this agent chooses its own model: {wanted} was asked for in vain")
        return ""

    def _ledger(self, usage: Any) -> TokenLedger | None:
        """Counts are of a whole prompt: they are a message's only where there was just one."""
        if usage is None or self._narrator.messages:
            return None
        return TokenLedger(
            input=count(usage.input_tokens),
            cache_read=count(usage.cached_read_tokens),
            cache_creation=count(usage.cached_write_tokens),
            output=count(usage.output_tokens),
        )


def _detail(data: Any) -> str:
    """The words in an error's data."""
    found = data.get("details") or data.get("message") if isinstance(data, dict) else data
    return str(found)[:2000] if found else ""
