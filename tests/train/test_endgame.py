"""Training of the endgame network: what it learns from; learning, export and judging fit together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from miai.go.coords import BLACK, EMPTY, WHITE
from miai.train import endgame
from miai.train.config import ConfigError
from miai.train.endgame_data import (
    AREA,
    NEVER,
    NOBODY,
    SIDE,
    UNKNOWN,
    Mask,
    Positions,
    blob,
    dilate,
    draw,
    every,
    load,
    next_move,
    parts_of,
    regions,
    save,
)
from miai.train.endgame_evaluate import evaluate, from_views, log_local, sides
from miai.train.endgame_features import Views, forget
from miai.train.endgame_model import IMPOSSIBLE, Heads, KataGoTrunk, OurTrunk, Trunk, Whole, compare, export
from miai.train.games import NoPositions

CONFIG = Path(__file__).resolve().parents[2] / "configs" / "endgame.toml"


def place(row: int, column: int) -> int:
    return row * SIDE + column


def mask_of(*places: int) -> Mask:
    mask = np.zeros(AREA, np.bool_)
    mask[list(places)] = True
    return mask


def positions_made(n: int = 4, seed: int = 0) -> Positions:
    """Positions with stripes of ownership, and moves where it is in doubt."""
    random = np.random.default_rng(seed)
    ownership = np.where(np.arange(AREA) % SIDE < 9, 100, -100).astype(np.int8)
    ownership[np.arange(AREA) % SIDE == 9] = 20
    when, who = np.full((n, AREA), NEVER, np.int16), np.zeros((n, AREA), np.int8)
    for row in range(n):
        for later, at in enumerate(random.permutation(SIDE)[:5]):
            when[row, place(at, 9)], who[row, place(at, 9)] = later, 1 + (later + row) % 2
    return Positions(
        game=np.arange(n),
        move=np.full(n, 100, np.int16),
        side=np.array([BLACK, WHITE] * n, np.int8)[:n],
        counted=np.ones(n, np.bool_),
        stones=np.zeros((n, AREA), np.int8),
        when=when,
        who=who,
        ownership=np.tile(ownership, (n, 1)),
    )


def test_the_first_move_in_a_mask_is_the_label() -> None:
    positions = positions_made(1)
    positions.when[0], positions.who[0] = NEVER, 0
    positions.when[0, 5], positions.who[0, 5] = 7, BLACK
    positions.when[0, 6], positions.who[0, 6] = 3, WHITE
    assert next_move(positions, 0, mask_of(4, 5)) == 5
    assert next_move(positions, 0, mask_of(4, 5, 6)) == AREA + 6
    assert next_move(positions, 0, mask_of(30)) == NOBODY
    positions.stones[0, 6] = BLACK  # captured from outside before the move: not a move in the region
    assert next_move(positions, 0, mask_of(5, 6)) == UNKNOWN


def test_nothing_is_known_where_a_resigned_game_stopped() -> None:
    positions = positions_made(1)
    positions.counted[0] = False
    assert next_move(positions, 0, mask_of(0)) == UNKNOWN
    assert next_move(positions, 0, mask_of(0), sure=True) == NOBODY


def test_regions_are_the_connected_doubtful_parts() -> None:
    ownership = np.full(AREA, 100, np.int8)
    ownership[[0, 1, SIDE]] = 50
    ownership[place(10, 10)] = -89
    ownership[place(15, 15)] = 93
    found = {frozenset(np.flatnonzero(part).tolist()) for part in regions(ownership, 0.90)}
    assert found == {frozenset({0, 1, SIDE}), frozenset({place(10, 10)})}
    assert len(regions(ownership, 0.95)) == 3


def test_large_parts_are_cut_into_their_cores() -> None:
    ownership = np.full(AREA, 85, np.int8)
    ownership[[place(2, 2), place(2, 3), place(16, 16)]] = 0
    found = {frozenset(np.flatnonzero(part).tolist()) for part in regions(ownership, 0.90)}
    assert found == {frozenset({place(2, 2), place(2, 3)}), frozenset({place(16, 16)})}


def test_blobs_are_connected_and_of_one_side() -> None:
    random = np.random.default_rng(1)
    ownership = positions_made(1).ownership[0]
    for _ in range(20):
        mask = blob(random, ownership)
        assert mask is not None and len(parts_of(mask)) == 1 and mask.sum() >= 3
        assert len(set(ownership[mask].tolist())) == 1
    assert blob(random, np.zeros(AREA, np.int8)) is None


def test_dilate_stops_at_the_edge() -> None:
    assert set(np.flatnonzero(dilate(mask_of(0)))) == {0, 1, SIDE}
    assert set(np.flatnonzero(dilate(mask_of(place(18, 18)), [(0, 1)]))) == {place(18, 18)}
    assert set(np.flatnonzero(dilate(mask_of(place(5, 18)), [(0, -1)]))) == {place(5, 17), place(5, 18)}


@pytest.mark.parametrize("symmetry", range(8))
def test_turning_turns_labels_along(symmetry: int) -> None:
    positions = positions_made(1)
    turned = positions.turned(np.array([symmetry]))
    full = np.ones(AREA, np.bool_)
    before, after = next_move(positions, 0, full), next_move(turned, 0, full)
    assert before // AREA == after // AREA
    assert turned.ownership[0, after % AREA] == positions.ownership[0, before % AREA] == 20


def test_saved_and_loaded(tmp_path: Path) -> None:
    positions = positions_made()
    save(positions, tmp_path / "p.npz")
    assert np.array_equal(load(tmp_path / "p.npz").when, positions.when)
    (tmp_path / "bad.npz").write_bytes(b"no")
    with pytest.raises(NoPositions, match="miai data endgame"):
        load(tmp_path / "bad.npz")


def test_draws_are_labelled_regions() -> None:
    positions = positions_made()
    random = np.random.default_rng(2)
    drawn = [draw(random, positions, i % 4) for i in range(60)]
    found = [each for each in drawn if each is not None]
    assert len(found) > 50
    labels = {label == NOBODY for _, label in found}
    assert labels == {True, False}
    for mask, label in found:
        assert label == NOBODY or mask[label % AREA]


def test_chances_are_of_empty_points_in_the_mask_and_from_blacks_side() -> None:
    local = np.zeros((2, NOBODY + 1), np.float32)
    local[:, 3] = 5.0  # the side to move plays on 3
    stones = np.zeros((2, AREA), np.int8)
    stones[:, 4] = BLACK
    masks = np.stack([mask_of(3, 4, 5)] * 2)
    chance = np.exp(log_local(local, stones, masks, np.array([False, True])))
    assert chance[0].argmax() == 3 and chance[1].argmax() == AREA + 3
    assert (chance[:, 4] == 0).all() and (chance[:, 6] == 0).all()
    assert np.allclose(chance.sum(1), 1, atol=1e-5)
    assert np.allclose(sides(chance).sum(1), 1, atol=1e-5)


# heads ------------------------------------------------------------------------------------------

CHANNELS = 6


def views_made(positions: Positions) -> Views:
    """Features that say nothing but the ownership; the policy is flat."""
    features = np.random.default_rng(3).normal(size=(len(positions), CHANNELS, AREA)).astype(np.float16)
    features[:, -2] = 0
    view = np.where(positions.side == WHITE, -1, 1)[:, None]
    features[:, -1] = np.arctanh(np.clip(positions.ownership / 100 * view, -0.99, 0.99))
    return Views(positions, features, np.zeros((len(positions), AREA), np.bool_))


def small_config(tmp_path: Path, *more: str) -> endgame.EndgameConfig:
    changes = [
        f'fit.out="{tmp_path}"',
        "fit.positions=256",
        "fit.batch=16",
        "fit.warmup=0",
        "model.width=8",
        "model.blocks=1",
        *more,
    ]
    return endgame.load_config(CONFIG, changes)


def test_outside_the_mask_is_impossible() -> None:
    heads = Heads(CHANNELS, 8, 1)
    mask = torch.zeros(1, 1, 9, 9)
    mask[0, 0, 2:5, 2:5] = 1
    out = heads(torch.randn(1, CHANNELS, 9, 9), mask)
    chance = out["local"].softmax(1)[0]
    inside = torch.cat([mask.flatten(), mask.flatten(), torch.ones(1)]).bool()
    assert chance[~inside].sum() < 1e-6
    assert out["ownership"].abs().max() <= 1


def test_windows_hold_the_mask_and_the_label(tmp_path: Path) -> None:
    positions = positions_made()
    sampler = endgame.Sampler([endgame.Set(views_made(positions), True)], 16, 1, 4.0)
    mask = dilate(mask_of(place(0, 0), place(3, 5)))
    for seed in range(20):
        corner = endgame.window(np.random.default_rng(seed), mask, endgame.WINDOW)
        assert corner is not None and corner[0] == 0 <= corner[1] <= 6
    assert endgame.window(np.random.default_rng(0), mask_of(0, place(18, 18)), endgame.WINDOW) is None
    drawn = sampler.cut(sampler.sets[0], 1, mask_of(place(8, 9)), AREA + place(8, 9), 4, 5, 13)
    features, cut, empty, label, owned, _ = drawn
    assert features.shape == (CHANNELS, 13, 13) and cut[4, 4] and cut.sum() == 1 and empty.all()
    assert label == 4 * 13 + 4  # White moves next and is to move: his own move
    assert owned[4, 4] == pytest.approx(-0.2)
    batch = sampler.batch(1)
    assert batch.features.shape == (16, CHANNELS, 13, 13)
    assert sampler.batch(0).features.shape == (16, CHANNELS, 19, 19)
    assert np.array_equal(sampler.batch(1).label, batch.label)


def test_fitting_lowers_the_loss_and_writes_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = positions_made(8)
    views = views_made(positions)
    monkeypatch.setattr(endgame, "prepare", lambda config: ([endgame.Set(views, True)], views))
    config = small_config(tmp_path, "fit.learning_rate=0.02")
    torch.manual_seed(config.data.seed)
    examples = list(every(positions))
    before = evaluate(from_views(Heads(CHANNELS, 8, 1), views), positions, examples)
    after = endgame.fit(config)
    assert after.groups["all"].nll < before.groups["all"].nll
    assert (tmp_path / endgame.HEADS).is_file()
    assert "top 1" in after.table() and after.to_json()["ownership_mse"]["board"] < 0.1


class TinyTrunk(Trunk):
    """Two channels of the planes, a flat policy, and nobody's points."""

    def __init__(self) -> None:
        from miai.nets.planes import plane_set

        super().__init__(torch.nn.Identity(), 2, 1, plane_set("katago7"), "tiny")

    def _run(
        self, spatial: torch.Tensor, scalars: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        seen = spatial[:, 1:3]
        flat = spatial[:, :1].flatten(2)
        policy = torch.cat([flat, flat[:, :, :1]], 2) + scalars[:, :1, None]
        return seen, {"policy": policy, "ownership": 0.1 * spatial[:, 1:2]}


def test_an_export_answers_as_torch_does(tmp_path: Path) -> None:
    torch.manual_seed(1)
    trunk = TinyTrunk()
    heads = Heads(trunk.channels, 8, 1)
    path = tmp_path / "tiny.onnx"
    assert export(trunk, heads, path) < 0.01
    other = Heads(trunk.channels, 8, 1)
    torch.nn.init.normal_(other.policy.weight)
    assert compare(path, Whole(trunk, other).eval()) > 0.01  # the comparison can fail


def test_a_katago_trunk_sees_what_its_heads_say(data: Path) -> None:
    from miai.train.endgame_model import load_trunk

    trunk = load_trunk(str(data / "nets" / "g170-b6c96-s175395328-d26788732.bin.gz"))
    assert isinstance(trunk, KataGoTrunk) and not isinstance(trunk, OurTrunk)
    spatial, scalars = torch.zeros(1, 22, 9, 9), torch.zeros(1, 19)
    spatial[:, 0] = 1
    seen = trunk(spatial, scalars)
    whole = trunk.network(spatial, scalars)
    assert seen.shape == (1, trunk.channels, 9, 9)
    assert torch.allclose(torch.tanh(seen[:, -1]), whole["ownership"][:, 0], atol=1e-3)
    policy = seen[0, -2].flatten() / 0.2
    assert policy.argmax() == whole["policy"][0, 0, :-1].argmax()


def test_forgetting_takes_the_last_moves_out() -> None:
    from miai.nets.planes import plane_set

    spatial, scalars = np.ones((1, 22, 9, 9), np.float32), np.ones((1, 19), np.float32)
    spatial[:, 14] = 0.5
    forget(plane_set("katago7"), spatial, scalars)
    assert (spatial[:, 9:14] == 0).all() and (spatial[:, 15:17] == 0.5).all() and (spatial[:, :9] == 1).all()
    assert (scalars[:, :5] == 0).all() and (scalars[:, 5:] == 1).all()


def test_configurations(tmp_path: Path) -> None:
    assert small_config(tmp_path).fit.positions == 256
    with pytest.raises(ConfigError, match=r"data\.views"):
        small_config(tmp_path, 'data.views=["sideways"]')
    with pytest.raises(ConfigError, match="no such key"):
        small_config(tmp_path, "model.heads=3")
    assert IMPOSSIBLE < -20 and EMPTY == 0
