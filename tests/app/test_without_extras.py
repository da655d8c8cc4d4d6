"""An installation without optional packages: help works, and what does not is one sentence that names the extra."""

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from mtvm.errors import MissingExtraError

CODE = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
arguments = sys.argv[2:]
from mtvm.app.cli import main
main(arguments)
"""


def without(packages, *arguments):
    command = [sys.executable, "-c", CODE, packages, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_of_training_works_without_torch():
    done = without("torch,transformers,safetensors,tokenizers", "train", "tiny", "--help")
    assert done.returncode == 0, done.stderr
    assert "--optimizer.lr" in done.stdout


def test_doctor_works_without_torch(tiny_folder):
    done = without("torch", "doctor", "--data", tiny_folder)
    assert done.returncode == 0, done.stderr
    assert "PyTorch cannot be used" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("packages", "arguments", "said"),
    [
        (
            "torch",
            ("train", "tiny", "--data.folder", "{data}", "--data.sight", "blind", "--out", "{out}"),
            "mtvm[model]",
        ),
        ("torch", ("eval", "{out}"), "mtvm[model]"),
        (
            "pycocoevalcap",
            ("speaker", "train", "--data.folder", "{data}", "--data.features", "{data}", "--out", "{out}"),
            "mtvm[speaker]",
        ),
        ("torch", ("demo", "--homes", "3", "--out", "{out}"), "mtvm[model]"),
        ("torch", ("weights", "import", "{data}", "{out}"), "mtvm[model]"),
        ("embreex", ("homes", "build", "--homes", "3", "--features", "none", "--out", "{out}"), "mtvm[homes]"),
        ("PIL", ("homes", "build", "--homes", "3", "--features", "none", "--out", "{out}"), "mtvm[render]"),
    ],
)
def test_command_without_its_extra_is_one_sentence(tiny_folder, tmp_path, packages, arguments, said):
    filled = [argument.format(data=tiny_folder, out=tmp_path / "out") for argument in arguments]
    done = without(packages, *filled)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("mtvm: ")
    assert done.stderr.count("\n") == 1
    assert f"pip install '{said}'" in done.stderr


def fail():
    raise MissingExtraError("embreex", "homes", "Drawing")


def test_missing_extra_survives_a_process_pool():
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(MissingExtraError, match=r"Drawing needs embreex.*mtvm\[homes\]"),
    ):
        pool.submit(fail).result()
    error = MissingExtraError("h5py", "features", "Reading")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
