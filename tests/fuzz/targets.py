"""What is attacked: every reader of files and the commands over them, each with an honest sample."""

import contextlib
import dataclasses
import functools
import io
import json
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import study
from fastapi.testclient import TestClient
from samples import SMALL

from mtvm.app import cli
from mtvm.errors import InputError
from mtvm.features.boxes import BoxGuesser
from mtvm.features.captions import load_captions
from mtvm.features.converting.rooms import Rooms
from mtvm.features.detections import read_described, read_detections
from mtvm.features.guesses import NameGuesser
from mtvm.features.importing import import_features
from mtvm.features.names import read_semantics
from mtvm.homes.build import WorldConfig, _is_built, config_of
from mtvm.io.arrays import read_cached
from mtvm.learning import checkpoint
from mtvm.learning.run_folder import RunFolder
from mtvm.learning.seen import read_seen
from mtvm.learning.trainer import train
from mtvm.llm.cache import AnswerCache
from mtvm.llm.costs import Price, read_prices
from mtvm.llm.protocols import read_protocol
from mtvm.models.config import ModelConfig
from mtvm.models.importing import describe_import, import_agent
from mtvm.models.saving import load_model
from mtvm.models.speaker import Speaker
from mtvm.studies.findings import read_episodes, read_numbers
from mtvm.studies.trial import TRAINED, Trial
from mtvm.tasks.checking import check_data
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import load_episodes
from mtvm.tasks.sub_instructions import read_sub_instructions
from mtvm.viewer.server import make_app
from mtvm.viewer.sources import Defaults, open_sources
from mtvm.viewer.state import ViewerState
from mtvm.viewer.view import View
from mtvm.world.skybox import load_depth_faces, load_faces


@dataclasses.dataclass(frozen=True)
class Target:
    """A reader: which of its files are spoiled, and how it is called. What it writes goes to `out` of its folder."""

    name: str
    files: tuple[str, ...]
    """They may be patterns."""
    run: Callable[[Path], object]
    is_slow: bool = False
    """It gets a tenth of the cases."""
    is_long: bool = False
    """A hundredth, and it is left out of quick tests."""


_understood = functools.cache(lambda arguments, parse=cli._parsed: parse(list(arguments)))
"""What a command line asks for: to understand it takes longer than most commands, and depends on no file."""


def command(*arguments):
    """Calls the command line; a refusal must be one printable line."""

    def run(folder):
        printed, errors = io.StringIO(), io.StringIO()
        filled = [argument.format(here=folder) for argument in arguments]
        with (
            mock.patch.object(cli, "_parsed", lambda given: _understood(tuple(given))),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(errors),
        ):
            try:
                cli.main(filled)
            except SystemExit as stop:
                if stop.code not in (0, 2, None):
                    raise AssertionError(f"exit code {stop.code}") from None
                sentence = errors.getvalue()
                if stop.code == 2 and (sentence.count("\n") != 1 or not sentence[:-1].isprintable()):
                    raise AssertionError(f"not one sentence: {sentence!r}") from None
                if stop.code == 2:
                    raise InputError(sentence) from None

    return run


def _read_graph_folder(folder):
    command("baseline", "random", "--data", "{here}/data", "--out", "{here}/out/results.json")(folder)


def _agent(folder):
    load_model(folder / "weights" / "agent", "cpu")


def _importing(name):
    return lambda folder: import_features(folder / "features" / name, folder / "out" / "store", show_progress=False)


def _released(name):
    return lambda folder: import_agent(folder / "weights" / name, folder / "out" / "agent", "tiny", "memory", 0)


def _runs(folder):
    command("runs", "{here}/run/runs")(folder)
    command("runs", "{here}/run/runs", "--json")(folder)


def _resume_speaker(folder):
    train(RunFolder(folder / "speaking").speaker_config(), show_progress=False)


def _answer(folder):
    """One that was kept costs something, and may be sent back to the model; one that is damaged is asked for again."""
    reply = AnswerCache(folder / "answers").find("asked")
    if reply is not None:
        Price(1.0, 2.0).of(reply.prompt_tokens, reply.answer_tokens)
        reply.text.encode()


def _extract(folder):
    command(
        *("features", "extract", "{here}/skyboxes/scans", "{here}/extracted/store", "--data", "{here}/skyboxes"),
        *("--size", "32", "--workers", "1", "--device", "cpu"),
    )(folder)
    shutil.rmtree(folder / "extracted")  # what an extraction has done stays for the next one


def _check(folder):
    """Whatever it finds, it says."""
    findings = list(check_data(DataFolder(folder / "reverie")))
    findings += check_data(DataFolder(folder / "store"))
    assert all("\n" not in said for _, said in findings)
    wrong = [said for kind, said in findings if kind == "wrong" and "anywhere below" not in said]
    if wrong:
        raise InputError(wrong[0])


def _speaker_eval(folder):
    command("speaker", "eval", "{here}/speaking", "--split", "r2r/val_unseen", "--data", "{here}/data")(folder)
    shutil.rmtree(folder / "speaking" / "eval")


def _train_from(name):
    sizes = [f"--model.{name}={value}" for name, value in vars(SMALL).items() if value != vars(ModelConfig())[name]]
    return command(
        *("train", "tiny", "--out", "{here}/out/run", "--init", f"{{here}}/weights/{name}"),
        *("--data.folder", "{here}/data", "--data.features", "{here}/seen", "--optimizer.updates", "1"),
        *("--batch", "2", "--device", "cpu", "--no-tensorboard", "--selection.limit", "2"),
        *("--data.horizon", "2", *sizes),
    )


def _eval_with_features(folder):
    command(
        *("eval", "{here}/weights/agent", "--data.folder", "{here}/data", "--data.features", "{here}/seen"),
        *("--split", "r2r/val_unseen", "--out", "{here}/out/eval", "--limit", "2", "--device", "cpu"),
    )(folder)


def _state(folder, paths):
    sources = open_sources([folder / path for path in paths], Defaults(data=folder / "data"))
    return ViewerState(sources, skyboxes=folder / "requests" / "skyboxes")


def _look(folder):
    """Open the page on an evaluation, and ask for all that a browser does."""
    client = TestClient(make_app(_state(folder, [WALKED_BEFORE.format(here=folder)])), base_url="http://localhost")
    for path in sorted((folder / "requests").glob("*.json")):
        asked = json.loads(path.read_text())
        if asked["method"] == "GET" and not asked["path"].endswith((".html", "strip.svg")):  # exports are figures
            _checked(client.get(asked["path"], params=asked["query"] | {"agents": [0]}))


@functools.cache
def _server(folder):
    """The page of two evaluations and a run, by which an agent can be talked to."""
    state = _state(folder, ["training", "walked-shortest/r2r-val_unseen"])
    client = TestClient(make_app(state), base_url="http://localhost", raise_server_exceptions=True)
    return state, client


_sent: dict[Path, bytes] = {}


def _to_send(paths):
    """Those of the files that were not sent as they are, and whether they are as they were made: at first all of them,
    then the one that was spoiled."""
    for path in sorted(paths):
        is_honest = path not in _sent
        if is_honest or path.read_bytes() != _sent[path]:
            _sent.setdefault(path, path.read_bytes())
            yield path, is_honest


def _ask(folder):
    """Send the requests of the files."""
    state, client = _server(folder)
    for path, is_honest in _to_send((folder / "requests").glob("*.json")):
        with _with_sessions(state, path.read_text(errors="surrogateescape")) as content:
            try:
                asked = json.loads(content)
                request = client.build_request(
                    asked["method"], asked["path"], params=asked.get("query"), json=asked.get("body")
                )
            except Exception:  # what is no request cannot be sent
                raise InputError("no request.") from None
            answer = client.send(request)
            _checked(answer)
            assert answer.status_code < 400 or not is_honest, f"{path.name}: {answer.text}"


@contextlib.contextmanager
def _with_sessions(state, content):
    """A request with the names of sessions: one in a building, and one that is told what there is to see."""
    guide = state.guide(0)
    scan = guide.buildings.scans[0]
    start = (scan, str(guide.buildings.world(scan).viewpoints[0]), 0.0)
    for word, places in (("SESSION", (guide.buildings, start)), ("TOLD", ())):
        if word in content:
            content = content.replace(word, state.sessions.open(guide.live, "go left.", *places).name)
    try:
        yield content
    finally:
        for name in list(state.sessions._sessions):
            state.sessions.close(name)


def _checked(answer):
    """An answer is what was asked for, or one sentence; never a crash."""
    if answer.status_code >= 500:
        raise AssertionError(f"{answer.status_code} {answer.text[:200]}")
    if answer.status_code >= 400:
        said = answer.json()["error"]
        assert said.strip(), "nothing was said"
        assert "\n" not in said, said


@functools.cache
def _listening(folder):
    state, _ = _server(folder)
    running = View(state, "127.0.0.1", 0)
    return int(urlsplit(running.url).port), running


def _ask_in_bytes(folder):
    """Send bytes that may be a request to a server that listens, until it has answered or hung up."""
    port, running = _listening(folder)
    for path, _ in _to_send((folder / "requests").glob("*.http")):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
            with contextlib.suppress(OSError):  # it may hang up first
                link.sendall(path.read_bytes())
                link.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while part := link.recv(65536):
                    answer += part
        if answer[9:10] == b"5":
            raise AssertionError(answer[:300].decode(errors="replace"))
    assert running._thread.is_alive(), "the server has ended"


def _study(folder):
    """Run a study of which all is done, in a copy; what was spoiled is refused or done again."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder / "study", copy, dirs_exist_ok=True)
        study.run(Path(copy), folder / "data")


EVALUATION = tuple(f"evaluation/{name}" for name in ("results.json", "steps.jsonl", "metrics.json"))
SCORE = ("score", "{here}/data/results.json", "--data", "{here}/data", "--csv", "{here}/out/table.csv")
RUN_METRICS = "training/eval/r2r-val_unseen/metrics.json"
WALKED = "{here}/walked-shortest/r2r-val_unseen"
WALKED_BEFORE = "{here}/walked-random/r2r-val_unseen"
TARGETS = [
    Target("score: result file", ("data/results.json",), command(*SCORE)),
    Target("score: R2R file", ("data/R2R/R2R_val_unseen.json",), command(*SCORE)),
    Target(
        "submit: result file",
        ("data/results.json",),
        command(
            "submit",
            "{here}/data/results.json",
            "--split",
            "val_unseen",
            "--data",
            "{here}/data",
            "--out",
            "{here}/out/s.json",
        ),
    ),
    Target("baseline: graph", ("data/connectivity/tiny3_connectivity.json",), _read_graph_folder),
    Target(
        "baseline: NDH file",
        ("data/NDH/val_unseen.json",),
        command("baseline", "stop", "--task", "ndh", "--data", "{here}/data", "--out", "{here}/out/n.json"),
    ),
    *(
        Target(f"features import: {name}", (f"features/{name}",), _importing(name))
        for name in ("f.tsv", "f.tsv.gz", "f.zip", "f.hdf5", "f.npz")
    ),
    Target(
        "features info: store",
        ("store/store/meta.json", "store/store/index.npy", "store/store/features.npy"),
        command("features", "info", "{here}/store/store"),
    ),
    Target("semantics", ("texts/viewpoints.jsonl",), lambda f: list(read_semantics(f / "texts/viewpoints.jsonl"))),
    Target(
        "semantics, gzipped",
        ("texts/viewpoints.jsonl.gz",),
        lambda f: list(read_semantics(f / "texts/viewpoints.jsonl.gz")),
    ),
    Target("captions", ("texts/captions.jsonl",), lambda f: load_captions(f / "texts/captions.jsonl")),
    Target("detections", ("texts/captions.jsonl",), lambda f: list(read_detections(f / "texts/captions.jsonl"))),
    Target("agent's folder", ("weights/agent/config.json", "weights/agent/model.safetensors"), _agent),
    *(
        Target(f"weights import: {name}", (f"weights/{name}",), _released(name))
        for name in ("released.pt", "legacy.bin")
    ),
    Target("checkpoint", ("weights/checkpoint.pt",), lambda f: checkpoint.load(f / "weights/checkpoint.pt")),
    Target("resume: config", ("run/runs/one/config.json",), lambda f: RunFolder(f / "run/runs/one").config()),
    Target(
        "runs",
        ("run/runs/one/config.json", "run/runs/one/metrics.jsonl", "run/runs/one/eval/r2r-val_seen/metrics.json"),
        _runs,
    ),
    Target("homes build: world.json", ("world/world.json",), lambda f: _is_built(f / "world", WorldConfig())),
    Target("skybox", ("pictures/v_skybox_small.jpg",), lambda f: load_faces(f / "pictures", "v")),
    Target("depth", ("pictures/v_skybox_depth_small.png",), lambda f: load_depth_faces(f / "pictures", "v")),
    *(
        Target(
            f"figure {kind}: evaluation",
            EVALUATION,
            command("figure", kind, "{here}/evaluation", "--data", "{here}/data", "--out", f"{{here}}/out/f.{ending}"),
            is_slow=True,
        )
        for kind, ending in (
            ("map", "svg"),
            ("matrix", "svg"),
            ("memory", "pdf"),
            ("strip", "png"),
            ("curves", "svg"),
            ("walk", "html"),
        )
    ),
    Target(
        "data hold-out",
        ("data/R2R/R2R_train.json", "scans.txt"),
        command("data", "hold-out", "{here}/out/dev", "--data", "{here}/data", "--scans", "{here}/scans.txt"),
    ),
    Target(
        "data r4r",
        ("data/R2R/R2R_train.json",),
        command("data", "r4r", "train", "--data", "{here}/data", "--out", "{here}/out/r4r.json"),
    ),
    Target(
        "baseline: PREVALENT's file",
        ("data/R2R/prevalent_aug.json",),
        command(
            *("baseline", "stop", "--task", "prevalent", "--split", "aug"),
            *("--data", "{here}/data", "--out", "{here}/out/p.json"),
        ),
    ),
    Target(
        "weights export: agent",
        ("weights/agent/config.json", "weights/agent/model.safetensors"),
        command("weights", "export", "{here}/weights/agent", "{here}/out/w.pt"),
    ),
    Target("speaker", ("speaker/config.json", "speaker/model.safetensors"), lambda f: Speaker.load(f / "speaker")),
    Target(
        "resume: run",
        ("training/config.json", "training/checkpoint.pt", "training/metrics.jsonl"),
        command("resume", "{here}/training"),
        is_slow=True,
    ),
    Target(
        "eval: run",
        ("training/config.json", "training/best/config.json", "data/R2R/R2R_val_unseen.json"),
        command(
            *("eval", "{here}/training", "--split", "r2r/val_unseen", "--out", "{here}/out/eval", "--device", "cpu"),
        ),
        is_slow=True,
    ),
    Target(
        "baseline: REVERIE's file",
        ("reverie/REVERIE_val_unseen.json", "reverie/viewpoints.jsonl"),
        command("baseline", "stop", "--task", "reverie", "--data", "{here}/reverie", "--out", "{here}/out/v.json"),
    ),
    Target(
        "sub-instructions",
        ("data/FGR2R_val_unseen.json",),
        lambda f: read_sub_instructions(f / "data/FGR2R_val_unseen.json"),
    ),
    Target(
        "grounding",
        ("data/FGR2R_val_unseen.json", "training/config.json"),
        command("grounding", "{here}/training", "--data", "{here}/data"),
        is_slow=True,
    ),
    Target(
        "weights release: run",
        ("training/config.json", "training/metrics.jsonl", "training/best/config.json", RUN_METRICS),
        command("weights", "release", "{here}/training", "{here}/out/released"),
    ),
    Target("inspect: agent", ("weights/agent/config.json",), command("inspect", "{here}/weights/agent")),
    Target("weights import: note", ("trial/import.json",), lambda f: describe_import(f / "trial")),
    Target("doctor: data", ("data/R2R/R2R_train.json",), command("doctor", "--data", "{here}/data"), is_slow=True),
    Target(
        "features semantic",
        ("texts/viewpoints.jsonl",),
        command("features", "semantic", "{here}/texts/viewpoints.jsonl", "{here}/out/store"),
        is_slow=True,
    ),
    Target("study: trial", ("trial/trial.json",), lambda f: Trial.load(f / "trial" / "trial.json")),
    Target("study: episodes", ("trial/episodes.csv",), lambda f: read_episodes(f / "trial" / "episodes.csv")),
    Target("study: costs", ("trial/training.json",), lambda f: read_numbers(f / "trial" / "training.json", TRAINED)),
    Target("study: world.json", ("world/world.json",), lambda f: config_of(f / "world")),
    Target(
        "speaker train: resume",
        ("speaking/config.json", "speaking/checkpoint.pt"),
        _resume_speaker,
        is_slow=True,
    ),
    Target(
        "augment: speaker",
        ("speaking/config.json", "speaking/best/config.json", "speaking/best/model.safetensors"),
        command("augment", "--speaker", "{here}/speaking", "--out", "{here}/out/new.json", "--paths", "2"),
        is_slow=True,
    ),
    Target(
        "task file: gzipped",
        ("data/packed.json.gz",),
        lambda f: load_episodes("r2r", str(f / "data" / "packed.json.gz"), f / "data"),
    ),
    *(
        Target(
            f"compare: {name}",
            (f"walked-{name}/r2r-val_unseen/*.json", f"walked-{name}/r2r-val_unseen/episodes.csv"),
            command("compare", WALKED, WALKED_BEFORE, *more),
        )
        for name, more in (("shortest", ()), ("random", ("--json",)))
    ),
    Target(
        "figure mistakes: evaluation",
        ("walked-random/r2r-val_unseen/*",),
        command("figure", "mistakes", WALKED_BEFORE, "--data", "{here}/data", "--out", "{here}/out/f.svg"),
    ),
    Target(
        "weights parity",
        ("recording/*",),
        command("weights", "parity", "{here}/recording"),
    ),
    *(
        Target(f"weights import: {name}", (f"weights/{name}/*",), _released(name))
        for name in ("bert", "bert-safetensors")
    ),
    Target(
        "features extract: skyboxes",
        ("skyboxes/connectivity/*.json", "skyboxes/scans/pair/*/*.jpg"),
        _extract,
        is_slow=True,
    ),
    Target(
        "features extract: captions",
        ("texts/captions.jsonl",),
        command("features", "extract", "{here}/texts/captions.jsonl", "{here}/out/store", "--encoder", "captions"),
        is_slow=True,
    ),
    Target(
        "data captions",
        ("published/observations/*", "published/objects_list/*"),
        command("data", "captions", "{here}/published", "--out", "{here}/out/captions.jsonl.gz"),
    ),
    Target(
        "data captions: LangNav's",
        ("langnav/r2r_blip_DETR_vis2text/*",),
        command("data", "captions", "{here}/langnav", "--out", "{here}/out/captions.jsonl.gz"),
    ),
    Target(
        "data names",
        ("published/BBox/*", "published/vp2room_label.json"),
        command(
            *("data", "names", "{here}/published", "--rooms", "{here}/published/vp2room_label.json"),
            *("--out", "{here}/out/viewpoints.jsonl"),
        ),
    ),
    Target(
        "data check",
        ("reverie/*.json*", "reverie/connectivity/tiny3_connectivity.json", "store/store/*"),
        _check,
    ),
    Target(
        "speaker eval",
        ("speaking/config.json", "speaking/best/config.json", "speaking/best/model.safetensors"),
        _speaker_eval,
        is_slow=True,
    ),
    Target("train --init: checkpoint", ("weights/released.pt",), _train_from("released.pt"), is_slow=True),
    Target("train --init: BERT", ("weights/bert/pytorch_model.bin",), _train_from("bert"), is_slow=True),
    Target("eval: features", ("seen/*",), _eval_with_features, is_slow=True),
    Target("view: evaluation", ("walked-random/r2r-val_unseen/*",), _look, is_slow=True),
    Target("view: requests", ("requests/*.json",), _ask),
    Target("view: bytes of requests", ("requests/*.http",), _ask_in_bytes),
    Target(
        "study run: trials",
        ("study/trials/*/training.json", "study/trials/*/evaluations/*/*", "study/*/trials.json", "study/*/*.csv.gz"),
        _study,
        is_long=True,
    ),
    Target("runs: recipe", ("recipe/recipe.json",), command("runs", "{here}/recipe", "--json")),
    Target("resume: recipe", ("recipe/recipe.json",), lambda f: RunFolder(f / "recipe").recipe()),
    Target("agent's note on what it sees", ("training/best/seen.json",), lambda f: read_seen(f / "training" / "best")),
    Target("guesser of names", ("guesser.safetensors",), lambda f: NameGuesser.load(f / "guesser.safetensors")),
    Target(
        "guesser of described names",
        ("described.safetensors",),
        lambda f: NameGuesser.load(f / "described.safetensors"),
    ),
    Target("guesser of boxes", ("boxes.safetensors",), lambda f: BoxGuesser.load(f / "boxes.safetensors")),
    Target("boxes and captions", ("texts/captions.jsonl",), lambda f: list(read_described(f / "texts/captions.jsonl"))),
    Target("answers of language models", ("answers/*/*.json",), _answer),
    Target("resume: products", ("multiplied/products.json",), lambda f: RunFolder(f / "multiplied").kept_products),
    Target("prices of language models", ("llm/prices.json",), lambda f: read_prices(f / "llm" / "prices.json")),
    Target("protocol of language models", ("llm/own.txt",), lambda f: read_protocol(f / "llm" / "own.txt")),
    Target("rooms: house file", ("published/tiny3.house",), lambda f: Rooms.load(f / "published").of("tiny3")),
    Target(
        "baseline: RxR's file",
        ("data/rxr_val_unseen_guide.jsonl.gz",),
        command("baseline", "stop", "--task", "rxr", "--data", "{here}/data", "--out", "{here}/out/x.json"),
    ),
    Target("cache", ("cache/a.npz",), lambda f: read_cached(f / "cache" / "a.npz", ["a", "b"])),
]
warnings.filterwarnings("ignore", module="torch|PIL")
assert sys.platform != "win32", "it needs signals and fork"
