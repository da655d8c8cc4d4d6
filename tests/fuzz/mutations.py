"""Spoiling files: bytes, numbers and words anywhere, values of JSON, members of archives with right checksums."""

import gzip
import io
import json
import re
import zipfile

ODD_VALUES = [
    None,
    True,
    -1,
    0,
    10**400,
    2**63,
    1e308,
    "",
    "x" * 5000,
    "\x1b[2J\x00",
    "é\u202e",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
]
TOKENS = [
    *(b"NaN", b"-Infinity", b"1e999", b"-1", b"9" * 400, b"null", b"true", b'""', b"\\ud800", b"\x00" * 8, b"\xff\xfe"),
    *(b"[" * 3000, b'{"a":' * 3000, b"\x1b[31m", b"../../etc/passwd", b"\n", b"PK\x05\x06", b"\x93NUMPY", b"%!PS"),
]


def mutated(content, rng):
    """The bytes of a file, spoiled in one of many ways."""
    ways = [_bytes]
    if content[:1] in b"[{" and content:
        ways += [_json, _json]
    if content[:2] == b"PK":
        ways += [_archive, _archive]
    if content[:2] == b"\x1f\x8b":
        ways += [_packed, _packed]
    return rng.choice(ways)(content, rng)


def _bytes(content, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        content = rng.choice([_flip, _cut, _delete, _repeat, _insert, _insert_token, _replace_number])(content, rng)
    return content


def _place(content, rng):
    """Beginnings and ends hold what describes the rest."""
    length = len(content)
    near = rng.randrange(min(length, 400) + 1)
    return min(length, rng.choice([near, length - near, rng.randrange(length + 1)]))


def _flip(content, rng):
    if not content:
        return content
    place = min(_place(content, rng), len(content) - 1)
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def _cut(content, rng):
    return content[: _place(content, rng)]


def _delete(content, rng):
    place = _place(content, rng)
    return content[:place] + content[place + rng.choice([1, 2, 10, 100, 1000]) :]


def _repeat(content, rng):
    place = _place(content, rng)
    return (
        content[:place] + content[place : place + rng.choice([1, 10, 1000])] * rng.choice([2, 3, 50]) + content[place:]
    )


def _insert(content, rng):
    place = _place(content, rng)
    return content[:place] + rng.randbytes(rng.choice([1, 2, 8, 64])) + content[place:]


def _insert_token(content, rng):
    place = _place(content, rng)
    return content[:place] + rng.choice(TOKENS) + content[place + rng.choice([0, 0, 1, 8]) :]


def _replace_number(content, rng):
    found = list(re.finditer(rb"-?\d+(\.\d+)?", content[:20_000]))
    if not found:
        return _flip(content, rng)
    one = rng.choice(found)
    return content[: one.start()] + rng.choice(TOKENS) + content[one.end() :]


def _json(content, rng):
    """One value of the file, or of one of its lines, replaced, removed or doubled."""
    lines = content.splitlines(keepends=True)
    number = rng.randrange(len(lines)) if _is_json(lines[0]) and len(lines) > 1 else None
    try:
        value = json.loads(content if number is None else lines[number])
    except (ValueError, RecursionError):
        return _bytes(content, rng)
    spoiled = json.dumps(_spoiled(value, rng)).encode()
    if number is None:
        return spoiled
    return b"".join([*lines[:number], spoiled + b"\n", *lines[number + 1 :]])


def _is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _spoiled(value, rng):
    holder = [value]
    place, key = holder, 0
    while rng.random() < 0.85 and isinstance(place[key], dict | list) and place[key]:
        place = place[key]
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
    way = rng.randrange(4)
    if way == 0 and place is not holder:
        del place[key]
    elif way == 1 and isinstance(place, list) and place is not holder:
        place.insert(key, place[key])
    elif way == 2 and isinstance(place, dict):
        place[rng.choice(["", "extra", "\x00", "x" * 300])] = place.pop(key)
    else:
        place[key] = rng.choice(ODD_VALUES)
    return holder[0]


def _archive(content, rng):
    """An archive with one member spoiled, renamed, removed or doubled, packed or not."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(item.filename, archive.read(item)) for item in archive.infolist()]
    except Exception:
        return _bytes(content, rng)
    number, way = rng.randrange(len(members)), rng.randrange(5)
    name, inside = members[number]
    if way == 0:
        members.pop(number)
    elif way == 1:
        members[number] = (rng.choice([".", "a/b", name + "x", "x" * 300]), inside)
    else:
        members[number] = (name, _bytes(inside, rng))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, inside in members:
            archive.writestr(name, inside)
    return packed.getvalue()


def _packed(content, rng):
    try:
        inside = gzip.decompress(content)
    except Exception:
        return _bytes(content, rng)
    return gzip.compress(mutated(inside, rng), 1)
