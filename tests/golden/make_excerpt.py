"""Make the excerpt of the golden values, or check that one is what this program makes.

    python tests/golden/make_excerpt.py DATA [--out FOLDER]           # DATA holds connectivity/ and golden/
    python tests/golden/make_excerpt.py DATA [--out FOLDER] --check   # compare, write nothing

README.md beside this file says what is taken, and under which licences.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from safetensors.numpy import load, save

SCAN = "17DRP5sb8fy"
VIEWPOINT = "10c252c90fa24ef3b698c6f54d984c5c"
VIEWS = ("disc_10", "disc_16", "disc_30")  # looking down, level and up
STEPS = 6
"""Steps that are kept of the small MTVM's fifteen."""
WHOLE = ("vlnbert", "released_loss")
"""Recordings that are taken as they are."""
OUT = Path(__file__).parent / "excerpt"

_EMBEDDINGS = "vln_bert.vln_bert.embeddings"


def make_excerpt(data: Path, out: Path) -> None:
    """Write the excerpt of a data folder, laid out as the data folder is. `out` must not exist."""
    golden = out / "golden"
    golden.mkdir(parents=True)
    _take_building(data, out)
    _take_render(data / "golden" / "render", golden / "render")
    _take_parity(data / "golden", golden)
    for name in WHOLE:
        _write_json(golden / f"{name}_meta.json", _read_json(data / "golden" / f"{name}_meta.json"))
        for part in ("weights", "io"):
            content = (data / "golden" / f"{name}_{part}.safetensors").read_bytes()
            _write_packed(golden / f"{name}_{part}.safetensors.gz", content)


def _take_building(data: Path, out: Path) -> None:
    name = f"{SCAN}_connectivity.json"
    (out / "connectivity").mkdir()
    _write_packed(out / "connectivity" / f"{name}.gz", (data / "connectivity" / name).read_bytes())
    candidates = _read_json(data / "golden" / "candidates.json.gz")
    walks = _read_json(data / "golden" / "walks.json.gz")
    _write_json(out / "golden" / "candidates.json.gz", {SCAN: candidates[SCAN]})
    _write_json(out / "golden" / "walks.json.gz", [walk for walk in walks if walk["scan"] == SCAN])


def _take_render(source: Path, out: Path) -> None:
    """The skybox of one viewpoint as a strip, and some views of it. Of the decoded strip there is only a digest."""
    index = _read_json(source / "index.json")
    (viewpoint,) = (entry for entry in index["viewpoints"] if entry["viewpoint"] == VIEWPOINT)
    views = [view for view in index["views"] if Path(view["file"]).stem in VIEWS]
    decoded = np.asarray(Image.open(source / viewpoint.pop("decoded")).convert("RGB"))
    viewpoint["decoded_sha256"] = hashlib.sha256(decoded.tobytes()).hexdigest()
    for name in (viewpoint["faces"], *(view["file"] for view in views)):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, out / name)
    _write_json(out / "index.json", {"note": index["note"], "viewpoints": [viewpoint], "views": views})


def _take_parity(source: Path, out: Path) -> None:
    """The first steps of the small MTVM. Rows of embeddings that these do not read are zeros, which pack well."""
    meta = _read_json(source / "parity_meta.json")
    del meta["trajectories"]  # where the agent went in R2R's buildings
    _write_json(out / "parity_meta.json", meta | {"steps": STEPS})
    recorded = load((source / "parity_io.safetensors").read_bytes())
    kept = {name: value for name, value in recorded.items() if _step_of(name) < STEPS}
    _write_packed(out / "parity_io.safetensors.gz", save(kept))
    weights = load((source / "parity_weights.safetensors").read_bytes())
    text = np.arange(recorded["sentence"].shape[1])
    vision = np.arange(max(value.shape[1] for name, value in kept.items() if name.endswith("stream_features")))
    for name, read in (
        (f"{_EMBEDDINGS}.word_embeddings.weight", np.unique(recorded["sentence"])),
        (f"{_EMBEDDINGS}.position_embeddings.weight", text),
        ("vln_bert.vln_bert.vision_pos_encoder.position_embeddings.weight", vision),
    ):
        sparse = np.zeros_like(weights[name])
        sparse[read] = weights[name][read]
        weights[name] = sparse
    _write_packed(out / "parity_weights.safetensors.gz", save(weights))


def _step_of(name: str) -> int:
    found = re.match(r"step(\d+)\.", name)
    return int(found[1]) if found else 0


def _read_json(path: Path) -> Any:
    return json.loads(_content(path))


def _write_json(path: Path, value: Any) -> None:
    content = (json.dumps(value, indent=None if path.suffix == ".gz" else 1) + "\n").encode()
    if path.suffix == ".gz":
        _write_packed(path, content)
    else:
        path.write_bytes(content)


def _write_packed(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def _content(path: Path) -> bytes:
    """A file's content, unpacked: packers of different versions do not write the same bytes."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def differences(one: Path, other: Path) -> list[str]:
    """The names of files that are not the same in two folders, or only in one."""
    contents = [
        {str(path.relative_to(folder)): _content(path) for path in folder.rglob("*") if path.is_file()}
        for folder in (one, other)
    ]
    return sorted(name for name in contents[0].keys() | contents[1] if contents[0].get(name) != contents[1].get(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "excerpt"
        make_excerpt(options.data, fresh)
        if options.check:
            found = differences(fresh, options.out)
            sys.exit(f"not what this program makes: {', '.join(found)}" if found else 0)
        if options.out.exists():
            sys.exit(f"{options.out}: exists already; remove it first")
        shutil.copytree(fresh, options.out)
    sizes = {path: path.stat().st_size for path in sorted(options.out.rglob("*")) if path.is_file()}
    for path, size in sizes.items():
        print(f"{size / 1000:9.1f} kB  {path.relative_to(options.out)}")
    print(f"{sum(sizes.values()) / 1000:9.1f} kB  in {len(sizes)} files")


if __name__ == "__main__":
    main()
