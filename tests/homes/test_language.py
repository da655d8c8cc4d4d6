import re
from itertools import pairwise

import numpy as np
import pytest
from handmade import handmade_home, handmade_scene, look_around

from mtvm.homes.words.episodes import draw_tours
from mtvm.homes.words.follower import stances_after
from mtvm.homes.words.guide import Guide
from mtvm.homes.words.journeys import draw_journeys
from mtvm.homes.words.language import write
from mtvm.homes.words.meaning import (
    BackTo,
    Beside,
    Between,
    Climb,
    Cross,
    Exit,
    Face,
    InDoorway,
    JustInside,
    Landmark,
    Pass,
    Seek,
    Stop,
    Turn,
    landmarks_of,
)
from mtvm.homes.words.phrases import ORDINALS, ROOM_NAMES, THING_NAMES
from mtvm.homes.words.stance import first_stance

CLEAR = {"solid_angle": 0.02, "visible": 0.35}


@pytest.fixture(scope="module")
def guide():
    return Guide(handmade_scene(), np.random.default_rng(3))


@pytest.fixture(scope="module")
def tours(guide):
    return draw_tours(guide, 60)


@pytest.fixture(scope="module")
def journeys(guide):
    return draw_journeys(guide, 12)


def texts_of(tours):
    return [instruction.text for tour in tours for instruction in tour.instructions]


def test_write_gives_grammatical_texts(tours, journeys):
    for text in [*texts_of(tours), *texts_of(journeys)]:
        assert re.fullmatch(r"[A-Z][A-Za-z ,.'-]*\.", text), text
        assert not re.search(r" [ ,.]", text), text
        assert not re.search(r"\b[Aa] [aeiou]", text), text
        assert not re.search(r"\b[Aa]n [^aeiou]", text), text
        assert not re.search(r"\b(\w+) \1\b", text), text
        assert not re.search(r"\b(then|and),? (then|and)\b(?<!and then)", text), text
        for sentence in re.split(r"(?<=\.) ", text):
            assert re.match("[A-Z]", sentence), text
            assert len(sentence.split()) <= 40, text


def test_write_does_not_repeat_sentences(tours):
    for text in texts_of(tours):
        sentences = text.lower().split(". ")
        assert len(set(sentences)) == len(sentences), text
        assert text.lower().count("straight") <= 2 + text.lower().count("straight ahead"), text


def test_write_gives_texts_of_human_length(tours):
    lengths = [len(text.split()) for text in texts_of(tours)]
    assert 22 <= np.mean(lengths) <= 36
    assert min(lengths) >= 9
    assert max(lengths) <= 60
    assert np.std(lengths) > 7


def test_write_varies_texts(tours):
    texts = texts_of(tours)
    assert len(set(texts)) > 0.97 * len(texts)
    assert len({tuple(text.split()[:3]) for text in texts}) > 40
    for tour in tours:
        assert len({instruction.text for instruction in tour.instructions}) == 3


def seen_by_name(home, seen, node, landmark):
    """What is in sight at a node and fits a landmark, with how well it is seen; from the lists themselves."""
    for one in seen[node]:
        if one.what == "thing":
            thing = home.things[one.index]
            look = thing.surface
            if (
                thing.kind == landmark.kind
                and landmark.colour in (None, look.colour)
                and landmark.material in (None, look.material)
            ):
                yield one
        elif one.what == landmark.kind:
            yield one


def legs_with_steps(scene, tour, meaning):
    """For each step of a meaning, the nodes from where it begins to where it ends on the tour's own walk."""
    first = first_stance(scene, tour.path[0], tour.heading)
    done = 1
    for number, step in enumerate(meaning, start=1):
        rest = meaning[number - 1 :]
        walking = next(k for k, s in enumerate(rest) if not isinstance(s, Turn | Face | Pass | Between))
        after = stances_after(meaning[: number + walking], scene, first, tour.path)
        assert after, "the walk of the tour is not one that its meaning allows"
        length = min(len(stance.walk) for stance in after)
        yield step, tour.path[done - 1 : max(len(stance.walk) for stance in after)]
        if walking == 0:
            done = length


def test_speaker_names_landmarks_only_in_clear_sight(tours, journeys):
    scene, home = handmade_scene(), handmade_home()
    seen = look_around(home)
    named = 0
    for tour in [*tours, *journeys]:
        for instruction in tour.instructions:
            for step, nodes in legs_with_steps(scene, tour, instruction.meaning):
                if isinstance(step, BackTo | Seek):
                    continue  # they name what was seen before, or is yet to be seen
                for landmark in landmarks_of(step):
                    named += 1
                    views = [one for node in nodes for one in seen_by_name(home, seen, node, landmark)]
                    assert any(
                        one.solid_angle >= CLEAR["solid_angle"] and one.visible >= CLEAR["visible"] for one in views
                    ), (instruction.text, step, nodes)
    assert named > 200


def test_speaker_names_landmarks_unambiguously(tours):
    scene, home = handmade_scene(), handmade_home()
    seen = look_around(home)
    for tour in tours:
        for instruction in tour.instructions:
            for step, nodes in legs_with_steps(scene, tour, instruction.meaning):
                for landmark in landmarks_of(step):
                    fitting = [{(o.what, o.index) for o in seen_by_name(home, seen, n, landmark)} for n in nodes]
                    assert any(len(things) == 1 for things in fitting), (instruction.text, step)


def exits_of(meaning):
    for step in meaning:
        for part in (step, getattr(step, "place", None)):
            if isinstance(getattr(part, "exit", None), Exit):
                yield part.exit


def test_write_mentions_everything_in_the_meaning(tours, journeys):
    for instruction in (one for tour in [*tours, *journeys] for one in tour.instructions):
        text = instruction.text.lower()
        for landmark in (mark for step in instruction.meaning for mark in landmarks_of(step)):
            names = THING_NAMES.get(landmark.kind, (landmark.kind,))
            assert any(f"{landmark.colour or ''} " in text and name.lower() in text for name in names), instruction
        for exit_ in exits_of(instruction.meaning):
            if exit_.leads_to and not exit_.showing:
                assert any(name in text for name in ROOM_NAMES.get(exit_.leads_to, (exit_.leads_to,))), instruction
            if exit_.ordinal:
                assert ORDINALS[exit_.ordinal - 1] in text, instruction
        for hand in ("left", "right"):
            sides = [getattr(step, "side", None) for step in instruction.meaning] + [
                e.side for e in exits_of(instruction.meaning)
            ]
            bends = [step.bend for step in instruction.meaning if isinstance(step, Turn)]
            meant = sides.count(hand) + bends.count(hand) + bends.count(f"slightly {hand}")
            pairs = sum(
                isinstance(a, Pass) and isinstance(b, Pass) and a.side == b.side == hand
                for a, b in pairwise(instruction.meaning)
            )
            assert len(re.findall(rf"\b{hand}\b", text)) == meant - pairs, instruction
        assert text.count("straight") + text.count("ahead of you") + text.count("in front of you") >= (
            Turn("ahead") in instruction.meaning
        )


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        ((Cross(Exit(leads_to="office")), Stop(JustInside())), ("office", "study")),
        ((Cross(Exit(kind="door", side="left", ordinal=2)), Stop(JustInside())), ("second door",)),
        ((Climb(up=True), Stop(Beside(Landmark("armchair", "orange")))), ("orange armchair",)),
        ((Turn("around"), Cross(Exit(), leaving="kitchen"), Stop(JustInside())), ("urn around",)),
        ((Stop(InDoorway(Exit(leads_to="bathroom"))),), ("doorway",)),
        (
            (Pass(Landmark("dresser", "brown", "wood"), "left"), Stop(Beside(Landmark("bed")))),
            ("brown wooden dresser",),
        ),
        ((Climb(up=False), BackTo("start")), ("start",)),
    ],
)
def test_write_words_each_kind_of_step(meaning, words):
    for seed in range(20):
        text = write(meaning, np.random.default_rng(seed))
        assert any(word in text for word in words), text
        assert text.endswith(".")
