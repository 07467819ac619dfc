#!/usr/bin/env python3
"""Draws rooms.svg and batch.svg, the pictures of docs/architecture.md. Needs nothing but Python."""

from html import escape
from pathlib import Path

WIDTH = 720
INK, GREY, LINE = "#1b1f24", "#57606a", "#8c959f"
BLUE, GREEN, YELLOW, RED, PALE = "#ddeaf8", "#def2e2", "#fdf3d3", "#fbe2dd", "#f3f4f6"


class Drawing:
    """A few shapes on a white sheet."""

    def __init__(self, title, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="system-ui,sans-serif" font-size="15">',
            f"<title>{escape(title)}</title>",
            f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            f' orient="auto"><path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker></defs>',
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        ]

    def box(self, x, y, width, height, fill, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{LINE}"{dash}/>'
        )

    def text(self, x, y, words, size=15, bold=False, colour=INK, anchor="start"):
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}"{weight} fill="{colour}" text-anchor="{anchor}">{escape(words)}</text>'
        )

    def arrow(self, points):
        path = "L".join(f"{x} {y}" for x, y in points)
        self.parts.append(
            f'<path d="M{path}" fill="none" stroke="{GREY}" stroke-width="1.6" marker-end="url(#tip)"/>'
        )

    def room(self, x, y, width, height, fill, name, *lines):
        """A named box; the lines below its name say what belongs there."""
        self.box(x, y, width, height, fill)
        self.text(x + 10, y + 22, name, bold=True)
        for number, line in enumerate(lines):
            self.text(x + 10, y + 42 + 18 * number, line, 13, colour=GREY)

    def save(self, name):
        path = Path(__file__).with_name(name)
        path.write_text("\n".join(self.parts + ["</svg>"]) + "\n", encoding="utf-8")


# Each row: heading, height of its rooms, and rooms as (share of the width, colour, name, lines).
ROWS = [
    ("Programs", 62, [
        (3, PALE, "examples", ("short programs to copy",)),
        (3, PALE, "application/cli", ("./spd, its commands",)),
        (3, PALE, "application/serve", ("./spd serve, its page",)),
        (3, PALE, "benchmarks", ("./spd bench, JMH",)),
    ]),
    ("Application", 80, [
        (5, PALE, "application/experiments", ("methods, runs, searches,", "reports, tables, textures")),
        (4, PALE, "application/spark", ("what --spark adds",)),
    ]),
    ("Training", 80, [
        (4, YELLOW, "train.*", ("two stages, cached", "features, checkpoints")),
        (4, YELLOW, "spd-dl4j-spark", ("many machines",)),
        (3, YELLOW, "predictions", ("classes of", "images")),
        (3, YELLOW, "parallel", ("W after an", "averaging")),
        (3, YELLOW, "listeners", ("health of", "W, K and Y")),
    ]),
    ("Networks", 80, [
        (4, YELLOW, "graft", ("heads onto", "backbones")),
        (5, YELLOW, "backbones", ("pretrained", "networks")),
        (6, YELLOW, "acceleration", ("fast", "convolutions")),
        (4, YELLOW, "datasets", ("folders of", "images")),
        (4, YELLOW, "images", ("from files", "to arrays")),
        (4, YELLOW, "models", ("read", "safely")),
    ]),
    ("Layers", 80, [
        (6, BLUE, "layers", ("what users write,", "what JSON stores")),
        (7, BLUE, "internal.runtime", ("runs", "a layer")),
        (5, BLUE, "samediff", ("for graphs of", "your own")),
        (5, BLUE, "updater", ("keep W on the", "manifold")),
        (5, BLUE, "checks", ("gradients of", "networks")),
    ]),
    ("Mathematics", 80, [
        (4, GREEN, "internal.operators.*", ("one folder for each:", "forward and backward")),
        (2, GREEN, "kernel", ("kernels,", "bandwidth")),
        (2, GREEN, "manifold", ("Stiefel,", "SPD")),
        (2, GREEN, "encoding", ("mixtures,", "components")),
        (2, GREEN, "statistics", ("ridge", "classifier")),
        (2, GREEN, "linalg", ("matrices,", "floors")),
    ]),
    ("What computes", 80, [
        (4, RED, "internal.backend", ("the algebra that operators", "are written in")),
        (4, RED, "internal.backend.host", ("on the CPU:", "threads, BLAS, LAPACK")),
        (4, RED, "spd-dl4j-cuda", ("the algebra on a GPU:", "cuBLAS and kernels.cu")),
    ]),
]


def rooms():
    gap, left, head = 10, 14, 24
    height = sum(head + row[1] + 14 for row in ROWS) + 34
    sheet = Drawing("The rooms: each may use those below or beside it", height)
    y = 8
    for heading, tall, cells in ROWS:
        sheet.text(left, y + 16, heading, 13, colour=GREY)
        y += head
        unit = (WIDTH - 2 * left - gap * (len(cells) - 1)) / sum(cell[0] for cell in cells)
        x = left
        for share, fill, name, lines in cells:
            sheet.room(round(x), y, round(share * unit), tall, fill, name, *lines)
            x += share * unit + gap
        y += tall + 14
    sheet.text(left, y + 14, "A room uses rooms below or beside it; graft also train.plan. ArchitectureTest has the exact list.", 13, colour=GREY)
    sheet.save("rooms.svg")


# Each step: array that goes in, its shape, layer, operator, forward, backward.
STEPS = [
    ("F", "[N, C, H, W]", "KernelAggregationLayer", "internal.operators.radial",
     "K = exp(−D / 2σ²)", "∂L/∂F = −1/σ² (diag(Ω1) − Ω) F"),
    ("K", "[N, 1, C, C]", "SpdTransformLayer", "internal.operators.congruence",
     "Y = WᵀKW", "∂L/∂K = W S Wᵀ,  ∂L/∂W = 2 Σ K W S"),
    ("Y", "[N, 1, C′, C′]", "SpdVectorizationLayer", "internal.operators.vectors",
     "triangle, signed roots, length 1", "the same steps back"),
]
WAYS = [
    ("…Host", ("FLOAT on the CPU:", "fused loops, threads, BLAS")),
    ("…Batch", ("DOUBLE, and every GPU:", "formulas over an Algebra")),
    ("…Graph", ("SameDiff definition:", "the oracle in tests")),
]


def batch():
    sheet = Drawing("One batch: forward on the left, backward on the right", 664)
    left, right, tall = 14, 548, 94
    width, middle = right - left, (left + right) // 2

    def between(y, forward, backward):
        sheet.arrow([(left + 40, y), (left + 40, y + 36)])
        sheet.arrow([(right - 40, y + 36), (right - 40, y)])
        sheet.text(left + 54, y + 24, forward, 14)
        sheet.text(right - 54, y + 24, backward, 14, anchor="end")

    y = 12
    sheet.box(left, y, width, 46, PALE)
    sheet.text(middle, y + 20, "images → convolutions of the backbone", bold=True, anchor="middle")
    sheet.text(middle, y + 38, "DL4J, made fast by acceleration", 13, colour=GREY, anchor="middle")
    y += 46
    for name, shape, layer, operator, forward, backward in STEPS:
        between(y, f"{name}  {shape}", f"∂L/∂{name}")
        y += 38
        sheet.box(left, y, width, tall, BLUE)
        sheet.text(left + 14, y + 23, layer, bold=True)
        sheet.text(right - 14, y + 23, operator, bold=True, anchor="end")
        for row, (what, formula) in enumerate([("forward", forward), ("backward", backward)]):
            sheet.text(left + 14, y + 50 + 27 * row, what, 13, colour=GREY)
            sheet.text(left + 88, y + 50 + 27 * row, formula)
        if name == "K":
            sheet.arrow([(right, y + 74), (right + 46, y + 74)])
            sheet.arrow([(right + 46, y + 26), (right, y + 26)])
            sheet.text(right + 23, y + 92, "∂L/∂W", 12, colour=GREY, anchor="middle")
            sheet.text(right + 23, y + 18, "W", 12, colour=GREY, anchor="middle")
            sheet.room(right + 48, y, WIDTH - right - 62, tall, BLUE, "updater", "moves W", "along the", "manifold")
        y += tall
    between(y, "z  [N, C′(C′+1)/2]", "∂L/∂z")
    y += 38
    sheet.box(left, y, width, 46, PALE)
    sheet.text(middle, y + 29, "classifier and loss L (DL4J)", bold=True, anchor="middle")
    y += 46 + 34
    sheet.text(left, y - 8, "Each operator's folder holds the ways to compute it; Backend chooses, and the log says which:", 13, colour=GREY)
    third = (WIDTH - 2 * left - 20) // 3
    for number, (name, lines) in enumerate(WAYS):
        sheet.room(left + number * (third + 10), y, third, 80, GREEN, name, *lines)
    sheet.save("batch.svg")


if __name__ == "__main__":
    rooms()
    batch()
