"""Thermographs as pictures: one self-contained SVG, the same for the same thermograph.

As in the books: temperature upwards, Black's points to the left. The left wall is what Black gets
moving first, the right wall what he gets when White moves first; where they meet stands the mast.
"""

from __future__ import annotations

from fractions import Fraction
from html import escape
from math import ceil, floor

from miai.endgame.thermograph import Number, Thermograph, Wall

WIDTH, HEIGHT, MARGIN = 480, 320, 44  # pixels
INK, GRID, BLACK_WALL, WHITE_WALL, MAST = "#222", "#ddd", "#111", "#2f6fb5", "#a33"
MOST_TICKS = 12


def svg(thermograph: Thermograph, *, title: str | None = None) -> str:
    """Draw a thermograph, with its count and temperature written at the foot of the mast."""
    corners = thermograph.left.points + thermograph.right.points
    top = max(thermograph.temperature * Fraction(5, 4), thermograph.temperature + Fraction(1, 2))
    shown = [Fraction(v) for _, v in corners] + [thermograph.left.at(top), thermograph.right.at(top)]
    low, high = floor(min(shown) - Fraction(1, 4)), ceil(max(shown) + Fraction(1, 4))

    def x(value: Number) -> float:
        return MARGIN + float((high - value) / Fraction(high - low)) * (WIDTH - 2 * MARGIN)

    def y(t: Number) -> float:
        return HEIGHT - MARGIN - float(Fraction(t) / top) * (HEIGHT - 2 * MARGIN)

    def line(wall: Wall, colour: str, until: Number, since: Number = 0) -> str:
        inner = [(t, v) for t, v in wall.points if since < t < until]
        path = [(since, wall.at(since)), *inner, (until, wall.at(until))]
        points = " ".join(f"{x(v):.1f},{y(t):.1f}" for t, v in path)
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'

    mean, temperature = thermograph.mean, thermograph.temperature
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        f"<title>{escape(title or f'count {mean}, temperature {temperature}')}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for value in _ticks(low, high):
        parts.append(f'<path d="M{x(value):.1f} {MARGIN}V{HEIGHT - MARGIN}" stroke="{GRID}"/>')
        parts.append(
            f'<text x="{x(value):.1f}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{value}</text>'
        )
    for t in _ticks(0, floor(top)):
        parts.append(f'<path d="M{MARGIN} {y(t):.1f}H{WIDTH - MARGIN}" stroke="{GRID}"/>')
        parts.append(f'<text x="{MARGIN - 6}" y="{y(t) + 4:.1f}" text-anchor="end">{t}</text>')
    parts.append(line(thermograph.left, BLACK_WALL, temperature))
    parts.append(line(thermograph.right, WHITE_WALL, temperature))
    parts.append(line(thermograph.left, MAST, top, temperature))
    parts.append(f'<circle cx="{x(mean):.1f}" cy="{y(temperature):.1f}" r="3.5" fill="{MAST}"/>')
    parts.append(
        f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"count {mean}, temperature {temperature}</text>"
    )
    if title:
        parts.append(
            f'<text x="{WIDTH / 2:.0f}" y="22" text-anchor="middle" font-size="14">{escape(title)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _ticks(low: int, high: int) -> list[int]:
    """Whole numbers from `low` to `high`, thinned out to what can be read."""
    steps = (n * 10**k for k in range(9) for n in (1, 2, 5))
    step = next(step for step in steps if (high - low) // step < MOST_TICKS)
    return [value for value in range(low, high + 1) if value % step == 0]
