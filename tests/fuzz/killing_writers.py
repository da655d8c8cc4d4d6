"""Kills whatever else writes, at random moments: evaluations, conversions, stores, weights, speakers, studies, notes.

    python tests/fuzz/killing_writers.py --kills 150        (make attack)

After each kill, everything that lies there under its name is whole: byte by byte what a process writes that nobody
kills. What is resumed ends so, and nothing half-written is left.
"""

import argparse
import contextlib
import dataclasses
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import study
import torch
from samples import make_samples
from targets import command

from mtvm.tasks.evaluation_folder import FILES, read_manifest
from mtvm.viewer.notes import read_notes, write_note

_DATE = re.compile(rb'"date": "[^"]*"')
"""When a store was made, which it says."""


@dataclasses.dataclass(frozen=True)
class Writer:
    """Something that writes to a folder, from samples in another."""

    name: str
    write: Callable[[Path, Path], object]
    """Called with the samples and the folder."""
    lasting: tuple[str, ...] | None = None
    """If it is resumed, patterns of what is the same in the end; otherwise every file is the same, at any time."""

    def files(self, out):
        found = {path: _DATE.sub(b"", content) for path, content in contents(out).items()}
        if self.lasting is None:
            return {path: content for path, content in found.items() if not path.parts[0].startswith(".")}
        return {path: content for path, content in found.items() if any(map(path.match, self.lasting))}


def calling(*arguments):
    """Calls the command line, with `{here}` and `{out}` filled in."""

    def write(here, out):
        command(*(argument.format(here=here, out=out) for argument in arguments))(here)

    return write


def _evaluate(agent):
    return calling(
        *("eval", "--agent", agent, "--split", "r2r/val_unseen", "--data.folder", "{here}/data"),
        *("--out", "{out}/evaluation"),
    )


def _write_notes(here, out):
    for number in range(100):
        write_note(out / "results.json", str(number), ["odd"], "a note" * number)


def _run_study(here, out):
    study.run(out / "study", here / "data")


TRAINING = ("--device", "cpu", "--save-minutes", "0", "--no-tensorboard")
WRITERS = [
    Writer("features import", calling("features", "import", "{here}/features/f.tsv", "{out}/store")),
    Writer("features semantic", calling("features", "semantic", "{here}/texts/viewpoints.jsonl", "{out}/store")),
    Writer(
        "features extract",
        calling(
            *("features", "extract", "{here}/skyboxes/scans", "{out}/store", "--data", "{here}/skyboxes"),
            *("--size", "32", "--workers", "1", "--device", "cpu"),
        ),
    ),
    Writer(
        "weights import", calling("weights", "import", "{here}/weights/released.pt", "{out}/agent", "--preset", "tiny")
    ),
    Writer("weights export", calling("weights", "export", "{here}/weights/agent", "{out}/w.pt")),
    Writer("weights release", calling("weights", "release", "{here}/training", "{out}/released")),
    Writer("data captions", calling("data", "captions", "{here}/published", "--out", "{out}/captions.jsonl.gz")),
    Writer("data names", calling("data", "names", "{here}/published", "--out", "{out}/viewpoints.jsonl")),
    Writer("data r4r", calling("data", "r4r", "train", "--data", "{here}/data", "--out", "{out}/r4r.json")),
    Writer(
        "data hold-out",
        calling("data", "hold-out", "{out}/dev", "--data", "{here}/data", "--scans", "{here}/scans.txt"),
    ),
    Writer("baseline", calling("baseline", "random", "--data", "{here}/data", "--out", "{out}/results.json")),
    Writer("figure", calling("figure", "map", "{here}/evaluation", "--data", "{here}/data", "--out", "{out}/map.svg")),
    Writer("homes build", calling("homes", "build", "--homes", "3", "--features", "none", "--out", "{out}/homes")),
    Writer(
        "augment",
        calling("augment", "--speaker", "{here}/speaking", "--out", "{out}/new.json", "--paths", "40", "--shard", "8"),
        ("new.json",),
    ),
    Writer(
        "speaker train",
        calling(
            *("speaker", "train", "--out", "{out}/speaker", "--data.folder", "{here}/data", "--batch", "2"),
            *("--data.features", "{here}/seen", "--optimizer.updates", "4", "--validate-every", "2"),
            *("--model.hidden", "8", "--model.heads", "2", "--model.encoder-layers", "1"),
            *("--model.decoder-layers", "1", *TRAINING),
        ),
        ("best/*",),
    ),
    Writer("study run", _run_study, ("run/best/*", "evaluations/*/episodes.csv")),
]


def ended(processes, seconds):
    """Whether all processes ended within this time; their exit codes then."""
    until, codes = time.monotonic() + seconds, {}
    while len(codes) < len(processes):
        for process in processes:
            if process not in codes:
                found, status = os.waitpid(process, os.WNOHANG)
                if found:
                    codes[process] = os.waitstatus_to_exitcode(status)
        if len(codes) < len(processes) and time.monotonic() > until:
            return None
        time.sleep(0.002)
    return list(codes.values())


def contents(folder):
    """Every file below a folder, byte by byte."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def leftovers(folder):
    """Temporary files of a process that was killed."""
    return list(folder.rglob(".*"))


def start(write, here, out):
    """Fork a process that writes."""
    out.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if child:
        return child
    code = 1
    with contextlib.suppress(BaseException):
        try:
            write(here, out)
            code = 0
        except BaseException:
            traceback.print_exc()
    os._exit(code)


def killed(write, here, out, longest, rng):
    """Let a process write, for a while; whether it was killed before it was done."""
    child = start(write, here, out)
    codes = ended([child], rng.uniform(0, longest))
    if codes is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return True
    assert codes == [0], codes
    return False


def finish(write, here, out):
    """Write to the end; the seconds that it took."""
    began = time.monotonic()
    codes = ended([start(write, here, out)], 600)
    assert codes == [0], codes
    return time.monotonic() - began


def attack(writer, here, folder, wanted, rng):
    """Kill a writer that often; in between it is let go on, or begins anew if it was done."""
    whole, broken, kills = folder / "whole", folder / "broken", 0
    finish(writer.write, here, whole)  # the first time, something may be kept for the next
    shutil.rmtree(whole)
    longest, honest = finish(writer.write, here, whole), writer.files(whole)
    assert honest, writer.name
    while kills < wanted:
        shutil.rmtree(broken, ignore_errors=True)
        for _ in range(5):  # of one that is resumed, several times
            if not killed(writer.write, here, broken, longest, rng):
                break
            kills += 1
            there = writer.files(broken)
            if writer.lasting is None:
                assert there.items() <= honest.items(), f"not whole: {sorted(map(str, there))}"
                if there == honest:  # killed when it was done
                    break
        if writer.lasting is not None or writer.files(broken) != honest:
            finish(writer.write, here, broken)
            assert leftovers(broken) == [], "left over"  # the next process clears up
        assert writer.files(broken) == honest, "not what it is without kills"
    return kills


def attack_evaluations(here, folder, wanted, rng):
    """Two agents write to the same folder in turns: it is always the evaluation of one of them."""
    honest = {}
    for agent in ("shortest", "random"):
        longest = finish(_evaluate(agent), here, folder / agent)
        honest[agent] = contents(folder / agent)
    broken, kills = folder / "broken", 0
    finish(_evaluate("shortest"), here, broken)
    while kills < wanted:
        kills += killed(_evaluate(rng.choice(list(honest))), here, broken, longest, rng)
        found = {path: content for path, content in contents(broken).items() if not _is_hidden(path)}
        where = broken / "evaluation" / "r2r-val_unseen"
        assert found == honest[read_manifest(where, FILES).agent], "mixed"
    finish(_evaluate("random"), here, broken)
    assert leftovers(broken) == []
    assert contents(broken) == honest["random"]
    return kills


def _is_hidden(path):
    return any(part.startswith(".") for part in path.parts)


def attack_notes(here, folder, wanted, rng):
    """Notes that were written stay, whatever happens to the one that is being written."""
    longest, kills = finish(_write_notes, here, folder / "whole"), 0
    broken = folder / "broken"
    while kills < wanted:
        before = len(read_notes(broken / "results.json"))
        kills += killed(_write_notes, here, broken, longest, rng)
        notes = read_notes(broken / "results.json")
        assert len(notes) >= before, "lost"
        assert all(entry["note"] == "a note" * int(number) for number, entry in notes.items())
    finish(_write_notes, here, broken)
    assert contents(broken) == contents(folder / "whole")
    assert leftovers(broken) == []
    return kills


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kills", type=int, default=150, help="shared among the writers")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", default="", help="only writers whose name has this in it")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    attacks = {writer.name: (lambda *rest, writer=writer: attack(writer, *rest)) for writer in WRITERS}
    attacks = {"evaluations": attack_evaluations, "notes": attack_notes} | attacks
    attacks = {name: one for name, one in attacks.items() if given.only in name}
    wanted, kills, failures = -(-given.kills // len(attacks)), 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MTVM_CACHE"] = str(Path(folder) / "cache")
        os.environ.pop("MTVM_DATA", None)
        here = Path(folder) / "samples"
        here.mkdir()
        make_samples(here)
        for name, one in attacks.items():
            rng, said = random.Random(f"{given.seed} {name}"), ""
            try:
                done = one(here, Path(folder) / name.replace(" ", "-"), wanted, rng)
                kills += done
                said = f"{done} kills, always whole"
            except AssertionError as error:
                failures.append(name)
                said = f"FAILED: {error}"
            print(f"{name}: {said}", flush=True)
    print(f"{kills} kills of {len(attacks)} kinds of writers, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
