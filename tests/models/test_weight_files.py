"""Weight files that are not what they should be."""

import os
import pickle
import zipfile

import pytest
import torch
from safetensors.torch import save_file
from small_models import one_sentence

from mtvm.errors import InputError
from mtvm.io.weight_files import read_weight_file, write_safetensors
from mtvm.models.importing import import_agent
from mtvm.models.weights import read_tensors


class Code:
    """What a malicious pickle would run."""

    def __reduce__(self):
        return os.mkdir, ("hacked",)


WRONG = {
    "a list": [torch.ones(2)],
    "a tensor": torch.ones(2),
    "no tensors": {"epoch": 3},
    "nothing": {},
    "numbers for names": {1: torch.ones(2)},
    "a state that is a number": {"state_dict": 3},
    "a state that is a list": {"vln_bert": {"epoch": 1, "state_dict": [1]}, "critic": {}},
    "a critic that is a number": {"vln_bert": {"state_dict": {"outproj.bias": torch.ones(2)}}, "critic": 5},
    "a model that is empty": {"vln_bert": {}, "critic": {}},
}


def test_a_file_that_is_replaced_while_it_is_read_is_read_whole(tmp_path, monkeypatch):
    """safetensors opens it twice, for what it says of its tensors and for their numbers."""
    path, newer, opened = tmp_path / "a.safetensors", tmp_path / "b.safetensors", torch.UntypedStorage.from_file
    write_safetensors(path, {"a": torch.zeros(3)})
    write_safetensors(newer, {"a": torch.ones(3)})

    def opened_late(*arguments, **options):
        if newer.exists():
            newer.replace(path)
        return opened(*arguments, **options)

    monkeypatch.setattr(torch.UntypedStorage, "from_file", opened_late)
    assert read_weight_file(path)["a"].tolist() == [1, 1, 1]
    assert not newer.exists()


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_read_tensors_of_other_content_is_one_sentence(tmp_path, content):
    path = tmp_path / "best.pt"
    torch.save(content, path)
    with pytest.raises(InputError) as error:
        read_tensors(path)
    one_sentence(error, "best.pt")


BYTES = {
    "nothing": b"",
    "words": b"hello there, this is no checkpoint",
    "a web page": b"<!DOCTYPE html><html><body>404</body></html>",
    "zeros": bytes(100),
    "a zip of nothing": b"PK\x05\x06" + bytes(18),
    "half a pickle": pickle.dumps({"a": [1] * 100}, protocol=2)[:50],
    "a text larger than any memory": b"\x80\x04\x8d" + (2**60).to_bytes(8, "little") + b"x",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}


@pytest.mark.parametrize("name", ["best.pt", "pytorch_model.bin", "model.safetensors"])
@pytest.mark.parametrize("content", BYTES.values(), ids=BYTES)
def test_read_tensors_of_a_corrupt_file_is_one_sentence(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_tensors(tmp_path / name)
    one_sentence(error, name)


@pytest.mark.parametrize("kind", ["zip", "legacy", "safetensors"])
def test_read_tensors_of_a_truncated_file_is_one_sentence(tmp_path, kind):
    whole, path = tmp_path / "whole", tmp_path / ("w.safetensors" if kind == "safetensors" else "w.pt")
    tensors = {"vln_bert.a": torch.ones(5, 5), "vln_bert.b": torch.zeros(3)}
    if kind == "safetensors":
        save_file(tensors, whole)
    else:
        torch.save(tensors, whole, _use_new_zipfile_serialization=kind == "zip")
    content = whole.read_bytes()
    for length in range(0, len(content) - 1, 13):
        path.write_bytes(content[:length])
        with pytest.raises(InputError) as error:
            read_tensors(path)
        one_sentence(error, path.name)


def test_read_tensors_never_runs_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save({"vln_bert.a": torch.ones(2), "extra": Code()}, tmp_path / "best.pt")
    with pytest.raises(InputError) as error:
        read_tensors(tmp_path / "best.pt")
    one_sentence(error, "best.pt")
    assert not (tmp_path / "hacked").exists()


def test_read_tensors_of_a_missing_file_or_empty_folder_is_one_sentence(tmp_path):
    for path in (tmp_path / "nowhere.pt", tmp_path, tmp_path / "no" / "folder"):
        with pytest.raises(InputError) as error:
            read_tensors(path)
        one_sentence(error, str(path))


# What a file claims


def stretched():
    """A tensor of 4 TB, made of a single number."""
    return torch.zeros(1).expand(1_000_000, 1_000_000)


ODD = {
    "a tensor without numbers": (lambda: torch.empty(3, device="meta"), "holds no plain numbers"),
    "a quantised tensor": (
        lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        "cannot be read|quantised",
    ),
    "a sparse tensor": (lambda: torch.eye(3).to_sparse(), "sparse"),
    "more numbers than there are": (stretched, "more numbers than the file holds"),
}


def test_read_weight_file_ends_for_a_file_that_holds_itself(tmp_path):
    held = {"a": torch.ones(2)}
    held["itself"] = held
    torch.save(held, tmp_path / "best.pt")
    assert read_weight_file(tmp_path / "best.pt")["a"].tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore:torch.quantize")
@pytest.mark.parametrize(("make", "said"), ODD.values(), ids=ODD)
def test_read_weight_file_refuses_tensors_that_are_not_plain(tmp_path, make, said):
    torch.save({"state": {"vln_bert.a": torch.ones(2), "odd": [make()]}}, tmp_path / "best.pt")
    with pytest.raises(InputError, match=said) as error:
        read_weight_file(tmp_path / "best.pt")
    one_sentence(error, "best.pt")


@pytest.mark.parametrize("archived", [True, False])
def test_read_weight_file_refuses_a_name_without_end_before_torch_complains_of_it(tmp_path, archived, monkeypatch):
    """torch takes minutes to put a name of a megabyte into a sentence."""
    path = tmp_path / "best.pt"
    torch.save({"a": torch.zeros(2)}, path, _use_new_zipfile_serialization=archived)
    name = b"ctorch._utils\n_rebuild_tensor_v2\n"
    if archived:
        with zipfile.ZipFile(path) as whole:
            members = {item.filename: whole.read(item) for item in whole.infolist()}
        with zipfile.ZipFile(path, "w") as spoiled:
            for member, content in members.items():
                spoiled.writestr(member, content.replace(name, b"ctorch\n" + b"x" * 10**6 + b"\n"))
    else:
        path.write_bytes(path.read_bytes().replace(name, b"ctorch\n" + b"x" * 10**6 + b"\n"))
    assert path.stat().st_size > 10**6
    monkeypatch.setattr(torch, "load", lambda *arguments, **options: pytest.fail("torch was asked"))
    with pytest.raises(InputError, match="holds code beside tensors, which is not run") as error:
        read_weight_file(path)
    one_sentence(error, "best.pt")


def test_read_weight_file_refuses_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setenv("MTVM_MAX_UNPACKED_GB", "0.005")
    torch.save({"a": torch.zeros(2_000_000)}, tmp_path / "whole.pt")
    with (
        zipfile.ZipFile(tmp_path / "whole.pt") as whole,
        zipfile.ZipFile(tmp_path / "best.pt", "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for item in whole.infolist():
            packed.writestr(item.filename, whole.read(item))
    with pytest.raises(InputError, match="looks like a trap") as error:
        read_weight_file(tmp_path / "best.pt")
    one_sentence(error, "best.pt")


WORDS = {"vln_bert.embeddings.word_embeddings.weight": torch.zeros(50, 12)}
STRANGE = {
    "layers that are not there": {"vln_bert.lalayer.999999999.output.dense.bias": torch.zeros(12)},
    "a layer of 5,000 digits": {f"vln_bert.addlayer.{'9' * 5000}.visn_output.dense.bias": torch.zeros(12)},
    "layers with a gap": {f"vln_bert.lalayer.{n}.output.dense.bias": torch.zeros(12) for n in (0, 2)},
    "a number for a matrix": {"vln_bert.vision_encoder.visn_fc.weight": torch.tensor(1.0)},
    "a number for words": {"vln_bert.embeddings.word_embeddings.weight": torch.tensor(1.0)},
    "features of negative width": {"vln_bert.vision_encoder.visn_fc.weight": torch.zeros(12, 3)},
    "no position": {"vln_bert.embeddings.position_embeddings.weight": torch.zeros(0, 12)},
    "a width that no head divides": {"vln_bert.embeddings.word_embeddings.weight": torch.zeros(50, 13)},
    "complex numbers": {"vln_bert.embeddings.LayerNorm.bias": torch.zeros(12, dtype=torch.complex64)},
    "whole numbers": {"vln_bert.embeddings.LayerNorm.bias": torch.zeros(12, dtype=torch.int64)},
}


@pytest.mark.parametrize("tensors", STRANGE.values(), ids=STRANGE)
def test_import_agent_of_strange_tensors_is_one_sentence_and_writes_nothing(tmp_path, tensors):
    torch.save(WORDS | tensors, tmp_path / "best.pt")
    with pytest.raises(InputError) as error:
        import_agent(tmp_path / "best.pt", tmp_path / "agent", "tiny", "memory", 0)
    one_sentence(error, "best.pt")
    assert not (tmp_path / "agent").exists()
