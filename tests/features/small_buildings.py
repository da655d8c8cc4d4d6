"""Made-up buildings whose captions say what their rooms are, and what people say who walk through them."""

import json
from types import SimpleNamespace

import numpy as np

SEEN = {
    "kitchen": ("a stove and a sink", "oven"),
    "bedroom": ("a bed with a pillow", "bed"),
    "garage": ("a car in front of a door", "car"),
}
DETECTED = {"kitchen": "oven", "bedroom": "couch", "garage": "truck"}
BUILDINGS = ["h0", "h1", "h2", "h3"]
NEW = "new"
LEVEL = list(range(12, 24))
PLACES = 6  # in a row from west to east, 2 m apart; the west half is one room, the east half another


def rooms_of(scan):
    """Only h3 has a garage, which comes before its kitchen."""
    return ["garage"] * 3 + ["kitchen"] * 3 if scan == "h3" else ["kitchen"] * 3 + ["bedroom"] * 3


def write_buildings(folder, annotated=BUILDINGS):
    (folder / "connectivity").mkdir(exist_ok=True)
    said, seen, found = [], [], []
    for scan in [*BUILDINGS, NEW]:
        rooms, records = rooms_of(scan), []
        for place in range(PLACES):
            pose = np.eye(4)
            pose[0, 3] = 2.0 * place
            edges = [abs(place - other) == 1 for other in range(PLACES)]
            record = {"image_id": f"v{place}", "pose": pose.ravel().tolist(), "included": True}
            records.append(record | {"unobstructed": edges, "visible": edges})
            # At 90 degrees is the next place to the east, at 270 the one to the west.
            ahead = {2: rooms[min(place + 1, PLACES - 1)], 6: rooms[max(place - 1, 0)]}
            captions = [[SEEN[ahead.get(heading, rooms[place])][0]] * 3 for heading in range(8)]
            said.append({"scan": scan, "viewpoint": f"v{place}", "captions": captions})
            # A detector finds what is in the level views, and does not know any captions.
            boxes = [[DETECTED[rooms[place]], 0.9, [100, 100, 400, 400], "a thing"]]
            views = {"captions": ["a room"] * 36, "objects": [boxes if view in LEVEL else [] for view in range(36)]}
            found.append({"scan": scan, "viewpoint": f"v{place}"} | views)
            thing = {"id": place, "name": SEEN[rooms[place]][1], "views": LEVEL, "boxes": [[0, 0, 9, 9]] * 12}
            if scan in annotated:
                seen.append({"scan": scan, "viewpoint": f"v{place}", "room": rooms[place], "objects": [thing]})
        (folder / "connectivity" / f"{scan}_connectivity.json").write_text(json.dumps(records))
    for name, lines in (("captions.jsonl", said), ("semantics.jsonl", seen), ("langnav.jsonl", found)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def walks():
    """Everybody walks to the east and speaks of a stove where one is ahead, else of a bed."""
    for scan in BUILDINGS[:3]:
        for start in range(PLACES - 1):
            text = "Walk past the stoves." if rooms_of(scan)[start + 1] == "kitchen" else "Go to the bed and stop."
            for _ in range(40):
                yield SimpleNamespace(scan=scan, text=text, reference=(f"v{start}", f"v{start + 1}"))
