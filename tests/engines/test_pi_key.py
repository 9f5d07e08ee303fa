"""Who holds pi's key: the relay to its provider, and what a box is granted."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from workbench.engines.pi.relay import Relay
from workbench.engines.pi.secrets import DEV_VARIABLE, PLACEHOLDER, VARIABLE, SecretsError, credential


@contextmanager
def provider(status: int = 200, headers: Mapping[str, str] = {}) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A provider that notes the headers it gets and answers in two pieces, the second cut short for status 299."""
    seen: list[dict[str, str]] = []

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            seen.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "10" if status != 299 else "99")
            self.end_headers()
            self.wfile.write(b"01234")
            self.wfile.write(b"56789")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


def post(url: str, token: str) -> bytes:
    request = Request(f"{url}/v1/x", data=b"{}", headers={"Authorization": f"Bearer {token}", "X-Other": "kept"})
    with urlopen(request, timeout=10) as answer:
        body: bytes = answer.read()
    return body


def test_the_relay_puts_the_key_where_its_token_was() -> None:
    with provider() as (url, seen), Relay(url, {"Authorization": "Bearer the-key"}, patience=5) as relay:
        assert post(relay.url, relay.token) == b"0123456789"
        with pytest.raises(HTTPError, match="401"):
            post(relay.url, "guessed")
    assert [(each["authorization"], each["x-other"]) for each in seen] == [("Bearer the-key", "kept")]


def test_the_relay_tells_a_cut_answer_and_how_long_to_wait() -> None:
    with provider(299) as (url, _), Relay(url, {}, patience=5) as relay, pytest.raises(Exception, match="ncomplete"):
        post(relay.url, relay.token)
    with provider(429, {"Retry-After": "7"}) as (url, _), Relay(url, {}, patience=5) as relay:
        with pytest.raises(HTTPError, match="429"):
            post(relay.url, relay.token)
        assert relay.retry_after == 7


def test_the_relay_says_so_when_it_leads_nowhere() -> None:
    with Relay("openrouter", {}, patience=5) as relay, pytest.raises(HTTPError, match="502") as told:
        post(relay.url, relay.token)
    assert told.value.read() == b"the provider cannot be reached"


def test_the_relay_follows_no_redirect_with_the_key() -> None:
    with (
        provider() as (elsewhere, seen),
        provider(307, {"Location": f"{elsewhere}/v1/x"}) as (url, _),
        Relay(url, {"x-api-key": "the-key"}, patience=5) as relay,
        pytest.raises(HTTPError, match="307"),
    ):
        post(relay.url, relay.token)
    assert seen == []


def test_the_relay_takes_the_key_to_no_host_that_a_path_spells() -> None:
    with provider() as (elsewhere, seen):
        port = elsewhere.rpartition(":")[2]
        with Relay("http://127.0.0.1", {"Authorization": "Bearer the-key"}, patience=5) as relay:
            asked = HTTPConnection(relay.url.removeprefix("http://"), timeout=10)
            asked.putrequest("POST", f":{port}/v1/x", skip_host=True)
            asked.putheader("Authorization", f"Bearer {relay.token}")
            asked.putheader("Content-Length", "2")
            asked.endheaders(b"{}")
            assert asked.getresponse().status == 400
            asked.close()
    assert seen == []


@pytest.mark.parametrize(
    "layout", ["boxes:\n  {box}: {{openrouter: {key}}}", '{{"box": {{"openrouter": {{"key": "{key}"}}}}}}']
)
def test_a_granted_key_is_found_however_it_is_written(layout: str, tmp_path: Path) -> None:
    box, store = tmp_path / "box", tmp_path / "store"
    store.write_text(layout.format(box=box, key="sk-granted"))
    assert credential(store, box, {}, dev_key=False) == {VARIABLE: "sk-granted"}
    with pytest.raises(SecretsError, match="grants other no"):
        credential(store, tmp_path / "other", {}, dev_key=False)


def test_the_placeholder_is_replaced_only_when_asked_to(tmp_path: Path) -> None:
    box, store = tmp_path / "box", tmp_path / "store"
    store.write_text(f"openrouter: {PLACEHOLDER}")
    with pytest.raises(SecretsError, match="--pi-dev-key"):
        credential(store, box, {DEV_VARIABLE: "sk-dev"}, dev_key=False)
    with pytest.raises(SecretsError, match=DEV_VARIABLE):
        credential(store, box, {}, dev_key=True)
    assert credential(store, box, {DEV_VARIABLE: "sk-dev"}, dev_key=True) == {VARIABLE: "sk-dev"}
    (box / "beebox").mkdir(parents=True)
    (box / "beebox" / ".env").write_text(f"# mine\nexport {DEV_VARIABLE}='sk-file'\n")
    assert credential(store, box, {}, dev_key=True) == {VARIABLE: "sk-file"}


def test_a_store_that_cannot_be_read_says_so_without_its_content(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with pytest.raises(SecretsError, match="cannot be read"):
        credential(store, tmp_path, {}, dev_key=False)
    store.write_text("openrouter: [sk-secret")
    with pytest.raises(SecretsError) as caught:
        credential(store, tmp_path, {}, dev_key=False)
    assert "sk-secret" not in str(caught.value)
    assert credential(None, tmp_path, {VARIABLE: "sk-env"}, dev_key=False) == {VARIABLE: "sk-env"}
    assert credential(None, tmp_path, {}, dev_key=False) == {}
