# SPDX-License-Identifier: Apache-2.0
"""Curves as SVG, for notebooks."""

import html
import math
from typing import Any, List, Tuple

COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#8e5aa8", "#c77d0a", "#4a4a4a")


def ticks(low: float, high: float, most: int = 6) -> List[float]:
    """Round numbers between two others."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * k for k in (1, 2, 5, 10) if span / (power * k) <= most)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def thinned(points: List[Tuple[float, float]], most: int) -> List[Tuple[float, float]]:
    """At most about that many points: of each piece of the curve the first, the lowest and the highest, in order."""
    if len(points) <= most:
        return points
    out = []
    size = math.ceil(3 * len(points) / most)
    for begin in range(0, len(points), size):
        piece = range(begin, min(begin + size, len(points)))
        kept = {begin, min(piece, key=lambda k: points[k][1]), max(piece, key=lambda k: points[k][1])}
        out += [points[k] for k in sorted(kept)]
    return out + [points[-1]]


class Plot:
    """Columns of a result over the time; svg is the text of the picture, which notebooks show."""

    def __init__(self, result: Any, names: List[str], width: int, height: int) -> None:
        for name in names:
            result[name]
        self.svg = _svg(result, names, width, height)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def _svg(result: Any, names: List[str], width: int, height: int) -> str:
    times = [float(t) for t in result.time]
    curves = [[(t, float(v)) for t, v in zip(times, result[name]) if math.isfinite(v)] for name in names]
    values = [v for curve in curves for _, v in curve] or [0.0]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1) * 0.1, high + (abs(high) or 1) * 0.1
    begin, end = (times[0], times[-1]) if len(times) > 1 else (0.0, 1.0)
    left, right, top, bottom = 70, 10, 24, 36

    def x(t: float) -> float:
        return left + (t - begin) / (end - begin) * (width - left - right)

    def y(v: float) -> float:
        return top + (high - v) / (high - low) * (height - top - bottom)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for t in ticks(begin, end):
        out.append(f'<line x1="{x(t):.1f}" y1="{top}" x2="{x(t):.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(t):.1f}" y="{height - bottom + 14}" text-anchor="middle">{t:g}</text>')
    for v in ticks(low, high):
        out.append(f'<line x1="{left}" y1="{y(v):.1f}" x2="{width - right}" y2="{y(v):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 5}" y="{y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
    unit = f" [{result.time_unit}]" if result.time_unit else ""
    out.append(f'<text x="{(left + width - right) / 2:.0f}" y="{height - 6}" text-anchor="middle">t{unit}</text>')
    at = left
    for k, (name, curve) in enumerate(zip(names, curves)):
        colour = COLOURS[k % len(COLOURS)]
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in thinned(curve, 3 * width))
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.3" points="{points}"/>')
        unit = result.units.get(name, "")
        label = name + (f" [{unit}]" if unit not in ("", "1") else "")
        out.append(f'<text x="{at}" y="15" fill="{colour}">{html.escape(label)}</text>')
        at += 7 * len(label) + 14
    return "".join(out) + "</svg>"
