"""The running server of the page, for the command line and for notebooks."""

from __future__ import annotations

import html
import secrets
import socket
import threading
import time
from typing import TYPE_CHECKING

from mtvm.errors import InputError, MissingExtraError
from mtvm.viewer.safety import LOOPBACK

if TYPE_CHECKING:
    from mtvm.viewer.state import ViewerState

PORT = 8777
_HEIGHT = 820


class View:
    """A running server. In a notebook it shows itself; `close` ends it."""

    def __init__(self, state: ViewerState, host: str, port: int | None) -> None:
        try:
            import uvicorn

            from mtvm.viewer.server import make_app
        except ImportError:
            raise MissingExtraError("fastapi and uvicorn", "viewer", "The viewer") from None
        state.warm()
        self._socket = _bound(host, port)
        self.token = None if host in LOOPBACK else secrets.token_urlsafe(24)
        where = f"[{host}]" if ":" in host else host
        where = socket.gethostname() if host in ("0.0.0.0", "::") else where
        secret = "" if self.token is None else f"/?token={self.token}"
        self.url = f"http://{where}:{self._socket.getsockname()[1]}{secret}"
        config = uvicorn.Config(make_app(state, self.token), log_level="warning", access_log=False, lifespan="off")
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        self._state, self._waking = state, threading.Thread(target=state.wake_first, daemon=True)
        self._waking.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)

    def awake(self) -> bool:
        """Waits until the agent of the built-in homes can be talked to; False if it could not be loaded."""
        self._waking.join()
        return self._state.awake

    def wait(self) -> None:
        """Until the server ends, or Ctrl-C."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:  # the usual end
            pass
        finally:
            self.close()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()

    def _repr_html_(self) -> str:
        address = html.escape(self.url, quote=True)
        return f'<iframe src="{address}" width="100%" height="{_HEIGHT}" title="mtvm" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"View({self.url!r})"


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket at a port; by default the usual one, or any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem: OSError | OverflowError | None = None
    for number in (port,) if port is not None else (PORT, 0):
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, number))
            return made
        except (OSError, OverflowError) as error:
            made.close()
            problem = error
    raise InputError(f"cannot listen at {host} port {port or PORT} ({problem}); give another with --port.")
