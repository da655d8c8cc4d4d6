"""Three runs made by hand."""

import time

import pytest
from made_runs import config, evaluated, make_run, scores, trained


@pytest.fixture
def three_runs(tmp_path):
    lines = [line for update in (20, 40, 60, 80, 100) for line in (trained(update), evaluated(update, update / 2))]
    both = {"r2r-val_seen": scores(61.5, 57.25), "r2r-val_unseen": scores(48.5, 44.0)}
    make_run(tmp_path / "first", config(), lines, evaluations=both)
    make_run(tmp_path / "sweep" / "lr-2", config(optimizer__lr=2e-4), lines[:4])
    make_run(tmp_path / "sweep" / "seed-1", config(seed=1), lines[:2], written=time.time())
    return tmp_path
