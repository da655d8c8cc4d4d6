"""The step program against the model's own step, as it is and exported, at many sizes."""

import pytest
import torch
from small_models import assert_same, make_model, with_stop, words_of

from mtvm import products
from mtvm.errors import InputError
from mtvm.models.export import ActionProgram, export_step
from mtvm.models.parts import HISTORIES

WORDS = ["walk", "past", "the", "sofa", "and", "up", "to", "red", "door", "then", "go", "left", "stop", "wait", "here"]
SIZES = pytest.mark.parametrize(
    ("batch", "words", "candidates", "steps"), [(1, 1, 1, 2), (2, 7, 5, 3), (5, 12, 3, 4), (1, 18, 9, 6), (3, 4, 0, 3)]
)
OPTIONS = {
    "both": {"architecture__bidirectional": True, "crossmodal_layers": 2},
    "single": {"architecture__bidirectional": False, "crossmodal_layers": 2},
}
MORE_OPTIONS = OPTIONS | {
    "one layer": {"crossmodal_layers": 1},
    "released padding": {"architecture__released__padding": True},
}


@pytest.fixture(
    scope="module", params=[OPTIONS["both"], pytest.param(OPTIONS["single"], marks=pytest.mark.slow)], ids=OPTIONS
)
def exported(request, tmp_path_factory):
    """The model, the program that was written of it and read again, and whether the model was still training."""
    model = make_model(feature_scale=3.0, **request.param).train()
    path = tmp_path_factory.mktemp("export") / "step.pt2"
    with products.using("onednn"):  # as after a training in the same process
        export_step(model, path)
    kept = model.training
    return model.eval(), torch.export.load(path).module(), kept


def instructions(batch, words):
    return [" ".join(WORDS[(row + index) % len(WORDS)] for index in range(max(words - row, 1))) for row in range(batch)]


@torch.no_grad()
def compare(model, program, batch, words, candidates, steps):
    """Several greedy steps of both, the first with a memory of one masked token."""
    config, generator = model.config, torch.Generator().manual_seed(batch)
    text = model.encode(words_of(instructions(batch, words)))
    past = model.start(text)
    memory = torch.full((batch, 1, config.token_width), 9.0)  # the mask must hide it
    memory_mask = torch.zeros(batch, 1, dtype=torch.bool)
    for number in range(steps):
        counts = torch.randint(0, candidates + 1, (batch,), generator=generator)
        actions, mask = with_stop(torch.randn(batch, candidates, config.token_width, generator=generator), counts)
        direction = torch.randn(batch, config.angle_width, generator=generator)
        step = model.step(text, past, actions, mask, need_context=False)
        logits, activations = program(text.states, text.mask, memory, memory_mask, actions, mask)
        assert_same(logits, step.logits)
        assert_same(activations[mask], step.activations[mask])
        chosen = step.logits.argmax(dim=1)
        token = torch.cat([activations[torch.arange(batch), chosen], direction], dim=1)[:, None]
        memory = token if number == 0 else torch.cat([memory, token], dim=1)
        memory_mask = torch.ones(memory.shape[:2], dtype=torch.bool)
        past = model.remember(past, step, chosen, direction)


@pytest.mark.slow
@SIZES
def test_exported_program_is_the_models_step(exported, batch, words, candidates, steps):
    model, program, _ = exported
    compare(model, program, batch, words, candidates, steps)


@SIZES
@pytest.mark.parametrize("changes", MORE_OPTIONS.values(), ids=MORE_OPTIONS)
def test_step_program_is_the_models_step(changes, batch, words, candidates, steps):
    model = make_model(feature_scale=3.0, **changes)
    compare(model, ActionProgram(model), batch, words, candidates, steps)


@pytest.mark.slow
@torch.no_grad()
def test_exported_program_reads_each_episodes_own_memory(exported):
    """Episodes of different ages in one batch, as the model sees them one by one."""
    model, program, _ = exported
    config = model.config
    text = model.encode(words_of(instructions(3, 6)))
    ages = torch.tensor([4, 0, 2])
    memory = torch.randn(3, 4, config.token_width)
    actions, mask = with_stop(torch.randn(3, 2, config.token_width), torch.full((3,), 2))
    logits, _ = program(text.states, text.mask, memory, torch.arange(4) < ages[:, None], actions, mask)
    for row, age in enumerate(ages.tolist()):
        rows = torch.tensor([row])
        alone = text.keep(rows)
        past = model.start(alone)
        for number in range(age):
            past.bank.append(memory[rows, number])
        step = model.step(alone, past, actions[rows], mask[rows])
        assert_same(logits[row], step.logits[0])


@pytest.mark.slow
def test_export_step_leaves_the_model_in_training(exported):
    assert exported[2]


@pytest.mark.parametrize("history", [name for name in HISTORIES if name != "memory"])
def test_export_step_refuses_models_without_a_memory_bank(history, tmp_path):
    model = make_model(history=history).train()
    with pytest.raises(InputError, match=history):
        export_step(model, tmp_path / "step.pt2")
    assert list(tmp_path.iterdir()) == []
    assert model.training
