"""A study on a Ray cluster of two nodes on this machine, of which a worker is lost."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_trials import fake_trial, tries

from mtvm.errors import MissingExtraError
from mtvm.studies import ray_runner
from mtvm.studies.runner import run_trials

ray = pytest.importorskip("ray", reason="Ray is an extra of its own: pip install 'mtvm[ray]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own code


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    made = Cluster()
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=80_000_000, include_dashboard=False)
    yield made.address
    ray.shutdown()
    made.shutdown()


def make_work():
    """What a worker does: one is killed the first time, as by a machine that goes down."""

    def work(path):
        folder = Path(path).parent
        tried = folder / "tried"
        first = not tried.exists()
        tried.write_text("x" if first else "xx")
        if first and "killed" in folder.name:
            os.kill(os.getpid(), signal.SIGKILL)
        if "fails" in folder.name:
            (folder / "failure.txt").write_text("update 3 gave nan.\n")
            return 1
        (folder / "training.json").write_text("{}")
        (folder / "evaluations" / "r2r-val_unseen-0").mkdir(parents=True)
        return 0

    return work


@pytest.mark.slow
def test_a_study_bears_a_lost_worker_and_a_trial_that_fails(cluster, tmp_path):
    runner = ray_runner.RayRunner(cluster, work=make_work())
    killed, bad, good = (fake_trial(tmp_path, arm) for arm in ("killed", "fails", "ok"))
    assert run_trials([killed, bad, good], runner) == {bad.folder.name: "update 3 gave nan."}
    assert killed.is_done
    assert good.is_done
    assert (tries(killed), tries(bad), tries(good)) == (2, 2, 1)


def make_importing_work():
    """What a worker does: it imports a module that lies in the user's current folder, as any import of ours could."""

    def work(path):
        try:
            import lies_here  # noqa: F401
        except ImportError:
            (Path(path).parent / "failure.txt").write_text(f"no such module in {Path.cwd()}.")
        return 1

    return work


@pytest.mark.slow
def test_workers_import_nothing_from_the_current_folder(cluster, tmp_path, monkeypatch):
    ray.shutdown()
    (tmp_path / "lies_here.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    trial = fake_trial(tmp_path, "ok")
    runner = ray_runner.RayRunner(cluster, work=make_importing_work())
    assert run_trials([trial], runner) == {trial.folder.name: f"no such module in {tmp_path}."}
    assert not (tmp_path / "ran").exists()


def test_a_local_cluster_is_our_own_and_started_where_no_download_lies(tmp_path, monkeypatch):
    """Ray without an address joins the cluster that $RAY_ADDRESS or /tmp/ray/ray_current_cluster names."""
    asked = []
    fake = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda address, **_: asked.append((address, Path.cwd())),
        remote=lambda **_: lambda function: function,
    )
    monkeypatch.setattr(ray_runner, "_import_ray", lambda: fake)
    monkeypatch.chdir(tmp_path)
    ray_runner.RayRunner("local")
    assert asked == [("local", Path(ray_runner.__file__).parents[2])]
    assert Path.cwd() == tmp_path


def test_without_ray_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"mtvm\[ray\]"):
        ray_runner.RayRunner("local")
