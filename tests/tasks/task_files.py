"""Task files of the tiny world: changing them, laying them out, and what is said of bad ones."""

import json
import shutil

import pytest

from mtvm.errors import InputError

FILES = {"r2r": "R2R/R2R_val_unseen.json", "ndh": "NDH/val_unseen.json"}
SPLITS = {"train": 36, "val_seen": 36, "val_unseen": 12, "test": 12}  # paths or dialogs in the tiny world


def change(folder, task, edit, split_file=None):
    """Rewrite a task file after `edit` of its parsed content in place; the file."""
    path = folder / (split_file or FILES[task])
    entries = json.loads(path.read_text())
    edit(entries)
    path.write_text(json.dumps(entries))
    return path


def refused(call):
    """The one sentence with which something is refused."""
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def lay_out(tiny_folder, root, **files):
    """Tiny files under other names: `files` is name=source pairs, below `root`."""
    shutil.copytree(tiny_folder / "connectivity", root / "connectivity")
    for place, source in files.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tiny_folder / source, root / place)
    return root
