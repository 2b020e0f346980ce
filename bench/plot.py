"""Curves as SVG, in the colours and measures of the plots that the benches in Rust make: panels below each other, each with a
linear axis of sizes and a logarithmic one of values."""

import dataclasses
import math

WIDTH, HEIGHT, LEFT, RIGHT = 860, 300, 60, 300
COLOURS = ["#1b6ca8", "#c0392b", "#27864a", "#8e5aa8", "#b9770e", "#2c3e50"]


@dataclasses.dataclass
class Series:
    name: str
    # Sizes and values.
    points: list[tuple[float, float]]
    # Solid and dashed curves of one name have one colour and one line in the legend.
    dashed: bool = False
    # Those of the points where the true value is larger than the one that is drawn.
    beyond: set[float] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Panel:
    title: str
    series: list[Series]


class Scale:
    """From sizes and values to places in a panel."""

    def __init__(self, panel, top):
        points = [point for series in panel.series for point in series.points] or [(1, 1)]
        self.sizes = sorted({size for size, _ in points})
        values = [value for _, value in points]
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.top = top

    def x(self, size):
        first, last = self.sizes[0], self.sizes[-1]
        return LEFT + (WIDTH - RIGHT - LEFT) * (size - first) / max(last - first, 1)

    def y(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.top + HEIGHT - 40 - (HEIGHT - 80) * share

    def axes(self):
        for power in range(self.low, self.high + 1):
            at, label = self.y(10.0**power), f"{10.0 ** power:.{max(-power, 0)}f}"
            yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
            yield f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
        for size in self.sizes:
            yield f'<text x="{self.x(size):.1f}" y="{self.top + HEIGHT - 20}" text-anchor="middle">{size}</text>'


def curve(series, colour, scale):
    points = [(scale.x(size), scale.y(value), size in series.beyond) for size, value in series.points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dash = ' stroke-dasharray="5 4"' if series.dashed else ""
    yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    for x, y, beyond in points:
        if beyond:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="{colour}" stroke-width="2"/>'


def drawn(panel, top):
    # Zeros of a rounded clock have no logarithm.
    for series in panel.series:
        series.points = [(size, max(value, 1e-3)) for size, value in series.points]
    scale = Scale(panel, top)
    yield f'<text x="{LEFT}" y="{top + 20}">{panel.title}</text>'
    yield from scale.axes()
    names = list(dict.fromkeys(series.name for series in panel.series))
    for series in panel.series:
        yield from curve(series, COLOURS[names.index(series.name) % len(COLOURS)], scale)
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        yield f'<text x="{WIDTH - RIGHT + 15}" y="{top + 44 + 18 * number}" fill="{colour}">{name}</text>'


def plot(panels):
    """The text of an SVG file."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT * len(panels)}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        lines.extend(drawn(panel, HEIGHT * number))
    return "\n".join([*lines, "</svg>"]) + "\n"
