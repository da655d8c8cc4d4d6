"""What others publish, and the commands that download it.

Sizes, licences and checksums are those that the publishers state or that were measured; where neither is so, they are
not known. Nothing here is downloaded unless somebody asks for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeAlias

NOT_KNOWN = "not known"
TERMS = "http://kaldir.vc.in.tum.de/matterport/MP_TOS.pdf"
"""Matterport3D's Terms of Use."""

Command: TypeAlias = tuple[str, ...]
"""A program and its arguments."""


@dataclasses.dataclass(frozen=True)
class Source:
    """One thing to download."""

    title: str
    """What it is."""
    use: str
    """What mtvm needs it for."""
    page: str
    """Where it is published."""
    size: str
    licence: str
    folder: str
    """All commands write into this folder, which must not be there before."""
    commands: tuple[Command, ...] = ()
    """Run one after the other in the folder's parent; none if it cannot be had without an account."""
    afterwards: tuple[str, ...] = ()
    """What to do with it, to be typed by hand in the same place."""
    checksums: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """sha256 of files as mtvm was tested with, by their path below `folder`."""
    note: str = ""


def _sparse_clone(url: str, folder: str, *parts: str) -> tuple[Command, ...]:
    """Only some folders of a repository, and of its history only the last commit."""
    return (
        ("git", "clone", "--depth", "1", "--filter=blob:none", "--sparse", url, folder),
        ("git", "-C", folder, "sparse-checkout", "set", *parts),
    )


def _download(url: str, path: str) -> Command:
    return ("curl", "--fail", "--location", "--create-dirs", "--output", path, url)


_FINE_GRAINED = "https://github.com/YicongHong/Fine-Grained-R2R"
_CVDN = "https://cvdn.dev/dataset/NDH"
_RXR = "https://storage.googleapis.com/rxr-data"
_LANGNAV = "https://github.com/pbw-Berwin/LangNav"
_LANGNAV_COMMIT = "f2536e620a05cfba33083b16bc6140eed7213731"
_LAD_COMMIT = "0c421c6c1cbd25a25db35c65f6fb6d6c7e7109d1"
_NAVGPT = "https://www.dropbox.com/sh/i8ng3iq5kpa68nu/AAB53bvCFY_ihYx1mkLlOB-ea?dl=1"

SOURCES: dict[str, Source] = {
    "connectivity": Source(
        title="navigation graphs of 90 buildings",
        use="everything",
        page="https://github.com/peteanderson80/Matterport3DSimulator",
        size="24 MB",
        licence="MIT",
        folder="Matterport3DSimulator",
        commands=_sparse_clone(
            "https://github.com/peteanderson80/Matterport3DSimulator", "Matterport3DSimulator", "connectivity"
        ),
    ),
    "r2r": Source(
        title="Room-to-Room, all four splits",
        use="R2R, and R4R made of it",
        page="https://github.com/peteanderson80/Matterport3DSimulator/tree/master/tasks/R2R",
        size="5.8 MB",
        licence=NOT_KNOWN,
        folder="R2R",
        commands=_sparse_clone(_FINE_GRAINED, "R2R", "source/R2R-original"),
        checksums={
            "source/R2R-original/R2R_train.json": "f640b790f93a2574ba642518b2feafbf49db08c700bc0327bfa751b97506e5ef",
            "source/R2R-original/R2R_val_seen.json": "755633db9d5e64d5ca71d329c5046bb722781a09f0d1d501d7e8d094c83652ec",
            "source/R2R-original/R2R_val_unseen.json": (
                "1cc730adc1c098998ac9191462849fc725e0c5336984a35bfbac7d5f044e682c"
            ),
            "source/R2R-original/R2R_test.json": "f7e28b527ab7fd209010439b327269c18d315888c68ecc81486ef20d58046f10",
        },
        note="the files that tasks/R2R/data/download.sh of the simulator fetches from Dropbox, in a repository",
    ),
    "navgpt": Source(
        title="NavGPT's captions (BLIP-2)",
        use="the released agent that sees captions only",
        page="https://github.com/GengzeZhou/NavGPT",
        size=NOT_KNOWN,
        licence="MIT (repository)",
        folder="NavGPT",
        commands=(_download(_NAVGPT, "NavGPT/navgpt.zip"),),
        afterwards=(
            "python -m zipfile -e NavGPT/navgpt.zip NavGPT",
            "mtvm data captions NavGPT --out captions.jsonl.gz",
        ),
    ),
    "langnav": Source(
        title="LangNav's captions (BLIP), boxes (DETR)",
        use="agents that you train",
        page=_LANGNAV,
        size="113 MB",
        licence="MIT",
        folder="LangNav",
        commands=(
            ("git", "clone", "--filter=blob:none", "--no-checkout", _LANGNAV, "LangNav"),
            ("git", "-C", "LangNav", "sparse-checkout", "set", "img_features"),
            ("git", "-C", "LangNav", "checkout", _LANGNAV_COMMIT),
        ),
        afterwards=("mtvm data captions LangNav --out langnav.jsonl.gz",),
        note="the files are in this commit; later ones may only link to Google Drive",
    ),
    "reverie": Source(
        title="REVERIE, and its boxes of objects",
        use="REVERIE; names of objects (annotation)",
        page="https://github.com/YuankaiQi/REVERIE",
        size=NOT_KNOWN,
        licence=NOT_KNOWN,
        folder="REVERIE",
        commands=_sparse_clone("https://github.com/YuankaiQi/REVERIE", "REVERIE", "tasks/REVERIE/data"),
        afterwards=(
            "python -m zipfile -e REVERIE/data.zip REVERIE",
            "mtvm data names REVERIE --rooms LAD/vp2room_label.json --out viewpoints.jsonl.gz",
        ),
    ),
    "rooms": Source(
        title="LAD's list of rooms",
        use="names of rooms (annotation)",
        page="https://github.com/zehao-wang/LAD",
        size="4.0 MB",
        licence=NOT_KNOWN,
        folder="LAD",
        commands=(
            _download(
                f"https://raw.githubusercontent.com/zehao-wang/LAD/{_LAD_COMMIT}"
                "/dataset/REVERIE/annotations/vp2room_label.json",
                "LAD/vp2room_label.json",
            ),
        ),
        afterwards=("mtvm data names REVERIE --rooms LAD/vp2room_label.json --out viewpoints.jsonl.gz",),
    ),
    "fgr2r": Source(
        title="Fine-Grained R2R: sub-instructions",
        use="mtvm grounding",
        page=_FINE_GRAINED,
        size="3.0 MB (validation splits)",
        licence="MIT",
        folder="FGR2R",
        commands=_sparse_clone(_FINE_GRAINED, "FGR2R", "data"),
        checksums={
            "data/FGR2R_val_seen.json": "7e8c4b516ac896b340c3e2d5e898343359b5748f687d74718a23cbf4acf6e166",
            "data/FGR2R_val_unseen.json": "9f15b5ac72b444e02d61c4eac44935508cf3c6cf2d8fdd5a0e13df3f52accbf0",
        },
    ),
    "ndh": Source(
        title="Navigation from Dialog History (CVDN)",
        use="NDH",
        page="https://github.com/mmurray/cvdn",
        size="6.5 MB, and train",
        licence="MIT",
        folder="NDH",
        commands=(
            _download(f"{_CVDN}/train_val/train.json", "NDH/train.json"),
            _download(f"{_CVDN}/train_val/val_seen.json", "NDH/val_seen.json"),
            _download(f"{_CVDN}/train_val/val_unseen.json", "NDH/val_unseen.json"),
            _download(f"{_CVDN}/test_cleaned/test_cleaned.json", "NDH/test_cleaned.json"),
        ),
        checksums={
            "val_seen.json": "9fc7963ffcb41a8e592db21eb6201e910096c3d3921bceb670a22f683f31f273",
            "val_unseen.json": "7cf9e3ccc5f45286ce1a333232e384f73fceb7b40da1d6f2b3f6e96c742efc5f",
        },
    ),
    "rxr": Source(
        title="Room-across-Room",
        use="English, Hindi and Telugu",
        page="https://github.com/google-research-datasets/RxR",
        size="99 MB",
        licence="CC-BY",
        folder="RxR",
        commands=tuple(
            _download(f"{_RXR}/rxr_{split}_guide.jsonl.gz", f"RxR/rxr_{split}_guide.jsonl.gz")
            for split in ("train", "val_seen", "val_unseen", "test_standard_public")
        ),
    ),
    "prevalent": Source(
        title="PREVALENT's augmented instructions",
        use="training",
        page="https://github.com/YicongHong/Recurrent-VLN-BERT",
        size="1.5 GB",
        licence=NOT_KNOWN,
        folder="PREVALENT",
        commands=(
            _download(
                "https://zenodo.org/record/4437864/files/prevalent_aug.json?download=1", "PREVALENT/prevalent_aug.json"
            ),
        ),
    ),
    "features": Source(
        title="image features: ResNet-152, ImageNet",
        use="agents that see images",
        page="https://github.com/peteanderson80/Matterport3DSimulator",
        size="2.9 GB",
        licence=NOT_KNOWN,
        folder="features",
        commands=(
            _download(
                "https://www.dropbox.com/s/715bbj8yjz32ekf/ResNet-152-imagenet.zip?dl=1",
                "features/ResNet-152-imagenet.zip",
            ),
        ),
        afterwards=("mtvm features import features/ResNet-152-imagenet.zip stores/resnet152",),
        note="ViT features: see the repositories cshizhe/VLN-HAMT and cshizhe/VLN-DUET",
    ),
    "matterport3d": Source(
        title="Matterport3D: skyboxes, house_segmentations",
        use="real images; rooms from .house files",
        page="https://niessner.github.io/Matterport/",
        size=NOT_KNOWN,
        licence="its Terms of Use",
        folder="Matterport3D",
        note="sign the terms; the script that you are then sent downloads the parts that you name",
    ),
}
