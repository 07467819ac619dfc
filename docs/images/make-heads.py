#!/usr/bin/env python3
"""Draws heads.svg: accuracy of each head against the time of a training step. Needs nothing but Python.

The figures are those of benchmarks/results: accuracies with GoogLeNet, of the recommended plan where it was measured and
else of an earlier one, and what `./spd bench --heads` wrote,
which also says which method it was. A method without one of them is left out.
"""

import csv
from html import escape
from math import log
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
INK, GREY, LINE, BLUE, ORANGE = "#1b1f24", "#57606a", "#d0d7de", "#0b5cad", "#b35900"


def rows(name):
    """The lines of a file of results as dictionaries, by the names of the columns."""
    with open(ROOT / "benchmarks" / "results" / f"{name}.tsv", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def points(name):
    """Milliseconds, percent, key and whether it is an SPD matrix, for each method with its usual size."""
    percent = {
        row["key"]: float(row["mean"])
        for settings in ("plan", "recommended")
        for row in rows("accuracy")
        if (row["network"], row["set"], row["settings"]) == ("GoogLeNet", name, settings)
    }
    costs = [row for row in rows("heads-x86") if row["Method"] in percent and "(" not in row["Head"]]
    return [
        (float(row["Step, ms"].split()[0].replace(",", "")), percent[row["Method"]], row["Method"], row["SPD matrix"] == "yes")
        for row in costs
    ]


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
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 690" font-family="system-ui,sans-serif" font-size="12">',
        "<title>Accuracy of each head against the time of a training step</title>",
        '<rect width="880" height="690" fill="#fff"/>',
    ]
    for left, column, title, *scale in (
        (46, "CUB-50", "Accuracy on 50 classes of birds, percent", 55, 90, 5),
        (480, "DTD-10", "Accuracy on 10 classes of textures, percent", 81, 87, 1),
    ):
        panel(parts, left, title, points(column), *scale)
    parts.append(f'<text x="520" y="666" text-anchor="middle" fill="{INK}">milliseconds of a training step of the head; accuracies with GoogLeNet; names as in --method</text>')
    parts.append(f'<circle cx="52" cy="661" r="5" fill="{BLUE}"/><text x="62" y="666" fill="{INK}">SPD matrix</text>')
    parts.append(f'<rect x="140" y="656.5" width="9" height="9" fill="{ORANGE}"/><text x="154" y="666" fill="{INK}">other</text>')
    parts.append("</svg>")
    (ROOT / "docs" / "images" / "heads.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
