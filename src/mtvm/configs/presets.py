"""The training runs that we know, by name."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mtvm.configs.data import DataConfig
from mtvm.configs.recipe import RecipeConfig, StageConfig
from mtvm.configs.run import (
    A2CConfig,
    ConsistencyConfig,
    ImitationConfig,
    LossConfig,
    MaskedWordsConfig,
    MatchingConfig,
    OptimizerConfig,
    SelectionConfig,
    TrainConfig,
)
from mtvm.models.config import PRESETS as MODELS
from mtvm.models.config import ModelConfig
from mtvm.models.parts import MTVMConfig


def _paper_runs() -> dict[str, TrainConfig]:
    """The paper's runs, at its size."""
    replace = dataclasses.replace
    paper = TrainConfig(
        out=Path("runs/paper"),
        model=MODELS["paper"],
        data=DataConfig(train=("r2r/train", "prevalent/aug")),
    )
    ndh, r4r = DataConfig(train=("ndh/train",)), DataConfig(train=("r4r/train",))
    on_ndh, on_r4r = (SelectionConfig(split=f"{task}/val_unseen") for task in ("ndh", "r4r"))
    return {
        "paper": paper,
        "paper-single": replace(paper, out=Path("runs/paper-single"), model=MODELS["paper-single"]),
        "paper-ndh": replace(paper, out=Path("runs/paper-ndh"), data=ndh, selection=on_ndh),
        "paper-r4r": replace(paper, out=Path("runs/paper-r4r"), data=r4r, selection=on_r4r),
    }


def _paper_small() -> TrainConfig:
    """The paper's network and losses in small: both directions, learned words, dropped before they are read."""
    return TrainConfig(
        out=Path("runs/paper-small"),
        model=ModelConfig(
            hidden=128,
            heads=4,
            intermediate=512,
            language_layers=2,
            crossmodal_layers=2,
            feature_scale=5.0,
            critic_hidden=128,
        ),
        data=DataConfig(sight="guesses"),
        loss=LossConfig(teacher_forced_updates=500),
        optimizer=OptimizerConfig(
            kind="muon", updates=1300, lr=1.5e-3, schedule="linear", warmup=50, clip=5.0, ema=0.99
        ),
        selection=SelectionConfig(split="r2r/val_seen", every=650),
        batch=8,
        alternate=True,
        tensorboard=False,
    )


def _laptop_runs() -> dict[str, TrainConfig]:
    """Runs of minutes on two cores."""
    semantic = TrainConfig(
        out=Path("runs/r2r-semantic"),
        model=ModelConfig(
            hidden=128,
            heads=4,
            intermediate=512,
            language_layers=2,
            crossmodal_layers=3,
            reader="minilm",
            reader_layers=0,
            feature_scale=5.0,
            leading_cls=True,
            architecture=MTVMConfig(bidirectional=False),
            stop_sight="panorama",
            dropout=0.0,
            feature_dropout=0.3,
        ),
        data=DataConfig(sight="names", mirror=True, turn=True),
        loss=_with_students(share=0.5, teacher_forced_updates=1000),
        optimizer=OptimizerConfig(
            kind="muon", updates=3600, lr=1e-3, schedule="linear", warmup=100, clip=5.0, ema=0.995
        ),
        selection=SelectionConfig(split="r2r/val_seen", every=900),
        batch=32,
        alternate=True,
    )
    on_map = dataclasses.replace(
        semantic,
        out=Path("runs/r2r-map"),
        model=dataclasses.replace(semantic.model, actions="map"),
        loss=dataclasses.replace(
            semantic.loss, imitation=dataclasses.replace(semantic.loss.imitation, weight=0.0), word_dropping=0.1
        ),
    )
    reverie = dataclasses.replace(
        on_map,
        out=Path("runs/reverie"),
        data=dataclasses.replace(
            on_map.data, sight="guesses", train=("reverie/train",), evaluate=("reverie/val_seen", "reverie/val_unseen")
        ),
        selection=dataclasses.replace(on_map.selection, split="reverie/val_seen"),
    )
    claims = dataclasses.replace(
        semantic,
        out=Path("runs/r2r-claims"),
        model=dataclasses.replace(semantic.model, architecture=MTVMConfig()),
        data=dataclasses.replace(semantic.data, sight="guesses"),
        loss=dataclasses.replace(
            semantic.loss,
            imitation=dataclasses.replace(semantic.loss.imitation, weight=0.0),
            teacher_forced_updates=800,
        ),
        optimizer=dataclasses.replace(semantic.optimizer, updates=3600, warmup=300, ema=0.998),
        selection=SelectionConfig(split="r2r/val_seen", every=3600),
        batch=8,
    )
    long_too = ("r2r/val_seen", "r2r/val_unseen", "long/val_seen", "long/val_unseen")
    demo = TrainConfig(
        out=Path("runs/demo/memory"),
        model=dataclasses.replace(semantic.model, crossmodal_layers=2, stop_sight="nothing", feature_dropout=0.0),
        data=DataConfig(sight="names", train=("r2r/train", "long/train"), evaluate=long_too, mirror=True),
        loss=_with_students(share=0.4, teacher_forced_updates=300),
        optimizer=OptimizerConfig(
            kind="muon", updates=750, lr=1.5e-3, schedule="cosine", warmup=30, clip=5.0, ema=0.99
        ),
        selection=SelectionConfig(split="r2r/val_seen", every=750),
        batch=16,
        alternate=True,
        tensorboard=False,
    )
    tiny = TrainConfig(
        out=Path("runs/tiny"),
        model=MODELS["tiny"],
        optimizer=OptimizerConfig(updates=20, lr=1e-3),
        selection=SelectionConfig(split="r2r/val_seen", every=10),
        batch=8,
    )
    return {
        "r2r-map": on_map,
        "r2r-semantic": semantic,
        "r2r-claims": claims,
        "reverie": reverie,
        "demo": demo,
        "tiny": tiny,
    }


def pretraining(config: TrainConfig) -> TrainConfig:
    """A run with the proxy tasks of pretraining instead of its own losses: the next action, hidden words where the
    network can learn them, and whether an instruction and a path belong together. Its agent is for `--init`."""
    loss = LossConfig(
        imitation=ImitationConfig(weight=1.0),
        a2c=A2CConfig(weight=0.0),
        consistency=ConsistencyConfig(enabled=False),
        masked_words=MaskedWordsConfig(weight=1.0 if config.model.bidirectional else 0.0),
        matching=MatchingConfig(weight=1.0),
    )
    selection = dataclasses.replace(config.selection, split="r2r/val_seen")
    out = config.out.with_name(f"{config.out.name}-pretrained")
    return dataclasses.replace(config, out=out, loss=loss, selection=selection)


def _r2r_recipe(name: str, run: TrainConfig, sight: str) -> RecipeConfig:
    """The released agents of real R2R: imitation, then students' imitation with A2C from its best weights."""
    replace = dataclasses.replace
    imitation = StageConfig.of(
        replace(
            run,
            optimizer=replace(run.optimizer, updates=3500),
            selection=replace(run.selection, every=875),
        )
    )
    rewarded = replace(
        imitation,
        loss=replace(
            run.loss,
            imitation=replace(run.loss.imitation, weight=0.0, student_weight=0.3),
            a2c=replace(run.loss.a2c, weight=3.0, value_coefficient=0.1),
            teacher_forced_updates=0,
        ),
        optimizer=replace(run.optimizer, updates=800, lr=3e-4),
        selection=replace(run.selection, every=200),
    )
    return RecipeConfig(
        out=Path("runs") / name,
        model=run.model,
        data=replace(run.data, sight=sight, train=("r2r/train", "prevalent/releases/r2r-augmented.json.gz")),
        stages={"imitation": imitation, "a2c": rewarded},
    )


def _paper_recipe(semantic: TrainConfig) -> RecipeConfig:
    """The paper's own agent: to neighbours only, both directions, and the consistency loss from the second stage on.

    It is pretrained on the next action, hidden words, and whether an instruction and a path belong together; then it
    learns from its own walks, and in the end from rewards too.
    """
    replace = dataclasses.replace
    run = replace(
        semantic,
        model=replace(semantic.model, architecture=MTVMConfig()),
        optimizer=replace(semantic.optimizer, warmup=400, ema=0.99875),
        batch=8,
    )

    def stage(loss: LossConfig, updates: int, every: int, lr: float = semantic.optimizer.lr) -> StageConfig:
        optimizer, selection = replace(run.optimizer, updates=updates, lr=lr), replace(run.selection, every=every)
        return StageConfig.of(replace(run, loss=loss, optimizer=optimizer, selection=selection))

    students = replace(run.loss.imitation, weight=0.0)
    consistent = replace(run.loss, imitation=students, consistency=ConsistencyConfig(enabled=True))
    student = replace(consistent, teacher_forced_updates=0)
    rewarded = replace(
        student,
        imitation=replace(students, student_weight=0.3),
        a2c=replace(run.loss.a2c, weight=3.0, value_coefficient=0.1),
    )
    return RecipeConfig(
        out=Path("runs/r2r-paper"),
        model=run.model,
        data=replace(run.data, sight="guesses", train=("r2r/train", "prevalent/releases/r2r-augmented.json.gz")),
        stages={
            "pretraining": stage(pretraining(run).loss, updates=1500, every=1500),
            "student": stage(student, updates=7500, every=1500),
            "a2c": stage(rewarded, updates=1600, every=400, lr=3e-4),
        },
    )


def _tiny_recipe(run: TrainConfig) -> RecipeConfig:
    """Imitation, then the paper's losses, in seconds."""
    imitation = dataclasses.replace(run, loss=_with_students(share=0.5, teacher_forced_updates=0))
    stages = {"imitation": StageConfig.of(imitation), "a2c": StageConfig.of(run)}
    return RecipeConfig(out=Path("runs/tiny-stages"), model=run.model, data=run.data, stages=stages)


def _with_students(share: float, teacher_forced_updates: int) -> LossConfig:
    """Imitation alone, in teacher-forced and student rollouts."""
    return LossConfig(
        imitation=ImitationConfig(weight=1.0, student_weight=1.0, student_share=share),
        a2c=A2CConfig(weight=0.0),
        consistency=ConsistencyConfig(enabled=False),
        teacher_forced_updates=teacher_forced_updates,
    )


PRESETS: dict[str, TrainConfig] = _paper_runs() | {"paper-small": _paper_small()} | _laptop_runs()
RECIPES: dict[str, RecipeConfig] = {
    name: _r2r_recipe(name, PRESETS["r2r-map"], sight)
    for name, sight in {"r2r-annotated": "names+guesses", "r2r-pixels": "guesses"}.items()
} | {"r2r-paper": _paper_recipe(PRESETS["r2r-semantic"]), "tiny-stages": _tiny_recipe(PRESETS["tiny"])}
PRETRAINING: dict[str, TrainConfig] = {
    name: pretraining(PRESETS[name]) for name in ("paper", "paper-small", "r2r-map", "r2r-semantic", "tiny")
}
DESCRIPTIONS: dict[str, str] = {
    "paper": "The paper's R2R run: 768 wide, 9 + 4 layers, batch 16, with PREVALENT's augmented instructions.",
    "paper-single": "The paper's R2R run with text only as key and value (MTVM-dagger-star).",
    "paper-ndh": "The paper's NDH run, selected by goal progress.",
    "paper-r4r": "The paper's model on R4R, following the reference path.",
    "paper-small": "The paper's network and losses in small, sight from captions. A quarter of an hour on one core.",
    "r2r-map": "Real R2R without images, acting on a map: names or --data.sight guesses. An hour on one core.",
    "r2r-semantic": "The paper's actions, to neighbours only; alternating teacher and student, no words dropped.",
    "r2r-claims": "The paper's actions and both directions, as a student; what `mtvm study run claims` trains.",
    "reverie": "REVERIE: walks on a map and points at the object. Captions only, or --data.sight names.",
    "r2r-annotated": "The released agent, which sees annotated names, in two stages: imitation, then A2C.",
    "r2r-pixels": "The same from captions only: names guessed from captions. An hour on one core.",
    "r2r-paper": "The paper's own agent, captions only: pretraining, students with consistency, A2C. 90 minutes.",
    "demo": "The small agent of `make demo`, for the built-in world and its long walks. Six minutes on one core.",
    "tiny": "A few seconds, to try things.",
    "tiny-stages": "Two stages in a few seconds, to try recipes.",
}
