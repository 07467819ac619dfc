#!/usr/bin/env python3
"""Writes docs/appendix from the measured figures in benchmarks/results. Needs nothing but Python.

Usage: python3 benchmarks/appendix.py [--check]
With --check it writes nothing and fails if a page is not what it would write.
"""

import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SETS = ["DTD-10", "KTH-TIPS", "CUB-50", "Flowers-102"]


def rows(name):
    """The lines of a file of results, the first with the names of the columns."""
    return [line.split("\t") for line in (RESULTS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]


def table(lines):
    header, *body = lines
    return ["| " + " | ".join(cells).strip() + " |" for cells in (header, ["---"] * len(header), *body)]


def accuracies(settings, network):
    """The rows of accuracy.tsv with these settings, by set and method."""
    header, *body = rows("accuracy")
    found = [dict(zip(header, cells)) for cells in body]
    found = [row for row in found if row["settings"] == settings and row["network"] == network]
    return {(row["set"], row["method"]): row for row in found}


def means(settings, network):
    """Mean and deviation for each method and set, the best of each set in bold; in brackets a rate that was taken."""
    cells = accuracies(settings, network)
    best = {name: max(float(row["mean"]) for (found, _), row in cells.items() if found == name) for name in SETS}
    lines = [["Method", *SETS]]
    for method in dict.fromkeys(method for _, method in cells):
        line = [method]
        for name in SETS:
            row = cells[name, method]
            text = row["mean"] + (f" ± {row['deviation']}" if row["deviation"] else "")
            text = f"**{text}**" if float(row["mean"]) == best[name] else text
            line.append(text + (f" ({row['taken']})" if row["taken"].startswith("0.") and "," not in row["taken"] else ""))
        lines.append(line)
    return lines


def runs(settings, network):
    """The figure of each partition or seed, and what it took where it could choose."""
    cells = accuracies(settings, network)
    lines = [["Method", *SETS]]
    for method in dict.fromkeys(method for _, method in cells):
        line = [method]
        for name in SETS:
            row = cells[name, method]
            line.append(row["runs"] + (f" ({row['taken']})" if "," in row["taken"] else ""))
        lines.append(line)
    return [line for line in lines if any(line[1:])]


RESULTS_PAGE = (
    "Appendix: results",
    "All accuracies behind [results.md](../results.md), which says how they were measured. Test accuracies in percent.",
    [
        (
            "One plan for all heads: GoogLeNet",
            "Mean ± standard deviation over three partitions (textures) or three seeds (birds and flowers). A figure "
            "without a deviation does not depend on the seed.",
            means("plan", "GoogLeNet"),
            "",
        ),
        ("One plan for all heads: ResNet-50 v2", "", means("plan", "ResNet-50 v2"), ""),
        (
            "One plan, each partition and seed: GoogLeNet",
            "DTD-10: splits 1, 2, 3. KTH-TIPS: scales 1–3, 4–6, 7–9. CUB-50 and Flowers-102: seeds 1, 2, 3. Of empty "
            "cells only mean and deviation were kept.",
            runs("plan", "GoogLeNet"),
            "",
        ),
        ("One plan, each partition and seed: ResNet-50 v2", "", runs("plan", "ResNet-50 v2"), ""),
        (
            "Settings chosen for each head: GoogLeNet",
            "Cross-validation on the training images chooses: on birds and flowers between the plan and a rate of "
            "0.0003 for the convolution (in brackets where it was taken), on textures also a rate of 0.0001 and a power "
            "floor of 0.03, each partition for itself.",
            means("chosen", "GoogLeNet"),
            "",
        ),
        ("Settings chosen for each head: ResNet-50 v2", "", means("chosen", "ResNet-50 v2"), ""),
        (
            "Settings chosen, each partition and seed: GoogLeNet",
            "In brackets: what each partition took.",
            runs("chosen", "GoogLeNet"),
            "",
        ),
        ("Settings chosen, each partition and seed: ResNet-50 v2", "", runs("chosen", "ResNet-50 v2"), ""),
        (
            "Leads over B-CNN with a convolution",
            "ResNet-50 v2, in points, ± one standard error of the paired difference. With the plan:",
            rows("leads"),
            "",
        ),
        ("Leads with settings chosen", "The same with settings chosen for each head.", rows("leads-chosen"), ""),
        (
            "Larger images",
            "320×320, with settings chosen. GoogLeNet:",
            rows("larger-images-googlenet"),
            "",
        ),
        (
            "Larger images with ResNet-50 v2",
            "320×320, ten splits of DTD-10. Splits 1 to 3 are harder than the others.",
            rows("larger-images-resnet"),
            "On splits 1 to 3 B-CNN without a convolution, only fitted, has 90.0, 91.5 and 87.8, the kernel matrix alone "
            "90.0, 90.8 and 87.2, the paper's head 89.2, 90.2 and 87.8.",
        ),
        (
            "Mirror images",
            "224×224, three seeds, settings chosen. B-CNN with a convolution has a rate of 0.0003, but not on birds with "
            "GoogLeNet.",
            rows("mirror-images"),
            "",
        ),
        ("Mirror images, by seed and split", "", rows("mirror-images-runs"), ""),
        (
            "A larger set",
            "CUB-50, Flowers-102 and DTD-10 in one set: 5,354 training and 2,647 test images of 162 classes. GoogLeNet, "
            "the plan, seed 1. Of DTD-10 every third picture of a class, by name, is for testing.",
            rows("larger-set"),
            "",
        ),
        (
            "Stage two on flowers",
            "With rates of 0.0001, 0.00001 for the backbone. Flowers-102, GoogLeNet, a tenth of the training images for validation, eight epochs of the whole network, "
            "flips and small crops, seed 1. One standard error is 0.4 to 0.7.",
            rows("stage-two"),
            "",
        ),
        (
            "What each part changes",
            "In points: differences of the means of three partitions or seeds, before rounding. A single difference below "
            "2 points may be chance.",
            rows("parts"),
            "Some rows change more than they name: DropCov takes square roots of the entries and no matrix square root; "
            "the residual SPDNet has a W of 128×128 instead of 128×64; iSICE has 128 maps instead of 256 and no shrinkage; "
            "log-Cholesky coordinates and what the SPD classifiers see are neither normalised nor scaled.",
        ),
        (
            "Eight settings instead of four",
            "GoogLeNet, three heads, each with eight settings to choose from, among them the size of W, the scale, the "
            "power floor and σ.",
            rows("form-of-heads-test"),
            "",
        ),
        ("Learning curves", "GoogLeNet, training loss by epoch.", rows("learning-curves"), ""),
        (
            "Rates and epochs",
            "`benchmarks/rates.py`, frozen features, 224×224, one seed. In each cell: the classifier as it was "
            "learnt, then fitted by ridge regression. v is what the classifier sees, u what is left of it without the "
            "mean of all images. 162 classes: CUB-50, Flowers-102 and DTD-10 as one set.",
            rows("rates-pytorch"),
            "¹ 0.0003 for a convolution that starts at random, before bilinear pooling and in the paper's head. The "
            "recommended plan is the last row of each head.",
        ),
        (
            "The recommended plan",
            "`./spd paper` with its own epochs, no validation and no stage two, on CUB-50, one seed, on an H200. The "
            "pictures were reduced to 224×224 and compressed once more before.",
            rows("recommended-plan"),
            "",
        ),
        (
            "FMD",
            "`./spd paper fmd` with the recommended plan, whole images at 224×224, no validation and no stage two, on an "
            "H200: mean and standard error of five random splits, two thirds of 1,000 pictures for training.",
            rows("fmd"),
            "",
        ),
        (
            "Stage two on birds",
            "`./spd paper` with the recommended plan on CUB-50, no validation, one seed, 224×224, on an H200: "
            "`--epochs-whole 0` and `--epochs-whole 30`, of which it took 7 to 9.",
            rows("stage-two-birds"),
            "",
        ),
        (
            "Stage two in PyTorch",
            "`benchmarks/whole.py`, classifiers fitted at the end of each stage, both stages on random parts of the "
            "pictures with at least 0.7 of their sides, half of them mirrored; rates of the head 0.0003. Gains in points "
            "over stage one, for each seed in turn. Larger images are enlarged ones. Batch normalisations keep their "
            "statistics.",
            rows("stage-two-pytorch"),
            "",
        ),
        ("Stage two in PyTorch, otherwise", "CUB-50, 224×224, one seed.", rows("stage-two-others"), ""),
        (
            "A PyTorch program",
            "ResNet-50 v2. The program has its own code for heads, plan and fit, uses other partitions of DTD-10, and "
            "allows TF32. Where a cell has two figures, the second is with a rate of 0.0003 for the convolution.",
            rows("pytorch-program"),
            "",
        ),
        (
            "Another PyTorch program, fitted heads only",
            "GoogLeNet. Its two figures are of gradient descent and of ridge regression; ours are of ridge regression. On "
            "DTD-10 ours is the mean of splits 1 to 30.",
            rows("other-programs"),
            "",
        ),
    ],
)

PERFORMANCE_PAGE = (
    "Appendix: times",
    "All times behind [performance.md](../performance.md), which says how they were measured. Batch 32, C = C′ = 512, "
    "14×14 places, 47 classes and FLOAT unless stated otherwise; medians, with quartiles in brackets; several figures are "
    "several runs.",
    [
        (
            "Two ARM cores",
            "Neoverse N1, 2 threads, DL4J 1.0.0-M2.1, PyTorch 1.13. Neither side keeps freed memory unless stated. "
            "Roofline: all products in full, at the rate of products of 1024³.",
            rows("head-arm"),
            "If only ours keeps freed memory, PyTorch 2.13 takes 425 ms forward, 1166 a step and 4553 for the convolutions "
            "(ours 281, 788 and 1786).",
        ),
        (
            "How it grows",
            "Two ARM cores, PyTorch 1.13. In brackets: the ratio to PyTorch, or the share of a step. QR and Polar: the "
            "retraction of W.",
            rows("growth"),
            "Batches above 32, C = 1024 and a varied C′ are of an earlier revision, which was a little slower.",
        ),
        (
            "Small heads",
            "Two ARM cores, PyTorch 2.13, freed memory kept on both sides, accelerated output layers.",
            rows("small-heads-arm"),
            "",
        ),
        (
            "Every head",
            "Two x86 cores (Cascade Lake, 2.5 GHz), `./spd bench --heads`: ours only, 512 maps, Nesterov momentum, each head "
            "in its own process, 1×1 convolutions without `Acceleration`, freed memory kept.",
            rows("heads-x86"),
            "The peak memory of Fisher vectors is reached while the mixture is fitted.",
        ),
        (
            "Every head on two ARM cores",
            "The same at an earlier revision, in which bilinear pooling went through SameDiff.",
            rows("heads-arm"),
            "",
        ),
        (
            "Two threads of a Sapphire Rapids",
            "x86 with AVX-512, PyTorch 2.11 with MKL, freed memory kept on both sides unless stated. Of the convolutions "
            "with OpenBLAS neither side keeps it.",
            rows("head-x86-2-threads"),
            "",
        ),
        ("Sixteen threads of a Sapphire Rapids", "The same. OpenBLAS and MKL took turns.", rows("head-x86-16-threads"), ""),
        (
            "Two cores of a Cascade Lake",
            "x86 with AVX-512 at 2.5 GHz, PyTorch 2.13; neither side keeps freed memory.",
            rows("head-cascade-lake"),
            "",
        ),
        (
            "PyTorch's threads as it starts them",
            "The same cores, freed memory kept on both sides. In all other CPU tables PyTorch's idle threads sleep, as ours "
            "do; here they spin.",
            rows("threads-that-spin"),
            "",
        ),
        ("Where the time goes on x86", "Samples of stacks, with MKL.", rows("shares-x86"), ""),
        (
            "A whole run on a CPU",
            "`./spd fine-grained folders CUB50 --methods spd-root` and a PyTorch program that does the same "
            "(`benchmarks/end-to-end.py`).",
            rows("whole-run-cpu"),
            "",
        ),
        ("ND4J's natives on x86", "Single runs on two cores of an Emerald Rapids.", rows("natives-x86"), ""),
        (
            "An H200",
            "Driver 580, cuDNN 8.6, DL4J 1.0.0-M1.1, PyTorch 2.11, TF32 off unless stated. Several figures are of several "
            "hosts; those without a decimal were rounded. Mixed is beside PyTorch's autocast with the channels last.",
            rows("gpu"),
            "Heads as in [Every head](#every-head), forward and step in ms: SPD with matrix square root 4.7 and 12.4, "
            "iSQRT-COV 9.8 and 15.5, iSICE 15.1 and 43.8, log-Euclidean 15 and 34, log-Cholesky 28 and 60, SPDNet with a "
            "residual connection 33 and 70, MPN-COV 93 and 133. Without cuDNN the convolutions take 58 ms, and a step of "
            "VGG-16 and the head 183. The retraction takes 0.17 ms. Of the 21 ms of a mixed step of VGG-16 with average "
            "pooling, convolutions take 13.4, some 4 of them to bring maps from FLOAT into BFLOAT16 with the channels last "
            "and back; gradients of rectifiers take 1.8 and poolings 1.1. In TF32 it is 23.1 for convolutions, of 31.5.",
        ),
        (
            "A whole run on an H200",
            "As on a CPU, on three hosts. PyTorch's program writes no checkpoints, no model and no report, and does not look "
            "at the files beforehand.",
            rows("whole-run-gpu"),
            "",
        ),
        ("Its parts", "By a sampler of stacks in a run of 26.0 s on a fourth host.", rows("whole-run-gpu-parts"), ""),
        (
            "Stage two on an H200",
            "GoogLeNet and the head on Flowers-102, including reading, random crops and 306 validation images an epoch.",
            rows("stage-two-speed"),
            "",
        ),
        (
            "What the host does in it",
            "Batches of 32: the card is busy for 40 % of the time. Shares of the time within `ComputationGraph.fit`.",
            rows("stage-two-host"),
            "",
        ),
        (
            "Single operations on an H200",
            "Mean of 300 calls on arrays of 512×512 (symmetry: on 32 of them).",
            rows("operations-gpu"),
            "",
        ),
    ],
)


def wrapped(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False) + [""] if text else []


def page(title, intro, sections):
    lines = [f"# {title}", "", *wrapped(intro)]
    lines += ["`benchmarks/appendix.py` writes this page from the files in `benchmarks/results`.", ""]
    for heading, before, cells, after in sections:
        lines += [f"## {heading}", ""]
        lines += wrapped(before) + table(cells) + [""] + wrapped(after)
    return "\n".join(lines[:-1]) + "\n"


def main():
    folder = ROOT / "docs" / "appendix"
    folder.mkdir(exist_ok=True)
    stale = []
    for name, content in (("results.md", RESULTS_PAGE), ("performance.md", PERFORMANCE_PAGE)):
        text, file = page(*content), folder / name
        if "--check" not in sys.argv:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        raise SystemExit(f"Run python3 benchmarks/appendix.py: {', '.join(stale)} in docs/appendix is not up to date.")


if __name__ == "__main__":
    main()
