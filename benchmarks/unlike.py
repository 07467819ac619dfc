# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""How many pictures of something else several scores name, with 95 % of the known ones kept.

    python3 unlike.py FMD/image GOOGLENET results/unlike.tsv birds=CUB/images textures=DTD/images

FMD has a folder for each of the ten materials. Each is left out in turn; two thirds of the pictures of the other nine
are learnt from, the scores of one third set the limit. Other folders have pictures of something else in class folders,
of which about 400 are taken. It needs PyTorch, NumPy and Pillow, and half an hour on two cores.
"""
import glob
import importlib.util
import os
import sys

import numpy as np
import torch

SEED, KEPT, MOST = 1, 0.95, 400
WIDTH, DIRECTIONS, SHRINKAGE, NEIGHBOURS, SCALE, SUBSPACE = 64, 256, 0.3, 5, 10, 64


def load_program():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "end-to-end.py")
    spec = importlib.util.spec_from_file_location("end_to_end", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def maps(program, net, paths, device):
    return program.features(net, paths, program.caffe_pixels, device, 2).flatten(2).cpu().numpy()


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def spd(all_maps, basis, function):
    """A function of the covariance of the maps, in some directions, as a vector."""
    y = np.einsum("ncp,cd->ndp", all_maps, basis)
    y -= y.mean(2, keepdims=True)
    values, vectors = np.linalg.eigh((y @ y.transpose(0, 2, 1) / y.shape[2]).astype("f8"))
    values = function(np.maximum(values, 1e-6))
    i, j = np.triu_indices(WIDTH)
    matrices = (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1)
    return unit((matrices[:, i, j] * np.where(i == j, 1, 2 ** 0.5)).astype("f4"))


def centres(rows, labels):
    return np.stack([rows[labels == k].mean(0) for k in np.unique(labels)])


def mahalanobis(rows, labels, relative=False):
    """From the nearest class, as Familiarity; relative: minus the distance from all classes together."""
    rows = unit(rows)
    mean, deviation = rows.mean(0), rows.std(0)
    deviation = deviation + 0.01 * deviation.mean()
    z = (rows - mean) / deviation
    means = centres(z, labels)

    def half(residuals):
        s = (residuals.T @ residuals / len(residuals)).astype("f8")
        s = (1 - SHRINKAGE) * s + SHRINKAGE * np.trace(s) / len(s) * np.eye(len(s))
        return np.linalg.cholesky(np.linalg.inv(s)).astype("f4")

    within = half(z - means[np.searchsorted(np.unique(labels), labels)])
    everything = half(z)

    def score(asked):
        z = (unit(asked) - mean) / deviation
        nearest = np.min([(((z - m) @ within) ** 2).sum(1) for m in means], axis=0)
        return nearest - ((z @ everything) ** 2).sum(1) if relative else nearest
    return score


def neighbours(rows, _):
    return lambda asked: -np.sort(unit(asked) @ unit(rows).T, axis=1)[:, -NEIGHBOURS]


def ridge(rows, labels):
    mean = rows.mean(0)
    targets = (labels[:, None] == np.unique(labels)).astype("f4")
    gram = (rows - mean) @ (rows - mean).T
    penalty = 0.03 * np.trace(gram) / len(gram)
    weights = (rows - mean).T @ np.linalg.solve(gram + penalty * np.eye(len(gram)), targets - targets.mean(0))
    return lambda asked: (asked - mean) @ weights + targets.mean(0)


def largest_answer(rows, labels):
    answers = ridge(rows, labels)
    return lambda asked: -answers(asked).max(1)


def energy(rows, labels):
    answers = ridge(rows, labels)
    return lambda asked: -np.log(np.exp(SCALE * answers(asked)).sum(1))


def residual(rows, _):
    """How far from the directions in which the known ones differ most."""
    rows = unit(rows)
    mean, deviation = rows.mean(0), rows.std(0)
    deviation = deviation + 0.01 * deviation.mean()
    known = np.linalg.svd((rows - mean) / deviation, full_matrices=False)[2][:SUBSPACE].T

    def score(asked):
        z = (unit(asked) - mean) / deviation
        return np.linalg.norm(z - (z @ known) @ known.T, axis=1)
    return score


def virtual_logit(rows, labels):
    """ViM (Wang et al., 2022): the residual, in the measure of the largest answers, beside the energy."""
    far, answers = residual(rows, labels), ridge(rows, labels)
    measure = SCALE * answers(rows).max(1).mean() / far(rows).mean()
    return lambda asked: measure * far(asked) - np.log(np.exp(SCALE * answers(asked)).sum(1))


SCORES = {
    "Mahalanobis": mahalanobis,
    "relative Mahalanobis": lambda rows, labels: mahalanobis(rows, labels, True),
    "5th nearest neighbour": neighbours,
    "largest answer": largest_answer,
    "energy": energy,
    "residual": residual,
    "residual and energy (ViM)": virtual_logit,
}


def main(fmd, googlenet, target, *others):
    program = load_program()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = program.GoogLeNet(googlenet, device)
    paths, labels = program.files(fmd)
    labels = labels.numpy()
    found = {"left": maps(program, net, paths, device)}
    for other in others:
        name, folder = other.split("=")
        pictures = sorted(glob.glob(os.path.join(folder, "*", "*")))
        found[name] = maps(program, net, pictures[::-(-len(pictures) // MOST)], device)
    sample = found["left"][::4].transpose(0, 2, 1).reshape(-1, found["left"].shape[1])
    basis = np.linalg.eigh(np.cov(sample.T))[1][:, -WIDTH:].astype("f4")
    vectors = {
        "means of the maps": lambda x: x.mean(2),
        "means and deviations": lambda x: np.hstack([unit(x.mean(2)), unit(x.std(2))]),
        "root of the covariance": lambda x: spd(x, basis, np.sqrt),
        "logarithm of the covariance": lambda x: spd(x, basis, np.log),
    }
    lines = ["\t".join(["vector", "score", "class left out", "least", "most", *list(found)[1:]])]
    for vector, make in vectors.items():
        rows = {name: make(x) for name, x in found.items()}
        if rows["left"].shape[1] > 1024:
            few = np.linalg.svd(rows["left"] - rows["left"].mean(0), full_matrices=False)[2][:DIRECTIONS].T
            rows = {name: x @ few for name, x in rows.items()}
        for score, fit in SCORES.items():
            named = {name: [] for name in found}
            for left in np.unique(labels):
                known = np.random.default_rng(SEED + left).permutation(np.where(labels != left)[0])
                held, learnt = np.split(known, [len(known) // 3])
                distance = fit(rows["left"][learnt], labels[learnt])
                limit = np.quantile(distance(rows["left"][held]), KEPT)
                for name, x in rows.items():
                    asked = x[labels == left] if name == "left" else x
                    named[name].append(100 * (distance(asked) > limit).mean())
            figures = [np.mean(named["left"]), min(named["left"]), max(named["left"])]
            figures += [np.mean(named[name]) for name in list(found)[1:]]
            lines.append("\t".join([vector, score, *(f"{x:.1f}" for x in figures)]))
            print(lines[-1], flush=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
