"""With this folder on PYTHONPATH, `import MatterSim` gives mtvm's simulator (see `mtvm.world.mattersim`)."""

from mtvm.world.mattersim import SimState, Simulator, ViewPoint

__all__ = ["SimState", "Simulator", "ViewPoint"]
