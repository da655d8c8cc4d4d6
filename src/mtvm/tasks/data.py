"""Finding released files below the user's data folder, in the layout of any of the common repositories."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from mtvm.errors import InputError
from mtvm.world.graph import SUFFIX, connectivity_files

_NOT_SEARCHED = {"matterport_skybox_images", "undistorted_color_images", "node_modules", "__pycache__"}

_HOW = (
    "set $MTVM_DATA, or give the folder with --data (--data.folder when training); "
    "mtvm data fetch lists what to put there"
)


class DataFolder:
    """A folder with connectivity graphs and task files anywhere below it.

    It is searched once, when the object is made. To load several splits, make one and pass it to each call: everything
    that takes a data folder takes a `DataFolder` too.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise InputError(f"{self.path}: the data folder does not exist; {_HOW}.")
        self._files: defaultdict[str, list[Path]] = defaultdict(list)
        visited: set[str] = set()  # links may form cycles
        for folder, subfolders, names in os.walk(self.path, followlinks=True):
            if (real := os.path.realpath(folder)) in visited:
                subfolders.clear()
                continue
            visited.add(real)
            subfolders[:] = sorted(s for s in subfolders if s not in _NOT_SEARCHED and not s.startswith("."))
            for path in (Path(folder, name) for name in names):
                if path.is_file():  # not a pipe or a device, which would be waited for
                    self._files[path.name].append(path)

    @classmethod
    def resolve(cls, data: DataFolder | str | Path | None) -> DataFolder:
        """The folder `data`, by default `$MTVM_DATA`. A `DataFolder` is returned as it is."""
        return data if isinstance(data, DataFolder) else cls(cls.locate(data))

    @staticmethod
    def locate(path: str | Path | None) -> Path:
        """The path itself, by default `$MTVM_DATA`."""
        path = path or os.environ.get("MTVM_DATA")
        if not path:
            raise InputError(f"no data folder: {_HOW}.")
        return Path(path)

    def find(self, names: list[str], accept: Callable[[Path], bool] = lambda _: True) -> Path | None:
        """The first file found among `names`; if there are several of that name, the one nearest to the top."""
        for name in names:
            found = sorted(filter(accept, self._files.get(name, [])), key=lambda p: (len(p.parts), str(p)))
            if found:
                return found[0]
        return None

    def matching(self, prefix: str, suffix: str) -> list[Path]:
        """All files whose names start with `prefix` and end with `suffix`, sorted by name."""
        names = sorted(name for name in self._files if name.startswith(prefix) and name.endswith(suffix))
        return [self._files[name][0] for name in names]

    def files(self) -> list[Path]:
        """All files, sorted."""
        return sorted(path for paths in self._files.values() for path in paths)

    @property
    def connectivity(self) -> Path:
        """The folder with the most connectivity files."""
        folders = sorted({path.parent for path in self.matching("", SUFFIX)})
        if not folders:
            raise InputError(
                f"{self.path}: no <scan>{SUFFIX} anywhere below it; put the Matterport3DSimulator "
                "repository's folder 'connectivity' there, as mtvm data fetch connectivity does."
            )
        return max(folders, key=lambda folder: (len(connectivity_files(folder)), -len(folder.parts)))


def json_names(*stems: str) -> list[str]:
    """The file names of these stems: plain, encoded, and as JSON lines."""
    return [f"{stem}{ending}" for stem in stems for ending in (".json", "_enc.json", ".jsonl", "_enc.jsonl")]
