"""Locks on files and folders. The system lets go of them when a process ends, however it ends.

Why not the package filelock: it locks a file of its own beside what is meant. Here the folder that is being written, or
the file that is being extended, is locked itself, so that a leftover can be told from what somebody is writing, and
nothing has to be cleared up afterwards. A file system without locks is no obstacle.
"""

from __future__ import annotations

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS: bool = fcntl is not None
"""Windows has none."""


def lock(descriptor: int, wait: bool = False) -> bool | None:
    """Lock an open file or folder until it is closed. False: another process holds the lock, and we do not wait.
    None: there are no locks, on this system or in this file system."""
    if not HAS_LOCKS:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
