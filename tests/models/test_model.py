"""The model as a whole: batches and single episodes, padding, STOP, memory, gradients."""

import dataclasses

import pytest
import torch

from mtvm.models.attention import Packing
from mtvm.models.config import PRESETS
from mtvm.models.memory import MemoryBank
from mtvm.models.model import MTVM
from mtvm.models.text import PAD, Tokens, tokenize
from mtvm.models.vision import TokenEncoder, with_stop

torch.set_num_threads(1)

TINY = dataclasses.replace(PRESETS["tiny"], vocabulary=1000)  # quick to build

TEXTS = ["Walk past the sofa and the chandeliers, then stop.", "Go up.", "Leave the kitchen by the left door."]
STEPS = 4
VARIANTS = {
    "paper": {},
    "single": {"bidirectional": False},
    "one layer": {"crossmodal_layers": 1},
    "last two": {"memory_steps": 2},
    "no memory": {"memory_steps": 0},
}


def words_of(texts):
    """WordPieces of the texts, in the small vocabulary."""
    tokens = tokenize(texts)
    return Tokens(torch.where(tokens.ids < 200, tokens.ids, 200 + tokens.ids % 800), tokens.words)


def make_model(seed=0, **changes):
    """A model whose weights are large enough that every input matters."""
    torch.manual_seed(seed)
    model = MTVM(dataclasses.replace(TINY, **changes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = parameter.shape[-1] ** -0.5 if "embedding" not in name else 1.0
            parameter.normal_(std=2 * wide if parameter.dim() > 1 else 0.3).add_("orm.weight" in name)
    return model


@dataclasses.dataclass
class Walk:
    """What a batch of episodes is shown and does: step by step candidates, counts, choices and directions."""

    candidates: list
    counts: list
    chosen: list
    directions: list

    def of(self, rows):
        """The walk of some of the episodes, each step padded only as far as they need it."""
        counts = [count[rows] for count in self.counts]
        views = [one[rows][:, : int(n.max())] for one, n in zip(self.candidates, counts, strict=True)]
        return Walk(views, counts, [one[rows] for one in self.chosen], [one[rows] for one in self.directions])


def make_walk(config, batch=3, steps=STEPS, seed=1):
    generator = torch.Generator().manual_seed(seed)
    walk = Walk([], [], [], [])
    for _ in range(steps):
        counts = torch.randint(1, 6, (batch,), generator=generator)
        views = torch.randn(batch, int(counts.max()), config.token_width, generator=generator)
        walk.candidates.append(views * (torch.arange(views.shape[1]) < counts[:, None])[..., None])
        walk.counts.append(counts)
        walk.chosen.append((torch.rand(batch, generator=generator) * counts).long())
        walk.directions.append(torch.randn(batch, config.angle_width, generator=generator))
    return walk


def follow(model, texts, walk, **options):
    """The steps that the model makes of a walk."""
    text = model.encode(texts if isinstance(texts, Tokens) else words_of(texts))
    past, steps = model.start(text), []
    for views, counts, chosen, direction in zip(
        walk.candidates, walk.counts, walk.chosen, walk.directions, strict=True
    ):
        steps.append(model.step(text, past, views, counts, **options))
        past = model.remember(past, steps[-1], chosen, direction)
    return steps


def assert_same(found, expected, tolerance=1e-4):
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


def compare(model, step, row, alone):
    """An episode in a batch against the same episode alone."""
    width = alone.logits.shape[1]
    assert_same(step.logits[row, :width], alone.logits[0])
    assert (step.logits[row, width:] == -torch.inf).all()
    assert_same(step.activations[row, :width], alone.activations[0])
    assert_same(step.text[row][step.text_mask[row]], alone.text[0])
    assert_same(step.stream[row][step.stream_mask[row]], alone.stream[0][alone.stream_mask[0]])
    assert_same(model.value(step)[row], model.value(alone)[0])


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_a_batch_is_its_episodes_one_by_one(changes, grad):
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.set_grad_enabled(grad):
        together = follow(model, TEXTS, walk)
        for row, text in enumerate(TEXTS):
            alone = follow(model, [text], walk.of(torch.tensor([row])))
            for step, single in zip(together, alone, strict=True):
                compare(model, step, row, single)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_steps_are_the_same_with_and_without_gradients(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.no_grad():
        free = follow(model, TEXTS, walk)
    for bound, one in zip(follow(model, TEXTS, walk), free, strict=True):
        assert_same(bound.logits, one.logits)
        assert_same(bound.stream, one.stream)


def test_a_last_look_without_gradients_sees_the_whole_memory():
    """The value that A2C bootstraps with: the steps before it were taken with gradients."""
    model = make_model()
    walk = make_walk(model.config)
    text = model.encode(words_of(TEXTS))
    past = model.start(text)
    for number in range(STEPS - 1):
        step = model.step(text, past, walk.candidates[number], walk.counts[number])
        past = model.remember(past, step, walk.chosen[number], walk.directions[number])
    expected = model.step(text, past, walk.candidates[-1], walk.counts[-1])
    with torch.no_grad():
        found = model.step(text, past, walk.candidates[-1], walk.counts[-1])
    assert found.stream.shape == expected.stream.shape
    assert_same(found.logits, expected.logits)
    assert_same(model.value(found), model.value(expected))


def test_looking_twice_changes_nothing():
    model = make_model()
    walk = make_walk(model.config)
    text = model.encode(words_of(TEXTS))
    with torch.no_grad():
        past = model.start(text)
        for number in range(2):
            first = model.step(text, past, walk.candidates[number], walk.counts[number])
            again = model.step(text, past, walk.candidates[number], walk.counts[number])
            assert torch.equal(first.logits, again.logits)
            past = model.remember(past, first, walk.chosen[number], walk.directions[number])


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_an_episode_that_leaves_changes_nothing_for_the_others(changes, grad):
    """The longest text leaves after two steps, then another; the rest go on with less padding."""
    model = make_model(**changes)
    walk = make_walk(model.config)
    with torch.set_grad_enabled(grad):
        everyone = follow(model, TEXTS, walk)
        text = model.encode(words_of(TEXTS))
        past, rows = model.start(text), torch.arange(3)
        for number, gone in enumerate([None, None, 0, 2]):
            if gone is not None:
                stay = torch.nonzero(rows != gone)[:, 0]
                text, past, rows = text.keep(stay), past.keep(stay), rows[stay]
                assert text.states.shape[1] == int(text.mask.sum(dim=1).max())
                assert text.cache, "what an episode computes once must stay"
                assert all(part.shape[2] == text.states.shape[1] for parts in text.cache for part in parts)
            here = walk.of(rows)
            step = model.step(text, past, here.candidates[number], here.counts[number])
            width = step.logits.shape[1]
            assert_same(step.logits, everyone[number].logits[rows, :width])
            assert_same(model.value(step), model.value(everyone[number])[rows])
            past = model.remember(past, step, here.chosen[number], here.directions[number])


def test_the_last_episodes_leaving_leaves_an_empty_batch():
    model = make_model()
    walk = make_walk(model.config)
    text = model.encode(words_of(TEXTS))
    past = model.start(text)
    step = model.step(text, past, walk.candidates[0], walk.counts[0])
    past = model.remember(past, step, walk.chosen[0], walk.directions[0])
    nobody = torch.tensor([], dtype=torch.long)
    assert len(text.keep(nobody).states) == 0
    assert past.keep(nobody) is not None


def test_stop_comes_right_after_an_episodes_last_candidate():
    width = PRESETS["tiny"].token_width
    views, counts = torch.randn(3, 4, width), torch.tensor([2, 4, 0])
    for row, count in enumerate(counts):
        views[row, count:] = 0
    tokens, mask = with_stop(views, counts)
    assert tokens.shape == (3, 5, width)
    assert mask.tolist() == [[True] * 3 + [False] * 2, [True] * 5, [True] + [False] * 4]
    for row, count in enumerate(counts):
        assert torch.equal(tokens[row, :count], views[row, :count])
        assert (tokens[row, count:] == 0).all()


def test_logits_are_for_candidates_and_stop_only():
    model = make_model()
    walk = make_walk(model.config)
    for step, counts in zip(follow(model, TEXTS, walk), walk.counts, strict=True):
        assert torch.equal(torch.isfinite(step.logits), step.mask)
        assert torch.equal(step.mask.sum(dim=1), counts + 1)
        assert_same(step.logits.softmax(dim=1).sum(dim=1), torch.ones(3))


def test_an_agent_with_nowhere_to_go_can_stop():
    model = make_model()
    text = model.encode(words_of(TEXTS[:1]))
    step = model.step(text, model.start(text), torch.zeros(1, 0, model.config.token_width), torch.tensor([0]))
    assert step.logits.shape == (1, 1)
    assert torch.isfinite(step.logits).all()


def test_padded_candidates_never_leak():
    """Whatever stands behind an episode's candidates, its STOP token is all zeros and nothing else is read."""
    model = make_model()
    walk, spoiled = make_walk(model.config), make_walk(model.config)
    for views, counts in zip(spoiled.candidates, spoiled.counts, strict=True):
        views[torch.arange(views.shape[1]) >= counts[:, None]] = 7.0
    assert not torch.equal(walk.candidates[0], spoiled.candidates[0])
    for clean, dirty in zip(follow(model, TEXTS, walk), follow(model, TEXTS, spoiled), strict=True):
        assert_same(dirty.logits, clean.logits)
        assert_same(model.value(dirty), model.value(clean))


def test_padded_words_never_leak():
    """A text padded further, and one whose padding is other than [PAD] but masked, give the same."""
    model = make_model()
    walk = make_walk(model.config)
    expected = follow(model, TEXTS, walk)
    tokens = words_of(TEXTS)
    further = Tokens(
        torch.nn.functional.pad(tokens.ids, (0, 9), value=PAD), torch.nn.functional.pad(tokens.words, (0, 9), value=-1)
    )
    for step, plain in zip(follow(model, further, walk), expected, strict=True):
        assert_same(step.logits, plain.logits)
        assert_same(model.value(step), model.value(plain))
    rubbish = Tokens(torch.where(further.mask, further.ids, 700), further.words)
    text = model.encode(rubbish, further.mask)
    step = model.step(text, model.start(text), walk.candidates[0], walk.counts[0])
    assert_same(step.logits, expected[0].logits)


def test_hidden_words_stay_hidden_when_others_leave():
    """A mask may hide words in the middle of a text; leaving episodes must not cut off what stands behind them."""
    model = make_model()
    walk = make_walk(model.config)
    tokens = words_of(TEXTS)
    mask = tokens.mask.clone()
    mask[0, 1:4] = False
    text = model.encode(tokens, mask)
    everyone = model.step(text, model.start(text), walk.candidates[0], walk.counts[0])
    kept = text.keep(torch.tensor([0]))
    here = walk.of(torch.tensor([0]))
    alone = model.step(kept, model.start(kept), here.candidates[0], here.counts[0])
    assert_same(alone.logits[0], everyone.logits[0, : alone.logits.shape[1]])
    visible = model.encode(tokens)
    plain = model.step(visible, model.start(visible), walk.candidates[0], walk.counts[0])
    assert not torch.allclose(plain.logits[0], everyone.logits[0], atol=1e-2)


def test_permuting_candidates_permutes_logits_apart_from_the_position_embedding():
    model = make_model()
    walk = make_walk(model.config)
    counts, count = torch.tensor([4]), 4
    views = torch.randn(1, count, model.config.token_width)
    order = torch.tensor([2, 0, 3, 1])

    def logits(views):
        text = model.encode(words_of(TEXTS[:1]))
        past = model.start(text)
        here = walk.of(torch.tensor([0]))
        step = model.step(text, past, here.candidates[0], here.counts[0])
        past = model.remember(past, step, here.chosen[0], here.directions[0])
        return model.step(text, past, views, counts).logits[0]

    moved = torch.cat([order, torch.tensor([count])])
    assert not torch.allclose(logits(views[:, order]), logits(views)[moved], atol=1e-2)
    torch.nn.init.zeros_(model.embedding.position.weight)
    assert_same(logits(views[:, order]), logits(views)[moved])


def test_memory_stands_before_the_candidates_and_is_marked_as_past():
    model = make_model()
    walk = make_walk(model.config)
    steps = follow(model, TEXTS, walk)
    for number, step in enumerate(steps):
        assert step.stream.shape[1] == number + step.logits.shape[1]
        assert step.stream_mask[:, :number].all()
    before = steps[1].logits
    with torch.no_grad():
        model.embedding.kind.weight[1] += torch.randn(model.config.hidden)
    changed = follow(model, TEXTS, walk)
    assert torch.equal(changed[0].logits, steps[0].logits), "at the first step there is no past"
    assert not torch.allclose(changed[1].logits, before, atol=1e-2)


def test_the_memory_token_is_the_activation_and_the_new_direction():
    """Eq. 2."""
    model = make_model()
    walk = make_walk(model.config)
    text = model.encode(words_of(TEXTS))
    past = model.start(text)
    expected = []
    for number in range(2):
        step = model.step(text, past, walk.candidates[number], walk.counts[number])
        past = model.remember(past, step, walk.chosen[number], walk.directions[number])
        best = step.activations[torch.arange(3), walk.chosen[number]]
        expected.append(torch.cat([best, walk.directions[number]], dim=1))
    assert torch.equal(past.bank.tokens(), torch.stack(expected, dim=1))


def test_logits_and_activations_come_from_the_same_head():
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config, steps=1))[0]
    activations = torch.tanh(model.head.activate(step.stream[:, -step.mask.shape[1] :]))
    assert_same(step.activations[step.mask], activations[step.mask])
    assert_same(step.logits[step.mask], model.head.score(activations)[..., 0][step.mask])


@pytest.mark.parametrize("steps", [1, 2])
def test_a_bank_of_n_steps_is_the_full_model_with_truncated_memory(steps):
    full, limited = make_model(), make_model(memory_steps=steps)
    assert all(torch.equal(a, b) for a, b in zip(full.parameters(), limited.parameters(), strict=True))
    walk = make_walk(full.config)
    text = limited.encode(words_of(TEXTS))
    past, tokens = limited.start(text), []
    for number in range(STEPS):
        views, counts = walk.candidates[number], walk.counts[number]
        found = limited.step(text, past, views, counts)
        short = full.start(text)
        for token in tokens[-steps:]:
            short.bank.append(token)
        assert_same(found.logits, full.step(text, short, views, counts).logits)
        past = limited.remember(past, found, walk.chosen[number], walk.directions[number])
        best = found.activations[torch.arange(3), walk.chosen[number]]
        tokens.append(torch.cat([best, walk.directions[number]], dim=1))
    whole = follow(full, TEXTS, walk)[-1]
    assert not torch.allclose(found.logits[found.mask], whole.logits[whole.mask], atol=1e-3), "the limit does nothing"


@pytest.mark.parametrize("grad", [True, False])
def test_a_restored_bank_goes_on_as_the_saved_one(grad):
    model = make_model()
    walk = make_walk(model.config)
    with torch.set_grad_enabled(grad):
        text = model.encode(words_of(TEXTS))
        past = model.start(text)
        for number in range(STEPS - 1):
            step = model.step(text, past, walk.candidates[number], walk.counts[number])
            past = model.remember(past, step, walk.chosen[number], walk.directions[number])
        restored = model.start(text)
        restored.bank = MemoryBank.from_state_dict(past.bank.state_dict())
        expected = model.step(text, past, walk.candidates[-1], walk.counts[-1])
        found = model.step(text, restored, walk.candidates[-1], walk.counts[-1])
    assert_same(found.logits, expected.logits)


def test_an_episode_longer_than_the_position_table_goes_on():
    model = make_model(max_positions=16)
    walk = make_walk(model.config, steps=20)
    with torch.no_grad():
        steps = follow(model, ["Go up.", "Stop.", "Wait."], walk)
    assert all(torch.isfinite(step.logits[step.mask]).all() for step in steps)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_skipping_the_text_gives_the_same_logits(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    for full, quick in zip(follow(model, TEXTS, walk), follow(model, TEXTS, walk, need_rest=False), strict=True):
        assert_same(quick.logits, full.logits)
        assert_same(quick.activations[quick.mask], full.activations[full.mask])


def test_without_the_text_there_is_no_value():
    """The critic reads X̂: a value of a step that skipped it would be silently wrong."""
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config, steps=1), need_rest=False)[0]
    with pytest.raises(ValueError, match="text"):
        model.value(step)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_attention_on_request(changes):
    model = make_model(**changes)
    walk = make_walk(model.config)
    silent, looked = (follow(model, TEXTS, walk, need_attention=asked) for asked in (False, True))
    for number, (step, plain) in enumerate(zip(looked, silent, strict=True)):
        assert plain.attention is None
        assert torch.equal(step.logits, plain.logits)
        layers, heads = model.config.crossmodal_layers, model.config.heads
        stream, words = step.stream.shape[1], step.text.shape[1]
        assert step.attention.over_words.shape == (layers, 3, heads, stream, words)
        assert step.attention.over_stream.shape == (layers, 3, heads, stream, stream)
        for weights, keys in (
            (step.attention.over_words, step.text_mask),
            (step.attention.over_stream, step.stream_mask),
        ):
            for row in range(3):
                of_real = weights[:, row][:, :, step.stream_mask[row]]
                assert_same(of_real.sum(dim=-1), torch.ones(of_real.shape[:-1]))
                assert (of_real[..., ~keys[row]] == 0).all()
                assert (of_real[..., keys[row]] > 0).all()
        limit = model.config.memory_steps
        assert stream - step.mask.shape[1] == (number if limit is None else min(number, limit))


def test_the_critics_state_is_a_mix_of_words_and_the_mean_of_the_stream():
    model = make_model()
    step = follow(model, TEXTS, make_walk(model.config))[-1]
    for row, found in enumerate(model.pooler(step)):
        words, stream = step.text[row][step.text_mask[row]], step.stream[row][step.stream_mask[row]]
        mixed = model.pooler.mix.weight[0, : len(words)] @ words + model.pooler.mix.bias
        assert_same(found, torch.tanh(model.pooler.dense(mixed + stream.mean(dim=0))))
    assert model.value(step).shape == (3,)


def test_released_pooling_counts_padding():
    """As in the released code a padded batch pools its padding, so the state depends on how far it is padded."""
    model, ours = make_model(pool_padding=True), make_model()
    walk = make_walk(model.config, steps=2)
    steps = follow(model, TEXTS, walk)
    for step, plain in zip(steps, follow(ours, TEXTS, walk), strict=True):
        assert_same(step.logits, plain.logits)
        words = model.pooler.mix.weight[0, : step.text.shape[1]] @ step.text + model.pooler.mix.bias
        expected = torch.tanh(model.pooler.dense(words + step.stream.mean(dim=1)))
        assert_same(model.pooler(step), expected)
        assert not torch.allclose(model.pooler(step), ours.pooler(plain), atol=1e-3)


SMALLEST = {
    "hidden": 8,
    "heads": 2,
    "intermediate": 12,
    "feature_width": 6,
    "angle_width": 4,
    "vocabulary": 20,
    "max_text": 6,
    "max_positions": 12,
    "critic_hidden": 5,
}


def loss_of(model, walk):
    """A number that depends on everything: two steps with memory between them, and the critic."""
    tokens = Tokens(torch.tensor([[3, 7, 9, 2], [5, 2, 0, 0]]), torch.tensor([[0, 1, 2, -1], [0, -1, -1, -1]]))
    weights = torch.linspace(-1, 1, 12, dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for step in follow(model, tokens, walk):
        scores = step.logits.log_softmax(dim=1)[step.mask]
        total = total + (scores * weights[: len(scores)]).sum() + model.value(step).square().sum()
    return total


CHECKED = [
    "language.bert.embeddings.word_embeddings.weight",
    "language.bert.encoder.layer.0.attention.self.query.weight",
    "token_encoder.project.weight",
    "embedding.position.weight",
    "embedding.kind.weight",
    "crossmodal.layers.0.cross.attention.qkv.weight",
    "crossmodal.layers.1.cross.attention.qkv.bias",
    "crossmodal.layers.0.vision_feed_forward.expand.weight",
    "head.activate.weight",
    "pooler.mix.weight",
]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_gradients_are_the_numeric_ones(bidirectional):
    """Central differences of a few numbers of each kind of parameter, in double precision, through the memory."""
    model = make_model(**SMALLEST, bidirectional=bidirectional).double()
    walk = make_walk(model.config, batch=2, steps=2)
    for kind in (walk.candidates, walk.directions):
        kind[:] = [one.double() for one in kind]
    loss_of(model, walk).backward()
    generator = torch.Generator().manual_seed(5)
    for name in CHECKED:
        parameter = model.get_parameter(name)
        strongest = parameter.grad.flatten().abs().argsort(descending=True)[:20]
        assert parameter.grad.flatten()[strongest[0]].abs() > 1e-6, f"no gradient reaches {name}"
        picked = strongest[torch.randperm(len(strongest), generator=generator)[:4]]
        for place in picked.tolist():
            with torch.no_grad():
                flat, step = parameter.view(-1), 1e-5
                flat[place] += step
                above = loss_of(model, walk)
                flat[place] -= 2 * step
                below = loss_of(model, walk)
                flat[place] += step
            numeric = float(above - below) / (2 * step)
            assert float(parameter.grad.view(-1)[place]) == pytest.approx(numeric, rel=1e-4, abs=1e-7), name


def test_gradients_flow_through_the_memory_to_the_first_step():
    model = make_model()
    walk = make_walk(model.config, steps=3)
    first = walk.candidates[0].requires_grad_()
    last = follow(model, TEXTS, walk)[-1]
    last.logits[last.mask].square().sum().backward()
    reached = first.grad.abs().sum(dim=-1) > 0
    assert torch.equal(reached, torch.arange(first.shape[1]) < walk.counts[0][:, None])


def test_every_parameter_learns():
    model = make_model(crossmodal_layers=2).train()
    walk = make_walk(model.config, steps=2)
    steps = follow(model, TEXTS, walk)
    sum(step.logits[step.mask].square().sum() + model.value(step).square().sum() for step in steps).backward()
    still = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


def test_the_single_direction_learns_too():
    model = make_model(bidirectional=False).train()
    steps = follow(model, TEXTS, make_walk(model.config, steps=2))
    sum(step.logits[step.mask].square().sum() + model.value(step).square().sum() for step in steps).backward()
    still = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert still == []


def test_training_is_reproducible_and_evaluation_deterministic():
    model = make_model()
    walk = make_walk(model.config, steps=3)

    def logits(seed):
        torch.manual_seed(seed)
        return torch.cat([step.logits[step.mask] for step in follow(model, TEXTS, walk)])

    assert torch.equal(logits(1), logits(2)), "evaluation draws random numbers"
    model.train()
    assert torch.equal(logits(1), logits(1))
    assert not torch.allclose(logits(1), logits(2), atol=1e-2)


def test_feature_dropout_falls_on_image_numbers_only():
    config = dataclasses.replace(PRESETS["tiny"], feature_dropout=0.4)
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


def test_feature_dropout_falls_on_the_memory_too():
    model = make_model(dropout=0.0, feature_dropout=0.5).train()
    seen = []
    model.token_encoder.project.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    walk = make_walk(model.config, batch=3, steps=2)
    follow(model, TEXTS, walk)
    remembered = [given for given in seen if len(given) == 3]
    assert remembered, "the memory does not go through the token encoder"
    share = float((remembered[-1][..., : model.config.feature_width] == 0).float().mean())
    assert share == pytest.approx(0.5, abs=0.2)
    assert (remembered[-1][..., model.config.feature_width :] != 0).all()


def test_packing_is_undone_by_spreading():
    mask = torch.tensor([[True, True, False], [True, False, False], [False, False, False], [True, True, True]])
    tokens = torch.randn(4, 3, 5)
    packing = Packing(mask)
    packed = packing.pack(tokens)
    assert packed.shape == (6, 5)
    assert torch.equal(packing.spread(packed), tokens * mask[..., None])
    for kept in (Packing(torch.ones_like(mask)), Packing(mask, drop=False)):
        assert torch.equal(kept.spread(kept.pack(tokens)), tokens)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_heads_that_fit(name):
    config = PRESETS[name]
    assert config.hidden % config.heads == 0
    assert config.token_width == config.feature_width + config.angle_width
