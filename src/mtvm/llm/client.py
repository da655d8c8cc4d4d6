"""Asking a language model at any endpoint that speaks OpenAI's chat completions: within limits of size, time and money.

The key comes from the environment and goes into one header. It is in no message, file or error, whatever the server
says.
"""

from __future__ import annotations

import dataclasses
import email.utils
import json
import math
import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from mtvm.errors import InputError, MissingExtraError, brief
from mtvm.llm.cache import AnswerCache, Reply
from mtvm.llm.costs import FREE, IMAGE_TOKENS, Budget, Price, count_tokens
from mtvm.progress import notice

API, KEY = "MTVM_LLM_API", "MTVM_LLM_KEY"
"""Environment variables with the address of an endpoint and its key."""
_OPENAI, _OPENAI_KEY = "api.openai.com", "OPENAI_API_KEY"
_MOST_BYTES = 1 << 20
"""Of an answer, with everything around it."""
_ATTEMPTS = 6
_LONGEST_WAIT = 120.0
_CONNECTING, _SILENCE, _WHOLE, _BETWEEN_NOTICES = 10.0, 120.0, 300.0, 30.0
"""Seconds: to connect, without a byte, for an answer, and from one message to the user to the next."""
_LOCAL = ("localhost", "127.0.0.1", "::1")
_OPTIONAL = ("response_format", "max_tokens", "temperature")
"""Parameters that not every server takes; `max_completion_tokens` is sent instead of `max_tokens` then."""

Message = dict[str, Any]


class Model(Protocol):
    """Whatever answers: an endpoint, or the stub."""

    name: str
    price: Price | None
    """None if it is not known."""

    @property
    def most_tokens(self) -> int | None:
        """Of an answer; None if there is no limit."""
        ...

    @property
    def spent(self) -> float:
        """Dollars that were paid since it was made."""
        ...

    def ask(self, messages: list[Message], schema: Mapping[str, Any]) -> tuple[Reply, float]:
        """The answer to a conversation, and what it costs in dollars."""
        ...

    def give_up(self) -> None:
        """Wait for nothing any more: the walk is over."""
        ...

    def go_on(self) -> None:
        """Whoever gave up has ended: another walk may begin."""
        ...


class AnswerError(ValueError):
    """The server answered, but not with an answer of a model; the message says how."""


@dataclasses.dataclass
class Clock:
    """Time, which tests replace."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[threading.Event, float], object] = threading.Event.wait
    """Until the event, at most so many seconds."""


class Endpoint:
    """A model at an address. Threads may share it."""

    def __init__(
        self,
        name: str,
        api: str,
        *,
        key: str | None = None,
        price: Price | None = None,
        budget: Budget | None = None,
        cache: AnswerCache | None = None,
        most_tokens: int = 1000,
        clock: Clock | None = None,
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("httpx", "llm", "A language model") from None
        self.name, self.address = name, _checked(api)
        self._most_tokens = most_tokens
        url = httpx.URL(self.address)
        self.is_local = url.host in _LOCAL
        self._key = key_for(url.host) if key is None else key
        if self._key and url.scheme != "https" and not self.is_local:
            raise InputError(f"{brief(api)}: the key would be sent without encryption; give an address with https.")
        self.price = price if price is not None else FREE if self.is_local else None
        self.budget = budget or Budget()
        if self.budget.most is not None and self.price is None:
            raise InputError(
                f"what {brief(name)} costs is not known, so --max-cost cannot be kept; give a file with its price with "
                "--prices (docs/agents.md)."
            )
        self.cache, self._clock = cache or AnswerCache(), clock or Clock()
        self._left_out: set[str] = {"max_completion_tokens"}
        self._over = threading.Event()
        self._reached = False
        """Whether the server ever answered: one that never did may not be there at all."""
        self._counted = 1.0
        """The most tokens of a prompt that the server has counted, for one that was estimated."""
        self._told = -math.inf
        """When the user was told last what is waited for."""
        self._lock = threading.Lock()
        self._jitter = random.Random(0)
        self._httpx = httpx
        headers = {"Accept-Encoding": "identity", "User-Agent": "mtvm"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(_SILENCE, connect=_CONNECTING),
            limits=httpx.Limits(max_connections=None),
            trust_env=not self.is_local,
        )
        weakref.finalize(self, self._client.close)

    @property
    def spent(self) -> float:
        return self.budget.spent

    @property
    def most_tokens(self) -> int | None:
        return self._most_tokens

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.address!r})"

    def ask(self, messages: list[Message], schema: Mapping[str, Any]) -> tuple[Reply, float]:
        """The answer, and its cost: what was answered before is found in the cache, and paid for no more."""
        question = {"api": self.address, "model": self.name, "most_tokens": self._most_tokens} | {
            "messages": messages,
            "schema": schema,
        }
        reply = self.cache.find(question)
        if reply is None:
            reply = self._asked(messages, schema)
            self.cache.keep(question, reply)
        return reply, self.cost(reply)

    def give_up(self) -> None:
        self._over.set()

    def go_on(self) -> None:
        self._over.clear()

    def cost(self, reply: Reply) -> float:
        return (self.price or FREE).of(reply.prompt_tokens, reply.answer_tokens)

    def _asked(self, messages: list[Message], schema: Mapping[str, Any]) -> Reply:
        """Ask until there is an answer; what the server says against it, or nothing, is waited for."""
        said, wait = "", 0.0
        for attempt in range(_ATTEMPTS):
            if attempt:
                self._tell(said, wait)
                self._clock.wait(self._over, wait)
            if self._over.is_set():
                break
            wait = self._backoff(attempt)
            body = self._body(messages, schema)
            estimate = estimated_tokens(messages)
            reserved = (self.price or FREE).of(estimate * self._counted, self._most_tokens)
            self.budget.reserve(reserved)
            if self._over.is_set():  # while it waited for money
                self.budget.pay(reserved, 0.0)
                break
            cost = 0.0
            try:
                status, headers, content = self._post(body)
                self._reached = True
                if status == 200:
                    reply = self._reply(content, estimate)
                    self._counted = max(self._counted, reply.prompt_tokens / max(estimate, 1))
                    cost = self.cost(reply)
                    return reply
            except AnswerError:
                cost = reserved  # it was answered, and will be on the bill
                raise
            except self._httpx.ConnectError:
                said = "cannot be reached"
                if not self._reached:
                    raise InputError(f"{self.address}: {said}; is the server running, and the address right?") from None
                continue
            except self._httpx.TransportError as error:
                cost = reserved  # nobody knows what was answered
                said = f"broke off ({type(error).__name__})"
                continue
            finally:
                self.budget.pay(reserved, cost)
            if status == 400 and self._leave_out(body, content):
                wait = 0.0
                continue
            said = self._complaint(status, content)
            if status != 429 and status != 408 and status < 500:
                raise InputError(f"{self.address}: {said}.")
            wait = max(wait, _retry_after(headers))
            if wait > _LONGEST_WAIT:
                raise InputError(f"{self.address}: {said}, and asks to wait for {wait:.0f} s; start again then.")
        raise InputError(
            f"{self.address}: {said}, {_ATTEMPTS} times in a row; what was answered is kept, so start again later."
        )

    def _tell(self, said: str, wait: float) -> None:
        """Say what is waited for: not of each thread, and not a hundred times."""
        with self._lock:
            now = self._clock.now()
            if not wait or now - self._told < _BETWEEN_NOTICES:
                return
            self._told = now
        notice(f"{self.address}: {said}; asking again in {wait:.0f} s")

    def _body(self, messages: list[Message], schema: Mapping[str, Any]) -> dict[str, Any]:
        form = {"name": "step", "strict": True, "schema": schema}
        body = {
            "model": self.name,
            "messages": messages,
            "temperature": 0,
            "max_tokens": self._most_tokens,
            "max_completion_tokens": self._most_tokens,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        with self._lock:
            return {name: value for name, value in body.items() if name not in self._left_out}

    def _leave_out(self, body: Mapping[str, Any], content: bytes) -> bool:
        """Whether the server refuses one of the optional parameters, which are not sent any more then."""
        named = [name for name in _OPTIONAL if name in body and name.encode() in content]
        if not named:
            return False
        with self._lock:
            self._left_out.update(named)
            if "max_tokens" in named:
                self._left_out.discard("max_completion_tokens")
        return True

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content; not more of it, and not for longer, than an answer can take."""
        until = self._clock.now() + _WHOLE
        with self._client.stream("POST", f"{self.address}/chat/completions", json=body) as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise AnswerError("the server packed its answer, which it was asked not to")
            content = bytearray()
            for part in response.iter_raw():
                content += part
                if len(content) > _MOST_BYTES:
                    raise AnswerError(f"the answer is larger than {_MOST_BYTES >> 20} MB")
                if self._clock.now() > until:
                    raise AnswerError(f"the answer took longer than {_WHOLE:.0f} s")
            return response.status_code, response.headers, bytes(content)

    def _reply(self, content: bytes, estimate: int) -> Reply:
        try:
            value = json.loads(content)
            message = value["choices"][0]["message"]
            text = message.get("content") or message.get("refusal") or ""
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise AnswerError("the server did not send a chat completion") from None
        if isinstance(text, list):
            text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
        if not isinstance(text, str):
            raise AnswerError("the server did not send a text")
        text = self._without_key(text.encode(errors="replace").decode())
        used = value.get("usage")
        counts = [used.get(name) if isinstance(used, dict) else None for name in ("prompt_tokens", "completion_tokens")]
        guessed = (estimate, count_tokens(text))
        known = [
            one if type(one) is int and 0 <= one < 10**9 else guess for one, guess in zip(counts, guessed, strict=True)
        ]
        return Reply(text, *known)

    def _complaint(self, status: int, content: bytes) -> str:
        """What the server says, in one sentence; of a refused key not a word, as some servers repeat it."""
        if status in (401, 403):
            return f"refuses the key of ${KEY} (status {status})" if self._key else f"wants a key; put it into ${KEY}"
        text = content[:2000].decode(errors="replace")
        try:
            error = json.loads(content)["error"]
            text = error["message"] if isinstance(error, dict) else error
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        what = f": {brief(self._without_key(str(text)), 200)}" if text else ""
        hint = "; most addresses end with /v1" if status == 404 and self._httpx.URL(self.address).path == "/" else ""
        return f"answers with status {status}{what}{hint}"

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text

    def _backoff(self, attempt: int) -> float:
        """Seconds until the next attempt: twice as long each time, not the same for all threads."""
        with self._lock:
            return 2.0**attempt * self._jitter.uniform(0.75, 1.25)


def estimated_tokens(messages: list[Message]) -> int:
    """About how many tokens a conversation has."""
    total = 0
    for message in messages:
        parts = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
        total += sum(count_tokens(part["text"]) if "text" in part else IMAGE_TOKENS for part in parts)
    return total


def key_for(host: str) -> str:
    """The key for an endpoint: $MTVM_LLM_KEY, and $OPENAI_API_KEY for OpenAI's own alone."""
    key = os.environ.get(KEY) or (os.environ.get(_OPENAI_KEY, "") if host == _OPENAI else "")
    if key and not (key.isascii() and key.isprintable() and len(key) < 4000 and " " not in key):
        raise InputError(f"${KEY}: the key holds characters that no key has; set it again.")
    return key


def _checked(api: str) -> str:
    """The address of an endpoint, without a key in it."""
    import httpx

    try:
        url = httpx.URL(api)
    except (httpx.InvalidURL, UnicodeError):
        raise InputError(
            "--api is not the address of an endpoint; give one such as http://localhost:11434/v1."
        ) from None
    if url.userinfo or url.query or url.fragment:
        raise InputError(f"--api holds more than an address; put the key into ${KEY} and give the rest.")
    if url.scheme not in ("http", "https") or not url.host:
        raise InputError(f"--api {brief(api)} is no address; give one such as http://localhost:11434/v1.")
    return str(url).rstrip("/").removesuffix("/chat/completions")


def _retry_after(headers: Mapping[str, str]) -> float:
    """How long the server asks to wait: seconds, or a date."""
    said = headers.get("retry-after", "").strip()
    if said.replace(".", "", 1).isdigit() and said.isascii() and len(said) < 20:
        return float(said)
    try:
        return max(email.utils.parsedate_to_datetime(said).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return 0.0
