#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Takes runs of ./spd into benchmarks/results. Needs nothing but Python.

Usage: python3 benchmarks/collect.py FOLDER...

Reads all result.json below the folders, of runs with the recommended plan, 224×224 and neither validation nor stage two,
and replaces their rows in accuracy.tsv: of whole images, of mirrored ones, and of the paper's crops. Where predictions are
there and all seeds have the same test images, leads-recommended.tsv gets what each head leads by: by image, the mean over
the seeds, ± one standard error over the images. larger-set.tsv gets what a head answers to each part of the set `larger`,
whose classes are called by the set that they are from and their name, such as cub50-013.Bobolink, beside the same head
trained on that part alone, all of seed 1. Run benchmarks/appendix.py afterwards.
"""
import csv
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

RESULTS = Path(__file__).resolve().parent / "results"
SETS = {"cub50": "CUB-50", "flowers102": "Flowers-102", "dtd10": "DTD-10", "dtd": "DTD-10", "kth-tips": "KTH-TIPS", "fmd": "FMD",
        "larger": "162 classes", "dtd-third": "every third of DTD-10"}
PARTS = {"cub50": "CUB-50", "flowers102": "Flowers-102", "dtd10": "every third of DTD-10"}
VIEWS = {("PLAIN", "PLAIN"): "recommended", ("MIRRORED", "MIRRORED"): "mirrored", ("FIFTEEN_CROPS", "FIVE_CROPS"): "crops"}
WANTED = {
    "plan": "RECOMMENDED", "validation": "0.0", "epochsWhole": "0", "size": "224", "schedule": "until learnt",
    "limitClassifierRate": "true",
}
REFERENCE = "conv512-b-cnn"


def lines(name):
    return (RESULTS / name).read_text(encoding="utf-8").splitlines()


def write(name, found):
    (RESULTS / name).write_text("".join("\t".join(line) + "\n" for line in found), encoding="utf-8")


def signed(value):
    return f"{value:+.1f}".replace("-", "−")


def read(folders):
    """Runs by network, set, method and views: the order of a run, its accuracy, and which answers were right, by image."""
    runs = defaultdict(list)
    for file in sorted(file for folder in folders for file in Path(folder).rglob("result.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        settings, run = result["settings"], result["run"]
        other = {name: settings.get(name) for name, value in WANTED.items() if settings.get(name) != value}
        if other:
            raise SystemExit(f"{file}: expected {WANTED}, got {other}")
        predictions = file.with_name("predictions.csv")
        right = {}
        if predictions.exists():
            with open(predictions, encoding="utf-8", newline="") as answers:
                right = {a["file"]: a["true class"] == a["predicted class"] for a in csv.DictReader(answers)}
        order = (run["partition"], int(settings["split"]), run["seed"])
        views = VIEWS[settings["trainingViews"], settings["testViews"]]
        key = settings["backbone"], SETS[run["dataSetName"].lower()], settings["method"], views
        runs[key].append((order, 100 * result["test"]["accuracy"], right))
    return {key: sorted(found, key=lambda run: run[0]) for key, found in runs.items()}


def lead(ours, theirs):
    """By image, the mean over the runs; nothing if these have other test images."""
    images = [set(right) for _, _, right in ours + theirs]
    if not images[0] or any(other != images[0] for other in images):
        return "–"
    share = lambda runs, image: mean(right[image] for _, _, right in runs)
    points = [100 * (share(ours, image) - share(theirs, image)) for image in sorted(images[0])]
    return f"{signed(mean(points))} ± {stdev(points) / len(points) ** 0.5:.1f}"


def larger(runs, titles):
    """For each head: by part, its accuracy alone, in the larger set, and the difference, ± one standard error."""
    lines = [["Head", "`--method`", "Network", *PARTS.values(), "all"]]
    for (network, name, method, views), found in runs.items():
        if name == "162 classes" and views == "recommended":
            right = found[0][2]
            cells = []
            for part, alone in PARTS.items():
                before = runs.get((network, alone, method, views))
                now = {image.split("/", 1)[1].removeprefix(part + "-"): answer for image, answer in right.items()
                       if image.split("/", 1)[1].startswith(part + "-")}
                text = f"{100 * mean(now.values()):.1f}"
                if before:
                    old = {image.split("/", 1)[1]: answer for image, answer in before[0][2].items()}
                    text = f"{100 * mean(old.values()):.1f} → {text} ({lead([(0, 0, now)], [(0, 0, old)])})"
                cells.append(text)
            lines.append([titles[method], f"`{method}`", network, *cells, f"{found[0][1]:.1f}"])
    return lines


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    runs = read(sys.argv[1:])
    header, *body = [line.split("\t") for line in lines("accuracy.tsv")]
    titles = {row[2]: row[3] for row in body}
    body = [row for row in body if (row[0], row[1], row[2], row[4]) not in runs]
    for (network, name, method, views), found in runs.items():
        figures = [accuracy for _, accuracy, _ in found]
        deviation = f"{stdev(figures):.1f}" if len(figures) > 1 else ""
        each = ", ".join(f"{figure:.1f}" for figure in figures)
        body.append([network, name, method, titles[method], views, f"{mean(figures):.1f}", deviation, each, ""])
    write("accuracy.tsv", [header, *body])
    leads = [["Head, over 512 conv 1×1 + bilinear pooling", "`--method`", "Set", "Network", "Images", "Lead"]]
    for (network, name, method, views), found in runs.items():
        theirs = runs.get((network, name, REFERENCE, views))
        if theirs and method != REFERENCE and (points := lead(found, theirs)) != "–":
            images = {"recommended": "whole"}.get(views, views)
            leads.append([titles[method], f"`{method}`", name, network, images, points])
    write("leads-recommended.tsv", leads)
    if any(name == "162 classes" for _, name, _, _ in runs):
        write("larger-set.tsv", larger(runs, titles))


if __name__ == "__main__":
    main()
