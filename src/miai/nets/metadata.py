"""What a network of ours says about itself: the labels inside its ONNX file.

A network that `runtime` can run has inputs `spatial [n, planes, height, width]` and, if its plane set
has them, `scalars [n, scalars]`; and outputs, of which only the first is a must:

    policy     [n, steps, height * width + 1]   logits: next move, the reply, the move after; pass is last
    value      [n, 3]                           logits: win, loss, no result, for the side to move
    score      [n, 1]                           lead in points, for the side to move, if there is a result
    ownership  [n, 1, height, width]            -1 … 1, from the side to move

The labels say which plane set the inputs are and what else cannot be seen from shapes. Whoever exports
a network writes `Labels(…).to_props()` into `metadata_props`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "miai."
HEADS = ("policy", "value", "score", "ownership")


class BadLabels(ValueError):
    """Labels that are missing or make no sense."""


@dataclass(frozen=True)
class Labels:
    """The labels of one network."""

    name: str
    planes: str  # name of the plane set
    planes_version: int
    steps: int = 1  # moves ahead that the policy predicts
    heads: tuple[str, ...] = HEADS
    source: str = ""  # where it comes from, in words
    smallest: int = 2  # sides of the boards that it is meant for
    largest: int = 19

    def to_props(self) -> dict[str, str]:
        """As ONNX keeps them: strings under strings."""
        return {
            PREFIX + "name": self.name,
            PREFIX + "planes": self.planes,
            PREFIX + "planes_version": str(self.planes_version),
            PREFIX + "steps": str(self.steps),
            PREFIX + "heads": " ".join(self.heads),
            PREFIX + "source": self.source,
            PREFIX + "smallest": str(self.smallest),
            PREFIX + "largest": str(self.largest),
        }

    @classmethod
    def from_props(cls, props: Mapping[str, str]) -> Labels:
        """Read them back. BadLabels for a model that is not a network of this program."""
        planes = props.get(PREFIX + "planes")
        if planes is None:
            raise BadLabels("it does not say which planes it reads, so it was not made for this program")
        try:
            return cls(
                name=props.get(PREFIX + "name", ""),
                planes=planes,
                planes_version=int(props[PREFIX + "planes_version"]),
                steps=int(props.get(PREFIX + "steps", "1")),
                heads=tuple(props.get(PREFIX + "heads", "policy").split()),
                source=props.get(PREFIX + "source", ""),
                smallest=int(props.get(PREFIX + "smallest", "2")),
                largest=int(props.get(PREFIX + "largest", "19")),
            )
        except (KeyError, ValueError) as error:
            raise BadLabels(f"its labels are damaged ({error})") from error
