"""Locks on files and folders. The system lets go of them when a process ends, however it ends."""

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
