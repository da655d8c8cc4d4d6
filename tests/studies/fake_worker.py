"""Stands in for the process of a trial: what it does is in the arm's name."""

import json
import os
import signal
import sys
import time
from pathlib import Path

path = Path(sys.argv[1])
trial = json.loads(path.read_text())
folder, arm = path.parent, trial["arm"]
tried = folder / "tried"
tried.write_text(tried.read_text() + "x" if tried.exists() else "x")
if arm == "slow":

    def saved(*_):
        (folder / "saved").touch()
        sys.exit(130)

    signal.signal(signal.SIGTERM, saved)
    (folder / "begun").touch()
    time.sleep(60)
if arm == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if arm == "fails" or (arm == "fails once" and tried.read_text() == "x"):
    (folder / "failure.txt").write_text("update 3 gave nan.\n")
    sys.exit(1)
if arm == "ends":
    sys.exit(7)
(folder / "training.json").write_text("{}")
for one in trial["evaluations"]:
    (folder / "evaluations" / one["name"]).mkdir(parents=True)
