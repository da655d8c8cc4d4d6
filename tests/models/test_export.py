"""The exported step program against the model, for sizes other than those it was exported with."""

import dataclasses

import pytest
import torch

from mtvm.errors import InputError
from mtvm.models.config import PRESETS
from mtvm.models.export import export_step
from mtvm.models.model import MTVM
from mtvm.models.text import tokenize

torch.set_num_threads(1)

WORDS = ["walk", "past", "the", "sofa", "and", "up", "to", "red", "door", "then", "go", "left", "stop", "wait", "here"]


def make_model(bidirectional):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(0)
    layers = 2 if bidirectional else 1  # exporting takes its time
    config = dataclasses.replace(
        PRESETS["tiny"], bidirectional=bidirectional, crossmodal_layers=layers, feature_scale=3
    )
    model = MTVM(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


@pytest.fixture(scope="module", params=[True, False], ids=["both", "single"])
def exported(request, tmp_path_factory):
    """The model, the program that was written of it and read again, and whether the model was still training."""
    model = make_model(request.param).train()
    path = tmp_path_factory.mktemp("export") / "step.pt2"
    export_step(model, path)
    kept = model.training
    return model.eval(), torch.export.load(path).module(), kept


def instructions(batch, words):
    return [" ".join(WORDS[(row + place) % len(WORDS)] for place in range(max(words - row, 1))) for row in range(batch)]


@torch.no_grad()
@pytest.mark.parametrize(
    ("batch", "words", "places", "steps"), [(1, 1, 1, 2), (2, 7, 5, 3), (5, 12, 3, 4), (1, 18, 9, 6), (3, 4, 1, 3)]
)
def test_the_program_acts_as_the_model(exported, batch, words, places, steps):
    """Over several greedy steps, the first with a memory of one masked token."""
    model, program, _ = exported
    config, generator = model.config, torch.Generator().manual_seed(batch)
    text = model.encode(tokenize(instructions(batch, words)))
    past = model.start(text)
    memory = torch.full((batch, 1, config.token_width), 9.0)  # rubbish that the mask must hide
    memory_mask = torch.zeros(batch, 1, dtype=torch.bool)
    for number in range(steps):
        counts = torch.randint(0, places + 1, (batch,), generator=generator)
        views = torch.randn(batch, places, config.token_width, generator=generator)
        views *= (torch.arange(places) < counts[:, None])[..., None]
        direction = torch.randn(batch, config.angle_width, generator=generator)
        step = model.step(text, past, views, counts, need_rest=False)
        logits, activations = program(text.states, text.mask, memory, memory_mask, views, counts)
        torch.testing.assert_close(logits, step.logits, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(activations[step.mask], step.activations[step.mask], atol=1e-4, rtol=1e-4)
        chosen = step.logits.argmax(dim=1)
        assert torch.equal(logits.argmax(dim=1), chosen)
        token = torch.cat([activations[torch.arange(batch), chosen], direction], dim=1)[:, None]
        memory = token if number == 0 else torch.cat([memory, token], dim=1)
        memory_mask = torch.ones(memory.shape[:2], dtype=torch.bool)
        past = model.remember(past, step, chosen, direction)


def test_the_program_reads_each_episodes_own_memory(exported):
    """Episodes of different ages in one batch, as the model sees them one by one."""
    model, program, _ = exported
    config = model.config
    text = model.encode(tokenize(instructions(3, 6)))
    ages = torch.tensor([4, 0, 2])
    mask = torch.arange(4) < ages[:, None]
    memory, views = torch.randn(3, 4, config.token_width), torch.randn(3, 2, config.token_width)
    logits, _ = program(text.states, text.mask, memory, mask, views, torch.full((3,), 2))
    for row, age in enumerate(ages.tolist()):
        rows = torch.tensor([row])
        alone = text.keep(rows)
        past = model.start(alone)
        for number in range(age):
            past.bank.append(memory[rows, number])
        step = model.step(alone, past, views[rows], torch.tensor([2]))
        torch.testing.assert_close(logits[row], step.logits[0], atol=1e-4, rtol=1e-4)


def test_exporting_leaves_the_model_as_it_was(exported):
    assert exported[2], "a model in training was left in evaluation mode"


def test_only_a_memory_bank_can_be_exported(tmp_path):
    model = MTVM(dataclasses.replace(PRESETS["tiny"], history="recurrent"))
    with pytest.raises(InputError, match="recurrent"):
        export_step(model, tmp_path / "step.pt2")
    assert list(tmp_path.iterdir()) == []
