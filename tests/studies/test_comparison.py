"""Evaluations compared on the same episodes: hand-made ones, whose answer is known."""

import json
import re

import numpy as np
import pytest

from mtvm.app.cli import main
from mtvm.errors import InputError
from mtvm.studies.comparison import compare, read_evaluation, read_seeds, read_trainings
from mtvm.tasks.metric import NAVIGATION

NAMES = tuple(metric.name for metric in NAVIGATION)


def write(folder, scores, scans=None, ids=None):
    """An evaluation whose episodes have these SRs, and 1 for everything else."""
    folder.mkdir(parents=True)
    scans = scans or [f"scan{number % 3}" for number in range(len(scores))]
    ids = ids or [f"{number}_0" for number in range(len(scores))]
    lines = [",".join(["id", "scan", *NAMES])]
    for identity, scan, score in zip(ids, scans, scores, strict=True):
        lines.append(",".join([identity, scan, *(str(score) if name == "SR" else "1.0" for name in NAMES)]))
    (folder / "episodes.csv").write_text("\n".join(lines) + "\n")
    return str(folder)


def test_means_gains_and_deviations(tmp_path):
    first = write(tmp_path / "a", [0, 100, 0, 100, 0, 100])
    for seed, scores in enumerate(([100, 100, 0, 100, 0, 100], [100, 100, 100, 100, 0, 100])):
        write(tmp_path / f"seed{seed}" / "b", scores)
    found = compare(read_trainings([first, str(tmp_path / "seed*" / "b")]), "SR")
    assert [one.mean.value for one in found] == pytest.approx([50, 75])
    assert found[0].gain is None
    assert found[0].deviation is None
    assert found[0].verdict is None
    assert found[1].gain.value == pytest.approx(25)
    assert found[1].deviation == pytest.approx(np.std([400 / 6, 500 / 6], ddof=1))


def test_a_gain_in_every_building_is_real_and_none_is_not(tmp_path):
    first = write(tmp_path / "a", [0] * 6 + [100] * 6)
    better = write(tmp_path / "b", [0] * 3 + [100] * 9)
    found = compare(read_trainings([first, better, first]), "SR")
    assert [one.verdict for one in found] == [None, "better", "cannot tell"]
    assert found[1].gain.low == pytest.approx(25), "a quarter of each of three buildings"
    assert compare(read_trainings([better, first]), "SR")[1].verdict == "worse"


def test_less_of_an_error_is_better(tmp_path):
    folders = [write(tmp_path / name, [0] * 6) for name in "ab"]
    file = tmp_path / "b" / "episodes.csv"
    file.write_text(re.sub(r"(scan\d),1\.0", r"\1,0.5", file.read_text()))  # NE is the first metric
    assert compare(read_trainings(folders), "NE")[1].verdict == "better"


def test_the_order_of_the_episodes_does_not_matter(tmp_path):
    ids, scans, scores = ["1", "2", "3", "4"], ["a", "a", "b", "b"], [0, 100, 0, 0]
    first = write(tmp_path / "a", scores, scans, ids)
    other = write(tmp_path / "b", scores[::-1], scans[::-1], ids[::-1])
    gain = compare(read_trainings([first, other]), "SR")[1].gain
    assert gain.low == gain.high == 0


def test_bad_evaluations_are_refused(tmp_path):
    first, other = write(tmp_path / "a", [0, 100]), write(tmp_path / "b", [0, 100, 0])
    with pytest.raises(InputError, match="other episodes"):
        read_trainings([first, other])
    with pytest.raises(InputError, match=r"other episodes than .*a; give seeds"):
        read_seeds(str(tmp_path / "[ab]"))
    moved = write(tmp_path / "c", [0, 100], scans=["scan0", "scan2"])
    with pytest.raises(InputError, match=r"c: holds other episodes than .*a \(1_0 is in scan2 here, in scan1 there\)"):
        read_trainings([first, moved])
    with pytest.raises(InputError, match=r"c: holds other episodes than .*a \(1_0 is in scan2 here, in scan1 there\)"):
        read_seeds(str(tmp_path / "[ac]"))
    with pytest.raises(InputError, match="no such folder"):
        read_seeds(str(tmp_path / "none*"))
    table = tmp_path / "b" / "episodes.csv"
    whole = table.read_text()
    for text in ("", "id,scan\n1,2\n", *(whole.replace("1.0", wrong) for wrong in ("x", "nan", "inf"))):
        table.write_text(text)
        with pytest.raises(InputError, match=r"episodes\.csv: not a table of episodes; write it with 'mtvm eval'"):
            read_evaluation(tmp_path / "b")
    table.unlink()
    with pytest.raises(InputError, match=r"b: has no episodes\.csv; .* goals are secret"):
        read_evaluation(tmp_path / "b")


def test_what_one_agent_was_not_measured_by_is_left_out(tmp_path, capsys):
    """As the metrics of answers, beside an agent that gave none."""
    first, other = write(tmp_path / "a", [0, 100]), write(tmp_path / "b", [100, 100])
    table = tmp_path / "b" / "episodes.csv"
    rows = [line.split(",") for line in table.read_text().splitlines()]
    place = rows[0].index("CLS")
    table.write_text("\n".join(",".join(cell for at, cell in enumerate(row) if at != place) for row in rows))
    for evaluations in ([first, other], [other, first]):
        for scores in read_trainings(evaluations):
            assert set(scores.columns) == {metric.name for metric in scores.metrics} == set(NAMES) - {"CLS"}
    assert set(read_seeds(str(tmp_path / "[ab]")).columns) == set(NAMES) - {"CLS"}
    main(["compare", first, other])
    with pytest.raises(SystemExit):
        main(["compare", first, other, "--metrics", "CLS"])
    assert "'CLS' was not measured in all of them; choose from NE, SR" in capsys.readouterr().err


def test_command_prints_lines_or_json(tmp_path, capsys):
    first, other = write(tmp_path / "a", [0, 100, 0, 100]), write(tmp_path / "b", [100] * 4)
    main(["compare", first, other, "--metrics", "SR", "NE"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 episodes in 3 buildings, NE in metres, the others in percent"
    assert any(line.split()[:2] == ["SR", "100.0"] and "+50.0" in line for line in lines)
    main(["compare", first, other, "--metrics", "SR", "--json"])
    numbers = json.loads(capsys.readouterr().out)["SR"]
    assert numbers[other]["gain"]["value"] == 50
    assert numbers[first]["gain"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "no evaluation"), (("--metrics", "best"), "'best' was not measured")],
)
def test_command_refuses_what_it_cannot_compare(tmp_path, capsys, arguments, said):
    folders = [write(tmp_path / "a", [0, 100, 0, 100])] if arguments else []
    with pytest.raises(SystemExit) as stop:
        main(["compare", *folders, *arguments])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err
