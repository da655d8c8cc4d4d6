"""The zero-shot agent that compares vectors, with an encoder that tests can follow."""

import itertools
import json

import numpy as np
import pytest

import mtvm.features.captions
import mtvm.features.names
from mtvm.acting.find import find_policy
from mtvm.acting.scenes import Scenes
from mtvm.acting.similar import Similar, clauses
from mtvm.acting.walk import walk
from mtvm.tasks.load import load_episodes

WORDS = [*(f"mark{number}" for number in range(8)), "nothing"]


def one_hot(phrases, title=None):
    """The words of `WORDS` in each phrase, with length 1."""
    vectors = np.array([[float(word in phrase.split()) for word in WORDS] for phrase in phrases], dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def marked(tmp_path, tiny_world, tiny_folder, monkeypatch):
    """A folder where the n-th view along a path says mark<n>, and the path's instruction names them in order."""
    monkeypatch.setattr(mtvm.features.names, "embed_phrases", one_hot)
    monkeypatch.setattr(mtvm.features.captions, "embed_phrases", one_hot)
    monkeypatch.setenv("MTVM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "connectivity").symlink_to(tiny_folder / "connectivity")
    (tmp_path / "R2R").symlink_to(tiny_folder / "R2R")
    episodes = load_episodes("r2r", "val_unseen", tiny_folder).select([0])
    world, path = episodes.world, episodes.references[0]
    path = path[path >= 0]
    lines = []
    for node in range(len(world)):
        rows = [["nothing"] * 3 for _ in range(12)]
        (at,) = np.nonzero(path[:-1] == node)
        for step in at:
            slot = world.candidates[node].tolist().index(path[step + 1])
            row, heading = divmod(int(world.candidate_views[node, slot]), 12)
            rows[heading][row] = f"mark{step}"
        lines.append({"scan": world.scan(node), "viewpoint": str(world.viewpoints[node]), "captions": rows})
    (tmp_path / "captions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    moves = len(path) - 1
    episodes.texts[0] = ", then ".join(f"pass mark{step}" for step in range(moves)) + "."
    return tmp_path, episodes, path, moves


def test_it_goes_where_the_captions_are_like_the_clauses(marked):
    folder, episodes, path, moves = marked
    policy = Similar(steps=moves)
    done = walk(policy, episodes, scenes=Scenes(episodes.world, folder, policy.wants), keep_steps=True)
    assert done.nodes[0].tolist() == path.tolist()
    assert [step.thought for step in done.steps[0][:-1]] == [f"'pass mark{step}'" for step in range(moves)]
    assert done.stopped.all()


def test_it_does_not_go_back_while_there_is_another_way(marked):
    folder, episodes, _, _ = marked
    episodes.texts[0] = "nothing of this is here"
    policy = Similar(steps=6)
    done = walk(policy, episodes, scenes=Scenes(episodes.world, folder, policy.wants))
    world, been = episodes.world, set()
    nodes = done.nodes[0].tolist()
    for here, after in itertools.pairwise(nodes):
        been.add(here)
        others = set(world.candidates[here, : world.degree[here]].tolist()) - been
        assert after in others or not others
    assert done.lengths.tolist() == [7]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Walk past the bed, then turn left and stop.", ["walk past the bed", "turn left", "stop"]),
        ("Go.", ["Go."]),
        ("  ", ["go"]),
        ("Thenar sandwich", ["thenar sandwich"]),
    ],
)
def test_instructions_are_cut_at_marks_and_small_words(text, parts):
    assert clauses(text) == parts


def test_it_is_found_by_name():
    assert isinstance(find_policy("minilm"), Similar)
    assert find_policy("minilm").wants == ("captions",)
