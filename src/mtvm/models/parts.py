"""The parts of a network that are chosen by name: architectures and histories.

Each has a config of its own with the options that it alone reads. A part of a user's own, MODULE:CLASS, names its
config as `Options`. Nothing here imports torch.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar, NamedTuple

from tyro.conf import arg

from mtvm.errors import InputError, brief
from mtvm.io.config_files import Chosen, Layers, Number
from mtvm.plugins import is_object_name, load_object


class Known(NamedTuple):
    """A part that comes with mtvm."""

    config: type[Part]
    code: str
    """MODULE:CLASS"""


@dataclasses.dataclass(frozen=True)
class Part(Chosen):
    """What every part has: the name by which it is chosen."""

    what: ClassVar[str]
    """What kind of part this is, in errors."""
    name: str

    @classmethod
    def known(cls) -> dict[str, Known]:
        """Those that come with mtvm, by name."""
        raise NotImplementedError

    @classmethod
    def base(cls) -> type:
        """The class that the code of such a part inherits from."""
        raise NotImplementedError

    @classmethod
    def code(cls, name: str) -> Any:
        """The class that a name stands for."""
        known = cls.known()
        return load_object(known[name].code if name in known else name, cls.base(), cls.what)

    @classmethod
    def kind(cls, name: Any) -> type[Part]:
        known = cls.known()
        if isinstance(name, str) and name in known:
            return known[name].config
        if not isinstance(name, str) or not is_object_name(name):
            raise InputError(f"{cls.what} '{brief(name)}' is not one of {', '.join(known)}, and not MODULE:CLASS.")
        options: type[Part] = cls.code(name).Options
        return options

    @property
    def layers(self) -> int:
        """How many transformer layers it has beside those that all networks have."""
        return 0


def part(kind: type[Part], given: Any) -> Any:
    """A part's config; a name alone stands for its defaults."""
    if isinstance(given, kind):
        expected = kind.kind(given.name)
        if type(given) is not expected:
            raise InputError(
                f"{kind.what} '{given.name}' has the options of {expected.__name__}, not of {type(given).__name__}."
            )
        return given
    return kind.kind(given)(name=given)


# Architectures


ArchitectureName = Annotated[
    str, arg(name="", metavar="NAME", help="mtvm, vlnbert (Recurrent VLN-BERT as released), or MODULE:CLASS.")
]


@dataclasses.dataclass(frozen=True)
class ArchitectureConfig(Part):
    """The network, of which the agent's own `Options` inherit."""

    what = "architecture"
    least_crossmodal_layers: ClassVar[int] = 0
    leading_cls: ClassVar[bool] = False
    """Whether the text must begin with [CLS]."""
    name: ArchitectureName

    @classmethod
    def known(cls) -> dict[str, Known]:
        return ARCHITECTURES

    @classmethod
    def base(cls) -> type:
        from mtvm.models.network import Network

        return Network


@dataclasses.dataclass(frozen=True)
class ReleasedCode:
    """Where the network or its training does as the authors' released code does, and not as their paper says; see
    docs/paper-vs-code.md."""

    padding: bool = False
    """Compute padded tokens too: texts are always of full length, and the critic's state is a mean over padding."""
    consistency: bool = False
    """Train with the released consistency loss instead of Eq. 3 to 5. It needs padding."""


@dataclasses.dataclass(frozen=True)
class MTVMConfig(ArchitectureConfig):
    """The paper's network, with any history."""

    least_crossmodal_layers = 1
    name: ArchitectureName = "mtvm"
    bidirectional: bool = True
    """Text attends to vision too. False is the paper's single-direction variant: text is only key and value."""
    released: ReleasedCode = dataclasses.field(default_factory=ReleasedCode)


@dataclasses.dataclass(frozen=True)
class VLNBertConfig(ArchitectureConfig):
    """Recurrent VLN-BERT as released, whose history is its state."""

    least_crossmodal_layers = 1
    leading_cls = True
    name: ArchitectureName = "vlnbert"


ARCHITECTURES = {
    "mtvm": Known(MTVMConfig, "mtvm.models.model:MTVM"),
    "vlnbert": Known(VLNBertConfig, "mtvm.models.vlnbert:VLNBert"),
}


# Histories


HistoryName = Annotated[
    str,
    arg(
        name="",
        metavar="NAME",
        help="memory, none, recurrent, oriented (E.T.), hierarchical (HAMT), cached, or MODULE:CLASS.",
    ),
]


@dataclasses.dataclass(frozen=True)
class HistoryConfig(Part):
    """How the past enters MTVM; the `Options` of a history of one's own inherit from it."""

    what = "history"
    name: HistoryName

    @classmethod
    def known(cls) -> dict[str, Known]:
        return HISTORIES

    @classmethod
    def base(cls) -> type:
        from mtvm.models.history.base import HistoryEncoder

        return HistoryEncoder


@dataclasses.dataclass(frozen=True)
class NoHistoryConfig(HistoryConfig):
    """No past at all: every step is the first."""

    name: HistoryName = "none"


@dataclasses.dataclass(frozen=True)
class RecurrentConfig(HistoryConfig):
    """A recurrent state, modelled on VLN⟲BERT."""

    name: HistoryName = "recurrent"


@dataclasses.dataclass(frozen=True)
class StepsConfig(HistoryConfig):
    """A history of one token a step."""

    steps: Number | None = None
    """Keep only the last steps of the past; None keeps all of them."""


@dataclasses.dataclass(frozen=True)
class MemoryConfig(StepsConfig):
    """The paper's memory bank."""

    name: HistoryName = "memory"


@dataclasses.dataclass(frozen=True)
class OrientedConfig(StepsConfig):
    """What was looked at and done (E.T.)."""

    name: HistoryName = "oriented"


@dataclasses.dataclass(frozen=True)
class HierarchicalConfig(StepsConfig):
    """Every panorama that was seen (HAMT)."""

    name: HistoryName = "hierarchical"
    panorama_layers: Layers = 2
    """Layers of the transformer over a panorama's 36 views."""
    temporal_layers: Layers = 0
    """Layers of a transformer over [CLS] and the past panoramas, before the cross-modal ones."""

    @property
    def layers(self) -> int:
        return self.panorama_layers + self.temporal_layers


@dataclasses.dataclass(frozen=True)
class CachedConfig(StepsConfig):
    """A memory of linear cost: written once, read inside the layers."""

    name: HistoryName = "cached"


HISTORIES = {
    "memory": Known(MemoryConfig, "mtvm.models.history.memory_bank:MemoryBankHistory"),
    "none": Known(NoHistoryConfig, "mtvm.models.history.none:NoHistory"),
    "recurrent": Known(RecurrentConfig, "mtvm.models.history.recurrent:RecurrentHistory"),
    "oriented": Known(OrientedConfig, "mtvm.models.history.oriented:OrientedHistory"),
    "hierarchical": Known(HierarchicalConfig, "mtvm.models.history.hierarchical:HierarchicalHistory"),
    "cached": Known(CachedConfig, "mtvm.models.history.cached:CachedHistory"),
}
