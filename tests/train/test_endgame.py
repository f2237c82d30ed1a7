"""Training of the endgame network: what it learns from; learning, export and judging fit together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from miai.go.coords import BLACK, EMPTY, WHITE
from miai.train import endgame
from miai.train.config import ConfigError
from miai.train.endgame_batches import ALONE, HISTORY, NEAR, EndgameData, Sampler, forget
from miai.train.endgame_data import (
    AREA,
    NEVER,
    NOBODY,
    SIDE,
    UNKNOWN,
    Mask,
    Positions,
    blob,
    collect,
    dilate,
    draw,
    every,
    labelled,
    load_games,
    look,
    next_move,
    parts_of,
    regions,
    write,
)
from miai.train.endgame_evaluate import evaluate, from_torch, log_local, sides
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


def test_draws_are_labelled_regions() -> None:
    positions = positions_made()
    random = np.random.default_rng(2)
    found = [each for i in range(60) for each in draw(random, positions, i % 4)]
    assert len(found) > 100 and len(draw(random, positions, 0, most=1)) == 1
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


def small_config(tmp_path: Path, *more: str) -> endgame.EndgameConfig:
    changes = [
        f'fit.out="{tmp_path}"',
        "fit.positions=256",
        "fit.batch=16",
        "fit.warmup=0",
        "fit.cooldown=0",
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


def test_many_masks_of_a_position_are_answered_as_one_by_one() -> None:
    torch.manual_seed(2)
    heads = Heads(CHANNELS, 8, 1).eval()
    torch.nn.init.normal_(heads.policy.weight)
    features = torch.randn(2, CHANNELS, 9, 9)
    mask = (torch.rand(3, 1, 9, 9) < 0.3).float()
    rows = torch.tensor([0, 1, 1])
    together, apart = heads(features, mask, rows), heads(features[rows], mask)
    for name in ("local", "ownership"):
        assert torch.allclose(together[name], apart[name], atol=1e-5)


class TinyTrunk(Trunk):
    """Two maps of the stones, a flat policy, and an ownership that follows one of them."""

    def __init__(self) -> None:
        from miai.nets.planes import plane_set

        network = torch.nn.Conv2d(2, 2, 3, padding=1)
        super().__init__(network, 2, 1, plane_set("katago7"), "tiny")

    def _run(
        self, spatial: torch.Tensor, scalars: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        seen = self.network(spatial[:, 1:3])
        flat = spatial[:, :1].flatten(2)
        policy = torch.cat([flat, flat[:, :, :1]], 2) + scalars[:, :1, None]
        return seen, policy, seen[:, :1] + 2 * (spatial[:, 1:2] - spatial[:, 2:3])


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every trunk that is loaded is a tiny one, always the same."""

    def load_tiny(path: str) -> Trunk:
        torch.manual_seed(7)
        return TinyTrunk()

    monkeypatch.setattr(endgame, "load_trunk", load_tiny)


def small_data(tmp_path: Path) -> list[str]:
    """Settings for a few short games, with labels."""
    random = np.random.default_rng(5)
    lines = []
    for game in range(6):
        moves = "".join(
            f";{'BW'[i % 2]}[{chr(97 + at % SIDE)}{chr(97 + at // SIDE)}]"
            for i, at in enumerate(random.permutation(AREA)[:60].tolist())
        )
        lines.append(f"(;GM[1]FF[4]SZ[19]KM[6.5]RE[{'B+3.5' if game % 2 else 'W+R'}]{moves})")
    games, labels = tmp_path / "games.sgf", tmp_path / "labels.npz"
    games.write_text("\n".join(lines))
    ownership = positions_made(4).ownership
    np.savez(labels, game=np.arange(4, dtype=np.int32), move=np.full(4, 51, np.int16), ownership=ownership)
    return [
        f'model.trunk="{games}"',
        *(f'data.{name}games="{games}"' for name in ("", "validation_")),
        *(f'data.{name}labels="{labels}"' for name in ("", "validation_")),
    ]


def sampler_made(tmp_path: Path, **changes: float) -> Sampler:
    small_data(tmp_path)
    corpus, counted = load_games([str(tmp_path / "games.sgf")])
    labels = labelled(corpus, [str(tmp_path / "labels.npz")])
    config = EndgameData(games=(), labels=(), validation_games=(), validation_labels=(), **changes)  # type: ignore[arg-type]
    return Sampler(corpus, counted, labels, TinyTrunk(), config, size=8, inside=4.0)


def test_positions_of_games_know_what_came_after(tmp_path: Path) -> None:
    small_data(tmp_path)
    corpus, counted = load_games([str(tmp_path / "games.sgf")])
    assert counted.tolist() == [False, True] * 3
    found = look(corpus, counted, np.array([1]), np.array([51]), np.zeros((1, AREA), np.int8))
    assert (found.when[0] != NEVER).sum() == 9 and found.side[0] == WHITE and found.counted[0]
    first = int(found.when[0].argmin())
    assert first == corpus.records.points[corpus.records.start[1] + 51] and found.who[0, first] == WHITE
    with pytest.raises(NoPositions, match="no label belongs"):
        np.savez(tmp_path / "far.npz", game=[99], move=[51], ownership=np.zeros((1, AREA), np.int8))
        labelled(corpus, [str(tmp_path / "far.npz")])


def test_regions_are_written_as_they_are_judged(tmp_path: Path) -> None:
    small_data(tmp_path)
    names = [str(tmp_path / "games.sgf")], [str(tmp_path / "labels.npz")]
    positions, _ = collect(*names)
    examples = list(every(positions))
    assert write(*names, tmp_path / "out.npz") == (4, len(examples))
    with np.load(tmp_path / "out.npz") as file:
        masks = np.unpackbits(file["mask"], axis=1, count=AREA).astype(bool)
        assert (file["stones"] == positions.stones).all() and (file["side"] == positions.side).all()
        for row, mask, label, example in zip(file["row"], masks, file["label"], examples, strict=True):
            assert (row, label) == (example.row, example.label) and (mask == example.mask).all()


def test_batches_are_the_same_by_number_and_from_the_side_to_move(tmp_path: Path) -> None:
    sampler = sampler_made(tmp_path)
    batch, again = sampler.batch(3), sampler.batch(3)
    for name, found in vars(batch).items():
        assert torch.equal(found, vars(again)[name]), name
    assert not torch.equal(batch.spatial, sampler.batch(4).spatial)
    assert batch.spatial.shape == (8, 22, SIDE, SIDE) and len(batch.rows) == len(batch.label)
    placed = batch.label != NOBODY
    inside = batch.mask.flatten(1)[placed].gather(1, batch.label[placed, None] % AREA)
    assert inside.all() and batch.empty[placed].gather(1, batch.label[placed, None] % AREA).all()


def test_only_labelled_positions_teach_ownership(tmp_path: Path) -> None:
    batch = sampler_made(tmp_path, taught=0.0).batch(0)
    assert not batch.weight.any() and batch.held.any()
    batch = sampler_made(tmp_path, taught=1.0, near=0.0).batch(0)
    stripes = batch.teacher.abs()
    assert (batch.weight >= 1).all() and stripes.unique().tolist() == pytest.approx([0.2, 1.0])


@pytest.mark.parametrize("way", [HISTORY, ALONE, NEAR])
def test_ways_of_showing_a_position(tmp_path: Path, way: int) -> None:
    shares = {"alone": float(way == ALONE), "near": float(way == NEAR)}
    batch = sampler_made(tmp_path, **shares).batch(1)
    last_moves, stones = batch.spatial[:, 9:14].sum(), batch.spatial[:, 1:3].sum((1, 2, 3))
    assert bool(last_moves) == (way == HISTORY)
    assert bool((stones < 40).any()) == (way == NEAR)  # random moves take next to nothing
    assert bool(batch.held.all()) == (way != NEAR)
    assert bool((batch.rows.unique(return_counts=True)[1] > 1).any()) == (way != NEAR)


def judged_apart(whole: Whole, config: endgame.EndgameConfig) -> tuple[float, float]:
    """The loss on batches that are not learned from: of the moves, and of the trunk's ownership."""
    sampler, _ = endgame.load_data(config)
    parts = [endgame.losses(whole, sampler.batch(1000 + i), config.loss)[1] for i in range(4)]
    return sum(part["local"] for part in parts) / 4, sum(part["held"] for part in parts) / 4


def test_fitting_lowers_the_loss_and_holds_the_ownership(tmp_path: Path, tiny: None) -> None:
    config = small_config(tmp_path, *small_data(tmp_path), "fit.learning_rate=0.02")
    before, _ = judged_apart(endgame.build(config), config)
    judged = endgame.fit(config)
    trained = endgame.build(config)
    endgame.checkpoint.fill(trained, endgame.read(tmp_path).part("average"))
    after, held = judged_apart(trained, config)
    assert after < before and held < 0.05
    assert "top 1" in judged.table() and judged.groups["all"].examples > 0
    with pytest.raises(ConfigError, match="--resume"):
        endgame.fit(config)
    path, difference = endgame.write_network(config)
    assert path.is_file() and difference < 0.02


def test_a_resumed_run_ends_as_one_that_was_not_stopped(tmp_path: Path, tiny: None) -> None:
    settings = small_data(tmp_path)
    endgame.fit(small_config(tmp_path / "once", *settings, "fit.positions=96"))
    endgame.fit(small_config(tmp_path / "twice", *settings, "fit.positions=48", "fit.schedule=constant"))
    endgame.fit(small_config(tmp_path / "twice", *settings, "fit.positions=96"), resume=True)
    once, twice = (endgame.read(tmp_path / name).part("average") for name in ("once", "twice"))
    for name, weight in once.items():
        assert torch.allclose(weight, twice[name], atol=1e-6), name


def test_a_trunk_may_stay_as_it_is(tmp_path: Path, tiny: None) -> None:
    config = small_config(tmp_path, *small_data(tmp_path), "model.trunk_rate=0", "fit.positions=32")
    endgame.fit(config)
    weights, fresh = endgame.read(tmp_path).part("average"), endgame.build(config).state_dict()
    assert all(torch.equal(weights[name], fresh[name]) for name in fresh if name.startswith("trunk."))


def test_torch_answers_for_positions_of_games(tmp_path: Path) -> None:
    small_data(tmp_path)
    corpus, counted = load_games([str(tmp_path / "games.sgf")])
    labels = labelled(corpus, [str(tmp_path / "labels.npz")])
    positions = look(corpus, counted, labels.place, labels.move, labels.ownership)
    trunk = TinyTrunk()
    judged = evaluate(
        from_torch(Whole(trunk, Heads(trunk.channels, 8, 1)), positions, corpus),
        positions,
        list(every(positions)),
    )
    assert judged.groups["all"].examples > 0 and 0 < judged.ownership["board"] < 4


def test_an_export_answers_as_torch_does(tmp_path: Path) -> None:
    torch.manual_seed(1)
    trunk = TinyTrunk()
    heads = Heads(trunk.channels, 8, 1)
    path = tmp_path / "tiny.onnx"
    assert export(Whole(trunk, heads), path) < 0.01
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
    with pytest.raises(ConfigError, match=r"data\.alone"):
        small_config(tmp_path, "data.alone=0.7", "data.near=0.6")
    with pytest.raises(ConfigError, match="no such key"):
        small_config(tmp_path, "model.heads=3")
    assert IMPOSSIBLE < -20 and EMPTY == 0
