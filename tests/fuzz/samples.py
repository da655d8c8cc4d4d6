"""The honest samples that are spoiled: one small file of every kind that is read."""

import base64
import contextlib
import dataclasses
import gzip
import io
import json
import lzma
import shutil
import zipfile
from importlib import resources
from pathlib import Path

import h5py
import numpy as np
import study
import torch
from PIL import Image
from racing import VIEWPOINTS, graph_records
from safetensors.torch import save_file

from mtvm.app.cli import main
from mtvm.configs.data import DataConfig
from mtvm.configs.presets import PRESETS, RECIPES
from mtvm.configs.run import OptimizerConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.features.boxes import BoxGuesser, _network, _width
from mtvm.features.described_guesser import DescribedGuesser
from mtvm.features.guesser import Guesser
from mtvm.features.guesses import NameGuesser
from mtvm.features.store import FeatureStore
from mtvm.homes.build import WorldConfig, _digest
from mtvm.io.arrays import keep_cached
from mtvm.io.files import write_json
from mtvm.io.weight_files import read_weight_file
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.trainer import train
from mtvm.llm.cache import AnswerCache, Reply
from mtvm.models.config import ModelConfig, SpeakerModelConfig
from mtvm.models.network import make_network
from mtvm.models.saving import save_model
from mtvm.models.speaker import Speaker
from mtvm.models.weights import released_tensors, write_released
from mtvm.studies.trial import TRAINED, Evaluated, Trial
from mtvm.tasks.data import DataFolder
from mtvm.tasks.events import write_events
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metric import NAVIGATION
from mtvm.testing.tiny import write_tiny_world
from mtvm.viewer.notes import write_note
from mtvm.viewer.sources import Source
from mtvm.world.world import World

NAMES = tuple(metric.name for metric in NAVIGATION)

VIEWS = 36
SMALL = ModelConfig(
    hidden=8,
    heads=2,
    intermediate=8,
    language_layers=1,
    crossmodal_layers=1,
    feature_width=4,
    angle_width=128,
    critic_hidden=4,
)


def make_samples(folder, long=False):
    """Write the honest samples below a folder; if `long`, those of long targets too."""
    data = write_tiny_world(folder / "data", paths=2)
    shutil.rmtree(data / "connectivity")
    write_tiny_world(folder / "again", paths=2)
    shutil.move(folder / "again" / "connectivity", data / "connectivity")
    with contextlib.redirect_stdout(io.StringIO()):
        main(["baseline", "shortest", "--data", str(data), "--out", str(data / "results.json")])
    rng = np.random.default_rng(0)
    entries = {f"scan{n}_v{n}": rng.normal(size=(VIEWS, 4)).astype(np.float32) for n in range(3)}
    _write_features(folder / "features", entries)
    store = ((*key.split("_"), value) for key, value in entries.items())
    FeatureStore.write(folder / "store" / "store", store, source="made", source_format="test")
    _write_texts(folder / "texts")
    _write_weights(folder / "weights")
    _write_run(folder / "run")
    _write_pictures(folder / "pictures")
    keep_cached(folder / "cache" / "a.npz", {"a": np.arange(20), "b": np.arange(6.0)})
    world = {
        "version": 4,
        "config": dataclasses.asdict(WorldConfig()),
        "checksums": {"results.json": _digest(data / "results.json")},
    }
    (folder / "world").mkdir()
    (folder / "world" / "world.json").write_text(json.dumps(world))
    shutil.copy(data / "results.json", folder / "world")
    _write_evaluation(folder / "evaluation", data)
    shutil.copy(data / "R2R" / "R2R_train.json", data / "R2R" / "prevalent_aug.json")
    write_json(data / "packed.json.gz", json.loads((data / "R2R" / "R2R_train.json").read_text()))
    (folder / "scans.txt").write_text("tiny0\n")
    _write_training(folder / "training", data)
    _write_other_tasks(data)
    _write_trial(folder / "trial")
    _write_walks(folder, data)
    _write_published(folder / "published", data)
    _write_skyboxes(folder / "skyboxes")
    _write_recording(folder / "recording")
    _write_requests(folder / "requests", data)
    _write_rarer(folder, data)
    if long:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            study.run(folder / "study", data)


def _write_evaluation(folder, data):
    episodes = load_episodes("r2r", "val_unseen", data)
    folder.mkdir()
    shutil.copy(data / "results.json", folder)
    (folder / "metrics.json").write_text(json.dumps({"split": "r2r val_unseen", "episodes": len(episodes)}))
    source = Source.read("made", folder / "results.json", DataFolder(data), episodes)
    thoughts = [
        dataclasses.replace(
            step,
            probabilities=[0.5] * (len(step.candidates) + 1),
            words=[(word, 0.1) for word in episodes.texts[0].split()],
            memory=[0.2] * step.step,
        )
        for step in source.events(0)
    ]
    write_events(folder / "steps.jsonl", thoughts)


def _write_training(folder, data):
    """A run and a speaker that could go on."""
    options = ("--optimizer.updates", "1", "--batch", "2", "--data.folder", str(data))
    options += ("--data.evaluate", "r2r/val_unseen")
    sizes = [f"--model.{name}={value}" for name, value in (("hidden", 8), ("heads", 2), ("intermediate", 8))]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["train", "tiny", "--out", str(folder), "--data.sight", "blind", "--device", "cpu", *options, *sizes])
    sizes = SpeakerModelConfig(hidden=8, heads=2, encoder_layers=1, decoder_layers=1, feature_width=4, vocabulary=9)
    Speaker(sizes).save(folder.parent / "speaker")
    _write_speaker_training(folder.parent / "speaking", data)


def _write_speaker_training(folder, data):
    """A speaker that has been trained and could describe paths."""
    world, rng = World.load(data / "connectivity"), np.random.default_rng(0)
    seen = (
        (world.scan(node), str(world.viewpoints[node]), rng.normal(size=(VIEWS, 4)).astype(np.float32))
        for node in range(len(world))
    )
    features = folder.with_name("seen")
    FeatureStore.write(features, seen, source="made", source_format="test")
    config = SpeakerConfig(
        out=folder,
        model=SpeakerModelConfig(hidden=8, heads=2, encoder_layers=1, decoder_layers=1),
        data=DataConfig(folder=data, features=features),
        optimizer=OptimizerConfig(updates=1),
        batch=2,
    )
    assert train(config, show_progress=False).finished


def _write_features(folder, entries):
    folder.mkdir()
    lines = "".join(
        "\t".join([*key.split("_"), "640", "480", "60", base64.b64encode(value.tobytes()).decode()]) + "\n"
        for key, value in entries.items()
    ).encode()
    (folder / "f.tsv").write_bytes(lines)
    (folder / "f.tsv.gz").write_bytes(gzip.compress(lines))
    with zipfile.ZipFile(folder / "f.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("f.tsv", lines)
    with h5py.File(folder / "f.hdf5", "w") as file:
        for key, value in entries.items():
            file.create_dataset(key, data=value, compression="gzip")
    np.savez(folder / "f.npz", **entries)


def _write_texts(folder):
    folder.mkdir()
    seen = {"id": 1, "name": "chair", "views": [3], "boxes": [[1, 2, 3, 4]]}
    rooms = [{"scan": "s", "viewpoint": f"v{n}", "room": "hall", "objects": [seen]} for n in range(4)]
    said = [{"scan": "s", "viewpoint": f"v{n}", "captions": [["a", "b", ""]] * 8} for n in range(4)]
    boxes = [[["chair", 0.5, [1, 2, 3, 4], "a chair"]]] * 36
    for record in said:
        record["objects"] = boxes
    lines = "".join(json.dumps(line) + "\n" for line in rooms).encode()
    (folder / "viewpoints.jsonl").write_bytes(lines)
    (folder / "viewpoints.jsonl.gz").write_bytes(gzip.compress(lines))
    (folder / "captions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in said))


def _write_weights(folder):
    torch.manual_seed(0)
    model = make_network(SMALL)
    save_model(model, folder / "agent")
    write_released(model, folder / "released.pt")
    torch.save(released_tensors(model), folder / "legacy.bin", _use_new_zipfile_serialization=False)
    _write_bert(folder, model)
    state = {"model": model.state_dict(), "update": 3, "data": {"a": "b"}, "random": torch.get_rng_state()}
    checkpoint.save(folder / "checkpoint.pt", state)
    torch.save({"code": Path("x")}, folder / "code.pt")
    with contextlib.suppress(InputError):
        read_weight_file(folder / "code.pt")  # the first time, torch imports a good part of itself


def _write_bert(folder, model):
    """The language encoder alone, as transformers names its weights."""
    bert = {
        name.removeprefix("vln_bert.").replace("lalayer", "encoder.layer"): value.clone()
        for name, value in released_tensors(model).items()
        if name.startswith(("vln_bert.embeddings", "vln_bert.lalayer"))
    }
    for name in ("bert", "bert-safetensors"):
        (folder / name).mkdir()
    torch.save(bert, folder / "bert" / "pytorch_model.bin")
    save_file(bert, folder / "bert-safetensors" / "model.safetensors")


def _write_run(folder):
    run = folder / "runs" / "one"
    (run / "eval" / "r2r-val_seen").mkdir(parents=True)
    RunFolder(run).write_config(dataclasses.replace(PRESETS["tiny"], out=run))
    line = {"kind": "train", "loss": 2.0, "trained_seconds": 3.0, "episodes_per_second": 5.0}
    lines = [{"update": n} | line for n in (1, 2, 3)] + [{"update": 3, "kind": "r2r/val_unseen", "SR": 5.0, "SPL": 4.0}]
    (run / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    (run / "eval" / "r2r-val_seen" / "metrics.json").write_text(json.dumps({"episodes": 5, "SR": 5.0, "SPL": 4.0}))


def _write_pictures(folder):
    folder.mkdir()
    strip = np.random.default_rng(0).integers(0, 255, (16, 96, 3)).astype(np.uint8)
    Image.fromarray(strip).save(folder / "v_skybox_small.jpg")
    Image.fromarray(strip[..., 0].astype(np.uint16)).save(folder / "v_skybox_depth_small.png")


def _write_other_tasks(data):
    """REVERIE's episodes with what is seen from where, and sub-instructions as Fine-Grained R2R has them."""
    entries = json.loads((data / "R2R" / "R2R_val_unseen.json").read_text())
    named = [entry | {"id": f"{entry['path_id']}_7", "objId": 7} for entry in entries]
    seen = [{"id": 7, "name": "chair", "views": [3], "boxes": [[1, 2, 3, 4]]}]
    ends = [{"scan": entry["scan"], "viewpoint": entry["path"][-1], "room": "hall", "objects": seen} for entry in named]
    reverie = data.with_name("reverie")
    shutil.copytree(data / "connectivity", reverie / "connectivity")
    write_json(reverie / "REVERIE_val_unseen.json", named)
    (reverie / "viewpoints.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ends))
    parts = [[1, 2], [2, len(entries[0]["path"])]]
    fine = [
        entry
        | {
            "new_instructions": str([[text.split()[:3], text.split()[3:]] for text in entry["instructions"]]),
            "chunk_view": [parts] * len(entry["instructions"]),
        }
        for entry in entries
    ]
    write_json(data / "FGR2R_val_unseen.json", fine)


def _write_trial(folder):
    """What a study keeps of a training and an evaluation."""
    evaluated = (Evaluated("seen", "r2r/val_seen"),)
    config = dataclasses.replace(PRESETS["tiny"], out=folder / "run")
    Trial(folder, "arm", "tiny", 0, DataConfig(), evaluated, config).save()
    names = ["id", "scan", *NAMES]
    rows = [[f"{n}_0", "tiny0", *("0.5" for _ in NAMES)] for n in range(3)]
    (folder / "episodes.csv").write_text("".join(",".join(row) + "\n" for row in [names, *rows]))
    write_json(folder / "training.json", dict.fromkeys(TRAINED, 2))
    note = {"source": "bert.bin", "numbers": 10, "loaded": 5, "random": ["head.weight"]}
    write_json(folder / "import.json", note)


def _write_walks(folder, data):
    """Evaluations of agents without a network, as a whole with a manifest; one is of before there were manifests."""
    for agent in ("shortest", "random"):
        out = str(folder / f"walked-{agent}")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["eval", "--agent", agent, "--split", "r2r/val_unseen", "--data.folder", str(data), "--out", out])
    (folder / "walked-random" / "r2r-val_unseen" / "manifest.json").unlink()


def _write_rarer(folder, data):
    """A recipe, notes, what language models are told and cost, RxR's lines, the networks that guess names."""
    recipe = dataclasses.replace(RECIPES["tiny-stages"], out=folder / "recipe")
    write_json(folder / "recipe" / "recipe.json", recipe.to_dict())
    write_note(folder / "walked-random" / "r2r-val_unseen" / "results.json", "1_0", ["odd"], "a note")
    own = resources.files("mtvm.llm")
    (folder / "llm").mkdir()
    (folder / "llm" / "prices.json").write_bytes((own / "prices.json").read_bytes())
    (folder / "llm" / "own.txt").write_bytes((own / "prompts" / "mtvm.txt").read_bytes())
    entries = json.loads((data / "R2R" / "R2R_val_unseen.json").read_text())
    said = {"language": "en-US", "annotator_id": 4, "instruction": "go left.", "timed_instruction": []}
    lines = [entry | said | {"instruction_id": number} for number, entry in enumerate(entries)]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    (data / "rxr_val_unseen_guide.jsonl.gz").write_bytes(gzip.compress(content))
    region, place = "R  4 0  0 0  k  0 0 0  0 0 0 1 1 1  2  0 0 0 0 ", "P  v0  0 4  0  0 0 0  0 0 0 0 0 "
    (folder / "published" / "tiny3.house").write_text(f"ASCII 1.1\n{region}\n{place}\n")
    torch.manual_seed(0)
    networks = tuple(Guesser(3, 24, 2, [2, 3, 1], 1).eval() for _ in range(2))
    names = {"vocabulary": ("a", "b", "c"), "rooms": ("hall", "attic"), "objects": ("bed", "lamp"), "words": ("go",)}
    spread = {"mean": np.zeros(2, dtype=np.float32), "spread": np.ones(2)}
    guesser = NameGuesser(
        **names, **spread, spoken=("to",), captions=24, fold_of={"tiny0": 0, "tiny1": 0}, networks=networks
    )
    guesser.save(folder / "guesser.safetensors")
    described = tuple(DescribedGuesser(3, 24, 1, 2, [2, 3, 1], 1).eval() for _ in range(2))
    both = dataclasses.replace(guesser, networks=described, classes=("sofa",))
    both.save(folder / "described.safetensors", compact=True)
    boxes = tuple(_network(_width(("sofa",), ("a",)), 3).eval() for _ in range(2))
    BoxGuesser(("sofa",), ("a",), ("bed", "lamp"), {"tiny0": 0, "tiny1": 0}, boxes).save(folder / "boxes.safetensors")
    for name in ("guesser", "described", "boxes"):
        file = folder / f"{name}.safetensors"
        save_file(read_weight_file(file), file)  # without a checksum
    AnswerCache(folder / "answers").keep("asked", Reply("hello", 1, 1))
    write_json(folder / "multiplied" / "products.json", {"kind": "mkl", "reason": ""})


def _write_published(folder, data):
    """What NavGPT, LangNav and REVERIE publish of a building, of two viewpoints, and the types of their rooms."""
    viewpoints = World.load(data / "connectivity", ["tiny3"]).viewpoints[:2].tolist()
    said = [f"heading {45 * n} - {45 * n + 45}:\ndown: a rug\nmiddle: a sofa\ntop: a lamp" for n in range(8)]
    write_json(folder / "observations" / "tiny3.json", dict.fromkeys(viewpoints, "\n".join(said)))
    things = [{"chair": {"heading": 45.0 * n, "distance": 2.0}} for n in range(8)]
    write_json(folder / "objects_list" / "tiny3.json", dict.fromkeys(viewpoints, things))
    box = {"7": {"name": "chair", "visible_pos": [3], "bbox2d": [[1, 2, 3, 4]]}}
    for viewpoint in viewpoints:
        write_json(folder / "BBox" / f"tiny3_{viewpoint}.json", {viewpoint: box})
    bed = {"obj_class": "bed", "confidence": "0.5", "coordinates": "1 2 30 40", "caption": "a bed"}
    views = {str(view): {"global_cap": "a room", "dense_cap": [bed]} for view in range(VIEWS)}
    write_json(folder.parent / "langnav" / "r2r_blip_DETR_vis2text" / "tiny3.json", dict.fromkeys(viewpoints, views))
    rooms = {viewpoint: {"label": "h", "region_index": "1"} for viewpoint in viewpoints}
    write_json(folder / "vp2room_label.json", {"pano_info": {"tiny3": rooms}})


def _write_skyboxes(folder):
    """A building of two viewpoints with images."""
    write_json(folder / "connectivity" / "pair_connectivity.json", graph_records())
    _write_skyboxes_of(folder / "scans", "pair", VIEWPOINTS)


def _write_skyboxes_of(folder, scan, viewpoints):
    pictures = folder / scan / "matterport_skybox_images"
    pictures.mkdir(parents=True)
    strip = np.random.default_rng(0).integers(0, 255, (16, 96, 3)).astype(np.uint8)
    for viewpoint in viewpoints:
        Image.fromarray(strip).save(pictures / f"{viewpoint}_skybox_small.jpg")


def _write_recording(folder):
    """What was recorded of VLN⟲BERT."""
    folder.mkdir()
    excerpt = Path(__file__).parents[1] / "golden" / "excerpt" / "golden"
    for path in excerpt.glob("vlnbert_*"):
        content = path.read_bytes()
        packed = path.suffix == ".xz"
        (folder / path.name.removesuffix(".xz")).write_bytes(lzma.decompress(content) if packed else content)


def _write_requests(folder, data):
    """What a browser asks the server of the page for; `SESSION` stands for a session that is open, `TOLD` for one that
    is told what there is to see."""
    folder.mkdir()
    viewpoint, *others = World.load(data / "connectivity", ["tiny3"]).viewpoints.tolist()
    _write_skyboxes_of(folder / "skyboxes", "tiny3", [viewpoint, *others])
    episode = load_episodes("r2r", "val_unseen", data).ids[0]
    walk, drawn = {"source": 0, "id": episode}, {"step": 1, "agents": [0, 1]}
    begin = {"text": "go left.", "agent": 0, "building": "tiny3", "viewpoint": viewpoint, "heading": 0.5}
    sight = {"headings": [0.0, 1.0], "elevations": [0.0, 0.0], "features": [[0.5] * 32] * 2, "heading": 1.0}
    asked = [
        *(
            ("GET", path, query)
            for path, query in (
                ("overview", {}),
                ("sources/0/episodes", {"first": 0, "count": 2}),
                ("sources/0/notes", {}),
                ("summary", {"agents": [0, 1]}),
                (f"buildings/tiny3/{viewpoint}", {"agent": 0}),
                (f"buildings/tiny3/{viewpoint}/sphere.jpg", {"source": 0}),
                ("buildings/tiny3/map.svg", {"agent": 0}),
                ("walk", walk | {"attention": True}),
                ("walk/heads", walk),
                ("walk/matrix.svg", walk | {"step": 1, "layer": 1, "head": 1, "scale": "row"}),
                *((f"walk/{name}.svg", walk | drawn) for name in ("map", "curves", "matrix", "memory", "strip")),
                ("walk/map.svg", walk | {"session": "SESSION", "own": "source", "storeys": [1]}),
                ("walk/walk.html", walk | drawn),
            )
        ),
        *(
            ("POST", path, body)
            for path, body in (
                ("sources/0/notes", {"id": episode, "tags": ["odd"], "note": "a note"}),
                ("sessions", begin),
                ("sessions", {"text": "go.", "agent": 0}),
                ("act", {"session": "SESSION", "action": 0}),
                ("act", {"session": "TOLD", "sight": sight}),
                ("walk", {"session": "SESSION"}),
                ("agents/0/wake", {}),
                ("sessions/end", {"session": "none"}),
            )
        ),
    ]
    for number, (method, path, values) in enumerate(asked):
        one = {"method": method, "path": f"/api/{path}", "query" if method == "GET" else "body": values}
        write_json(folder / f"{number}.json", one)
        body = json.dumps(values) if method == "POST" else ""
        head = f"{method} /api/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        (folder / f"{number}.http").write_text(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}")
