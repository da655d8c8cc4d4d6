"""Put what is uploaded elsewhere into one folder, with checksums (make release).

    python tools/release.py build/release

Beside the wheel and the source that are built there: each released agent as a zip file, the speaker's instructions, and
SHA256SUMS of all of them, for `sha256sum --check`.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import zipfile
from pathlib import Path

RELEASES = Path(__file__).parents[1] / "releases"
SUMS = "SHA256SUMS"
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The time of files in an archive, so that the same files make the same archive."""


def pack(folder: Path, out: Path) -> None:
    """An agent as a zip file that unpacks to a folder of its name, without walks, which have R2R's texts."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            if path.name == "results.json" or path.suffix == ".jsonl":
                continue
            entry = zipfile.ZipInfo(str(path.relative_to(folder.parent)), _ALWAYS)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())


def gather(releases: Path, out: Path) -> list[Path]:
    """Everything that is released, in a folder; the files with SHA256SUMS as the last one."""
    out.mkdir(parents=True, exist_ok=True)
    for config in sorted(releases.glob("*/config.json")):
        pack(config.parent, out / f"{config.parent.name}.zip")
    for instructions in sorted(releases.glob("*.json.gz")):
        shutil.copyfile(instructions, out / instructions.name)
    files = sorted(path for path in out.iterdir() if path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / SUMS).write_text("".join(lines), encoding="utf-8")
    return [*files, out / SUMS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    for path in gather(RELEASES, parser.parse_args().out):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path}")


if __name__ == "__main__":
    main()
