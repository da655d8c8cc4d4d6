"""Agents that point at an object: what they see of it, how they learn to, and what they answer."""

import dataclasses
import json
import math
import shutil

import numpy as np
import pytest
import torch
from small_runs import SMALL, STEADY, lively_model, record, small_config, train
from torch.nn import functional

import mtvm
from mtvm.configs.data import DataConfig, Split
from mtvm.configs.run import ObjectsConfig
from mtvm.errors import InputError
from mtvm.features.boxes import BoxGuesser
from mtvm.features.objects import NAME_WIDTH, PLACE_WIDTH, object_sights
from mtvm.features.store import FeatureStore
from mtvm.learning.data import Data
from mtvm.learning.losses import make_losses
from mtvm.learning.losses.objects import PointedObject
from mtvm.learning.release import release
from mtvm.learning.rollout import roll_out
from mtvm.learning.texts import EncodedTexts
from mtvm.learning.trace import Needs, RolloutPlan
from mtvm.models.network import make_network
from mtvm.models.objects import name_matches
from mtvm.models.saving import load_model
from mtvm.models.text import decode
from mtvm.tasks.load import load_episodes
from mtvm.tasks.objects import read_objects
from mtvm.tasks.results import read_results

NAMES = ("lamp", "bed", "stove")
WIDTH = SMALL.feature_width + PLACE_WIDTH


@pytest.fixture(scope="module")
def houses(small_data, tiny_world, tmp_path_factory):
    """The small world with REVERIE: three objects in view of each viewpoint, of which an instruction names one at the
    end of its path."""
    data = tmp_path_factory.mktemp("pointing") / "data"
    shutil.copytree(small_data, data)
    seen, number_of = {}, {}
    (data / "REVERIE").mkdir()
    for split in ("train", "val_seen", "val_unseen"):
        entries = []
        for number, entry in enumerate(json.loads((data / "R2R" / f"R2R_{split}.json").read_text())):
            end = (entry["scan"], entry["path"][-1])
            first = number_of.setdefault(end, 10 * len(number_of) + 10)
            boxes = [[10.0 + 200 * place, 200.0, 40.0 + 40 * place, 60.0] for place in range(3)]
            things = [
                {"id": first + place, "name": name, "views": [13 + place, 14 + place], "boxes": [box, box]}
                for place, (name, box) in enumerate(zip(NAMES, boxes, strict=True))
            ]
            seen[end] = things
            wanted = number % 3
            texts = [f"point at the {NAMES[wanted]}"] * len(entry["instructions"])
            identity = f"{entry['path_id']}_{first + wanted}"
            entries.append(entry | {"id": identity, "objId": first + wanted, "instructions": texts})
        unique = {entry["id"]: entry for entry in entries}
        (data / "REVERIE" / f"REVERIE_{split}.json").write_text(json.dumps(list(unique.values())))
    (data / "semantics").mkdir(exist_ok=True)
    for old in (data / "semantics").iterdir():
        old.unlink()
    every = [(tiny_world.scan(node), str(tiny_world.viewpoints[node])) for node in range(len(tiny_world))]
    lines = [{"scan": place[0], "viewpoint": place[1], "objects": seen.get(place, [])} for place in every]
    (data / "semantics" / "viewpoints.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return data


def config_of(houses, **changes):
    given = {"folder": houses, "features": houses / "features", "train": ("reverie/train",)}
    return DataConfig(**(given | changes))


@pytest.fixture(scope="module")
def dataset(houses):
    return Data(config_of(houses), STEADY, show_progress=False).dataset(Split.parse("reverie/val_unseen"))


def test_objects_are_those_that_the_task_counts_and_look_like_the_views_that_show_them(houses, dataset):
    episodes, known = dataset.episodes, dataset.vision.objects
    counted = read_objects(mtvm.tasks.data.DataFolder(houses), episodes.world, "here")
    np.testing.assert_array_equal(known.ids, counted.ids)
    np.testing.assert_array_equal(known.first, counted.first)
    end = int(episodes.reference_ends[0])
    (numbers,), (mask,) = known.at(np.array([end]))
    assert mask.sum() == 3
    store = FeatureStore.open(houses / "features")
    scan, viewpoint = episodes.world.scan(end), str(episodes.world.viewpoints[end])
    views = store.panorama(store.rows([scan], [viewpoint]))[0].astype(float)
    # Both boxes of an object are equal, and so are their shares.
    np.testing.assert_allclose(known.features[numbers[0]], views[13:15].mean(axis=0), atol=2e-3)
    np.testing.assert_allclose(known.sizes[numbers[0]], [40 / 640, 60 / 480, math.sqrt(4800 / 307200), 2 / 36])
    # Left of the middle of view 13, which looks 30 degrees to the right, and is level.
    focal = 240 / math.tan(math.radians(30))
    assert known.headings[numbers[0]] == pytest.approx(math.radians(30) + math.atan2(30 - 320, focal))
    assert known.elevations[numbers[0]] == pytest.approx(math.atan2(10, math.hypot(focal, 290)))


def test_a_box_in_the_middle_of_a_view_counts_more(houses, tmp_path):
    world = load_episodes("reverie", "val_unseen", houses).world
    scan, viewpoint = world.scan(0), str(world.viewpoints[0])
    thing = {"id": 1, "name": "lamp", "views": [12, 13], "boxes": [[300, 220, 40, 40], [0, 220, 40, 40]]}
    path = tmp_path / "viewpoints.jsonl"
    path.write_text(json.dumps({"scan": scan, "viewpoint": viewpoint, "objects": [thing]}))
    store = FeatureStore.open(houses / "features")
    feature = object_sights(path, world, store, named=False).features[0].astype(float)
    views = store.panorama(store.rows([scan], [viewpoint]))[0].astype(float)
    assert np.abs(feature - views[12]).max() < 0.1 < np.abs(feature - views[13]).max()


def test_objects_have_their_names_where_names_are_seen(houses):
    world = load_episodes("reverie", "val_unseen", houses).world
    vectors = {"bed": 1.0, "lamp": 2.0, "stove": 3.0}
    known = object_sights(
        houses / "semantics" / "viewpoints.jsonl",
        world,
        None,
        named=True,
        embed=lambda phrases: np.array([[vectors[phrase]] * NAME_WIDTH for phrase in phrases]),
    )
    assert known.features.shape == (len(known.ids), NAME_WIDTH)
    assert set(known.features[:3, 0].tolist()) == {1.0, 2.0, 3.0}


def test_names_are_compared_with_the_words_of_the_text():
    table = torch.eye(8)
    table[7] = torch.tensor([0.6, 0.8, 0, 0, 0, 0, 0, 0])
    ids = torch.tensor([[4, 1, 2, 3, 0], [1, 1, 5, 0, 0]])
    names = torch.tensor([[[1, 0], [2, 3]], [[7, 6], [0, 0]]])
    alone = torch.tensor([[1.0, 1.0], [1.0, 0.0]])[..., None]
    found = name_matches(table, ids, ids != 0, names[:, :, None], alone)
    expected = [[[1, 1, 1 / 4], [1, 1, 3 / 4]], [[0.8 / 2, 0, 0], [0, 0, 0]]]
    torch.testing.assert_close(found, torch.tensor(expected))
    both = name_matches(table, ids[:1], ids[:1] != 0, names[:1, None], torch.tensor([[[0.75, 0.25]]]))
    torch.testing.assert_close(both, 0.75 * found[:1, :1] + 0.25 * found[:1, 1:])


def test_names_at_are_those_of_the_objects_in_view(houses):
    data = Data(config_of(houses, features=None, sight="names"), STEADY, show_progress=False)
    dataset = data.dataset(Split.parse("reverie/val_unseen"))
    vision, ends = dataset.vision, dataset.episodes.reference_ends.astype(np.int64)
    (names, shares), (numbers, mask) = vision.names_at(ends), vision.objects.at(ends)
    assert mask.sum() == 3 * len(ends)
    assert (shares[..., 0].numpy() == mask).all()
    for row, column in zip(*np.nonzero(mask), strict=True):
        (known,) = vision.objects.likely[numbers[row, column]]
        assert decode(names[row, column, 0].tolist()) == vision.objects.names[known]
    nothing = vision.names_at(np.array([int(np.argmin(np.diff(vision.objects.first)))]))
    assert nothing[0].sum() == nothing[1].sum() == 0


def test_names_that_are_guessed_are_the_likely_ones_of_their_views(houses, dataset):
    store = FeatureStore.open(houses / "features")
    known = object_sights(
        houses / "semantics" / "viewpoints.jsonl",
        dataset.episodes.world,
        store,
        named=False,
        guessed=(slice(1, 5), ("lamp", "bed", "stove", "rug")),
    )
    assert known.names == ("lamp", "bed", "stove", "rug")
    shares = known.features[:, 1:5].astype(float) ** 2
    assert (known.likely[:, 0] == shares.argmax(axis=1)).all()
    found = np.take_along_axis(shares, known.likely, axis=1)
    np.testing.assert_allclose(known.shares, found / shares.sum(axis=1, keepdims=True), rtol=1e-5)


def test_objects_are_seen_relative_to_the_agent_and_in_the_mirror(dataset):
    vision, end = dataset.vision, dataset.episodes.reference_ends[:1].astype(np.int64)
    straight, mask, ids = vision.objects_at(end, np.array([0.0]))
    turned, _, _ = vision.objects_at(end, np.array([0.5]))
    mirrored, _, _ = vision.objects_at(end, np.array([0.5]), np.array([True]))
    assert mask.all()
    assert (ids >= 10).all()
    heading = torch.atan2(straight[0, :, -8], straight[0, :, -7])
    torch.testing.assert_close(torch.atan2(turned[0, :, -8], turned[0, :, -7]), heading - 0.5)
    torch.testing.assert_close(mirrored[0, :, -8], -turned[0, :, -8])
    torch.testing.assert_close(mirrored[0, :, -7:], turned[0, :, -7:])


def walked(model, dataset, policy="teacher", rows=slice(0, 4), mirrored=None):
    episodes = dataset.episodes.select(np.arange(len(dataset))[rows])
    texts = EncodedTexts(model, [dataset.tokens.select(torch.arange(len(dataset))[rows])])
    plan = RolloutPlan(policy, 15, needs=Needs(teacher=True), mirrored=mirrored)
    return roll_out(model, dataset.vision, episodes, texts.text, plan, keep_steps=True), texts


def pointing(model, weight=1.0, elsewhere=0):
    loss = PointedObject(ObjectsConfig(weight=weight, elsewhere=elsewhere))
    loss.attach(model)
    return loss


def test_the_loss_is_that_of_the_object_wherever_it_is_in_view(dataset):
    model = lively_model(config=STEADY, object_width=WIDTH)
    mirrored = np.array([True, False, True, False])
    trace, texts = walked(model, dataset, mirrored=mirrored)
    objects, found = pointing(model, 0.5)(trace)
    assert (objects.name, objects.weight, found.weight) == ("object", 0.5, 0.0)
    expected, hits = [], []
    for step in trace.steps:
        for place, row in enumerate(step.rows.tolist()):
            node, heading = step.seen.node[place : place + 1], step.seen.heading[place : place + 1]
            if node[0] not in trace.episodes.goals[row]:
                continue
            tokens, mask, ids = dataset.vision.objects_at(node, heading, mirrored[row : row + 1])
            text = texts.text
            scores = model.point(text, torch.tensor([row]), tokens, mask)
            right = ids[0].tolist().index(int(trace.episodes.extra["answer"][row]))
            expected.append(-scores.log_softmax(dim=1)[0, right])
            hits.append(int(scores.argmax()) == right)
    assert len(expected) >= len(trace.episodes)  # at least at the end of each
    assert objects.count == len(expected)
    torch.testing.assert_close(objects.total, torch.stack(expected).sum())
    assert float(found.total) == 100 * sum(hits)
    objects.total.backward()
    assert texts.text.states.grad.abs().sum() > 0


def test_other_places_that_see_the_object_are_pointed_from_too(dataset):
    """In these houses an object is seen from the end of its path alone, and here nobody walks there."""
    model = lively_model(config=STEADY, object_width=WIDTH)
    trace, _ = walked(model, dataset)
    walks = pointing(model)(trace)[0].count
    assert pointing(model, elsewhere=3)(trace)[0].count == walks + 3 * len(trace.episodes)
    last = trace.episodes.reference_ends.astype(np.int64)
    trace.nodes[:] = -1
    for step in trace.steps:
        step.seen.node[:] = -2
    objects, _ = pointing(model, elsewhere=1)(trace)
    asked, everywhere = torch.arange(len(last)), []
    for heading in np.linspace(0, 2 * np.pi, 25, dtype=np.float32):
        tokens, _, ids = dataset.vision.objects_at(last, np.full(len(last), heading))
        mask = torch.from_numpy(ids >= 0)
        right = [list(row).index(int(one)) for row, one in zip(ids, trace.episodes.extra["answer"], strict=True)]
        scores = model.point(trace.text, asked, tokens, mask)
        everywhere.append(-scores.log_softmax(dim=1)[asked, right])
    losses = torch.stack(everywhere)
    assert objects.count == len(last)
    assert losses.min(dim=0).values.sum() - 0.1 < objects.total < losses.max(dim=0).values.sum() + 0.1


def test_walks_that_never_see_their_object_have_nothing_to_say(dataset):
    model = lively_model(config=STEADY, object_width=WIDTH)
    trace, _ = walked(model, dataset)
    goals = np.full_like(trace.episodes.goals, -1)
    trace.episodes = dataclasses.replace(trace.episodes, goals=goals)
    (term,) = pointing(model)(trace)
    assert (float(term.total), term.count) == (0.0, 0)


@pytest.mark.slow
def test_the_head_learns_to_read_which_object_is_asked_for(houses):
    """By its name alone: where the three are says nothing."""
    data = Data(config_of(houses, features=None, sight="names"), STEADY, show_progress=False)
    dataset = data.dataset(Split.parse("reverie/train"))
    torch.manual_seed(0)
    model = make_network(dataclasses.replace(data.network, hidden=32, feature_scale=5.0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    nodes, wanted = dataset.episodes.reference_ends.astype(np.int64), dataset.episodes.extra["answer"]
    tokens, mask, ids = dataset.vision.objects_at(nodes, np.zeros(len(nodes)))
    names, every = dataset.vision.names_at(nodes), torch.arange(len(nodes))
    right = torch.from_numpy((ids == np.array(list(map(int, wanted)))[:, None]).argmax(axis=1))
    for _ in range(100):
        text = model.encode(dataset.tokens)
        scores = model.point(text, every, tokens, mask, names)
        loss = functional.cross_entropy(scores, right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (scores.argmax(dim=1) == right).all()


@pytest.fixture(scope="module")
def run(houses, tmp_path_factory):
    """A run that learns two tasks, of which one asks for an object."""
    out = tmp_path_factory.mktemp("pointing") / "run"
    several = {"folder": houses, "features": houses / "features", "train": ("r2r/train", "reverie/train")}
    selection = {"split": "reverie/val_seen"}
    train(small_config(houses, out, data=several, selection=selection, loss={"consistency": {"enabled": False}}))
    return out


def test_a_run_with_such_a_task_trains_a_head_for_it(run):
    weights = {name for name in load_model(run / "best").state_dict() if name.startswith("object_head.")}
    assert "object_head.layers.1.cross.attention.qkv.weight" in weights
    lines = [line for line in record(run) if line["kind"] == "train"]
    on_objects = ["teacher_object" in line for line in lines]
    assert any(on_objects)
    assert not all(on_objects)  # R2R asks for none
    assert "RGSPL" in next(line for line in record(run) if line["kind"] == "reverie/val_seen")


@pytest.mark.parametrize("looks", [1, 2])
def test_agents_answer_with_an_object_that_they_see_from_where_they_stopped(run, houses, tmp_path, looks):
    found = mtvm.evaluate(run, ["reverie/val_unseen"], looks=looks, out=tmp_path, show_progress=False)
    done = found["reverie/val_unseen"]
    assert done.answers is not None
    at_end = done.nodes[np.arange(len(done.nodes)), (done.nodes >= 0).sum(axis=1) - 1]
    objects = done.episodes.objects
    seeing = [len(objects.at(int(node))) > 0 for node in at_end]
    right = objects.answerable(at_end, done.answers)
    assert any(seeing)
    assert all(good for good, sees in zip(right, seeing, strict=True) if sees)
    (results,) = tmp_path.rglob("results.json")
    assert read_results(results, done.episodes).answers == list(done.answers)
    assert {"RGS", "RGSPL"} <= set(done.metrics())


@pytest.fixture(scope="module")
def detected(houses):
    """The same houses, where a detector takes each object for something of its own."""
    found = {"lamp": "vase", "bed": "couch", "stove": "oven"}
    lines = []
    for text in (houses / "semantics" / "viewpoints.jsonl").read_text().splitlines():
        place, boxes = json.loads(text), [[] for _ in range(36)]
        for thing in place["objects"]:
            for view, (left, top, width, height) in zip(thing["views"], thing["boxes"], strict=True):
                corners = [left, top, left + width, top + height]
                boxes[view].append([found[thing["name"]], 0.9, corners, "a thing"])
        said = {"captions": ["a room"] * 36, "objects": boxes}
        lines.append({"scan": place["scan"], "viewpoint": place["viewpoint"]} | said)
    (houses / "semantics" / "langnav.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return houses


def test_a_run_points_by_names_that_are_guessed_of_boxes(detected, tmp_path):
    """The networks that guess them are learnt, kept with run, agent and release, and found there."""
    out = tmp_path / "run"
    several = {"folder": detected, "features": detected / "features", "train": ("reverie/train",)}
    data = several | {"boxes": "detections"}
    selection = {"split": "reverie/val_seen"}
    config = small_config(detected, out, data=data, selection=selection, loss={"consistency": {"enabled": False}})
    train(config)
    model = load_model(out / "best")
    names = BoxGuesser.load(out / "boxes.safetensors").names
    assert model.config.object_width == len(names) + PLACE_WIDTH
    assert (out / "best" / "boxes.safetensors").is_file()
    metrics = mtvm.evaluate(out, "reverie/val_unseen", show_progress=False)["reverie/val_unseen"].metrics()
    release(out, tmp_path / "released")
    given = dataclasses.replace(DataConfig(folder=detected), features=detected / "features")
    again = mtvm.evaluate(tmp_path / "released", "reverie/val_unseen", data=given, show_progress=False)
    assert again["reverie/val_unseen"].metrics()["RGS"] == pytest.approx(metrics["RGS"], abs=1e-6)


def test_names_of_boxes_need_what_a_detector_said(houses, dataset, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(houses, data)
    (data / "semantics" / "langnav.jsonl").unlink(missing_ok=True)
    changed = config_of(data, features=data / "features", boxes="detections")
    with pytest.raises(InputError, match=r"no langnav.jsonl\(.gz\) below it"):
        Data(changed, STEADY, show_progress=False).dataset(Split.parse("reverie/val_unseen"))


def test_agents_say_nothing_where_nobody_asks_for_an_object(run):
    assert mtvm.evaluate(run, ["r2r/val_unseen"], limit=2, show_progress=False)["r2r/val_unseen"].answers is None


def test_agents_of_other_tasks_have_no_head(houses):
    data = Data(config_of(houses, train=("r2r/train",)), SMALL, show_progress=False)
    assert data.network.object_width == 0
    model = make_network(data.network)
    assert model.object_head is None
    assert not [name for name in model.state_dict() if "object" in name]
    assert data.dataset(Split.parse("reverie/val_unseen")).vision.objects is None
    assert not [loss for loss in make_losses(small_config(houses, houses).loss) if isinstance(loss, PointedObject)]


def test_objects_as_an_agent_did_not_learn_them_are_refused(houses):
    model = dataclasses.replace(SMALL, object_width=NAME_WIDTH + PLACE_WIDTH)
    data = Data(config_of(houses), model, show_progress=False, trained=True)
    with pytest.raises(InputError, match=r"described by 16 numbers, the agent reads 392; let it see what it was"):
        data.dataset(Split.parse("reverie/val_unseen"))


def test_steps_say_what_the_object_was_chosen_from(run, houses, tmp_path):
    done = mtvm.evaluate(run, ["reverie/val_unseen"], out=tmp_path, show_progress=False)["reverie/val_unseen"]
    seeing = [step for steps in done.steps for step in steps if step.details and step.details["objects"]]
    assert seeing
    for step in seeing:
        shares = {one["id"]: one["probability"] for one in step.details["objects"]}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
        assert shares[step.answer] == max(shares.values())
