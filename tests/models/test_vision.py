"""The token encoder's dropout of image features, and their scale."""

import dataclasses

import torch
from small_models import TEXTS, TINY, assert_same, follow, make_model, make_walk

from mtvm.models import vision
from mtvm.models.vision import TokenEncoder


def recorded_dropout(monkeypatch):
    """What is dropped from, and at which rate; every second number is dropped."""
    given = []

    def drop(values, rate, training=True):
        if not training or rate == 0:
            return values
        given.append((values.clone(), rate))
        return values * (torch.arange(values.shape[-1]) % 2)

    monkeypatch.setattr(vision, "dropout", drop)
    return given


def test_token_encoder_dropout_falls_on_image_features_alone(monkeypatch):
    config = dataclasses.replace(TINY, feature_dropout=0.4, dropout=0.0)
    torch.manual_seed(0)
    encoder, tokens = TokenEncoder(config), torch.randn(4, 5, config.token_width)
    before, dropped = tokens.clone(), tokens.clone()
    dropped[..., : config.feature_width : 2] = 0
    expected = encoder.eval()(dropped)
    given = recorded_dropout(monkeypatch)
    assert_same(encoder.train()(tokens), expected)
    ((image, rate),) = given
    assert rate == 0.4
    assert torch.equal(image, tokens[..., : config.feature_width])
    assert torch.equal(tokens, before), "the caller's tokens were changed"


def test_token_encoder_scales_image_features_alone():
    encoder, tokens = TokenEncoder(TINY).eval(), torch.randn(4, 5, TINY.token_width)
    larger = tokens.clone()
    larger[..., : TINY.feature_width] *= 3
    assert_same(encoder(tokens, 3.0), encoder(larger))


def test_token_encoder_dropout_falls_on_memory_too(monkeypatch):
    model = make_model(dropout=0.0, feature_dropout=0.5).train()
    given = recorded_dropout(monkeypatch)
    follow(model, TEXTS, make_walk(model.config, steps=2))
    remembered = [values for values, _ in given if len(values) == 3]
    assert remembered, "the memory does not go through the token encoder"
    assert remembered[-1].shape[-1] == model.config.feature_width
