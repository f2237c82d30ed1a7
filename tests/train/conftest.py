"""What the tests of training share: games of our own making, tiny configurations. Skipped without torch."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

import pytest

from train.games_made import random_game

try:
    import safetensors  # noqa: F401
    import torch

    torch.set_num_threads(1)
    MISSING = ""
except ImportError as error:
    MISSING = f"training needs torch: pip install miai[train] ({error})"


class Skipped(pytest.Module):
    """A file of tests that is skipped before its imports can fail."""

    def collect(self) -> Any:
        pytest.skip(MISSING, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return Skipped.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve games on 9×9, packed."""
    path = tmp_path_factory.mktemp("games") / "games.sgf.xz"
    path.write_bytes(lzma.compress("\n".join(random_game(seed) for seed in range(12)).encode()))
    return path


@pytest.fixture
def table(archive: Path, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """A configuration of a tiny network and a few steps, to be changed by tests."""
    return {
        "model": {
            "kind": "residual",
            "planes": "deepgo8",
            "blocks": 2,
            "channels": 8,
            "steps": 3,
            "pooling": [1],
            "pooled_channels": 4,
            "head_channels": 8,
            "value_channels": 4,
            "hidden": 8,
        },
        "data": {"games": [str(archive)], "validation": [str(archive)], "seed": 3},
        "fit": {
            "out": str(tmp_path / "run"),
            "positions": 128,
            "batch": 8,
            "threads": 1,
            "warmup": 0,
            "validate_positions": 16,
        },
    }
