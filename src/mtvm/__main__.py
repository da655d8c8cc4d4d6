"""`python -m mtvm` is `mtvm`."""

import os
import sys

if not getattr(sys.flags, "safe_path", False) and sys.path[0] == os.getcwd():  # noqa: PTH109  # pathlib may lie there
    del sys.path[0]  # by `-m`; a file there could be called like a module that we import

from mtvm.app.cli import main

main()
