from __future__ import annotations

import dataclasses

from generated import DEFAULT_HOMES, home

from mtvm.homes.generate import generate_home


def test_generate_home_is_deterministic():
    for seed in (1, 3, 7):
        assert generate_home(f"home{seed:02}", seed) == home(seed)


def test_generate_home_uses_the_name_only_in_ids():
    other = generate_home("elsewhere", 3)
    assert other.scan == "elsewhere"
    assert {v.id for v in other.viewpoints}.isdisjoint(v.id for v in home(3).viewpoints)
    same = tuple(dataclasses.replace(v, id="") for v in home(3).viewpoints)
    assert tuple(dataclasses.replace(v, id="") for v in other.viewpoints) == same
    assert (other.rooms, other.things, other.edges) == (home(3).rooms, home(3).things, home(3).edges)


def test_generate_home_indexes_match_positions():
    for seed in range(6):
        built = home(seed)
        for items in (built.rooms, built.openings, built.windows, built.stairs, built.things):
            assert [item.index for item in items] == list(range(len(items)))


def test_generate_home_rounds_coordinates_to_plain_floats():
    def plain(value: object) -> bool:
        if dataclasses.is_dataclass(value):
            return all(plain(getattr(value, field.name)) for field in dataclasses.fields(value))
        if isinstance(value, tuple):
            return all(map(plain, value))
        return value is None or (type(value) in (int, str)) or (type(value) is float and value == round(value, 6))

    assert plain(home(1))
    assert plain(home(4))


def test_generate_home_gives_varied_and_large_homes():
    homes = [home(seed) for seed in range(DEFAULT_HOMES)]
    assert sum(len(built.viewpoints) for built in homes) >= 900
    assert len({room.kind for built in homes for room in built.rooms}) >= 12
    assert len({thing.kind for built in homes for thing in built.things}) >= 40
    assert 10 <= sum(len(built.storey_heights) == 2 for built in homes) <= 26
    ids = [viewpoint.id for built in homes for viewpoint in built.viewpoints]
    assert len(set(ids)) == len(ids)
