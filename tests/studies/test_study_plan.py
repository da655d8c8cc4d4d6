"""From studies to trials: what they train, and by what they are known."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from small_studies import plan_of, request_of, write_sight

from mtvm.app.cli import main as command_line
from mtvm.configs.data import BLIND
from mtvm.configs.presets import PRESETS
from mtvm.configs.run import TrainConfig
from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.studies.data import StudyData
from mtvm.studies.plan import Request, command_of, parse_options, with_options
from mtvm.studies.registry import NAMES, find_study
from mtvm.studies.study import BUDGETS
from mtvm.studies.trial import code_of, key_of_run


def keys(trials):
    return {f"{trial.arm} {trial.seed}": trial.folder.name for trial in trials}


def test_every_arm_and_seed_is_another_training(tiny_folder, tmp_path):
    trials = plan_of(request_of("drop-rate", tmp_path, seeds=3), tiny_folder)
    assert len(trials) == len({trial.folder for trial in trials}) == 12
    assert [trial.config.loss.consistency.drop_rate for trial in trials[::3]] == [0.1, 0.3, 0.5, 0.7]
    assert [trial.config.seed for trial in trials[:3]] == [0, 1, 2]


def test_weights_to_start_from_are_known_by_themselves_not_by_their_card(tiny_folder, tmp_path):
    agent = tmp_path / "release" / "best"
    agent.mkdir(parents=True)
    for name, content in (("config.json", "{}"), ("model.safetensors", "weights")):
        (agent / name).write_text(content)
    request = dataclasses.replace(request_of("attention", tmp_path / "out"), init=agent.parent)
    before = keys(plan_of(request, tiny_folder))
    (agent.parent / "README.md").write_text("a card")
    assert keys(plan_of(request, tiny_folder)) == before
    (agent / "model.safetensors").write_text("others")
    assert not set(keys(plan_of(request, tiny_folder)).values()) & set(before.values())


def test_studies_share_the_trainings_that_they_have_in_common(tiny_folder, tmp_path):
    by_name = {name: plan_of(request_of(name, tmp_path), tiny_folder) for name in ("table3", "table4", "robustness")}
    folders = {name: {trial.arm: trial.folder for trial in trials} for name, trials in by_name.items()}
    assert len({found["memory bank + consistency"] for found in folders.values()}) == 1
    assert folders["table3"]["none"] == folders["table4"]["no memory"]


def test_a_key_knows_content_not_places(tiny_folder, tmp_path):
    before = keys(plan_of(request_of("attention", tmp_path / "a"), tiny_folder))
    moved = shutil.copytree(tiny_folder, tmp_path / "moved")
    assert keys(plan_of(request_of("attention", tmp_path / "b"), moved)) == before
    file = moved / "R2R" / "R2R_train.json"
    file.write_text(json.dumps(json.loads(file.read_text())[1:]))
    assert not before.items() & keys(plan_of(request_of("attention", tmp_path / "b"), moved)).items()


def test_other_options_are_another_training(tiny_folder, tmp_path):
    before = keys(plan_of(request_of("attention", tmp_path), tiny_folder))
    after = keys(plan_of(request_of("attention", tmp_path, options={"batch": 3}), tiny_folder))
    assert not set(before.values()) & set(after.values())


def test_a_changed_validation_file_is_another_evaluation_of_the_same_training(tiny_folder, tmp_path):
    moved = shutil.copytree(tiny_folder, tmp_path / "moved")
    (before, *_), request = plan_of(request_of("attention", tmp_path), moved), request_of("attention", tmp_path)
    file = moved / "R2R" / "R2R_val_unseen.json"
    file.write_text(json.dumps(json.loads(file.read_text())[1:]))
    after = plan_of(request, moved)[0]
    assert after.folder == before.folder
    assert after.evaluations[0].name != before.evaluations[0].name


def test_other_code_is_another_training(tiny_folder, tmp_path, monkeypatch):
    before = keys(plan_of(request_of("attention", tmp_path), tiny_folder))
    monkeypatch.setattr("mtvm.studies.trial.code_version", lambda: "another")
    assert not set(before.values()) & set(keys(plan_of(request_of("attention", tmp_path), tiny_folder)).values())


def test_trials_of_another_version_count_if_one_says_so(tiny_folder, tmp_path, monkeypatch):
    request = request_of("attention", tmp_path)
    done, not_done, *_ = plan_of(request, tiny_folder)
    done.folder.mkdir(parents=True)
    done.training.touch()
    for one in done.evaluations:
        done.evaluation(one).mkdir(parents=True)
    monkeypatch.setattr("mtvm.studies.trial.code_version", lambda: "another")
    assert done.folder not in {trial.folder for trial in plan_of(request, tiny_folder)}
    taken, other, *_ = plan_of(dataclasses.replace(request, any_version=True), tiny_folder)
    assert taken == done
    assert other.folder.name != not_done.folder.name
    assert other.folder.name.endswith("-anothe")


def test_a_file_that_was_made_and_then_damaged_is_made_again(tiny_folder, tmp_path):
    text = StudyData(tiny_folder, tmp_path, sight=BLIND).split("r2r/train", share=0.5)
    (made,) = tmp_path.glob("*.json")
    whole = made.read_bytes()
    made.write_bytes(b"\xff" + whole)
    assert StudyData(tiny_folder, tmp_path, sight=BLIND).split("r2r/train", share=0.5) == text
    assert made.read_bytes() == whole


def test_an_option_that_is_new_makes_no_trial_unknown(tiny_folder, tmp_path, monkeypatch):
    """As long as it has its default."""
    trial = plan_of(request_of("attention", tmp_path), tiny_folder)[0]
    data = StudyData(tiny_folder, tmp_path / "made", sight=trial.config.data.sight, show=False)
    plain = TrainConfig.to_dict
    monkeypatch.setattr(TrainConfig, "to_dict", lambda config: plain(config) | {"new": 1})
    assert key_of_run(trial.config, data) == trial.folder.name
    monkeypatch.setattr(TrainConfig, "to_dict", lambda config: plain(config) | {"new": config is trial.config})
    assert key_of_run(trial.config, data) != trial.folder.name


@pytest.mark.parametrize(
    ("files", "sight"),
    [
        ([], "names"),
        (["viewpoints.jsonl"], "names"),
        (["captions.jsonl.gz"], "captions"),
        (["captions.jsonl.gz", "viewpoints.jsonl"], "guesses"),
    ],
)
def test_agents_see_what_the_data_offers(tiny_folder, tmp_path, files, sight):
    folder = shutil.copytree(tiny_folder, tmp_path / "data", ignore=shutil.ignore_patterns("viewpoints*", "captions*"))
    for name in files:
        (folder / name).touch()
    assert StudyData(folder, tmp_path / "made").config().sight == sight


def test_features_that_are_made_are_known_by_their_sources(tiny_folder, tiny_world, tmp_path, monkeypatch):
    """Their last digits differ between machines."""
    path = tmp_path / "features"
    write_sight(tiny_folder, path)
    store = FeatureStore.open(path)
    monkeypatch.setattr("mtvm.studies.data.SightMaker.open", lambda maker: store)
    folder = shutil.copytree(tiny_folder, tmp_path / "data")

    def seen(sight, **changes):
        data = StudyData(folder, tmp_path / "made", sight=sight, show=False)
        return data.seen(dataclasses.replace(data.config(), **changes))

    def write(name, text):
        (folder / name).write_text(text)

    write("viewpoints.jsonl", "rooms")
    write("captions.jsonl", "captions")
    before = {sight: seen(sight) for sight in ("names", "captions", "guesses", "names+guesses")}
    assert [before[sight].split("-")[0] for sight in before] == ["names", "captions", "guesses", "joined"]
    write("viewpoints.jsonl", "other rooms")
    assert [seen(sight) == before[sight] for sight in before] == [False, True, False, False]
    write("viewpoints.jsonl", "rooms")
    assert {sight: seen(sight) for sight in before} == before
    write("guesser.safetensors", "networks")
    given = seen("guesses", guesser=folder / "guesser.safetensors")
    write("viewpoints.jsonl", "other rooms")
    assert given == seen("guesses", guesser=folder / "guesser.safetensors") != before["guesses"]
    stored = StudyData(tiny_folder, tmp_path / "made", features=path, show=False)
    assert stored.seen(stored.config()) == store.meta["id"]


def test_comments_and_docstrings_are_no_code():
    plain = b"class A:\n    size: int = 1\n\ndef f():\n    return 'text'\n"
    told = b'"""A."""\nclass A:\n    """B."""\n    size: int = 1  # metres\n    """C."""\n\ndef f(): return "text"\n'
    assert code_of(plain) == code_of(told)
    assert code_of(plain) != code_of(plain.replace(b"'text'", b"'other'"))
    assert code_of(plain) != code_of(plain.replace(b"= 1", b"= 2"))


def test_a_share_of_the_paths_is_a_file_of_its_own(tiny_folder, tmp_path):
    trials = plan_of(request_of("scaling", tmp_path), tiny_folder)
    counts = {}
    for trial in trials:
        split = trial.config.data.train[0].partition("/")[2]
        counts[trial.arm] = len(json.loads(Path(split).read_text())) if split.endswith(".json") else 36
    assert counts["1/8 of the paths"] in (4, 5)
    assert counts["1/2 of the paths"] == 18
    assert counts["all paths"] == 36


def test_r4r_is_made_of_r2r_where_it_is_missing(tiny_folder, tmp_path):
    trial = plan_of(request_of("horizon", tmp_path), tiny_folder)[0]
    made = [one.split for one in trial.evaluations if one.split.startswith("r4r/")]
    assert made == [f"r4r/{tmp_path}/data/R4R_val_unseen.json"]
    assert [text.partition("/")[0] for text in trial.config.data.train] == ["r2r", "r4r"]


def test_the_budget_quick_shortens_warm_up_and_teacher_forcing_alike(tiny_folder, tmp_path):
    request = Request(find_study("attention"), BUDGETS["quick"], tmp_path, device="cpu")
    config = plan_of(request, tiny_folder)[0].config
    whole, updates = PRESETS["paper-small"], BUDGETS["quick"].updates
    assert config.optimizer.updates == config.selection.every == updates
    share = updates / whole.optimizer.updates
    assert config.loss.teacher_forced_updates == round(whole.loss.teacher_forced_updates * share)
    assert config.optimizer.warmup == round(whole.optimizer.warmup * share)


def test_the_blind_have_no_noise_on_sight(tiny_folder, tmp_path):
    found = {one.condition for one in plan_of(request_of("robustness", tmp_path), tiny_folder, BLIND)[0].evaluations}
    assert "typos" in found
    assert "noise on sight" not in found


def test_the_command_of_a_trial_is_understood(tiny_folder, tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr("mtvm.app.commands.training.run", given.append)
    for trial in plan_of(request_of("table4", tmp_path, seeds=2), tiny_folder):
        command_line(command_of(trial).split()[1:])
        said, meant = given.pop().to_dict(), trial.config.to_dict()
        for name in ("model", "loss", "optimizer", "selection", "seed", "batch"):
            assert said[name] == meant[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_study_is_whole(name):
    study = find_study(name)
    arms = [arm.name for arm in study.arms]
    assert study.name == name
    assert len(set(arms)) == len(arms)
    assert study.reference in arms
    assert study.reference in [arm.name for arm in study.arms_of(BUDGETS["quick"])]
    assert study.compared_on in (*study.splits, *study.if_there)


def test_an_unknown_study_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="there is no study 'table9'; 'mtvm study list' has table1, table2"):
        find_study("table9")


def test_a_study_of_ones_own_is_found_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "my_study.py").write_text("from mtvm.studies.drop_rate import STUDY as MINE\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_study("my_study:MINE").title == "How many words to drop"


def test_missing_data_is_named_before_anything_runs(tiny_folder, tmp_path):
    folder = shutil.copytree(tiny_folder, tmp_path / "data")
    (folder / "NDH" / "train.json").unlink()
    with pytest.raises(InputError, match="no file of ndh split 'train' below it"):
        plan_of(request_of("table2", tmp_path / "out"), folder)
    assert not (tmp_path / "out" / "trials").exists()


def test_a_preset_with_splits_that_are_not_there_is_refused(tiny_folder, tmp_path):
    with pytest.raises(InputError, match="prevalent split 'aug'"):
        plan_of(request_of("attention", tmp_path, presets=("paper",)), tiny_folder)


def test_an_unknown_preset_is_refused(tmp_path):
    with pytest.raises(InputError, match="--preset 'huge' is not one of paper"):
        request_of("attention", tmp_path, presets=("huge",))


def test_no_seeds_are_refused(tmp_path):
    with pytest.raises(InputError, match="--seeds must be at least 1"):
        request_of("attention", tmp_path, seeds=0)


@pytest.mark.parametrize("name", ["modle.hidden", "model.hiden", "batch.size"])
def test_an_unknown_option_is_refused(name, tmp_path):
    with pytest.raises(InputError, match="this version of mtvm has no option"):
        with_options(PRESETS["tiny"], {name: 3}, tmp_path)


def test_options_are_numbers_truths_and_strings():
    found = parse_options(("batch=4", "model.history=none", "data.mirror=true", "model.memory-steps=null"))
    assert found == {"batch": 4, "model.history": "none", "data.mirror": True, "model.memory_steps": None}


@pytest.mark.parametrize("text", ["batch", "=4"])
def test_an_option_without_name_or_value_is_refused(text):
    with pytest.raises(InputError, match="is not NAME=VALUE"):
        parse_options((text,))
