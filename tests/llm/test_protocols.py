"""Protocols as files."""

import pytest

from mtvm.errors import InputError
from mtvm.llm.protocols import PLACEHOLDERS, PROTOCOLS, read_protocol

GOOD = """Mine.
moves: map
plan: the plan
action: a place

# system
You walk. $$5
# user
Go: $instruction $last_plan
"""


@pytest.mark.parametrize("name", PROTOCOLS)
def test_those_of_the_package_can_be_read_and_filled(name):
    protocol = read_protocol(name)
    assert (protocol.name, protocol.moves) == (name, "map" if name in ("mtvm", "object") else "candidates")
    assert list(protocol.fields)[-1] == "action"
    values = dict.fromkeys([*PLACEHOLDERS, *(f"last_{field}" for field in protocol.texts)], "VALUE")
    system, user = protocol.fill(values)
    assert "VALUE" in user
    assert "$" not in system + user
    for field in protocol.fields:
        assert f'"{field}"' in system, "the model is told of every field, also where the server ignores schemas"


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(GOOD)
    protocol = read_protocol(path)
    assert (protocol.name, protocol.about, protocol.moves, protocol.texts) == ("mine", "Mine.", "map", ["plan"])
    values = dict.fromkeys(PLACEHOLDERS, "") | {"instruction": "$here costs $$ {x}", "last_plan": "-"}
    assert protocol.fill(values) == ("You walk. $5", "Go: $here costs $$ {x} -")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD.replace("# user", "user"), "a line '# system' and, later, a line '# user'"),
        (GOOD + "# user\n", "once each"),
        (GOOD.replace("moves: map", "moves: turns"), "'moves: candidates' or 'moves: map', not 'turns'"),
        (GOOD.replace("action: a place\n", ""), "what the action of an answer is"),
        (GOOD.replace("$instruction", "$goal"), r"no placeholder \$goal; there are .*instruction"),
        (GOOD.replace("$$5", "$5"), "begins no placeholder"),
        ("x" * 300_000, "262,144 at most"),
    ],
    ids=["user", "twice", "moves", "action", "placeholder", "dollar", "large"],
)
def test_mistakes_in_a_file_are_named(tmp_path, content, said):
    path = tmp_path / "mine.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        read_protocol(path)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="no protocol 'mapp'; give one of mtvm, map, thought, object, or a file"):
        read_protocol("mapp")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_protocol(tmp_path / "bytes.txt")
