#!/usr/bin/env python3
"""Writes docs/appendix, and tables in docs/results.md, docs/experiments.md and README.md, from the measured figures in
benchmarks/results. Needs nothing but Python.

Usage: python3 benchmarks/appendix.py [--check]
With --check it writes nothing and fails if a page is not what it would write. collect.py takes new runs into the files.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SETS = ["DTD-10", "KTH-TIPS", "CUB-50", "Flowers-102", "FMD"]
TEST_IMAGES = {"DTD-10": 400, "KTH-TIPS": 540, "CUB-50": 1428, "Flowers-102": 819}
PARTITIONED = ["DTD-10", "KTH-TIPS"]  # each run has other test images
NETWORKS = ["GoogLeNet", "ResNet-50 v2"]
ONLY_FITTED = ["vgg-16", "b-cnn", "kernel", "compact-bilinear", "fv-cnn", "fv-fc-cnn"]


def rows(name):
    """The lines of a file of results, the first with the names of the columns."""
    return [line.split("\t") for line in (RESULTS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]


def table(lines):
    header, *body = lines
    return ["| " + " | ".join(cells).strip() + " |" for cells in (header, ["---"] * len(header), *body)]


def accuracies(settings, network, column="method"):
    """The rows of accuracy.tsv with these settings, by set and method."""
    header, *body = rows("accuracy")
    found = [dict(zip(header, cells)) for cells in body]
    found = [row for row in found if row["settings"] == settings and row["network"] == network]
    return {(row["set"], row[column]): row for row in found}


def by_method(settings, network, cell):
    """A line for each method, a column for each set that there are figures of."""
    cells = accuracies(settings, network)
    sets = [name for name in SETS if any(found == name for found, _ in cells)]
    lines = [["Method", *sets]]
    for method in dict.fromkeys(method for _, method in cells):
        lines.append([method, *(cell(cells[name, method]) if (name, method) in cells else "–" for name in sets)])
    return lines


def means(settings, network):
    """Mean and deviation for each method and set, the best of each set in bold; in brackets a rate that was taken."""
    best = {}
    for (name, _), row in accuracies(settings, network).items():
        best[name] = max(best.get(name, 0), float(row["mean"]))

    def cell(row):
        text = row["mean"] + (f" ± {row['deviation']}" if row["deviation"] else "")
        text = f"**{text}**" if float(row["mean"]) == best[row["set"]] else text
        return text + (f" ({row['taken']})" if row["taken"].startswith("0.") and "," not in row["taken"] else "")

    return by_method(settings, network, cell)


def runs(settings, network):
    """The figure of each partition or seed, and what it took where it could choose."""
    lines = by_method(settings, network, lambda row: row["runs"] + (f" ({row['taken']})" if "," in row["taken"] else ""))
    return [line for line in lines if any(cell not in ("", "–") for cell in line[1:])]


def overview(network):
    """The mean of each set and key: with the recommended plan where it was measured, else, marked, with an earlier one."""
    found = {}
    for settings in ("plan", "chosen", "recommended"):
        for (name, key), row in accuracies(settings, network, "key").items():
            once = settings == "recommended" and ", " not in row["runs"]
            mark = "¹" if once else "" if settings == "recommended" or key in ONLY_FITTED else "°"
            found[name, key] = float(row["mean"]), mark
    return found


def main_table():
    """GoogLeNet, then ResNet-50 v2, in each cell; the best of each network and set in bold."""
    figures = [overview(network) for network in NETWORKS]
    sets = ["CUB-50", "Flowers-102", "DTD-10", "KTH-TIPS", "FMD"]
    best = [{name: max(f[at][0] for at in f if at[0] == name) for name in sets} for f in figures]
    lines = [["Head", "`--method`", "Birds: CUB-50", "Flowers-102", "Textures: DTD-10", "KTH-TIPS", "Materials: FMD"]]
    for key, title in HEADS.items():
        line = [title, f"`{key}`"]
        for name in sets:
            cell = []
            for network, found in enumerate(figures):
                if (name, key) in found:
                    value, mark = found[name, key]
                    text = f"{value:.1f}{mark}"
                    cell.append(f"**{text}**" if value == best[network][name] else text)
            line.append(", ".join(cell) or "–")
        lines.append(line)
    return lines


def beside_earlier(network):
    """By how much the recommended plan is ahead of the better one of the earlier columns, in the same runs."""

    def figures(row):
        return [float(figure) for figure in row["runs"].split(", ")] if row["runs"] else [float(row["mean"])] * 3

    new, *old = (accuracies(settings, network) for settings in ("recommended", "plan", "chosen"))
    sets = [name for name in SETS if any(at[0] == name and any(at in earlier for earlier in old) for at in new)]
    lines = [["Method", *sets]]
    for method in dict.fromkeys(method for name, method in new):
        line = [method]
        for at in ((name, method) for name in sets):
            earlier = [figures(column[at]) for column in old if at in column]
            if at not in new or not earlier or new[at]["key"] in ONLY_FITTED:
                line.append("–")
                continue
            ours = figures(new[at])
            n = min(len(ours), *(len(column) for column in earlier))
            mean = lambda column: sum(column[:n]) / n
            behind = mean(ours) - max(map(mean, earlier))
            share = mean(ours) / 100
            error = 100 * (share * (1 - share) / (TEST_IMAGES[at[0]] * (n if at[0] in PARTITIONED else 1))) ** 0.5
            text = points(behind)
            line.append(f"**{text} ± {error:.1f}**" if behind < -error else f"{text} ± {error:.1f}")
        if any(cell != "–" for cell in line[1:]):
            lines.append(line)
    return lines


def beside_whole(settings):
    """Other views of the images beside the whole ones, in the same seeds and splits."""
    lines = [["Method", "Set", "Network", "Each", "Mean", "Whole images", "Gain"]]
    for network in NETWORKS:
        whole = accuracies("recommended", network)
        for (name, method), row in accuracies(settings, network).items():
            ours = [float(figure) for figure in row["runs"].split(", ")]
            theirs = whole.get((name, method), {"runs": ""})["runs"].split(", ")[: len(ours)]
            cells = ["–", "–"]
            if len(theirs) == len(ours) and theirs[0]:
                theirs = [float(figure) for figure in theirs]
                cells = [f"{sum(theirs) / len(theirs):.1f}", difference([a - b for a, b in zip(ours, theirs)])]
            lines.append([method, name, network, row["runs"], row["mean"], *cells])
    return lines


def summary():
    """The best head with an SPD matrix, bilinear and average pooling, with or without a convolution."""
    groups = [SPD_HEADS, ["b-cnn", "conv512-b-cnn"], ["vgg-16", "conv512-vgg-16"]]
    lines = [["", "best SPD head", "bilinear pooling", "average pooling"]]
    for network, name, title in BRIEFLY:
        found = overview(network)
        best = [max(found[name, key][0] for key in group if (name, key) in found) for group in groups]
        lines.append([f"{network}, {title}", *(f"{value:.1f}" for value in best)])
    return lines


def paired(network, name, ours, theirs):
    """By how much a head leads another in the same splits, ± one standard error."""
    cells = accuracies("recommended", network, "key")
    each = [[float(figure) for figure in cells[name, key]["runs"].split(", ")] for key in (ours, theirs)]
    return difference([a - b for a, b in zip(*each)])


def points(gain):
    return f"{round(gain, 1) + 0.0:+.1f}".replace("-", "−")


def difference(gains):
    """Their mean, ± one standard error if there are three or more."""
    mean = sum(gains) / len(gains)
    text = points(mean)
    if len(gains) < 3:
        return text
    error = (sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains)) ** 0.5
    return f"{text} ± {error:.1f}"


def fmd_leads():
    """What the paper's head and the one with a matrix square root lead by on FMD."""
    ours = {"spd": "the paper's head", "spd-root": "matrix square root"}
    others = ["conv512-b-cnn", "b-cnn", "isqrt-cov", "kernel", "vgg-16"]
    lines = [["Over", *(f"{title}, {network}" for title in ours.values() for network in NETWORKS)]]
    for other in others:
        leads = [paired(network, "FMD", key, other) for key in ours for network in NETWORKS]
        lines.append([f"`{other}`", *leads])
    return lines


def unlike():
    """The way that tells what is unlike anything trained on, answers alone, and what is best for a new class."""
    _, *body = rows("unlike")
    used = body[0]
    answers = next(line for line in body if line[:2] == [used[0], "largest answer"])
    best = max(body, key=lambda line: float(line[2]))
    named = [("the distance that is used", used), ("the largest answer", answers), (f"{best[1]}, of {best[0]}", best)]
    return [["By", "the material left out", "birds (CUB)", "other textures (DTD)"]] + [
        [title, f"{line[2]} % ({line[3]} to {line[4]})", f"{line[5]} %", f"{line[6]} %"] for title, line in named
    ]


def means_of(settings, network, keys, sets):
    """Means as sentences have them, by head, then by set."""
    cells = accuracies(settings, network, "key")
    return [cells[name, key]["mean"] for key in keys for name in sets]


def latest(network, keys, sets):
    """The same with the recommended plan where it was measured."""
    found = overview(network)
    return [f"{found[name, key][0]:.1f}" for key in keys for name in sets]


def onnx_methods():
    """What becomes of each method as an ONNX file, and what is near to it; accuracies with GoogLeNet."""
    sets = ["DTD-10", "CUB-50", "Flowers-102"]
    found = accuracies("plan", "GoogLeNet", "key")

    def figures(key):
        return [found[name, key]["mean"] if (name, key) in found else "–" for name in sets]

    lines = [["Method", "ONNX file", "Largest difference", *sets, "Near to it"]]
    for key, file, difference in rows("onnx-methods")[1:]:
        near = "isqrt-cov" if key == "mpn-cov" else "spd-root"
        beside = f"`{near}`: {', '.join(figures(near))}" if file == "refused" else ""
        lines.append([f"`{key}`", file, difference or "–", *figures(key), beside])
    return lines


HEADS = {
    "spd-root": "SPD with matrix square root",
    "isqrt-cov": "iSQRT-COV",
    "mpn-cov": "MPN-COV",
    "spd": "the paper's head",
    "log-euclidean": "log-Euclidean",
    "spdnet": "SPDNet",
    "kernel": "kernel matrix, only fitted",
    "conv512-b-cnn": "bilinear pooling (B-CNN) with a convolution",
    "b-cnn": "bilinear pooling, only fitted",
    "fv-fc-cnn": "Fisher vectors with average pooling",
    "deep-ten": "Deep-TEN",
    "vgg-16": "average pooling, only fitted",
}
BRIEFLY = [
    ("ResNet-50 v2", "CUB-50", "50 classes of birds"),
    ("ResNet-50 v2", "Flowers-102", "102 classes of flowers"),
    ("ResNet-50 v2", "DTD-10", "10 classes of textures"),
    ("GoogLeNet", "CUB-50", "50 classes of birds"),
    ("GoogLeNet", "Flowers-102", "102 classes of flowers"),
]
SPD_HEADS = ["spd-root", "isqrt-cov", "mpn-cov", "spd", "log-euclidean", "spdnet"]

RESULTS_PAGE = (
    "Appendix: results",
    "All accuracies behind [results.md](../results.md), which says how they were measured. Test accuracies in percent.",
    [
        (
            "The recommended plan: GoogLeNet",
            "`./spd paper` with its own plan and epochs, whole images at 224×224, on an H200: mean ± standard deviation "
            "over three seeds (birds and flowers), three partitions (textures) or ten random splits (FMD, two thirds of 1,000 "
            "pictures for training; eight or nine of them for three heads with ResNet-50 v2 that are only fitted). A figure "
            "without a deviation is of one seed.",
            means("recommended", "GoogLeNet"),
            "",
        ),
        ("The recommended plan: ResNet-50 v2", "", means("recommended", "ResNet-50 v2"), ""),
        ("The recommended plan, each seed and split: GoogLeNet", "", runs("recommended", "GoogLeNet"), ""),
        ("The recommended plan, each seed and split: ResNet-50 v2", "", runs("recommended", "ResNet-50 v2"), ""),
        (
            "Leads with the recommended plan",
            "In points, ± one standard error over the test images, each with the mean of its seeds.",
            rows("leads-recommended"),
            "",
        ),
        (
            "The recommended plan beside the earlier ones: GoogLeNet",
            "In points, over the better one of the two earlier columns (one plan for all heads, settings chosen for each), "
            "in the same seeds and partitions; ± one standard error over the test images. In bold: behind by more than that.",
            beside_earlier("GoogLeNet"),
            "",
        ),
        ("The recommended plan beside the earlier ones: ResNet-50 v2", "", beside_earlier("ResNet-50 v2"), ""),
        (
            "Leads on FMD",
            "In points, ± one standard error of the paired difference, over the splits that both were measured on.",
            fmd_leads(),
            "",
        ),
        (
            "The paper's crops",
            "Fifteen crops of each picture in training, the mean of five in the test, on the first splits of FMD.",
            beside_whole("crops"),
            "",
        ),
        (
            "One plan for all heads: GoogLeNet",
            "An earlier plan: 10 epochs at 0.001. Mean ± standard deviation over three partitions (textures) or three seeds (birds and flowers). A figure "
            "without a deviation does not depend on the seed.",
            means("plan", "GoogLeNet"),
            "",
        ),
        ("One plan for all heads: ResNet-50 v2", "", means("plan", "ResNet-50 v2"), ""),
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
        (
            "A larger set",
            "CUB-50, Flowers-102 and DTD-10 in one set: 5,354 training and 2,647 test images of 162 classes. The recommended "
            "plan, seed 1. Of DTD-10 every third picture of a class, by name, is for testing. In each cell: trained on that "
            "set alone → on all; in brackets the difference in points, ± one standard error over the test images.",
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
        ("Learning curves", "GoogLeNet, training loss by epoch.", rows("learning-curves"), ""),
        (
            "Rates and epochs",
            "`benchmarks/rates.py`, frozen features, 224×224, one seed. In each cell: the classifier as it was "
            "learnt, then fitted by ridge regression. v is what the classifier sees, u what is left of it without the "
            "mean of all images. 162 classes: CUB-50, Flowers-102 and DTD-10 as one set.",
            rows("rates-pytorch"),
            "¹ 0.0003 for a convolution that starts at random, before bilinear pooling and in the paper's head. The "
            "recommended plan is the last row of each head, but for a first epoch of growing rates, rates that fall within "
            "epochs, and at most 20 of them.",
        ),
        (
            "Rates and epochs on FMD",
            "The paper's head, ten random splits: in PyTorch with the plans `steps`, `learnt` and `learnt-slow` of "
            "`benchmarks/rates.py`, of which the last costs 1 to 2 points on birds, and with the commands, which here took "
            "other splits.",
            rows("rates-fmd"),
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
        ("Stage two in PyTorch, otherwise", "CUB-50, 224×224, one seed, or two.", rows("stage-two-others"), ""),
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
        (
            "Unlike anything trained on",
            "`benchmarks/unlike.py`: how many pictures of something else each score of each vector names, in percent, with "
            "95 % of the known ones kept. GoogLeNet, nine of the ten materials of FMD, each left out in turn: the mean, the "
            "least and the most of the ten; 357 birds (CUB) and 400 other textures (DTD). The first row is what models use, "
            "but for the directions that they leave out.",
            rows("unlike"),
            "",
        ),
        (
            "Networks from ONNX files",
            "Features by ONNX Runtime: the largest difference from PyTorch's, for one image, and from those of DL4J's graph, "
            "for 16 photographs of DTD-10, as shares of the largest feature. `googlenet` and `resnet50v2` have pretrained "
            "weights, the others, as timm has them, random ones. PyTorch 2.13 exported all with its newer exporter.",
            rows("onnx-backbones"),
            "By ONNX Runtime 1.28.0.",
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
            "hosts; those without a decimal were rounded. Mixed is beside PyTorch's autocast with the channels last. The last "
            "figures of convolutions alone are after one second of warm-up, with bias and rectifier in cuDNN's own call.",
            rows("gpu"),
            "Heads as in [Every head](#every-head), forward and step in ms: SPD with matrix square root 4.7 and 12.4, "
            "iSQRT-COV 9.8 and 15.5, iSICE 15.1 and 43.8, log-Euclidean 15 and 34, log-Cholesky 28 and 60, SPDNet with a "
            "residual connection 33 and 70, MPN-COV 93 and 133. Without cuDNN the convolutions take 58 ms, and a step of "
            "VGG-16 and the head 183. The retraction takes 0.17 ms. Of the 21 ms of a mixed step of VGG-16 with average "
            "pooling, convolutions take 13.4, some 4 of them to bring maps from FLOAT into BFLOAT16 with the channels last "
            "and back; gradients of rectifiers take 1.8 and poolings 1.1. In TF32 it is 23.1 for convolutions, of 31.5.",
        ),
        (
            "What the host does in a mixed step",
            "VGG-16 with average pooling, 32 images: samples of the stack in steps of 22.4 ms. In this variant, which is not "
            "in use, convolutions also took over the gradients of their rectifiers, and steps beside PyTorch took 1.78 of its "
            "time instead of 1.90, with the head 1.40 instead of 1.47.",
            rows("shares-gpu-mixed"),
            "",
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


def with_table(file, heading, lines):
    """The text of a page with another first table below a heading."""
    text = (ROOT / file).read_text(encoding="utf-8").split("\n")
    start = next(n for n in range(text.index(heading), len(text)) if text[n].startswith("|"))
    end = next(n for n in range(start, len(text)) if not text[n].startswith("|"))
    return "\n".join(text[:start] + table(lines) + text[end:])


def lead(name, *keys):
    """What heads lead B-CNN with a convolution by, GoogLeNet before ResNet-50 v2, without a sign where it is a plus."""
    leads = {(line[1], line[3]): line[5] for line in rows("leads-recommended") if line[2] == name and line[4] == "whole"}
    return [leads[f"`{key}`", network].lstrip("+") for key in keys for network in NETWORKS]


def on_fmd(key, other):
    return [paired(network, "FMD", key, other) for network in NETWORKS]


def over_plan(key):
    """By how much the recommended plan is ahead of 10 epochs at 0.001 on birds."""
    return [
        points(overview(network)["CUB-50", key][0] - float(accuracies("plan", network, "key")["CUB-50", key]["mean"]))
        for network in NETWORKS
    ]


def apart(name, key, other="", network=""):
    """Between two heads, or between the two networks."""
    found = [overview(n) for n in NETWORKS]
    if other:
        found = found[NETWORKS.index(network)]
        return f"{found[name, key][0] - found[name, other][0]:.1f}"
    return f"{found[1][name, key][0] - found[0][name, key][0]:.1f}"


def ahead(name, key, other, network):
    return points(float(apart(name, key, other, network)))


def part(network, key, column):
    line = next(line for line in rows("larger-set") if line[1:3] == [f"`{key}`", network])
    return re.search(r"\((.*)\)", line[column]).group(1)


TEXTURES = ["DTD-10", "KTH-TIPS", "FMD"]


def clearly_ahead(network, name, key):
    """Of bilinear pooling, only fitted, by more than two standard errors of independent answers to the test images."""
    found = overview(network)
    if (name, key) not in found:
        return False
    share, lead = found[name, "b-cnn"][0] / 100, found[name, key][0] - found[name, "b-cnn"][0]
    if name == "FMD":
        gain, _, error = paired(network, name, key, "b-cnn").partition(" ± ")
        return key != "b-cnn" and float(gain.replace("−", "-")) > 2 * float(error)
    return lead > 200 * (share * (1 - share) / (3 * TEST_IMAGES[name])) ** 0.5


def below(change):
    """Whether a change is a loss of more than one standard error."""
    gain, _, error = change.replace("−", "-").partition(" ± ")
    return float(gain) < -float(error)


THREE = ["DTD-10", "KTH-TIPS", "CUB-50"]
SENTENCES = {
    "docs/results.md": [
        (
            "`spd-root` leads on birds by {} points with GoogLeNet and {} with ResNet-50 v2, on flowers by {} and {}",
            lead("CUB-50", "spd-root") + lead("Flowers-102", "spd-root"),
        ),
        ("`isqrt-cov` by {} and {}, and {} and {}", lead("CUB-50", "isqrt-cov") + lead("Flowers-102", "isqrt-cov")),
        (
            "is level with B-CNN with a convolution on birds ({} and {} ahead) and leads on flowers by {} and {}",
            lead("CUB-50", "spd") + lead("Flowers-102", "spd"),
        ),
        (
            "On materials it leads by {} with GoogLeNet and {} with ResNet-50 v2, and by {} and {} over B-CNN without one",
            on_fmd("spd", "conv512-b-cnn") + on_fmd("spd", "b-cnn"),
        ),
        (
            "162 classes, it changes by {}, {} and {} with GoogLeNet, {}, {} and {} with ResNet-50 v2; `spd-root` by {}, {} "
            "and {}, {}, {} and {}",
            [part(network, key, column) for key in ("spd", "spd-root") for network in NETWORKS for column in (3, 4, 5)],
        ),
        (
            "matrix square root, with the recommended plan | on birds {} and {}, on flowers {} and {};",
            [ahead(name, "spd-root", "spd", network) for name in ("CUB-50", "Flowers-102") for network in NETWORKS],
        ),
        (
            "with `spd-root` | {} on birds, {} on flowers, {} on DTD-10",
            [apart(name, "spd-root") for name in ("CUB-50", "Flowers-102", "DTD-10")],
        ),
        (
            "on birds: the paper's head {} and {}, B-CNN with a convolution {} and {}, `spd-root` {} and {}",
            over_plan("spd") + over_plan("conv512-b-cnn") + over_plan("spd-root"),
        ),
        ("on FMD with GoogLeNet it costs the paper's head: [{}]", [rows("rates-fmd")[-1][5]]),
        ("| {} on FMD with `spd-root` and ResNet-50 v2, two splits |", [beside_whole("crops")[1][6]]),
    ],
    "docs/choosing.md": [
        (
            "on birds {} points (GoogLeNet) or {} (ResNet-50 v2)",
            [apart("CUB-50", "spd-root", "b-cnn", network) for network in NETWORKS],
        ),
        ("With l2 normalisation and `scale(10)` {}, {} and {}.", means_of("plan", "GoogLeNet", ["log-euclidean"], THREE)),
        (
            "on birds {} and, under the log-Cholesky metric, {}; `logEuclidean` and `logCholesky` with a fitted classifier "
            "have {} and {}",
            means_of(
                "plan",
                "GoogLeNet",
                ["spd-classifier", "spd-classifier-cholesky", "log-euclidean", "log-cholesky"],
                ["CUB-50"],
            ),
        ),
        (
            "best mean on KTH-TIPS with GoogLeNet ({}; bilinear {}), not with ResNet-50 v2 ({}; bilinear {}); far behind on "
            "birds ({})",
            means_of("plan", "GoogLeNet", ["fv-fc-cnn", "b-cnn"], ["KTH-TIPS"])
            + means_of("plan", "ResNet-50 v2", ["fv-fc-cnn", "b-cnn"], ["KTH-TIPS"])
            + means_of("plan", "GoogLeNet", ["fv-fc-cnn"], ["CUB-50"]),
        ),
        (
            "average pooling (`vgg-16`; {}, {}, {}), Deep-TEN (`deep-ten`; {}, {}, {}), SPDNet (`spdnet`; {}, {}, {}), the "
            "kernel matrix alone (`kernel`; {}, {}, {})",
            means_of("plan", "GoogLeNet", ["vgg-16", "deep-ten", "spdnet", "kernel"], THREE),
        ),
    ],
}
CLAIMS = [
    (
        "docs/results.md",
        "that was measured falls behind by more than one standard error on birds, flowers and textures",
        not any("**" in cell for network in NETWORKS for line in beside_earlier(network) for cell in line),
    ),
    (
        "docs/results.md",
        "None is ahead of bilinear pooling, only fitted, by more than two standard errors",
        not any(clearly_ahead(network, name, key) for network in NETWORKS for name in TEXTURES for key in HEADS),
    ),
    (
        "docs/results.md",
        "cost the paper's head nothing beyond chance",
        all(not below(part(network, "spd", column)) for network in NETWORKS for column in (3, 4, 5)),
    ),
]
NUMBER = r"[+−]?\d+(?:\.\d+)?(?: ± \d+\.\d+)?"


def with_figures(file, text, sentences):
    """The text of a page with the figures of its sentences as they are now; in a sentence, {} is a figure."""
    for sentence, figures in sentences:
        words = [re.escape(word).replace(r"\{\}", f"({NUMBER})".replace(" ", r"\s+")) for word in sentence.split()]
        found = list(re.finditer(r"\s+".join(words), text))
        if len(found) != 1:
            raise SystemExit(f"{file}: expected this sentence once, got it {len(found)} times: {sentence}")
        for number, figure in reversed(list(enumerate(figures, 1))):
            start, end = found[0].span(number)
            text = text[:start] + figure + text[end:]
    return text


def main():
    pages = {
        "docs/appendix/results.md": page(*RESULTS_PAGE),
        "docs/appendix/performance.md": page(*PERFORMANCE_PAGE),
        "docs/experiments.md": with_table("docs/experiments.md", "### Unlike anything trained on", unlike()),
        "docs/results.md": with_table("docs/results.md", "# How accurate it is", main_table()),
        "docs/onnx.md": with_table("docs/onnx.md", "## Methods", onnx_methods()),
        "README.md": with_table("README.md", "## Results", summary()),
    }
    for name, claim, holds in CLAIMS:
        text = pages.get(name) or (ROOT / name).read_text(encoding="utf-8")
        if claim not in " ".join(text.split()) or not holds:
            raise SystemExit(f"{name}: {'this is no longer there' if holds else 'this is not what was measured'}: {claim}")
    for name, sentences in SENTENCES.items():
        text = pages.get(name) or (ROOT / name).read_text(encoding="utf-8")
        pages[name] = with_figures(name, text, sentences)
    stale = []
    for name, text in pages.items():
        file = ROOT / name
        if "--check" not in sys.argv:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        raise SystemExit(f"Run python3 benchmarks/appendix.py: {', '.join(stale)} is not up to date.")


if __name__ == "__main__":
    main()
