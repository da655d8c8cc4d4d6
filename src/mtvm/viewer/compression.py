"""Answers that shrink are compressed, for those who look over a slow line."""

from __future__ import annotations

import gzip
from typing import Any

_SHRINK = ("application/json", "image/svg+xml", "text/html", "text/css", "text/javascript", "application/javascript")
_LEAST = 1000  # bytes


class Compressed:
    """Compresses texts that are sent in one piece; streams, whose lines are waited for, and pictures pass."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.lower(): value for name, value in scope.get("headers", [])}
        if scope["type"] != "http" or b"gzip" not in headers.get(b"accept-encoding", b""):
            await self.app(scope, receive, send)
            return
        begun: Any = None
        held: list[bytes] = []

        async def sent(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and _shrinks(message):
                begun = message
            elif begun is not None and message["type"] == "http.response.body":
                held.append(message.get("body", b""))
                if not message.get("more_body"):
                    start, body = _packed(begun, b"".join(held))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})
            else:
                await send(message)

        await self.app(scope, receive, sent)


def _shrinks(message: Any) -> bool:
    headers = dict(message["headers"])
    kind = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0]
    return (
        message["status"] == 200
        and kind in _SHRINK
        and b"content-length" in headers
        and int(headers[b"content-length"]) >= _LEAST
    )


def _packed(message: Any, body: bytes) -> tuple[Any, bytes]:
    packed = gzip.compress(body, compresslevel=5, mtime=0)
    dropped = (b"content-length", b"content-encoding", b"vary")
    headers = [(name, value) for name, value in message["headers"] if name not in dropped]
    headers += [(b"content-length", str(len(packed)).encode()), (b"content-encoding", b"gzip")]
    return message | {"headers": [*headers, (b"vary", b"accept-encoding")]}, packed
