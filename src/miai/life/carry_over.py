"""What was proved within a tighter frame, away from its fence, is proved within a wider one.

A proof holds wherever its zone looks the same (see `zones`). Two frames of one problem differ in points
that are outside for one of them, a fence or a stone that cannot be captured, and part of the region for the
other. Where none of these is next to a point of the zone, nothing that the proof looked at has changed:
every chain of the zone comes with the stones that join it to the outside, every liberty it counts is a point
of the zone. So such results go into the table of the wider frame as they are, under the keys that the same
stones have there. The others become `hints`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.addresses import copy_record, record_at
from miai.go.kernels.arrays import STRIDE
from miai.kernel import inlined, kernel
from miai.life.sets import VOID, add, lowest, without_lowest
from miai.life.space import ATTACKER, DEFENDER
from miai.life.table import ENTRY, UNCONDITIONAL, Table, place_for, zone_of


def next_to_changes(tighter: npt.NDArray[np.void], wider: npt.NDArray[np.void]) -> npt.NDArray[np.uint64]:
    """The points of the tighter layout, as a set, that are next to one where the two differ; all of them, if
    the layouts are not of the same problem."""
    old, new = tighter[0], wider[0]
    was_inside, is_inside = old["bit"] >= 0, new["bit"] >= 0
    recoloured = old["board"]["colour"] != new["board"]["colour"]
    same = all(old["facts"][fact] == new["facts"][fact] for fact in (ATTACKER, DEFENDER))
    if not same or np.any(old["marked"] != new["marked"]) or np.any(was_inside & is_inside & recoloured):
        return np.array(old["inside"])
    changed = np.flatnonzero((was_inside != is_inside) | (~was_inside & recoloured))
    stride = int(old["board"]["state"][STRIDE])
    near = np.zeros(len(was_inside), dtype=bool)
    for step in (-stride, -1, 1, stride):
        there = changed + step
        near[there[(there >= 0) & (there < len(near))]] = True
    near[changed] = True
    touched = np.zeros(64 * len(old["inside"]), dtype=bool)
    touched[old["bit"][near & was_inside]] = True
    return np.packbits(touched, bitorder="little").view(np.uint64)


def bits_there(tighter: npt.NDArray[np.void], wider: npt.NDArray[np.void]) -> npt.NDArray[np.int64]:
    """The bit in the wider layout of each bit of the tighter one; -1 where the point is outside there."""
    old, new = tighter[0], wider[0]
    bits = np.full(64 * len(old["inside"]), -1, dtype=np.int64)
    points = np.flatnonzero(old["bit"] >= 0)
    bits[old["bit"][points]] = new["bit"][points]
    return bits


@inlined
def holds(table, index, touched):  # type: ignore[no-untyped-def]
    """Is the entry a proof whose zone has none of the points that are `touched`?"""
    entry = record_at(table.entry, index, ENTRY)
    if entry.key == VOID or entry.lo != UNCONDITIONAL or (entry.phi != 0 and entry.delta != 0):
        return False
    zone = zone_of(table, index)
    some = False
    for w in range(table.words):
        if zone[w] & touched[w] != VOID:
            return False
        some = some or zone[w] != VOID
    return some


def find_proofs(table: Table, touched: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Which entries hold where the points that are `touched` change."""
    found = np.zeros(table.entries, dtype=np.bool_)
    _find_proofs(table.places, touched, found)
    return found


@kernel
def _find_proofs(tables, touched, found):  # type: ignore[no-untyped-def]
    table = tables[0]
    for i in range(table.entries):
        found[i] = holds(table, i, touched)


def carry_over(
    old: Table,
    new: Table,
    proofs: npt.NDArray[np.bool_],
    bits: npt.NDArray[np.int64],
    key_change: np.uint64,
    check_change: np.uint64,
) -> None:
    """Write the entries that are `proofs` to the new table; `bits` as of `bits_there`."""
    _carry_over(old.places, new.places, proofs, bits, key_change, check_change)


@kernel
def _carry_over(old_places, new_places, proofs, bits, key_change, check_change):  # type: ignore[no-untyped-def]
    old, new = old_places[0], new_places[0]
    for i in range(old.entries):
        if not proofs[i]:
            continue
        entry = record_at(old.entry, i, ENTRY)
        key, check = entry.key ^ key_change, entry.check ^ check_change
        j = place_for(new, key, check, entry.games)
        copy_record(new.entry, j, old.entry, i, ENTRY)
        there = record_at(new.entry, j, ENTRY)
        there.key, there.check = key, check
        here, zone = zone_of(old, i), zone_of(new, j)
        for w in range(new.words):
            zone[w] = VOID
        for w in range(old.words):
            rest = here[w]
            while rest != VOID:
                add(zone, bits[64 * w + lowest(rest)])
                rest = without_lowest(rest)
