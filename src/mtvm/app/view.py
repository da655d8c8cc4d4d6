"""`mtvm.view`: what is shown, and the server that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mtvm.viewer.sources import Defaults, lone_agent, open_sources
from mtvm.viewer.view import View

if TYPE_CHECKING:
    from mtvm.viewer.state import ViewerState


def view(
    *paths: Path | str,
    data: Path | str | None = None,
    task: str = "r2r",
    split: str = "val_unseen",
    supervision: str = "mixed",
    agent: str | None = None,
    skyboxes: Path | str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
) -> View:
    """Show runs, evaluations or result files in a browser; in a notebook, below the cell.

    Without `paths`, shows the pretrained agent in built-in homes. A run that was not evaluated can be talked to.
    `data`, `task`, `split` and `supervision` say what result files belong to. `agent` is one to talk to in their
    buildings where there is no other: MODULE:NAME of a `mtvm.Policy`, or a baseline's name. Any other `host` than this
    machine asks visitors for a token.
    """
    defaults = Defaults(_path(data), task, split, supervision, agent)
    return View(viewer_state([Path(path) for path in paths], defaults, _path(skyboxes)), host, port)


def viewer_state(paths: Sequence[Path], defaults: Defaults, skyboxes: Path | None = None) -> ViewerState:
    """What a server of these paths shows."""
    from mtvm.app.builtin import builtin_painter, builtin_sources, is_builtin, offer_builtin_pictures
    from mtvm.viewer.state import ViewerState

    agents = {path: found for path in paths if (found := lone_agent(path, defaults)) is not None}
    others = [path for path in paths if path not in agents]
    sources = open_sources(others, defaults) if paths else builtin_sources(defaults.agent)
    folders = [source.folder.path for source in sources] + [live.data.folder for _, live in agents.values()]
    painter = None
    if all(map(is_builtin, folders)):
        painter = builtin_painter()
        offer_builtin_pictures(painter)
    return ViewerState(sources, skyboxes, agents=tuple(agents.values()), painter=painter)


def _path(value: Path | str | None) -> Path | None:
    return None if value is None else Path(value)
