"""Vocabulary: names of rooms, things, exits and places."""

from __future__ import annotations

import numpy as np

from mtvm.homes.words.meaning import (
    Amid,
    Before,
    Beside,
    Exit,
    FarEnd,
    InDoorway,
    InRoom,
    JustInside,
    Landmark,
    Middle,
    Place,
    Side,
    StairsEnd,
)

ROOM_NAMES: dict[str, tuple[str, ...]] = {
    "hallway": ("hallway", "hallway", "hall", "corridor"),
    "living room": ("living room", "living room", "lounge"),
    "entryway": ("entryway", "entrance hall", "foyer"),
    "office": ("office", "office", "study"),
    "laundry room": ("laundry room", "laundry room", "laundry"),
    "gym": ("gym", "exercise room", "home gym"),
    "closet": ("closet", "closet", "walk-in closet"),
}

THING_NAMES: dict[str, tuple[str, ...]] = {
    "sofa": ("sofa", "couch"),
    "fridge": ("fridge", "refrigerator"),
    "television": ("television", "TV"),
    "washbasin": ("sink", "washbasin"),
    "bathtub": ("bathtub", "tub"),
    "potted plant": ("potted plant", "plant"),
    "bookshelf": ("bookshelf", "bookcase"),
    "office chair": ("office chair", "desk chair"),
    "dumbbell rack": ("dumbbell rack", "rack of dumbbells"),
    "painting": ("painting", "picture"),
    "bicycle": ("bicycle", "bike"),
    "tv stand": ("TV stand",),
    "stairs": ("stairs", "staircase"),
}

ADJECTIVES = {"wood": "wooden"}
"""Adjectives of materials that differ from the material's name."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

HALLS = {"hallway", "entryway"}
"""Rooms that people walk through rather than enter and leave."""

_SIDES: dict[Side, tuple[str, ...]] = {
    "left": ("on your left", "on the left", "to your left"),
    "right": ("on your right", "on the right", "to your right"),
    "ahead": ("in front of you", "straight ahead", "ahead of you"),
    "behind": ("behind you",),
}

TURNS = {
    "left": ("turn left", "turn left", "take a left", "make a left", "turn to your left"),
    "right": ("turn right", "turn right", "take a right", "make a right", "turn to your right"),
    "around": ("turn around",),
    "slightly left": ("bear left", "veer left", "turn slightly left", "turn a little to the left"),
    "slightly right": ("bear right", "veer right", "turn slightly right", "turn a little to the right"),
    "ahead": ("go straight", "walk straight", "continue straight", "head straight"),
}

# Wordings of a crossing, by what is mentioned: l the room that is left, w the exit, i the room that is entered. The
# first line of each follows a verb of motion, the second stands by itself.
FROM_FIRST_ROOM: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "l": (("out of {l}",), ("leave {l}", "exit {l}", "leave {l}")),
    "w": (("through {w}",), ("go through {w}", "take {w}")),
    "i": (("into {i}",), ("enter {i}", "step into {i}")),
    "lw": (("out of {l} through {w}",), ("leave {l} through {w}", "exit {l} through {w}", "leave {l} through {w}")),
    "li": (("out of {l} into {i}", "out of {l} and into {i}"), ("leave {l} and enter {i}", "exit {l} into {i}")),
    "wi": (("through {w} into {i}", "through {w} and into {i}"), ("enter {i} through {w}", "take {w} into {i}")),
    "lwi": (
        ("out of {l} through {w} into {i}",),
        ("leave {l} through {w} and enter {i}", "exit {l} through {w} into {i}"),
    ),
}
FROM_LATER_ROOM = FROM_FIRST_ROOM | {
    "lw": (("through {l} to {w} and go through it",), ("cross {l} and go through {w}", "leave {l} through {w}")),
    "li": (("through {l} into {i}", "through {l} and into {i}"), ("cross {l} and enter {i}", "cross {l} into {i}")),
    "lwi": (
        ("through {l} and through {w} into {i}",),
        ("cross {l} and go through {w} into {i}", "leave {l} through {w} and enter {i}"),
    ),
}


def a(noun: str) -> str:
    """A noun with the indefinite article."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


class Words:
    """The vocabulary of one text: keeps one name for each kind, and never repeats a verb of motion immediately."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._names: dict[str, str] = {}
        self._last_verb = ""

    def pick(self, *options: str) -> str:
        return options[int(self._rng.integers(len(options)))]

    def chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)

    def verb(self) -> str:
        """A verb of motion."""
        verbs = (*("walk", "go") * 4, "head", "head", "move", "proceed", "make your way")
        self._last_verb = self.pick(*(verb for verb in verbs if verb != self._last_verb))
        return self._last_verb

    def room(self, kind: str) -> str:
        return f"the {self._name(kind, ROOM_NAMES)}"

    def thing(self, landmark: Landmark) -> str:
        return f"the {self._described(landmark)}"

    def a_thing(self, landmark: Landmark) -> str:
        noun = self._described(landmark)
        return noun if noun.endswith("stairs") else a(noun)

    def _described(self, landmark: Landmark) -> str:
        material = ADJECTIVES.get(landmark.material or "", landmark.material)
        noun = self._name(landmark.kind, THING_NAMES)
        return " ".join(word for word in (landmark.colour, material, noun) if word)

    def _name(self, kind: str, names: dict[str, tuple[str, ...]]) -> str:
        if kind not in self._names:
            self._names[kind] = self.pick(*names.get(kind, (kind.replace("_", " "),)))
        return self._names[kind]

    def side(self, side: Side) -> str:
        return self.pick(*_SIDES[side])

    def beyond(self, said: Exit) -> str:
        """The room behind an exit."""
        room = self.room(said.leads_to or "room")
        if said.showing is None:
            return room
        return f"{self.pick(room, room, 'the room')} with {self.thing(said.showing)}"

    def way(self, said: Exit, noun: str = "", where_to: bool = False) -> str:
        """A door or passage, with its position and, if `where_to`, where it leads."""
        if not noun:
            noun = self.pick("door", "door", "doorway") if said.kind != "passage" else self.pick("opening", "archway")
        words = ["the", noun]
        if said.ordinal is not None:
            words.insert(1, ORDINALS[said.ordinal - 1])
        if where_to and said.leads_to:
            words.append(f"{self.pick('to', 'to', 'of') if noun == 'doorway' else 'to'} {self.beyond(said)}")
        if said.side is not None:
            words.append(self.side(said.side).replace("to your", "on your"))
        if said.beside is not None:
            words.append(f"{self.pick('next to', 'beside', 'by')} {self.thing(said.beside)}")
        if said.untaken:
            words.append("you have not been through yet")
        return " ".join(words)

    def place(self, place: Place) -> tuple[str, str]:
        """Two phrases for a place: stopping there ("next to the sofa") and walking there ("to the sofa")."""
        if isinstance(place, Beside):
            thing = self.thing(place.landmark)
            return f"{self.pick('next to', 'beside', 'by', 'near', 'next to')} {thing}", f"to {thing}"
        if isinstance(place, Amid):
            both = f"between {self.thing(place.first)} and {self.thing(place.second)}"
            return both, f"to the spot {both}"
        if isinstance(place, InDoorway):
            way = self.way(place.exit, "opening" if place.exit.kind == "passage" else "doorway", where_to=True)
            return f"in {way}", f"to {way}"
        if isinstance(place, Before):
            way = self.way(place.exit, "opening" if place.exit.kind == "passage" else "door", where_to=True)
            return f"{self.pick('in front of', 'just before', 'in front of')} {way}", f"to {way}"
        if isinstance(place, JustInside):
            return self.pick("just inside", "just inside the room"), "inside"
        if isinstance(place, FarEnd):
            end = f"the {self.pick('far', 'other')} {'end' if place.kind in HALLS else self.pick('end', 'side')}"
            return f"at {end} of {self.room(place.kind)}", f"to {end} of {self.room(place.kind)}"
        if isinstance(place, Middle):
            middle = f"the {self.pick('middle', 'middle', 'centre')} of {self.room(place.kind)}"
            return f"in {middle}", f"to {middle}"
        if isinstance(place, InRoom):
            return f"in {self.room(place.kind)}", f"into {self.room(place.kind)}"
        if isinstance(place, StairsEnd):
            end = f"the {'top' if place.end == 'top' else self.pick('bottom', 'foot')} of the stairs"
            return f"at {end}", f"to {end}"
        return (
            f"halfway {'up' if place.up else 'down'} the stairs",
            f"halfway {'up' if place.up else 'down'} the stairs",
        )
