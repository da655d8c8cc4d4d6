"""`getState().rgb` of the drop-in against the images of the real simulator."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mtvm.world import mattersim

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("numba")


@pytest.mark.parametrize("dataset", ["faces", "faces/v1/scans"])
@pytest.mark.parametrize("discretized", [True, False])
def test_rgb_is_what_the_real_simulator_draws(golden_data, dataset, discretized):
    """Without discretized angles every view can be asked for."""
    golden = golden_data / "golden" / "render"
    views = json.loads((golden / "index.json").read_text())["views"]
    views = [view for view in views if view["discretized"] or not discretized]
    assert views
    for view in views:
        simulator = mattersim.Simulator()
        simulator.setNavGraphPath(str(golden_data / "connectivity"))
        simulator.setDatasetPath(str(golden / dataset))
        simulator.setDiscretizedViewingAngles(discretized)
        simulator.setCameraResolution(view["width"], view["height"])
        simulator.setCameraVFOV(view["vfov"])
        assert simulator.setElevationLimits(-view["elevation_limit"], view["elevation_limit"])
        simulator.initialize()
        simulator.newEpisode(view["scan"], view["viewpoint"], view["heading"], view["elevation"])
        state = simulator.getState()
        assert state.heading == pytest.approx(view["heading"], abs=1e-9)
        expected = np.asarray(Image.open(golden / view["file"]).convert("RGB"))
        difference = np.abs(state.rgb[..., ::-1].astype(int) - expected)
        assert difference.mean() < 0.1
        assert (difference <= 1).mean() >= 0.9999
    assert "Rendered 1 frames" in simulator.timingInfo()
