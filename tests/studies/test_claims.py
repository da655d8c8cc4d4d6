"""The study of the paper's claims: each building is once new, and what is said of a difference."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest
from small_studies import plan_of, request_of

from mtvm.errors import InputError
from mtvm.studies import charts, claims
from mtvm.studies.findings import Findings
from mtvm.studies.keeping import TRIALS
from mtvm.studies.running import Sources, run_study
from mtvm.studies.study import NEW
from mtvm.tasks.bootstrap import Interval
from mtvm.tasks.load import load_episodes


@pytest.fixture(scope="module")
def planned(tiny_folder, tmp_path_factory):
    request = request_of("claims", tmp_path_factory.mktemp("claims"))
    return request, plan_of(request, tiny_folder)


def entries_of(text):
    return json.loads(Path(text.partition("/")[2]).read_text())


def scans_of(text):
    return {entry["scan"] for entry in entries_of(text)}


def test_agents_learn_and_are_chosen_in_other_buildings_than_they_are_evaluated_in(planned, tiny_folder):
    _, trials = planned
    every = {scan for split in ("train", "val_seen", "val_unseen") for scan in load_scans(tiny_folder, split)}
    assert {trial.fold for trial in trials} == set(range(1, len(every) + 1))
    for arm in {trial.arm for trial in trials}:
        evaluated = []
        for trial in (one for one in trials if one.arm == arm):
            (new,) = {one.split for one in trial.evaluations}
            for learnt in (*trial.config.data.train, trial.config.selection.split):
                assert not scans_of(learnt) & scans_of(new)
            evaluated += sorted(scans_of(new))
        assert sorted(evaluated) == sorted(every)
    steps = {trial.arm: [one.memory_steps for one in trial.evaluations] for trial in trials}
    assert steps[claims.MEMORY] == [None, 1, 2, 3, 4]
    assert steps[claims.CONSISTENCY] == [None]


def test_some_arms_can_be_run_alone(planned, tiny_folder):
    request, every = planned
    some = dataclasses.replace(request, only=(claims.NONE, claims.MEMORY))
    trials = plan_of(some, tiny_folder)
    assert trials == [trial for trial in every if trial.arm in some.only]
    with pytest.raises(InputError, match="--arms 'memory' is not an arm of claims at the budget quick: 'memory bank'"):
        dataclasses.replace(request, only=("memory",))


def load_scans(folder, split):
    episodes = load_episodes("r2r", split, folder)
    return {episodes.world.scan(int(start)) for start in episodes.starts}


def test_agents_that_have_seen_a_fold_are_refused(planned, tiny_folder, tmp_path):
    request, _ = planned
    with pytest.raises(InputError, match="takes no --agents"):
        plan_of(dataclasses.replace(request, agents=(tmp_path,)), tiny_folder)


def write_episodes(trial, one, success):
    """What an evaluation leaves behind, as far as a report reads it: everybody succeeds or fails by this function."""
    rows = ["id,scan,SR,SPL"]
    for entry in entries_of(one.split):
        for number in range(len(entry["instructions"])):
            value = 100.0 * success(trial.arm, entry["scan"], one.memory_steps)
            rows.append(f"{entry['path_id']}_{number},{entry['scan']},{value},{value / 2}")
    place = trial.evaluation(one)
    place.mkdir(parents=True)
    (place / "episodes.csv").write_text("\n".join(rows) + "\n")


def test_folds_are_put_together_and_claims_are_judged(planned, tiny_folder):
    request, trials = planned

    def success(arm, scan, memory_steps):
        return 1.0 if arm == claims.MEMORY and memory_steps is None else 0.25 if arm == claims.NONE else 0.5

    for trial in trials:
        for one in trial.evaluations:
            write_episodes(trial, one, success)
    findings = Findings(request, Folder(tiny_folder), trials, {}, "paper-small")
    scores = findings.scores(claims.MEMORY, NEW)
    entries = sum(len(load_episodes("r2r", split, tiny_folder)) for split in ("train", "val_seen", "val_unseen"))
    assert scores.columns["SR"].shape == (1, entries)
    table, _, kinds, steps = claims.STUDY.draw(findings)
    rows = {row.label: row.cells for row in table.rows}
    history = next(cells for label, cells in rows.items() if label.startswith("A history"))
    assert history[1].startswith("+75.0")
    loss = next(cells for label, cells in rows.items() if label.startswith("The consistency loss helps"))
    assert (loss[0], loss[1].split()[0], loss[2].split()[0]) == ("+1.7 / +0.8", "-50.0", "-25.0")
    assert [row.label for row in steps.rows] == ["1", "2", "3", "4", "all"]
    assert steps.rows[0].cells[0].startswith("50.0")
    assert steps.rows[-1].cells[0].startswith("100.0")
    counts = {row.label: int(row.cells[0]) for row in kinds.rows}
    assert sum(counts.get(name, 0) for name in ("on one storey", "to another storey")) == entries
    alone = Findings(request, Folder(tiny_folder), trials, {trials[0].folder.name: "it broke"}, "paper-small")
    assert alone.scores(trials[0].arm, NEW) is None, "a fold is missing: its buildings would be compared with others"


def test_folds_are_run_one_after_another_wherever_one_is(tiny_folder, tmp_path, monkeypatch):
    """What a report's folder keeps is enough to go on, and neither makes what agents saw nor forgets other arms."""
    monkeypatch.setattr(charts, "save", lambda drawing, folder, name: folder.mkdir(exist_ok=True))
    monkeypatch.setattr("mtvm.studies.report._html_block", lambda block, folder: "")
    monkeypatch.setattr("mtvm.studies.data.StudyData.store", lambda data, config: prepared.append(config.train))
    prepared, run, broken = [], [], []

    def runner(trials):
        for trial in trials:
            if trial.arm in broken:
                yield trial, "it broke"
                continue
            run.append((trial.arm, trial.fold))
            trial.folder.mkdir(parents=True)
            trial.training.write_text('{"seconds": 1}')
            for one in trial.evaluations:
                write_episodes(trial, one, lambda arm, scan, steps: len(scan) % 2)
            yield trial, None

    def go_on(folds, *arms):
        request = request_of("claims", tmp_path / "kept", only=arms, folds=folds, any_version=True)
        run.clear()
        prepared.clear()
        report = run_study(request, Sources(tiny_folder, sight="blind"), runner, "", lambda text: None)
        for trial in (request.out / "trials").glob("*"):  # another machine has only the report
            trial.rename(tmp_path / "elsewhere" / f"{len(list((tmp_path / 'elsewhere').iterdir()))}")
        return (report / "report.md").read_text(), json.loads((report / TRIALS).read_text())

    (tmp_path / "elsewhere").mkdir()
    both = claims.MEMORY, claims.NONE
    text, _ = go_on((2,), *both)
    assert run == [(arm, 2) for arm in both]
    assert len(prepared) == 2
    assert "So far: 1 of 6 folds, 2." in text
    text, kept = go_on((1, 2), claims.NONE)
    assert run == [(claims.NONE, 1)]
    assert len(kept) == 3
    assert claims.MEMORY not in {line.split(" (")[0] for line in text.splitlines() if "done" in line}
    text, kept = go_on((1,), *both)
    assert run == [(claims.MEMORY, 1)]
    assert len(kept) == 4
    assert "So far: 2 of 6 folds, 1, 2." in text
    go_on((2,), *both)
    assert not run
    assert not prepared
    with pytest.raises(InputError, match="--folds 7: claims has folds 1 to 6"):
        request_of("claims", tmp_path, folds=(7,))
    broken.append(claims.CONSISTENCY)
    with pytest.raises(InputError, match="no fold is done yet by all arms"):
        go_on((3,))


@dataclasses.dataclass
class Folder:
    """Data of which only the folder is asked for."""

    folder: object


@pytest.mark.parametrize(
    ("gain", "p_value", "said"),
    [
        (Interval(2.0, 1.0, 3.0), 0.01, "better"),
        (Interval(-2.0, -3.0, -1.0), 0.01, "worse"),
        (Interval(2.0, 0.1, 3.9), 0.2, "no larger than 3.9"),
        (Interval(-2.0, -3.9, -0.1), 0.2, "not better"),
        (Interval(2.0, math.nan, math.nan), 0.01, "cannot tell"),
    ],
)
def test_verdicts_hold_after_the_correction(gain, p_value, said):
    assert claims.verdict(gain, p_value) == said


def test_kinds_of_episodes_split_them(tiny_r2r):
    found = claims.kinds(tiny_r2r)
    names = list(found)
    for first, end in ((0, 3), (3, 5), (5, 8)):
        assert np.array_equal(sum(found[name].astype(int) for name in names[first:end]), np.ones(len(tiny_r2r)))
