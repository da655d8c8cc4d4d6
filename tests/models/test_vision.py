"""The token encoder's dropout of image features."""

import dataclasses

import pytest
import torch
from small_models import TEXTS, TINY, follow, make_model, make_walk

from mtvm.models.vision import TokenEncoder


def test_token_encoder_dropout_falls_on_image_features_alone():
    config = dataclasses.replace(TINY, feature_dropout=0.4)
    torch.manual_seed(0)
    encoder, seen = TokenEncoder(config).train(), []
    encoder.project.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    tokens = torch.ones(20, 50, config.token_width)
    encoder(tokens)
    image, angle = seen[0][..., : config.feature_width], seen[0][..., config.feature_width :]
    assert (angle == 1).all()
    assert float((image == 0).float().mean()) == pytest.approx(0.4, abs=0.02)
    torch.testing.assert_close(image[image != 0], torch.full_like(image[image != 0], 1 / 0.6), rtol=1e-4, atol=0)
    assert (tokens == 1).all(), "the caller's tokens were changed"
    encoder.eval()(tokens)
    assert torch.equal(seen[1], tokens)


def test_token_encoder_dropout_falls_on_memory_too():
    model = make_model(dropout=0.0, feature_dropout=0.5).train()
    seen = []
    model.token_encoder.project.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    follow(model, TEXTS, make_walk(model.config, steps=2))
    remembered = [given for given in seen if len(given) == 3]
    assert remembered, "the memory does not go through the token encoder"
    share = float((remembered[-1][..., : model.config.feature_width] == 0).float().mean())
    assert share == pytest.approx(0.5, abs=0.2)
    assert (remembered[-1][..., model.config.feature_width :] != 0).all()
