"""Trials that train nothing."""

import dataclasses
import sys
from pathlib import Path

from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS
from mtvm.studies.runner import LocalRunner
from mtvm.studies.trial import Evaluated, Trial


def fake_trial(folder, arm, seed=0):
    config = dataclasses.replace(PRESETS["tiny"], seed=seed)
    splits = (Evaluated("r2r-val_unseen-0", "r2r/val_unseen"),)
    return Trial(folder / f"{arm}-{seed}".replace(" ", "-"), arm, "tiny", seed, DataConfig(), splits, config)


def fake_runner(workers=2):
    return LocalRunner(workers, [sys.executable, str(Path(__file__).with_name("fake_worker.py"))])


def tries(trial):
    """How often its process was started."""
    file = trial.folder / "tried"
    return len(file.read_text()) if file.exists() else 0
