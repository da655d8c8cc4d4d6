"""Episodes whose reference paths share a part: the hard negatives of instruction-path matching."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mtvm.tasks.episode import EpisodeSet

Rows = NDArray[np.int64]


class SharedPaths:
    """Finds for an episode another one whose path leads through some of the same viewpoints."""

    def __init__(self, episodes: EpisodeSet) -> None:
        paths, path = np.unique(episodes.references, axis=0, return_inverse=True)
        self.path: Rows = path.reshape(-1)
        """(N,) the path of each episode."""
        self._by_path = np.argsort(self.path, kind="stable")
        self._count = np.bincount(self.path)
        self._first = np.concatenate([[0], np.cumsum(self._count)])
        number, _ = np.nonzero(paths >= 0)
        entries = (np.ones(len(number), dtype=np.int32), (number, paths[paths >= 0]))
        self._nodes = sparse.csr_array(entries, shape=(len(paths), len(episodes.world)))
        self._paths_of_node = self._nodes.T.tocsr()

    def others(self, rows: Rows, draws: NDArray[np.floating]) -> Rows:
        """(B,) for each episode of `rows` one of another path, by `draws` (B, 2) from 0 to 1: of a path that shares a
        viewpoint with its own if there is one, else of any other path, and itself if there is none."""
        own = self.path[rows]
        shared = (self._nodes[own] @ self._paths_of_node).tocsr()
        chosen = np.empty(len(rows), dtype=np.int64)
        for place, (mine, draw) in enumerate(zip(own.tolist(), draws.tolist(), strict=True)):
            near = shared.indices[shared.indptr[place] : shared.indptr[place + 1]]
            near = np.sort(near[near != mine])
            if not len(near):
                near = np.delete(np.arange(len(self._count)), mine)
            if not len(near):
                chosen[place] = rows[place]
                continue
            path = int(near[min(int(draw[0] * len(near)), len(near) - 1)])
            number = min(int(draw[1] * self._count[path]), int(self._count[path]) - 1)
            chosen[place] = self._by_path[self._first[path] + number]
        return chosen
