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
import lzma
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
STEPS = 4
"""Steps that are kept of the small MTVM's fifteen."""
RECORDINGS = {"parity": STEPS, "vlnbert": None, "released_loss": None}
"""The small networks that were recorded, and how many steps of each are kept; None: all of them."""
UNREAD = {"vlnbert": re.compile(r"addlayer\.\d+\.lang_|img_projection")}
"""Weights that a released program has and never reads: VLN⟲BERT's language stays as it was encoded."""
OUT = Path(__file__).parent / "excerpt"

_EMBEDDINGS = "vln_bert.vln_bert.embeddings"


def make_excerpt(data: Path, out: Path) -> None:
    """Write the excerpt of a data folder, laid out as the data folder is. `out` must not exist."""
    golden = out / "golden"
    golden.mkdir(parents=True)
    _take_building(data, out)
    _take_render(data / "golden" / "render", golden / "render")
    for name, steps in RECORDINGS.items():
        _take_recording(data / "golden", golden, name, steps)


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
    (out / viewpoint["faces"]).parent.mkdir(parents=True)
    shutil.copyfile(source / viewpoint["faces"], out / viewpoint["faces"])
    for view in views:
        drawn = Image.open(source / view["file"])
        view["file"] = str(Path(view["file"]).with_suffix(".webp"))
        (out / view["file"]).parent.mkdir(parents=True, exist_ok=True)
        drawn.save(out / view["file"], lossless=True, quality=100, method=6)
    _write_json(out / "index.json", {"note": index["note"], "viewpoints": [viewpoint], "views": views})


def _take_recording(source: Path, out: Path, name: str, steps: int | None) -> None:
    """What was recorded of a small network, and its weights. Those that no step reads are zeros, which pack well."""
    meta = _read_json(source / f"{name}_meta.json")
    meta.pop("trajectories", None)  # where the agent went in R2R's buildings
    steps = steps or meta["steps"]
    _write_json(out / f"{name}_meta.json", meta | {"steps": steps})
    recorded = load((source / f"{name}_io.safetensors").read_bytes())
    kept = {key: value for key, value in recorded.items() if _step_of(key) < steps}
    _write_packed(out / f"{name}_io.safetensors.xz", save(kept))
    weights = load((source / f"{name}_weights.safetensors").read_bytes())
    for key, read in _rows_read(kept).items():
        if key in weights:
            sparse = np.zeros_like(weights[key])
            sparse[read] = weights[key][read]
            weights[key] = sparse
    for key in weights:
        if name in UNREAD and UNREAD[name].search(key):
            weights[key] = np.zeros_like(weights[key])
    _write_packed(out / f"{name}_weights.safetensors.xz", save(weights))


def _rows_read(recorded: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The rows of each embedding that the recorded steps read."""
    streams = [value.shape[1] for key, value in recorded.items() if key.endswith("stream_features")]
    return {
        f"{_EMBEDDINGS}.word_embeddings.weight": np.unique(recorded["sentence"]),
        f"{_EMBEDDINGS}.position_embeddings.weight": np.arange(recorded["sentence"].shape[1]),
        "vln_bert.vln_bert.vision_pos_encoder.position_embeddings.weight": np.arange(max(streams, default=0)),
    }


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
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    else:
        path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def _content(path: Path) -> bytes:
    """A file's content, unpacked: packers of different versions do not write the same bytes."""
    if path.suffix == ".webp":
        return Image.open(path).convert("RGB").tobytes()
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)
    return unpack(path.read_bytes())


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
