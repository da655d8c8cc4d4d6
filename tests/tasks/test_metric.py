"""The one record of what the metrics are, which selection, tables and reports share."""

import subprocess
import sys

import pytest

from mtvm.configs.run import SelectionConfig
from mtvm.errors import InputError
from mtvm.tasks.metric import METRICS, NAVIGATION, Metric, describe_units

NAMES = tuple(metric.name for metric in NAVIGATION)


def test_evaluated_metrics_are_in_the_order_of_the_tables_and_arrival_is_not_among_them():
    assert NAMES == ("NE", "SR", "OSR", "SPL", "TL", "nDTW", "SDTW", "CLS", "GP")
    assert set(METRICS) == {*NAMES, "RGS", "RGSPL", "AR"}
    assert all(name == metric.name for name, metric in METRICS.items())


def test_lengths_are_in_metres_and_rates_in_percent():
    assert {name for name, metric in METRICS.items() if not metric.is_rate} == {"NE", "TL", "GP"}
    assert METRICS["NE"].format(4.126) == "4.13"
    assert METRICS["GP"].format(-1.0) == "-1.00"
    assert METRICS["SR"].format(51.26) == "51.3"


def test_sign_makes_more_better():
    assert {name for name, metric in METRICS.items() if metric.sign == -1} == {"NE", "TL"}
    assert {metric.sign for metric in METRICS.values()} == {-1, 1}
    assert Metric("other", "%", "neither", "").sign == 0


@pytest.mark.parametrize(
    ("names", "caption"),
    [
        (NAMES, "NE, TL and GP in metres, the others in percent"),
        (("NE", "SR", "TL"), "NE and TL in metres, the others in percent"),
        (("NE", "SR", "AR"), "NE in metres, the others in percent"),
        (("SR", "SPL"), "all in percent"),
        (("NE", "GP"), "all in metres"),
    ],
)
def test_units_are_described_in_words(names, caption):
    assert describe_units(METRICS[name] for name in names) == caption


def test_only_evaluated_metrics_select():
    for name in NAMES:
        assert SelectionConfig(metric=name).metric == name
    with pytest.raises(InputError, match=r"selection\.metric 'AR' is not one of NE, SR, .*, GP\."):
        SelectionConfig(metric="AR")


def test_the_record_needs_no_numpy():
    code = "import sys, mtvm.tasks.metric; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
