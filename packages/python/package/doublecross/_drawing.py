"""Drawings of positions, as SVG and as arrays of pixels, which look like the board of the page."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import Position

#: Sizes in hundredths of a box, and colors: those of packages/javascript/geometry.js and svg.js.
SIDE, PAD, GAP, DOT = 100, 36, 24, 9
SURFACE, INK, GHOST = "#ffffff", "#1d2330", "#d9d5ca"
LINES, FILLS = ("#2f7de0", "#e2660f"), ("#c3dcf7", "#fbd6b2")
#: The widths of lines: of undrawn edges, of drawn ones, and of the last one.
GHOST_WIDTH, INK_WIDTH, LAST_WIDTH = 4, 11, 17
#: The hues of chains, in turn.
HUES = (265, 165, 325, 205, 95, 15)


def position_svg(position: Position, values: Any, policy: Any, chains: bool) -> str:
    """Return the drawing of `Position.svg`."""
    return svg(position, values=values, policy=policy, chains=chains)


def svg(
    position: Position,
    *,
    values: Any = None,
    policy: Any = None,
    chains: bool = False,
    drawers: Mapping[int, int] | None = None,
    last: int | None = None,
) -> str:
    """Return a position as SVG, where `drawers` has the player who drew each edge."""
    width, height = position.cols * SIDE + 2 * PAD, position.rows * SIDE + 2 * PAD
    parts = [f'<rect width="{width}" height="{height}" fill="{SURFACE}"/>']
    for box in range(position.boxes):
        owner = position.owner(box)
        if owner is not None:
            parts.append(_box(position, box, FILLS[owner]) + _sign(position, box, owner))
    if chains:
        parts += [_chain(position, *chain, HUES[index % len(HUES)]) for index, chain in enumerate(position.chains())]
    named, shares = _by_edge(position, "values", values), _by_edge(position, "policy", policy)
    worst, best = min(map(_middle, named.values()), default=0.0), max(map(_middle, named.values()), default=0.0)
    drawn = set(position.drawn())
    for edge in range(position.edges):
        if edge in drawn:
            color = INK if drawers is None else LINES[drawers[edge]]
            parts.append(_line(position, edge, 0, color, LAST_WIDTH if edge == last else INK_WIDTH))
            continue
        color = GHOST if not shares else LINES[0]
        if edge in named:
            good = (_middle(named[edge]) - worst) / ((best - worst) or 1.0)
            color = _hex(120 * good, 0.6, 0.45)
        stroke = GHOST_WIDTH + 20 * _middle(shares.get(edge, 0.0))
        parts.append(_line(position, edge, GAP, color if edge in named or edge in shares else GHOST, stroke))
        if edge in named:
            parts.append(_label(position, edge, _text(named[edge])))
    dots = [(row, col) for row in range(position.rows + 1) for col in range(position.cols + 1)]
    parts += [f'<circle cx="{PAD + col * SIDE}" cy="{PAD + row * SIDE}" r="{DOT}" fill="{INK}"/>' for row, col in dots]
    first, second = position.scores
    title = escape(f"Dots and Boxes, {position.board}: {first}-{second}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * 0.6:.0f}" height="{height * 0.6:.0f}" '
        f'viewBox="0 0 {width} {height}" role="img"><title>{title}</title>{"".join(parts)}</svg>'
    )


def image(position: Position, side: int = 40) -> NDArray[np.uint8]:
    """Return a position as an array of pixels, `[height, width, 3]`."""
    unit = side / SIDE
    shape = (round((position.rows * SIDE + 2 * PAD) * unit), round((position.cols * SIDE + 2 * PAD) * unit))
    pixels = np.full((*shape, 3), _rgb(SURFACE), np.uint8)

    def fill(x0: float, y0: float, x1: float, y1: float, color: str) -> None:
        pixels[round(y0 * unit) : round(y1 * unit), round(x0 * unit) : round(x1 * unit)] = _rgb(color)

    for box in range(position.boxes):
        owner, (x, y) = position.owner(box), _corner(position, box)
        if owner is not None:
            fill(x, y, x + SIDE, y + SIDE, FILLS[owner])
            fill(x + 35, y + 35, x + SIDE - 35, y + SIDE - 35, LINES[owner])
    drawn = set(position.drawn())
    for edge in range(position.edges):
        gap, color, half = (0, INK, INK_WIDTH / 2) if edge in drawn else (GAP, GHOST, GHOST_WIDTH / 2)
        x0, y0, x1, y1 = _ends(position, edge, gap)
        fill(x0 - half * (x0 == x1), y0 - half * (y0 == y1), x1 + half * (x0 == x1), y1 + half * (y0 == y1), color)
    for row in range(position.rows + 1):
        for col in range(position.cols + 1):
            x, y = PAD + col * SIDE, PAD + row * SIDE
            fill(x - DOT, y - DOT, x + DOT, y + DOT, INK)
    return pixels


def _by_edge(position: Position, what: str, numbers: Any) -> dict[int, Any]:
    """Return numbers or bounds by the undrawn edges that have some."""
    if numbers is None:
        return {}
    if not isinstance(numbers, Mapping):
        array = np.asarray(numbers, float)
        if array.shape != (position.edges,):
            raise ValueError(f"{what} has the shape {array.shape}; expected ({position.edges},)")
        numbers = dict(enumerate(array.tolist()))
    for edge in numbers:
        position.name(edge)
    undrawn = position.undrawn()
    return {edge: numbers[edge] for edge in undrawn if edge in numbers and not math.isnan(_middle(numbers[edge]))}


def _middle(number: Any) -> float:
    return sum(number) / 2 if isinstance(number, tuple) else float(number)


def _text(number: Any) -> str:
    if isinstance(number, tuple):
        return "…".join(map(_text, dict.fromkeys(number)))
    return f"{round(number, 1):+g}" if round(number, 1) else "0"


def _ends(position: Position, edge: int, gap: float) -> tuple[float, float, float, float]:
    name = position.name(edge)
    row, col = map(int, name[1:].split(","))
    x, y = PAD + col * SIDE, PAD + row * SIDE
    if name[0] == "H":
        return x + gap, y, x + SIDE - gap, y
    return x, y + gap, x, y + SIDE - gap


def _corner(position: Position, box: int) -> tuple[int, int]:
    return PAD + box % position.cols * SIDE, PAD + box // position.cols * SIDE


def _line(position: Position, edge: int, gap: float, color: str, width: float) -> str:
    x0, y0, x1, y1 = _ends(position, edge, gap)
    return f'<path d="M{x0},{y0}L{x1},{y1}" stroke="{color}" stroke-width="{width:.4g}" stroke-linecap="round"/>'


def _label(position: Position, edge: int, text: str) -> str:
    x0, y0, x1, y1 = _ends(position, edge, 0)
    at = (
        f'x="{(x0 + x1) / 2}" y="{(y0 + y1) / 2 + 8}" font-family="system-ui,sans-serif" font-size="24" '
        'text-anchor="middle"'
    )
    # The outline is a text of its own: not every renderer knows `paint-order`.
    outline = f'<text {at} fill="{SURFACE}" stroke="{SURFACE}" stroke-width="5" aria-hidden="true">{text}</text>'
    return f'{outline}<text {at} fill="{INK}">{text}</text>'


def _box(position: Position, box: int, fill: str) -> str:
    x, y = _corner(position, box)
    return f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="{fill}"/>'


def _sign(position: Position, box: int, owner: int) -> str:
    x, y = (at + SIDE // 2 for at in _corner(position, box))
    if owner == 0:
        return f'<circle cx="{x}" cy="{y}" r="21" fill="{LINES[0]}"/>'
    return f'<path d="M{x},{y - 27}l27,27l-27,27l-27,-27z" fill="{LINES[1]}"/>'


def _chain(position: Position, boxes: list[int], is_loop: bool, hue: int) -> str:
    kind = "loop" if is_loop else "chain"
    parts = "".join(_box(position, box, _hex(hue, 0.7, 0.88)) for box in boxes)
    return f'<g class="{kind}"><title>{kind} of {len(boxes)}</title>{parts}</g>'


def _hex(hue: float, saturation: float, lightness: float) -> str:
    """Return a color in the one notation that every renderer reads."""
    channels = colorsys.hls_to_rgb(hue / 360, lightness, saturation)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
