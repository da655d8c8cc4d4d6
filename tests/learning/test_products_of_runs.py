"""How a run multiplies is recorded, logged, and kept when it is resumed."""

import json

import pytest
from small_runs import Stopped, assert_same_state, changed, saved_state, small_config, train

from mtvm import products
from mtvm.errors import InputError
from mtvm.learning.trainer import Trainer


@pytest.fixture(autouse=True)
def as_before():
    with products.using("mkl"):
        yield


@pytest.fixture
def two_ways(monkeypatch):
    """A machine where oneDNN works, whether or not this one is."""
    found = {"mkl": {"seconds": 2.0, "error": 2e-7}, "onednn": {"seconds": 1.0, "error": 4e-7}}
    monkeypatch.setattr(products, "_probed", lambda hidden, intermediate: found)
    return found


def wide(small_data, out, **changes):
    """A run with rows and columns enough that products go through oneDNN."""
    model = {"hidden": 128, "intermediate": 128}
    fewer = {"optimizer": {"updates": 2}}
    return small_config(small_data, out, batch=8, **{"model": model, **fewer, **changes})


def test_run_multiplies_by_the_fastest_way_and_says_so(small_data, tmp_path, two_ways):
    trainer = Trainer(wide(small_data, tmp_path / "run"), show_progress=False)
    assert products.kind() == "onednn"
    assert trainer.start.endswith("Products by onednn: 2.0 times as fast here as MKL, error 4e-07.")
    assert json.loads((tmp_path / "run" / "products.json").read_text())["kind"] == "onednn"


@pytest.mark.slow
def test_run_goes_on_multiplying_as_it_began(small_data, tmp_path, two_ways):
    whole = wide(small_data, tmp_path / "whole")
    _, expected = train(whole)
    half = changed(whole, out=tmp_path / "half")
    Stopped(half, 1).run()
    two_ways["onednn"]["seconds"] = 5.0  # another machine
    trainer, state = train(half)
    assert products.kind() == trainer.products.kind == "onednn"
    assert_same_state(state, expected)


@pytest.mark.slow
def test_run_is_told_another_way_by_its_option(small_data, tmp_path, two_ways):
    config = wide(small_data, tmp_path / "run")
    Stopped(config, 1).run()
    train(changed(config, optimizer={"products": "mkl"}))
    assert products.kind() == "mkl"
    assert saved_state(config.out)["update"] == config.optimizer.updates


def test_run_that_cannot_multiply_as_it_began_says_so(small_data, tmp_path, two_ways):
    config = wide(small_data, tmp_path / "run")
    Stopped(config, 1).run()
    del two_ways["onednn"]
    with pytest.raises(InputError, match="cannot compute products by onednn; give mkl or auto"):
        Trainer(config, show_progress=False)
    (tmp_path / "run" / "products.json").write_text('{"kind": "magic"}')
    with pytest.raises(InputError, match=r"products\.json: does not say how the run multiplies"):
        Trainer(config, show_progress=False)
