"""`models.seeing`: what the simulator says, as tokens."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from small_runs import SMALL

from mtvm.errors import InputError
from mtvm.features.store import FeatureStore
from mtvm.models.seeing import Vision
from mtvm.world.simulator import Simulator
from mtvm.world.views import VIEW_ELEVATION, VIEW_HEADING


def observed(episodes):
    simulator = Simulator(episodes.world)
    simulator.reset(episodes.starts, episodes.headings)
    return simulator.observe()


def test_vision_actions_are_the_features_of_their_views_and_their_directions(vision, tiny_r2r):
    seen = observed(tiny_r2r)
    (found, mask), width = vision.actions(seen), SMALL.feature_width
    assert torch.equal(mask, torch.from_numpy(np.arange(mask.shape[1]) <= seen.count[:, None]))
    assert found.shape == (len(tiny_r2r), seen.mask.shape[1] + 1, SMALL.token_width)
    assert (found[:, -1] == 0).all()
    for row, count in enumerate(seen.count):
        assert (found[row, count:] == 0).all(), "STOP and padding"
    world, store = tiny_r2r.world, vision.store
    for row in range(len(tiny_r2r)):
        node = int(seen.node[row])
        place = store.rows([world.scan(node)], [str(world.viewpoints[node])])
        for slot in range(seen.mask.shape[1]):
            if seen.mask[row, slot]:
                image = store.gather(place, [int(seen.candidate_views[row, slot])])[0]
                assert found[row, slot, :width].tolist() == image.astype(np.float32).tolist()
                heading, elevation = seen.headings[row, slot], seen.elevations[row, slot]
                angles = [math.sin(heading), math.cos(heading), math.sin(elevation), math.cos(elevation)]
                assert found[row, slot, width:].tolist() == pytest.approx(angles * 2, abs=1e-5)


def test_vision_panorama_has_all_views_and_directions_relative_to_the_agents(vision, tiny_r2r):
    seen = observed(tiny_r2r.select([4]))
    found, width = vision.panorama(seen), SMALL.feature_width
    node = int(seen.node[0])
    place = vision.store.rows([tiny_r2r.world.scan(node)], [str(tiny_r2r.world.viewpoints[node])])
    np.testing.assert_array_equal(found[0, :, :width].numpy(), vision.store.panorama(place)[0].astype(np.float32))
    for view in range(36):
        turn, up = VIEW_HEADING[view] - float(seen.heading[0]), VIEW_ELEVATION[view]
        angles = [math.sin(turn), math.cos(turn), math.sin(up), math.cos(up)]
        assert found[0, view, width:].tolist() == pytest.approx(angles * 2, abs=1e-5)


def test_vision_of_a_blind_agent_is_directions_alone(vision, tiny_r2r):
    seen, width = observed(tiny_r2r), SMALL.feature_width
    blind = Vision(tiny_r2r.world, None, SMALL)
    for found, sighted in (
        (blind.actions(seen)[0], vision.actions(seen)[0]),
        (blind.panorama(seen), vision.panorama(seen)),
    ):
        assert (found[..., :width] == 0).all()
        assert torch.equal(found[..., width:], sighted[..., width:])


def test_vision_stop_shows_the_mean_of_the_panorama_if_asked_to(vision, tiny_r2r):
    around = Vision(tiny_r2r.world, vision.store, dataclasses.replace(SMALL, stop_sight="panorama"))
    seen, width = observed(tiny_r2r), SMALL.feature_width
    (found, mask), (plain, same) = around.actions(seen), vision.actions(seen)
    assert torch.equal(mask, same)
    means = vision.panorama(seen)[..., :width].mean(dim=1)
    for row, count in enumerate(seen.count):
        torch.testing.assert_close(found[row, count, :width], means[row], atol=1e-3, rtol=1e-3)
        found[row, count] = 0
    assert torch.equal(found, plain), "all else is as before"


def test_vision_drops_the_same_features_of_all_that_an_agent_sees(vision, tiny_r2r):
    around = Vision(tiny_r2r.world, vision.store, dataclasses.replace(SMALL, stop_sight="panorama"))
    seen, width = observed(tiny_r2r), SMALL.feature_width
    kept = torch.arange(len(tiny_r2r))[:, None] % torch.arange(2, 2 + width)[None] * 0.5
    for whole, some in (
        (around.actions(seen)[0], around.actions(seen, kept=kept)[0]),
        (around.panorama(seen), around.panorama(seen, kept=kept)),
    ):
        torch.testing.assert_close(some[..., :width], whole[..., :width] * kept[:, None])
        assert torch.equal(some[..., width:], whole[..., width:])


def test_vision_refuses_features_of_another_width(vision, tiny_r2r):
    wider = dataclasses.replace(SMALL, feature_width=9)
    with pytest.raises(InputError, match=r"8 numbers, the agent reads 9; let it see what it was trained with"):
        Vision(tiny_r2r.world, vision.store, wider)


def test_vision_refuses_features_without_a_scan(tmp_path, tiny_r2r):
    entries = [("elsewhere", "a", np.zeros((36, SMALL.feature_width), dtype=np.float32))]
    store = FeatureStore.write(tmp_path / "store", entries, source="made", source_format="test")
    with pytest.raises(InputError, match="have no features in this store"):
        Vision(tiny_r2r.world, store, SMALL)
