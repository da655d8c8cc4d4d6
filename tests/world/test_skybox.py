"""Rendering from made-up faces: directions, orientation, batching, depth, files and error messages."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtvm.errors import InputError, MissingExtraError
from mtvm.world import skybox
from mtvm.world.skybox import SkyboxRenderer, load_depth_faces, load_faces, render_depth, render_views, skybox_folder

Image = pytest.importorskip("PIL.Image")
numba = pytest.importorskip("numba")

# A level pose camera that looks along +y: its X is right, its Y down, its Z forward.
LEVEL = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=np.float32)
COLOURS = np.array([[250, 0, 0], [0, 250, 0], [0, 0, 250], [250, 250, 0], [0, 250, 250], [250, 0, 250]], dtype=np.uint8)
RIGHT_ANGLE = np.pi / 2


def plain_faces(size: int = 8) -> np.ndarray:
    return np.broadcast_to(COLOURS[:, None, None, :], (6, size, size, 3)).copy()


def noisy_faces(size: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (6, size, size, 3), dtype=np.uint8)


def smooth_faces(size: int = 64) -> np.ndarray:
    """Different waves on every face, at most a few grey levels from texel to texel."""
    across, down = np.meshgrid(np.arange(size) / size, np.arange(size) / size)
    faces = np.empty((6, size, size, 3), dtype=np.uint8)
    for face, channel in np.ndindex(6, 3):
        wave = np.sin(across * (1 + face % 3) * 3 + down * (channel + 1) * 2 + face)
        faces[face, :, :, channel] = np.rint(127 + 120 * wave)
    return faces


def about(axis: int, angle: float) -> np.ndarray:
    """The rotation by `angle` about a world axis."""
    matrix = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix[first, first] = matrix[second, second] = np.cos(angle)
    matrix[first, second], matrix[second, first] = -np.sin(angle), np.sin(angle)
    return matrix


def random_rotation(seed: int) -> np.ndarray:
    first, second, third = np.random.default_rng(seed).uniform(-np.pi, np.pi, 3)
    return about(2, first) @ about(0, second) @ about(1, third)


def one_view(faces, rotation=LEVEL, heading=0.0, elevation=0.0, width=33, height=33, vfov=1.0):
    return render_views(faces, rotation, [heading], [elevation], width, height, vfov)[0]


@pytest.mark.parametrize("size", [1, 2, 9])
def test_render_views_shows_each_face_in_its_direction(size):
    for quarter_turns, face in [(0, 3), (1, 4), (2, 1), (3, 2), (-1, 2)]:
        view = one_view(plain_faces(size), heading=quarter_turns * RIGHT_ANGLE)
        assert view[16, 16].tolist() == COLOURS[face].tolist()
    for elevation, face in [(RIGHT_ANGLE, 0), (-RIGHT_ANGLE, 5)]:
        view = one_view(plain_faces(size), heading=0.3, elevation=elevation)
        assert view[16, 16].tolist() == COLOURS[face].tolist()


def test_render_views_shows_neighbouring_faces_on_the_right_sides():
    view = one_view(plain_faces(), vfov=2.4)
    assert view[16, 32].tolist() == COLOURS[4].tolist()
    assert view[16, 0].tolist() == COLOURS[2].tolist()
    assert view[0, 16].tolist() == COLOURS[0].tolist()
    assert view[32, 16].tolist() == COLOURS[5].tolist()


def test_render_views_is_upright_and_not_mirrored():
    faces = np.zeros((6, 32, 32, 3), dtype=np.uint8)
    faces[:, :, :, 0] = np.arange(32) * 8  # brighter to the right
    faces[:, :, :, 1] = np.arange(32)[:, None] * 8  # brighter downwards
    for heading in np.arange(4) * RIGHT_ANGLE:
        view = one_view(faces, heading=heading).astype(int)
        assert (np.diff(view[..., 0], axis=1) > 0).all()
        assert (np.diff(view[..., 1], axis=0) > 0).all()
        assert one_view(faces, heading=heading + 0.2)[16, 16, 0] > view[16, 16, 0] + 10, "turning right"
        assert one_view(faces, heading=heading, elevation=0.2)[16, 16, 1] < view[16, 16, 1] - 10, "looking up"


@pytest.mark.parametrize(
    ("axis", "angle", "heading", "elevation"),
    [(2, -0.4, 0.4, 0), (2, 1.1, -1.1, 0), (0, 0.02, 0, 0.02), (0, -0.5, 0, -0.5)],
)
def test_render_views_turns_the_faces_with_the_pose(axis, angle, heading, elevation):
    faces = smooth_faces()
    moved = one_view(faces, about(axis, angle) @ LEVEL, heading, elevation).astype(int)
    assert np.abs(moved - one_view(faces)).max() <= 2
    assert np.abs(moved - one_view(faces, LEVEL, heading, elevation)).max() > 2


def test_render_views_of_an_upside_down_pose_is_upside_down():
    faces = smooth_faces()
    rolled = one_view(faces, about(1, np.pi) @ LEVEL)
    assert np.abs(rolled[::-1, ::-1].astype(int) - one_view(faces)).max() <= 2


@settings(max_examples=40)
@given(
    size=st.integers(1, 9),
    width=st.integers(1, 70),
    height=st.integers(1, 40),
    vfov=st.floats(0.01, 3.1),
    angles=st.lists(st.tuples(st.floats(-50, 50), st.floats(-4, 4)), max_size=4),
    seed=st.integers(0, 1000),
)
def test_render_views_of_any_size_has_only_colours_of_the_faces(size, width, height, vfov, angles, seed):
    headings, elevations = [h for h, _ in angles], [e for _, e in angles]
    views = render_views(plain_faces(size), random_rotation(seed), headings, elevations, width, height, vfov)
    assert views.shape == (len(angles), height, width, 3)
    assert views.dtype == np.uint8
    known = {tuple(colour) for colour in COLOURS.tolist()}
    assert {tuple(colour) for colour in np.unique(views.reshape(-1, 3), axis=0).tolist()} <= known


@pytest.fixture
def threads_for_any_size(monkeypatch):
    monkeypatch.setattr(skybox, "PIXELS_WORTH_THREADS", 0)


@pytest.mark.usefixtures("threads_for_any_size")
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_render_views_of_many_equals_one_by_one(threads):
    faces, rotation = noisy_faces(31), random_rotation(3)
    headings, elevations = np.linspace(-4, 9, 7), np.linspace(-1.5, 1.5, 7)
    views = render_views(faces, rotation, headings, elevations, 321, 203, 1.3, threads=threads)
    for view, heading, elevation in zip(views, headings, elevations, strict=True):
        np.testing.assert_array_equal(view, one_view(faces, rotation, heading, elevation, 321, 203, 1.3))


def test_render_views_fills_and_returns_out():
    out = np.zeros((2, 5, 7, 3), dtype=np.uint8)
    views = render_views(noisy_faces(4), LEVEL, [0, 1], [0, 1], 7, 5, 1.0, out=out)
    assert views is out
    assert render_views(noisy_faces(4), LEVEL, [], [], 7, 5, 1.0).shape == (0, 5, 7, 3)
    np.testing.assert_array_equal(out, render_views(noisy_faces(4), LEVEL, [0, 1], [0, 1], 7, 5, 1.0))


def test_render_views_takes_faces_in_any_memory_layout():
    faces = noisy_faces(12)
    view = one_view(faces)
    np.testing.assert_array_equal(one_view(np.asfortranarray(faces)), view)
    faces.flags.writeable = False
    np.testing.assert_array_equal(one_view(faces), view)


@pytest.mark.usefixtures("threads_for_any_size")
def test_render_views_can_run_on_several_threads_at_once():
    def draw(seed: int) -> np.ndarray:
        return render_views(noisy_faces(16, seed), LEVEL, [0, 1, 2], [0, 0, 0], 300, 300, 1.0, threads=2)

    alone = [draw(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        for view, expected in zip(pool.map(draw, range(6)), alone, strict=True):
            np.testing.assert_array_equal(view, expected)


def draw_in_child(queue) -> None:
    queue.put(int(render_views(noisy_faces(16), LEVEL, [0, 1], [0, 0], 300, 300, 1.0, threads=2).sum()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.usefixtures("threads_for_any_size")
def test_render_views_runs_in_a_forked_process():
    """Data loaders fork after the parent has rendered."""
    expected = int(render_views(noisy_faces(16), LEVEL, [0, 1], [0, 0], 300, 300, 1.0, threads=2).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=draw_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join()
    assert child.exitcode == 0


def test_render_depth_of_a_sphere_falls_off_with_the_cosine():
    faces = np.full((6, 16, 16), 40_000, dtype=np.uint16)
    depth = render_depth(faces, random_rotation(1), [0.4, -2], [0.2, 1.1], 41, 31, 1.2)
    assert depth.shape == (2, 31, 41)
    assert depth.dtype == np.uint16
    assert depth[0, 15, 20] == 40_000
    corner = np.tan(0.6) * np.array([40 / 31, 30 / 31])
    assert depth[1, 0, 0] == np.rint(40_000 / np.sqrt(1 + (corner**2).sum()))
    np.testing.assert_array_equal(depth[0], depth[1])
    assert not render_depth(0 * faces, LEVEL, 0, 0, 9, 9, 1.0).any(), "unknown stays unknown"


def write_strip(folder: Path, viewpoint: str = "vp", size: int = 16) -> np.ndarray:
    faces = plain_faces(size)
    folder.mkdir(parents=True, exist_ok=True)
    strip = np.concatenate(list(faces), axis=1)
    Image.fromarray(strip).save(folder / f"{viewpoint}_skybox_small.jpg", quality=100, subsampling=0)
    return faces


def write_six(folder: Path, viewpoint: str = "vp", size: int = 16) -> np.ndarray:
    faces = plain_faces(size)
    for face, image in enumerate(faces):
        path = folder / f"{viewpoint}_skybox{face}_sami.jpg"
        Image.fromarray(image).save(path, quality=100, subsampling=0)
    return faces


@pytest.mark.parametrize("write", [write_strip, write_six])
def test_load_faces_reads_both_layouts_as_rgb(tmp_path, write):
    expected = write(tmp_path)
    faces = load_faces(tmp_path, "vp")
    assert faces.shape == expected.shape
    assert faces.dtype == np.uint8
    assert faces.flags.c_contiguous
    assert np.abs(faces.astype(int) - expected).max() <= 2


def test_load_depth_faces_reads_16_bits(tmp_path):
    strip = np.random.default_rng(0).integers(0, 65_536, (8, 48)).astype(np.uint16)
    Image.fromarray(strip).save(tmp_path / "vp_skybox_depth_small.png")
    faces = load_depth_faces(tmp_path, "vp")
    assert faces.dtype == np.uint16
    np.testing.assert_array_equal(faces[4], strip[:, 32:40])


@pytest.mark.parametrize("root", ["", "v1/scans"])
def test_skybox_folder_is_found_in_both_layouts(tmp_path, root):
    folder = tmp_path / root / "scan" / "matterport_skybox_images"
    folder.mkdir(parents=True)
    assert skybox_folder(tmp_path, "scan") == folder
    with pytest.raises(InputError, match=r"no skyboxes of scan abc here .*v1/scans/abc.* give the folder"):
        skybox_folder(tmp_path, "abc")


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def image(width: int, height: int, mode: str = "RGB"):
    """Saves a black image of this size under the path that it is called with."""
    return Image.new(mode, (width, height)).save


STRIP, FACE, DEPTH = "vp_skybox_small.jpg", "vp_skybox4_sami.jpg", "vp_skybox_depth_small.png"


@pytest.mark.parametrize(
    ("write", "name", "spoil", "sentence"),
    [
        (write_strip, STRIP, Path.unlink, rf"neither {STRIP} nor vp_skybox0_sami.jpg to .*; unpack the scan's"),
        (write_strip, STRIP, halve, rf"{STRIP}: the file is truncated; fetch it again"),
        (write_strip, STRIP, lambda path: path.write_bytes(b""), rf"{STRIP}: the file is not a readable image; fetch"),
        (write_strip, STRIP, lambda path: path.write_bytes(b"<html>"), rf"{STRIP}: the file is not a readable image"),
        (write_strip, STRIP, image(50, 10), rf"{STRIP}: six square .* as high, not 50x10; fetch"),
        (write_six, FACE, Path.unlink, rf"missing {FACE}; unpack the scan's"),
        (write_six, FACE, image(64, 12), rf"{FACE}: a skybox face must be square, not 64x12; fetch it again"),
        (write_six, FACE, image(32, 32), rf"{FACE}: this face is 32x32 but face 0 is 64x64; .* fetch them again"),
    ],
)
def test_load_faces_refuses_bad_files(tmp_path, write, name, spoil, sentence):
    write(tmp_path, size=64)
    spoil(tmp_path / name)
    with pytest.raises(InputError, match=sentence):
        load_faces(tmp_path, "vp")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (Path.unlink, rf"{DEPTH}: there is no such file; write it with"),
        (halve, rf"{DEPTH}: the file is .*; fetch it again"),
        (image(48, 8, "L"), rf"{DEPTH}: depth must be 16-bit grey, not L; write the file again"),
    ],
)
def test_load_depth_faces_refuses_bad_files(tmp_path, spoil, sentence):
    image(192, 32, "I;16")(tmp_path / DEPTH)
    spoil(tmp_path / DEPTH)
    with pytest.raises(InputError, match=sentence):
        load_depth_faces(tmp_path, "vp")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"faces": np.zeros((6, 4, 5, 3), np.uint8)}, r"faces must be uint8 of shape \(6, N, N, 3\)"),
        ({"faces": np.zeros((6, 4, 4, 3), np.float32)}, r"not float32 of shape \(6, 4, 4, 3\)"),
        ({"faces": np.zeros(6, np.uint8)}, r"not uint8 of shape \(6,\)"),
        ({"rotation": np.eye(4)}, r"rotation must be a 3x3 rotation matrix"),
        ({"rotation": np.zeros((3, 3))}, r"rotation must be a 3x3 rotation matrix"),
        ({"rotation": np.full((3, 3), np.nan)}, r"rotation must be a 3x3 rotation matrix"),
        ({"headings": [0, 1]}, r"as many headings as elevations, not shapes \(2,\) and \(1,\)"),
        ({"headings": [np.nan]}, r"headings and elevations must be finite"),
        ({"width": 0}, r"at least one pixel, not 0x6"),
        ({"vfov": 60}, r"vfov must be between 0 and pi radians, not 60"),
        ({"vfov": 0}, r"vfov must be between 0 and pi radians, not 0"),
        ({"threads": 0}, r"threads must be at least 1, not 0"),
        ({"out": np.zeros((1, 6, 9, 3), np.uint8)}, r"out must be a writable C-contiguous uint8 .*\(1, 6, 8, 3\)"),
        ({"out": np.zeros((1, 6, 8, 3), np.int8)}, r"out must be a writable"),
    ],
)
def test_render_refuses_bad_arguments(change, sentence):
    camera = {"rotation": LEVEL, "headings": [0.0], "elevations": [0.0], "width": 8, "height": 6, "vfov": 1.0}
    with pytest.raises(InputError, match=sentence):
        render_views(**({"faces": plain_faces(4)} | camera | change))
    with pytest.raises(InputError, match=r"faces must be uint16 of shape \(6, N, N\)"):
        render_depth(np.zeros((6, 4, 4), np.uint8), **camera)


@pytest.fixture
def dataset(tmp_path) -> Path:
    for viewpoint in "abc":
        write_strip(tmp_path / "scan" / "matterport_skybox_images", viewpoint)
    return tmp_path


@pytest.fixture
def decoded(monkeypatch) -> list[str]:
    """The viewpoints whose files were read, in order."""
    viewpoints = []

    def counting(folder, viewpoint):
        viewpoints.append(viewpoint)
        return load_faces(folder, viewpoint)

    monkeypatch.setattr(skybox, "load_faces", counting)
    return viewpoints


def test_renderer_draws_what_the_files_show(dataset):
    view = SkyboxRenderer(dataset).render("scan", "a", LEVEL, 0, 0)
    assert view.shape == (1, 480, 640, 3)
    assert np.abs(view[0, 240, 320].astype(int) - COLOURS[3]).max() <= 2


def test_renderer_forgets_the_viewpoint_used_longest_ago(dataset, decoded):
    renderer = SkyboxRenderer(dataset, cache_size=2)
    for viewpoint in "abacab":
        renderer.render("scan", viewpoint, LEVEL, 0, 0, width=8, height=6)
    assert decoded == ["a", "b", "c", "b"]


def test_renderer_does_not_read_preloaded_viewpoints_again(dataset, decoded):
    renderer = SkyboxRenderer(dataset, cache_size=3)
    renderer.preload([("scan", "a"), ("scan", "b"), ("scan", "a")])
    assert sorted(decoded) == ["a", "b"]
    renderer.render("scan", "b", LEVEL, 0, 0, width=8, height=6)
    assert len(decoded) == 2


def test_renderer_refuses_bad_cache_sizes_and_viewpoints(dataset):
    with pytest.raises(InputError, match=r"cache_size must be at least 1, not 0"):
        SkyboxRenderer(dataset, cache_size=0)
    renderer = SkyboxRenderer(dataset, cache_size=2)
    with pytest.raises(InputError, match=r"cannot preload 3 viewpoints into a cache of 2; give .* of 3 or more"):
        renderer.preload([("scan", viewpoint) for viewpoint in "abc"])
    with pytest.raises(InputError, match=r"no skybox of viewpoint z here"):
        renderer.preload([("scan", "z")])


def test_render_views_says_how_to_install_numba(monkeypatch):
    monkeypatch.delitem(sys.modules, "mtvm.world._skybox_kernels", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(MissingExtraError, match=r"Rendering skyboxes needs numba.*mtvm\[render\]"):
        one_view(plain_faces())


def test_load_faces_says_how_to_install_pillow(monkeypatch, tmp_path):
    write_strip(tmp_path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtraError, match=r"Reading skybox images needs pillow.*mtvm\[render\]"):
        load_faces(tmp_path, "vp")


def test_compiled_works_without_a_writable_cache(monkeypatch):
    from mtvm.world._skybox_kernels import compiled

    original = numba.njit

    def nowhere_to_cache(*arguments, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return original(*arguments, **options)

    monkeypatch.setattr(numba, "njit", nowhere_to_cache)
    assert compiled(lambda value: value + 1)(1) == 2
