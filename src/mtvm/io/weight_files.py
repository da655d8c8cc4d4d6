"""Reading files of weights without running what they may hold, and without believing what they say of their sizes."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import pickle
import pickletools
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mtvm.errors import InputError, MissingExtraError, brief
from mtvm.io.files import atomic_path
from mtvm.io.unpacking import check_unpacked
from mtvm.machine import import_torch

if TYPE_CHECKING:
    from torch import Tensor

CHECKSUM = "sha256"
"""The entry of a safetensors file's own description that holds the digest of its tensors."""

_PICKLES = 5
"""In a file that is no archive, one after the other: a mark, the version, the system, the tensors, and their places."""
_LONGEST_NAME = 1000


def read_weight_file(path: Path) -> dict[str, Any]:
    """The content of a safetensors file or of a pickle of plain tensors; code in a pickle is never run."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such weight file; give a file of weights, or the folder of an agent.")
    torch = import_torch(f"Reading {path.name}")
    try:
        if path.suffix == ".safetensors":
            return _read_safetensors(path)
        _check_names(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of kinds of tensors that are refused below
            loaded = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if "Unsupported global" in str(error) or "Unsupported class" in str(error):
            raise InputError(f"{path}: holds code beside tensors, which is not run; use a file of tensors.") from None
        raise InputError(f"{path}: cannot be read as weights; download it again.") from None
    except (MemoryError, InputError):
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot read these weights ({error.strerror or error}).") from None
    except ImportError:
        raise MissingExtraError("safetensors", "model", f"Reading {path.name}") from None
    except Exception:  # a damaged pickle fails in every way there is
        raise InputError(f"{path}: cannot be read as weights; download it again.") from None
    if not isinstance(loaded, dict):
        raise InputError(f"{path}: holds a {type(loaded).__name__}, not tensors by name.")
    _check_tensors(path, loaded)
    return loaded


def _check_names(path: Path) -> None:
    """Raise if a pickle names something in very many letters, which torch would take minutes to complain of."""
    with contextlib.ExitStack() as stack:
        pickles: list[IO[bytes]] = [stack.enter_context(path.open("rb"))] * _PICKLES
        if zipfile.is_zipfile(path):
            archive = stack.enter_context(zipfile.ZipFile(path))
            check_unpacked(path, sum(item.file_size for item in archive.infolist()))
            found = [item for item in archive.infolist() if item.filename.lower().endswith("data.pkl")]
            pickles = [stack.enter_context(archive.open(item)) for item in found]
        operations = itertools.chain.from_iterable(map(pickletools.genops, pickles))
        too_long = False
        try:
            too_long = any(one.name == "GLOBAL" and len(str(name)) > _LONGEST_NAME for one, name, _ in operations)
        except MemoryError:
            raise pickle.UnpicklingError("it says to hold a text larger than the memory") from None
        except ValueError:
            pass  # fewer pickles, or a damaged one: torch stops there too, and says what it has found
    if too_long:
        raise pickle.UnpicklingError("Unsupported global")


def _read_safetensors(path: Path) -> dict[str, Any]:
    """The tensors of one file: safetensors opens it again for them, when another process may have replaced it."""
    while True:
        before = _identity(path)
        try:
            described, tensors = _parts_of_safetensors(path)
        except Exception:
            if _identity(path) == before:
                raise
            continue
        if _identity(path) == before:
            break
    if CHECKSUM in described and described[CHECKSUM] != checksum(tensors):
        raise InputError(f"{path}: these weights are damaged (they have another checksum); copy them again.")
    return tensors


def _parts_of_safetensors(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """What a file says of itself, and its tensors."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118, it is no dict


def _identity(path: Path) -> tuple[int, ...]:
    """Of the file that is at this path now."""
    known = path.stat()
    return known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns


def checksum(tensors: Mapping[str, Tensor]) -> str:
    """A digest of tensors by name."""
    torch = import_torch("Weights")
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        if tensor.numel():
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def is_finite(tensor: Tensor) -> bool:
    """Whether all numbers of a tensor are finite, in one pass."""
    torch = import_torch("Weights")
    if tensor.is_meta or not (tensor.numel() and tensor.is_floating_point()):
        return True
    numbers = tensor.float() if tensor.element_size() == 1 else tensor  # torch cannot compare numbers of one byte
    return all(bool(extreme.isfinite()) for extreme in torch.aminmax(numbers))  # both are NaN if one number is


def check_finite(path: Path, tensors: Mapping[str, Any]) -> None:
    """Raise if a tensor that was read from `path` holds a number that is not finite, which would spoil all others."""
    torch = import_torch("Weights")
    for name, tensor in tensors.items():
        if isinstance(tensor, torch.Tensor) and not is_finite(tensor):
            raise InputError(f"{path}: the weights {brief(name)} are not all finite numbers; copy or train them again.")


def write_safetensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors with their digest; a full disk leaves what was there."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
    with atomic_path(path) as fresh:
        fresh.touch()
        mode = fresh.stat().st_mode  # safetensors would let nobody else read the file
        try:
            save_file(whole, fresh, {CHECKSUM: checksum(whole)})
        except SafetensorError as error:
            raise InputError(f"{path}: writing failed ({error}); nothing was changed.") from None
        fresh.chmod(mode)


@contextlib.contextmanager
def torch_file(path: Path) -> Iterator[IO[bytes]]:
    """A file for torch to write to, which is then at `path`, whole, or else as before."""
    try:
        with atomic_path(path) as fresh, fresh.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except RuntimeError as error:  # torch wraps a failed write in its own way
        raise InputError(f"{path}: writing failed (the disk may be full); nothing was changed.") from error


def _check_tensors(path: Path, content: Any) -> None:
    """Raise unless all tensors are plain ones, whose numbers are in the file."""
    torch = import_torch("Weights")
    total = 0
    for name, tensor in _tensors(content):
        plain = tensor.layout == torch.strided and tensor.device.type == "cpu" and not tensor.is_quantized
        if not plain:
            raise InputError(f"{path}: the tensor {brief(name)} holds no plain numbers ({_kind(tensor)}); convert it.")
        claimed = tensor.numel() * tensor.element_size()
        if claimed > tensor.untyped_storage().nbytes():
            raise InputError(f"{path}: the tensor {brief(name)} has more numbers than the file holds of it.")
        total += claimed
    check_unpacked(path, total)


def _tensors(content: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    torch = import_torch("Weights")
    waiting, seen = [(name, content)], set()
    while waiting:
        name, value = waiting.pop()
        if id(value) in seen:
            continue  # a pickle may hold itself
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, Mapping):
            waiting += [(str(key), item) for key, item in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(name, item) for item in value]


def _kind(tensor: Tensor) -> str:
    if tensor.is_quantized:
        return "quantised"
    return "it is on no device" if tensor.device.type == "meta" else str(tensor.layout).removeprefix("torch.")
