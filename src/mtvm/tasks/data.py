"""Finding the released files below the user's data folder, whatever repository's layout it has."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from mtvm.errors import InputError
from mtvm.world.graph import SUFFIX

_NOT_SEARCHED = {"matterport_skybox_images", "undistorted_color_images", "node_modules", "__pycache__"}

_HOW = "give the folder with --data or in $MTVM_DATA"


class DataFolder:
    """A folder with connectivity graphs and task files anywhere below it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise InputError(f"{self.path}: the data folder does not exist; {_HOW}.")
        self._files: defaultdict[str, list[Path]] = defaultdict(list)
        visited: set[str] = set()  # links may lead in circles
        for folder, subfolders, names in os.walk(self.path, followlinks=True):
            if (real := os.path.realpath(folder)) in visited:
                subfolders.clear()
                continue
            visited.add(real)
            subfolders[:] = sorted(s for s in subfolders if s not in _NOT_SEARCHED and not s.startswith("."))
            for name in names:
                self._files[name].append(Path(folder, name))

    @classmethod
    def resolve(cls, path: Path | None) -> DataFolder:
        """The folder given, else `$MTVM_DATA`."""
        if path is None:
            named = os.environ.get("MTVM_DATA")
            if not named:
                raise InputError(f"no data folder: {_HOW}; it holds the R2R or NDH files and connectivity/.")
            path = Path(named)
        return cls(path)

    def find(self, names: list[str], accept: Callable[[Path], bool] = lambda _: True) -> Path | None:
        """The file with the first of these names that is there, the one nearest to the top if several are."""
        for name in names:
            found = sorted(filter(accept, self._files.get(name, [])), key=lambda p: (len(p.parts), str(p)))
            if found:
                return found[0]
        return None

    def matching(self, prefix: str, suffix: str) -> list[Path]:
        """All files whose names begin and end so, sorted by name."""
        names = sorted(name for name in self._files if name.startswith(prefix) and name.endswith(suffix))
        return [self._files[name][0] for name in names]

    @property
    def connectivity(self) -> Path:
        """The folder of the connectivity files."""
        folders = sorted({path.parent for path in self.matching("", SUFFIX)})
        if not folders:
            raise InputError(
                f"{self.path}: no <scan>{SUFFIX} anywhere below it; put the Matterport3DSimulator "
                "repository's folder 'connectivity' there."
            )
        return max(folders, key=lambda folder: (len(list(folder.glob(f"*{SUFFIX}"))), -len(folder.parts)))
