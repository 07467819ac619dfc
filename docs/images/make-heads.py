#!/usr/bin/env python3
"""Draws heads.svg: accuracy of each head against the time of a training step. Needs nothing but Python.

The figures are those of the first table of docs/appendix/results.md and of "Every head" in docs/appendix/performance.md.
"""

from html import escape
from math import log
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
INK, GREY, LINE, BLUE, ORANGE = "#1b1f24", "#57606a", "#d0d7de", "#0b5cad", "#b35900"

# title in appendix/results.md, title in appendix/performance.md, label, whether it is a matrix on the manifold
HEADS = [
    ("VGG-16 (average pooling)", "average pooling", "average pooling", False),
    ("512 conv 1×1 + VGG-16", "convolution, average pooling", "convolution, average pooling", False),
    ("B-CNN", "bilinear", "B-CNN", False),
    ("512 conv 1×1 + B-CNN", "convolution, bilinear", "convolution, B-CNN", False),
    ("Compact bilinear", "compact bilinear, 8192", "compact bilinear", False),
    ("FV-CNN", "Fisher vector, 64 components, 128 dimensions", "FV-CNN", False),
    (
        "FV-FC-CNN",
        "Fisher vector, 128 dimensions, joined with average pooling (FV-FC-CNN)",
        "FV-FC-CNN",
        False,
    ),
    ("Deep-TEN", "convolution to C/4, Deep-TEN", "Deep-TEN", False),
    ("no conv 1×1 + Kernel Aggregation Layer", "kernel matrix", "kernel matrix", True),
    (
        "128 conv 1×1 + Kernel Aggregation Layer",
        "convolution to C/4, kernel matrix",
        "convolution to C/4, kernel",
        True,
    ),
    ("512 conv 1×1 + Kernel Aggregation Layer", "convolution, kernel matrix", "convolution, kernel", True),
    ("Ours", "convolution, SPD", "SPD (the paper)", True),
    ("Ours, matrix square root", "convolution, SPD, C' = C/2, matrix square root", "SPD, matrix square root", True),
    ("iSQRT-COV", "convolution to C/2, iSQRT-COV", "iSQRT-COV", True),
    ("Log-Euclidean", "convolution to C/4, log-Euclidean", "log-Euclidean", True),
    ("SPDNet", "convolution to C/4, SPDNet", "SPDNet", True),
    ("MPN-COV", "convolution to C/2, MPN-COV", "MPN-COV", True),
    ("Log-Cholesky", "convolution to C/4, log-Cholesky", "log-Cholesky", True),
    ("SPD classifier, log-Euclidean", "convolution to C/4, SPD classifier, log-Euclidean", "SPD classifier", True),
    ("SPD classifier, log-Cholesky", "convolution to C/4, SPD classifier, log-Cholesky", "SPD classifier, Cholesky", True),
    ("Log-Euclidean, trace normalised", "convolution to C/4, log-Euclidean, trace normalised", "trace normalised", True),
    ("Log-Euclidean, fixed shrinkage", "convolution to C/4, log-Euclidean, fixed shrinkage", "fixed shrinkage", True),
    ("Log-Euclidean, learnt shrinkage", "convolution to C/4, log-Euclidean, learnt shrinkage", "learnt shrinkage", True),
    ("SPDNet, dropout", "convolution to C/4, SPDNet, dropout", "SPDNet, dropout", True),
    ("SPDNet, residual", "convolution to C/4, SPDNet, residual", "SPDNet, residual", True),
    ("SPDNet, LieBN", "convolution to C/4, SPDNet, LieBN", "SPDNet, LieBN", True),
    ("iSQRT-COV, Ledoit-Wolf", "convolution to C/2, iSQRT-COV, Ledoit-Wolf", "Ledoit–Wolf", True),
    ("DropCov", "convolution to C/2, DropCov", "DropCov", True),
    ("iSICE", "convolution to C/4, iSICE", "iSICE", True),
]


def table(file, column):
    """The first table with such a column, as a dictionary from the first column to the other ones by name."""
    lines = iter((DOCS / file).read_text(encoding="utf-8").splitlines())
    for line in lines:
        names = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and column in names:
            next(lines)
            rows = {}
            for row in lines:
                if not row.startswith("|"):
                    return rows
                cells = [cell.strip().strip("*") for cell in row.strip("|").split("|")]
                rows[cells[0]] = {name: float(cell.split()[0].replace(",", "")) for name, cell in zip(names[1:], cells[1:])}
    raise SystemExit(f"{file} has no table with a column {column}")


def panel(parts, left, title, points, low, high, step):
    top, bottom, width = 52, 622, 350
    first, last = 20.0, 3000.0
    x = lambda ms: left + width * log(ms / first) / log(last / first)
    y = lambda percent: bottom - (bottom - top) * (percent - low) / (high - low)
    parts.append(f'<text x="{left}" y="30" font-size="16" fill="{INK}">{escape(title)}</text>')
    for percent in range(low, high + 1, step):
        parts.append(f'<path d="M{left} {y(percent):.1f}h{width}" stroke="{LINE}"/>')
        parts.append(f'<text x="{left - 8}" y="{y(percent) + 4:.1f}" text-anchor="end" fill="{GREY}">{percent}</text>')
    for ms in (20, 50, 100, 200, 500, 1000, 2000):
        parts.append(f'<path d="M{x(ms):.1f} {bottom}v5" stroke="{GREY}"/>')
        parts.append(f'<text x="{x(ms):.1f}" y="{bottom + 20}" text-anchor="middle" fill="{GREY}">{ms}</text>')
    taken = [(x(ms) - 6, y(percent) - 6, x(ms) + 6, y(percent) + 6) for ms, percent, _, _ in points]
    for ms, percent, _, matrix in points:
        cx, cy, colour = x(ms), y(percent), BLUE if matrix else ORANGE
        shape = f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="5" fill="{colour}"/>'
        if not matrix:
            shape = f'<rect x="{cx - 4.5:.1f}" y="{cy - 4.5:.1f}" width="9" height="9" fill="{colour}"/>'
        parts.append(shape)
    groups = []  # points that touch have one label
    for ms, percent, label, matrix in sorted(points, key=lambda point: -point[1]):
        cx, cy = x(ms), y(percent)
        for group in groups:
            if matrix == group[3] and abs(cx - group[0]) < 9 and abs(cy - group[1]) < 9:
                group[2] += ", " + label
                break
        else:
            groups.append([cx, cy, label, matrix])
    for cx, cy, label, _ in groups:
        # the nearest free place of some around the point
        length = 6.6 * len(label)
        for dy in (0, *(sign * d for d in range(14, 120, 14) for sign in (-1, 1))):
            places = [(cx + 9, "start", cx + 9), (cx - 9, "end", cx - 9 - length), (cx, "middle", cx - length / 2)]
            free = [
                (place, anchor, (start, cy + dy - 7, start + length, cy + dy + 7))
                for place, anchor, start in places
                if (anchor != "middle" or dy) and start > left - 4 and start + length < left + width + 22
                and top - 10 < cy + dy < bottom - 6
            ]
            free = [f for f in free if not any(overlap(f[2], box) for box in taken)]
            if free:
                break
        place, anchor, box = free[0]
        taken.append(box)
        if abs(dy) > 14:
            parts.append(f'<path d="M{cx:.1f} {cy:.1f}L{place:.1f} {cy + dy - 7 * (dy > 0) + 4 * (dy < 0):.1f}" stroke="{LINE}"/>')
        parts.append(f'<text x="{place:.1f}" y="{cy + dy + 4:.1f}" text-anchor="{anchor}" fill="{INK}">{escape(label)}</text>')


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def main():
    accuracies = table("appendix/results.md", "CUB-50")
    times = table("appendix/performance.md", "Step, ms")
    assert {method for method, *_ in HEADS} == set(accuracies), "every method needs a place in the picture"
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 690" font-family="system-ui,sans-serif" font-size="12">',
        "<title>Accuracy of each head against the time of a training step</title>",
        '<rect width="880" height="690" fill="#fff"/>',
    ]
    for left, column, title, *scale in (
        (46, "CUB-50", "Accuracy on 50 classes of birds, percent", 55, 90, 5),
        (480, "DTD-10", "Accuracy on 10 classes of textures, percent", 81, 87, 1),
    ):
        points = [
            (times[timed]["Step, ms"], accuracies[method][column], label, matrix)
            for method, timed, label, matrix in HEADS
        ]
        panel(parts, left, title, points, *scale)
    parts.append(f'<text x="520" y="666" text-anchor="middle" fill="{INK}">milliseconds of a training step of the head; accuracies with GoogLeNet</text>')
    parts.append(f'<circle cx="52" cy="661" r="5" fill="{BLUE}"/><text x="62" y="666" fill="{INK}">SPD matrix</text>')
    parts.append(f'<rect x="140" y="656.5" width="9" height="9" fill="{ORANGE}"/><text x="154" y="666" fill="{INK}">other</text>')
    parts.append("</svg>")
    (DOCS / "images" / "heads.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
