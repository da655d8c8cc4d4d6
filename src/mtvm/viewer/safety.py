"""Who may ask a server, and what its answers may do in a browser."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the panorama sets styles on its markers
        "img-src 'self' data: blob:",
        "connect-src 'self' blob: data:",
        "worker-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*",
    )
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

_ELSEWHERE = ("cross-site", "same-site")
"""What a browser says of a request that a page of another site or port makes."""

LARGEST_BODY = 16_000_000
"""Bytes of a request; what a robot sees in all directions is a tenth of that."""

Application = Callable[[Any, Any, Any], Awaitable[None]]


class Guard:
    """Lets in those who ask for this machine by its own name or, with a token, those who have it.

    A page of another site that reaches us through a visitor's browser is refused: it names another host or origin.
    """

    def __init__(self, app: Application, token: str | None = None) -> None:
        self.app, self.token = app, token
        self.cookie = "mtvm_" + hashlib.sha256((token or "").encode()).hexdigest()[:12]
        """Of its own for each token: browsers keep one jar for all ports of a machine."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        refusal = self._refusal(scope["method"], scope["path"], headers, given)
        if refusal is not None:
            await _answer(send, *refusal)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
                if self.token and given:
                    cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        await self.app(scope, _limited(receive), guarded)

    def _refusal(self, method: str, path: str, headers: dict[str, str], given: str) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self.token is None and _name(host) not in LOOPBACK:
            return 403, "this server answers only to 127.0.0.1 and localhost."
        if self.token is not None and not any(
            hmac.compare_digest(some.encode(), self.token.encode())
            for some in (given, _bearer(headers), _cookie(headers, self.cookie))
        ):
            return 401, "this server asks for its token: open the address that it printed."
        origin = headers.get("origin")
        foreign = origin not in (None, f"http://{host}", f"https://{host}")
        if foreign and method not in ("GET", "HEAD"):
            return 403, "requests from pages of other sites are refused."
        # An <img> or a link of another page would make this machine compute, even if its answer is kept from that page.
        if path.startswith("/api/") and (foreign or headers.get("sec-fetch-site") in _ELSEWHERE):
            return 403, "requests from pages of other sites are refused."
        if method == "POST" and not headers.get("content-type", "").startswith("application/json"):
            return 415, "send JSON, with the content type application/json."
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > LARGEST_BODY:
            return 413, f"a request may have {LARGEST_BODY:,} bytes."
        return None


def _limited(receive: Any) -> Any:
    """The same requests; one that does not say its length ends where it becomes too long, and is malformed then."""
    left = LARGEST_BODY

    async def received() -> Any:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.request", "body": b"", "more_body": False}

    return received


def _name(host: str) -> str:
    """The name in a Host header; empty if it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _bearer(headers: dict[str, str]) -> str:
    return headers.get("authorization", "").removeprefix("Bearer ")


def _cookie(headers: dict[str, str], name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


async def _answer(send: Any, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
