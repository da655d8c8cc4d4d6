"""Runs cases against the targets, and watches: tracebacks, hangs, memory, half-written files.

python tests/fuzz/fuzzing.py --cases 50000        (make fuzz)
"""

import argparse
import contextlib
import dataclasses
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

from mutations import mutated

from mtvm.errors import InputError

LIMIT_SECONDS = 10
"""Beyond the honest sample's time."""
HONEST_SECONDS = 600
MOST_MEMORY = 2**30


class HangError(BaseException):
    """A case took too long. Not an Exception, which a reader may take for its own."""


@dataclasses.dataclass
class Outcome:
    """What came of the cases of a target."""

    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    """Seconds; those that other processes had the core are not counted."""
    memory: int = 0
    """Bytes above the honest sample's, at most."""
    failures: list[str] = dataclasses.field(default_factory=list)


def attack(target, folder, cases, rng):
    """Spoil a target's files that often, each time from the honest sample."""
    outcome, out = Outcome(), folder / "out"
    out.mkdir(exist_ok=True)
    names = [str(path.relative_to(folder)) for pattern in target.files for path in sorted(folder.glob(pattern))]
    assert len(names) >= len(target.files), f"{target.name}: {target.files} are not all there"
    honest = {name: (folder / name).read_bytes() for name in names}
    said, honest_seconds, honest_peak = _measured(target, folder, HONEST_SECONDS)
    if said:
        raise AssertionError(f"{target.name}: the honest sample was {said}")
    _clear(out)
    for number in range(cases):
        name = rng.choice(names)
        content = mutated(honest[name], rng)
        (folder / name).write_bytes(content)
        said, seconds, peak = _measured(target, folder, LIMIT_SECONDS + honest_seconds)
        outcome.cases += 1
        outcome.refused += said == "refused"
        outcome.slowest = max(outcome.slowest, seconds)
        outcome.memory = max(outcome.memory, peak - honest_peak)
        half = [str(path) for path in out.rglob(".*")] + ([str(item) for item in out.iterdir()] if said else [])
        wrong = said if said not in ("", "refused") else f"half-written: {half[0]}" if half else ""
        if peak - honest_peak > MOST_MEMORY:
            wrong = f"{(peak - honest_peak) / 1e9:.1f} GB of memory"
        if wrong:
            outcome.failures.append(f"case {number}: {wrong}")
            _keep(target, name, content, len(outcome.failures))
        _clear(out)
        (folder / name).write_bytes(honest[name])
    return outcome


def _measured(target, folder, limit):
    """What `_run` says, the seconds that it took, and the most memory."""
    _forget_peak()
    clock = OwnTime()
    return _run(target, folder, clock, limit), clock.seconds(), _peak()


class OwnTime:
    """Time from now on, without that in which a thread of this process could have run, but others had the core. A
    process that waits for a pipe or sleeps is not waiting for a core: its time counts."""

    def __init__(self):
        self._start = self._now()

    def seconds(self):
        return self._now() - self._start

    def _now(self):
        waited = 0
        for thread in Path("/proc/self/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # a thread may end
                waited += int(thread.read_text().split()[1])
        return time.monotonic() - waited / 1e9


def _run(target, folder, clock, limit):
    """Nothing if the target took it, "refused" if it said no in one sentence, else what went wrong."""

    def ring(*_):
        left = limit - clock.seconds()
        if left <= 0:
            raise HangError
        signal.setitimer(signal.ITIMER_REAL, left + 0.01)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        target.run(folder)
    except InputError as error:
        return "refused" if "\n" not in str(error).strip() else f"not one sentence: {error}"
    except HangError:
        return f"no answer after {limit:.0f} s"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:200]} ({place.filename}:{place.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def _forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def _peak():
    """The most memory that this process had since `_forget_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def _clear(folder):
    for item in folder.iterdir():
        shutil.rmtree(item) if item.is_dir() else item.unlink()


def _keep(target, name, content, number):
    """Keep what broke something, where the user asks for it."""
    if folder := os.environ.get("MTVM_FUZZ_KEEP"):
        said = "".join(letter if letter.isalnum() else "-" for letter in target.name)
        path = Path(folder) / f"{said}-{number}-{Path(name).name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def fuzz(targets, folder, cases, seed, stops=lambda: False):
    """Share out the cases among the targets, a few at a time to each, so that whoever `stops` it has tried them all;
    each has random numbers of its own, so that it can be run alone."""
    shares = {target.name: math.ceil(cases * _weight(target) / sum(map(_weight, targets))) for target in targets}
    rngs = {name: random.Random(f"{seed} {name}") for name in shares}
    found = {name: Outcome() for name in shares}
    while not stops() and any(found[name].cases < share for name, share in shares.items()):
        for target in targets:
            before = found[target.name]
            at_once = math.ceil(_AT_ONCE * _weight(target))
            if not stops() and (wanted := min(shares[target.name] - before.cases, at_once)):
                more = attack(target, folder, wanted, rngs[target.name])
                found[target.name] = _total([before, more])
                for failure in more.failures:
                    print(f"{target.name}, {failure}", flush=True)
    return found


_AT_ONCE = 100
"""Cases of a target before the next one's turn comes."""


def _weight(target):
    return 0.01 if target.is_long else 0.1 if target.is_slow else 1.0


def table(found):
    """The summary, as a table of Markdown."""
    lines = [
        "| target | cases | refused | slowest | memory above the honest sample's | failures |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in [*found.items(), ("all", _total(found.values()))]:
        row = (name, one.cases, one.refused, f"{one.slowest:.2f} s", f"{one.memory / 1e6:.0f} MB", len(one.failures))
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def _total(outcomes):
    every = list(outcomes)
    return Outcome(
        sum(one.cases for one in every),
        sum(one.refused for one in every),
        max(one.slowest for one in every),
        max(one.memory for one in every),
        [failure for one in every for failure in one.failures],
    )


def main():
    from samples import make_samples
    from targets import TARGETS

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cases", type=int, default=50_000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--seconds", type=float, default=math.inf, help="stop after this time, as SIGTERM does")
    arguments.add_argument("--only", default="", help="only targets whose name has this in it")
    given = arguments.parse_args()
    stopped, until = threading.Event(), time.monotonic() + given.seconds
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "kept")
        os.environ.pop("MTVM_DATA", None)  # a config without a data folder would read the user's, for minutes
        make_samples(Path(folder), long=True)
        targets = [target for target in TARGETS if given.only in target.name]
        stops = lambda: stopped.is_set() or time.monotonic() > until  # noqa: E731
        found = fuzz(targets, Path(folder), given.cases, given.seed, stops)
    print(table(found))
    failures = [f"{name}, {failure}" for name, one in found.items() for failure in one.failures]
    print("\n".join(failures[:50]))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
