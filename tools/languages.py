"""Files in R2R's format without empty instructions, which are refused: python tools/languages.py DIR OUT"""

import gzip
import json
import sys
from pathlib import Path

source, out = map(Path, sys.argv[1:])
out.mkdir(parents=True, exist_ok=True)
for path in sorted(source.glob("*.json.gz")):
    entries = json.loads(gzip.decompress(path.read_bytes()))
    before = sum(len(entry["instructions"]) for entry in entries)
    for entry in entries:
        entry["instructions"] = [text for text in entry["instructions"] if text.strip()]
    after = sum(len(entry["instructions"]) for entry in entries)
    (out / path.stem).write_text(json.dumps(entries), encoding="utf-8")
    print(f"{out / path.stem}: {after:,} instructions, {before - after} empty ones left out")
