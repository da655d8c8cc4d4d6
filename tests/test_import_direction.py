"""No import goes against the direction world > features > tasks > models > learning > app."""

import ast
from pathlib import Path

import pytest

import mtvm

SOURCE = Path(mtvm.__file__).parent
# A module may import from rooms of its own number or a lower one.
ROOMS = {
    "errors": 0,
    "io": 0,
    "machine": 0,
    "products": 0,
    "progress": 0,
    "plugins": 0,
    "world": 1,
    "features": 2,
    "tasks": 3,
    "acting": 4,
    "homes": 4,
    "llm": 4,
    "testing": 4,
    "models": 5,
    "gym": 6,
    "configs": 6,
    "learning": 7,
    "studies": 8,
    "viewer": 8,
    "app": 9,
    "__main__": 9,
    "__init__": 10,  # the public surface, which imports lazily
}
APART = [{"homes", "models"}, {"homes", "acting"}, {"testing", "models"}, {"studies", "viewer"}]
"""Rooms of one number that know nothing of each other."""


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            # `from mtvm import x` may name a module or something that the package offers.
            found |= {f"{node.module}.{alias.name}" for alias in node.names} if node.module == "mtvm" else {node.module}
    return {name for name in found if name == "mtvm" or name.startswith("mtvm.")}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_imports_only_from_rooms_below_it(path):
    relative = path.relative_to(SOURCE)
    own = relative.parts[0].removesuffix(".py")
    assert own in ROOMS, f"{relative}: say in ROOMS where this room stands"
    for name in imports_of(path):
        other = room_of(name)
        if other in ("__version__", "__init__") or (own == "app" and name == "mtvm"):
            continue  # the version, and the commands over the public surface
        assert ROOMS[other] <= ROOMS[own], f"{relative} imports {name}, which stands above it"
        assert {own, other} not in APART, f"{relative} imports {name}, which stands beside it"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_app_and_studies_know_the_built_in_world(path):
    own = path.relative_to(SOURCE).parts[0]
    assert own in ("homes", "app", "studies") or not {name for name in imports_of(path) if room_of(name) == "homes"}


def test_imports_of_sees_imports_inside_functions(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("def f():\n    from mtvm.learning.trainer import train\n    import mtvm.app.cli\n")
    assert imports_of(path) == {"mtvm.learning.trainer", "mtvm.app.cli"}


def test_config_and_run_folder_need_no_torch():
    import subprocess
    import sys

    code = (
        "import sys, mtvm, mtvm.configs.presets, mtvm.learning.run_folder, mtvm.app.cli; "
        "assert mtvm.load_episodes and mtvm.Simulator and mtvm.score and mtvm.configs.presets.PRESETS['paper']; "
        "assert not {'torch', 'transformers', 'scipy', 'matplotlib'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
