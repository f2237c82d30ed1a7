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

from miai.go.kernels.arrays import STRIDE
from miai.kernel import kernel
from miai.life.sets import VOID, add, lowest, without_lowest
from miai.life.space import ATTACKER, DEFENDER
from miai.life.table import UNCONDITIONAL, Table, place_for


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


@kernel
def holds(table, index, touched):  # type: ignore[no-untyped-def]
    """Is the entry a proof whose zone has none of the points that are `touched`?"""
    entry = table.entry[index]
    if entry.key == np.uint64(0) or entry.lo != UNCONDITIONAL or (entry.phi != 0 and entry.delta != 0):
        return False
    some = False
    for w in range(table.zone.shape[1]):
        if table.zone[index, w] & touched[w] != VOID:
            return False
        some = some or table.zone[index, w] != VOID
    return some


@kernel
def find_proofs(table: Table, touched: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Which entries hold where the points that are `touched` change."""
    found = np.zeros(table.entry.size, dtype=np.bool_)
    for i in range(table.entry.size):
        found[i] = holds(table, i, touched)
    return found


@kernel
def carry_over(old, new, proofs, bits, key_change, check_change):  # type: ignore[no-untyped-def]
    """Write the entries that are `proofs` to the new table; `bits` as of `bits_there`."""
    for i in range(old.entry.size):
        if not proofs[i]:
            continue
        key, check = old.entry[i].key ^ key_change, old.entry[i].check ^ check_change
        j = place_for(new, key, check, old.entry[i].games)
        new.entry[j] = old.entry[i]
        new.entry[j].key, new.entry[j].check = key, check
        new.zone[j] = VOID
        for w in range(old.zone.shape[1]):
            rest = old.zone[i, w]
            while rest != VOID:
                add(new.zone[j], bits[64 * w + lowest(rest)])
                rest = without_lowest(rest)
