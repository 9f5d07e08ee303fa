"""A little ACP agent, good or bad as its prompt says: `python acp_agent.py`."""

import asyncio
import os
import subprocess
from typing import TYPE_CHECKING, Any, cast

from acp import (
    PROTOCOL_VERSION,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    start_tool_call,
    text_block,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.helpers import tool_content
from acp.schema import (
    AuthenticateResponse,
    AuthEnvVar,
    Cost,
    EnvVarAuthMethod,
    Implementation,
    PermissionOption,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SetSessionConfigOptionResponse,
    ToolCallLocation,
    ToolCallUpdate,
    Usage,
    UsageUpdate,
)

if TYPE_CHECKING:
    from acp import Agent

OPTIONS = [
    PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
]


class Little:
    """Does what each line of the prompt names, then ends its turn."""

    def __init__(self) -> None:
        self.client: Any = None
        self.cwd = ""
        self.model = "small"
        self.login = "WANTS_LOGIN" in os.environ

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        about = Implementation(name="little", version="0.1")
        variables = [AuthEnvVar(name="LITTLE_KEY"), AuthEnvVar(name="LITTLE_ORG", optional=True)]
        by_key = EnvVarAuthMethod(type="env_var", id="key", name="By key", vars=variables)
        methods: list[Any] = [by_key] if os.environ.get("WANTS_LOGIN") == "by key" else []
        return InitializeResponse(protocol_version=PROTOCOL_VERSION, agent_info=about, auth_methods=methods)

    async def authenticate(self, method_id: str, **_: Any) -> AuthenticateResponse:
        self.login = method_id != "key"
        return AuthenticateResponse()

    async def set_config_option(self, config_id: str, value: str, **_: Any) -> SetSessionConfigOptionResponse:
        self.model = value
        return SetSessionConfigOptionResponse(config_options=[])

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        if self.login:
            raise RequestError.auth_required({"details": "log in first"})
        self.cwd = cwd
        await self.say("s1", "Welcome!")
        values = [SessionConfigSelectOption(value=name, name=name) for name in ("small", "large")]
        option = SessionConfigOptionSelect(
            id="m", name="Model", type="select", category="model", current_value=self.model, options=values
        )
        return NewSessionResponse(session_id="s1", config_options=[option])

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        deed = ""
        for line in prompt[0].text.splitlines():
            deed, *rest = line.split()
            await getattr(self, deed)(session_id, *rest)
        usage = Usage(total_tokens=12, input_tokens=7, output_tokens=5)
        return PromptResponse(stop_reason="max_tokens" if deed == "truncate" else "end_turn", usage=usage)

    async def tell(self, session: str, update: Any) -> None:
        await self.client.session_update(session_id=session, update=update)

    async def say(self, session: str, *words: str) -> None:
        for word in words:
            await self.tell(session, update_agent_message_text(word))

    truncate = say

    async def read(self, session: str, path: str) -> None:
        """Think, announce a read, read through the client, quote."""
        await self.tell(session, update_agent_thought_text("hm"))
        await self.say(session, "I ", "read.")
        places = [ToolCallLocation(path=f"{self.cwd}/{path}")]
        await self.tell(session, start_tool_call("c1", f"Read {path}", kind="read", locations=places))
        got = await self.client.read_text_file(session_id=session, path=f"{self.cwd}/{path}")
        content = [tool_content(text_block(got.content))]
        await self.tell(session, update_tool_call("c1", status="completed", content=content))
        await self.say(session, "It says ", got.content)

    async def fetch_quietly(self, session: str, path: str) -> None:
        """Read without announcing it."""
        try:
            got = await self.client.read_text_file(session_id=session, path=path)
            await self.say(session, got.content)
        except RequestError as error:
            await self.say(session, f"refused: {error}\n")

    async def write(self, session: str, path: str) -> None:
        try:
            await self.client.write_text_file(session_id=session, path=path, content="mine")
            await self.say(session, "written\n")
        except RequestError as error:
            await self.say(session, f"refused: {error}\n")

    async def bill(self, session: str, amount: str) -> None:
        """Say what the session cost, whatever that is."""
        cost = Cost(amount=float(amount), currency="USD")
        await self.tell(session, UsageUpdate(session_update="usage_update", used=10, size=100, cost=cost))

    async def introduce(self, session: str) -> None:
        """Say which model it is and what the session cost so far."""
        cost = Cost(amount=0.25, currency="USD")
        await self.tell(session, UsageUpdate(session_update="usage_update", used=10, size=100, cost=cost))
        await self.say(session, self.model)

    async def may(self, session: str, kind: Any, path: str) -> None:
        call = ToolCallUpdate(
            tool_call_id=f"p-{kind}-{path}", kind=kind, title=path, raw_input={"path": path, "command": path}
        )
        answer = await self.client.request_permission(session_id=session, tool_call=call, options=OPTIONS)
        await self.say(session, getattr(answer.outcome, "option_id", "cancelled") + "\n")

    async def environment(self, session: str) -> None:
        await self.say(session, " ".join(f"{name}={value}" for name, value in os.environ.items()))

    async def work_on(self, session: str) -> None:
        """Call tools for ever."""
        for number in range(10_000):
            await self.tell(session, start_tool_call(f"c{number}", "ls", kind="search"))
            await self.tell(session, update_tool_call(f"c{number}", status="completed"))
            await asyncio.sleep(0)

    async def announce(self, session: str) -> None:
        """Begin calls for ever and end none."""
        for number in range(1_000_000):
            await self.tell(session, start_tool_call(f"c{number}", "ls", kind="search"))

    async def die(self, session: str) -> None:
        await self.say(session, "half an")
        os.write(2, b"it hurts\n")
        os._exit(3)

    async def flood(self, session: str) -> None:
        while True:
            await self.say(session, "x" * 100_000)

    async def spawn(self, session: str, seconds: str) -> None:
        """Start a child in a session of its own that sleeps for so many seconds."""
        subprocess.Popen(["sleep", seconds], start_new_session=True)

    async def hang(self, session: str) -> None:
        await self.say(session, "…")
        await asyncio.sleep(300)

    async def babble(self, session: str) -> None:
        """Say what is no message, then answer."""
        for line in (b"not json\n", b"[1]\n", b'{"jsonrpc":"2.0","method":"session/update","params":{"update":7}}\n'):
            os.write(1, line)
        await self.say(session, "sorry")


if __name__ == "__main__":
    asyncio.run(run_agent(cast("Agent", Little())))
