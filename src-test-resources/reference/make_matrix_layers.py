#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes matrix-layers.json: dropout, learnt shrinkage and residuals of SPD matrices, in double precision.

Values follow the definitions in explicit loops, and gradients are complex-step derivatives of those
loops. What a dropout would draw at random is given in the file. No eigenvalue is computed: the
logarithm is an integral, the exponential a Taylor series.

    python3 make_matrix_layers.py           write matrix-layers.json beside this script
    python3 make_matrix_layers.py --check   compare with the file instead

Needs Python 3, NumPy, and make_reference.py and make_log_metrics.py beside it.
"""

import math
import pathlib

import numpy as np

from make_log_metrics import exp, log, spectra, symmetric
from make_reference import complex_step, normal, require, write_or_check

FILE = pathlib.Path(__file__).with_name("matrix-layers.json")
CHECK_TOLERANCE = 1e-10
DIFFERENCE_STEP = 1e-6
DIFFERENCE_TOLERANCE = 1e-6


# --- The layers, by definition, of one image or matrix.


def dropped_rows(x, kept, p, floor):
    n = len(x)
    result = np.zeros((n, n), dtype=x.dtype)
    for i in range(n):
        for j in range(n):
            if kept[i] and kept[j]:
                result[i, j] = x[i, j] / p
            elif i == j:
                result[i, j] = floor / p
    return result


def covariance(maps):
    """[C][H][W] to [C][C], a sum over pixels for each pair of maps."""
    rows = [m.ravel() - m.sum() / m.size for m in maps]
    return np.array([[(a * b).sum() / (a.size - 1) for b in rows] for a in rows])


def cosine(a, b):
    product = sum(u * v for u, v in zip(a, b))
    return product / math.sqrt(sum(u * u for u in a) * sum(v * v for v in b))


def dropcov_rate(images, gamma, most):
    """One number for a batch, from whole covariance matrices."""
    agreement = 0.0
    for maps in images:
        strengths = [math.exp(m.sum() / m.size) for m in maps]
        correlations = [sum(row) for row in covariance(maps)]
        agreement += cosine(strengths, correlations) / len(images)
    return max(0.0, min(most, 1 - gamma / math.log2(len(images[0])) * agreement))


def dropped_maps(maps, kept, rate):
    return np.array([m / (1 - rate) if k else 0 * m for m, k in zip(maps, kept)])


def shrunk(x, theta, normalised):
    n = len(x)
    trace = sum(x[i, i] for i in range(n))
    if normalised:
        x = x * n / trace
        trace = sum(x[i, i] for i in range(n))
    alpha = 1 / (1 + np.exp(-theta))
    return (1 - alpha) * x + alpha * trace / n * np.eye(n)


def residual(x, y):
    return exp(log(x) + log(y))


# --- What must be so.


def check_differences(name, function, x, gradient):
    """Along one direction, symmetric if the gradient is."""
    direction = np.random.Generator(np.random.PCG64(1)).standard_normal(x.shape)
    if x.ndim == 3:
        direction = symmetric(direction)
    up, down = function(x + DIFFERENCE_STEP * direction), function(x - DIFFERENCE_STEP * direction)
    expected = (up - down) / (2 * DIFFERENCE_STEP)
    error = abs((gradient * direction).sum() - expected) / max(1.0, abs(expected))
    require(name, error <= DIFFERENCE_TOLERANCE, f"a gradient is off differences by {error}")


def gradient_by(name, function, x):
    """Of matrices [N][n][n] the symmetric part."""
    gradient = complex_step(function, x)
    gradient = symmetric(gradient) if x.ndim == 3 else gradient
    check_differences(name, function, x, gradient)
    return gradient


def check_kept(name, kept):
    for row in kept:
        require(name, row.any() and not row.all(), "keeps everything or nothing of an example")


# --- The cases: what is drawn, and what comes of it.


def uniform(rng, shape):
    return np.round(rng.random(shape), 4)


def spd_dropout_case(name, rng, draw, p, floor):
    x = draw(rng)
    drawn = uniform(rng, x.shape[:2])
    r = normal(rng, x.shape)
    kept = drawn < p
    check_kept(name, kept)

    def output(x):
        return np.array([dropped_rows(a, k, p, floor) for a, k in zip(x, kept)])

    def logarithm(x):
        return np.array([log(a) for a in output(symmetric(x))])

    return {
        "name": name,
        "kind": "spd-dropout",
        "p": p,
        "floor": floor,
        "drawn": drawn.tolist(),
        "input": x[:, None].tolist(),
        "R": r[:, None].tolist(),
        "dropped": output(x)[:, None].tolist(),
        "output": logarithm(x)[:, None].tolist(),
        "gradInput": gradient_by(name, lambda z: (r * logarithm(z)).sum(), x)[:, None].tolist(),
    }


def dropcov_case(name, rng, shape, gamma, most):
    x = normal(rng, shape)
    drawn = uniform(rng, shape[:2])
    r = normal(rng, (shape[0], shape[1], shape[1]))
    rate = dropcov_rate(x, gamma, most)
    kept = drawn >= rate
    check_kept(name, kept)

    def output(x):
        return np.array([dropped_maps(maps, k, rate) for maps, k in zip(x, kept)])

    def covariances(x):
        return np.array([covariance(maps) for maps in output(x)])

    return {
        "name": name,
        "kind": "dropcov",
        "gamma": gamma,
        "most": most,
        "rate": rate,
        "drawn": drawn.tolist(),
        "input": x.tolist(),
        "R": r[:, None].tolist(),
        "dropped": output(x).tolist(),
        "output": covariances(x)[:, None].tolist(),
        "gradInput": gradient_by(name, lambda z: (r * covariances(z)).sum(), x).tolist(),
    }


def shrinkage_case(name, rng, draw, theta, normalised):
    x = draw(rng)
    r = normal(rng, x.shape)

    def output(x, theta):
        return np.array([shrunk(a, theta, normalised) for a in symmetric(x)])

    by_theta = gradient_by(name, lambda t: (r * output(x, t[0])).sum(), np.array([theta]))
    return {
        "name": name,
        "kind": "shrinkage",
        "normalised": normalised,
        "theta": theta,
        "input": x[:, None].tolist(),
        "R": r[:, None].tolist(),
        "output": output(x, theta)[:, None].tolist(),
        "gradInput": gradient_by(name, lambda z: (r * output(z, theta)).sum(), x)[:, None].tolist(),
        "gradTheta": float(by_theta[0]),
    }


def residual_case(name, rng, draw_x, draw_y):
    x = draw_x(rng)
    y = draw_y(rng) if draw_y else np.array([symmetric(np.linalg.inv(a)) for a in x])
    r = normal(rng, x.shape)

    def output(x, y):
        return np.array([residual(a, b) for a, b in zip(symmetric(x), symmetric(y))])

    return {
        "name": name,
        "kind": "residual",
        "x": x[:, None].tolist(),
        "y": y[:, None].tolist(),
        "R": r[:, None].tolist(),
        "output": output(x, y)[:, None].tolist(),
        "gradX": gradient_by(name, lambda z: (r * output(z, y)).sum(), x)[:, None].tolist(),
        "gradY": gradient_by(name, lambda z: (r * output(x, z)).sum(), y)[:, None].tolist(),
    }


SPREAD = spectra((0.1, 0.7, 1.6, 3.0), (0.3, 0.5, 1.0, 1.1))
OTHER = spectra((0.2, 0.4, 0.9, 1.5), (0.1, 0.6, 2.0, 2.5))
REPEATED = spectra((0.4, 0.4, 0.4, 2.0), (1.0, 1.0, 1.0, 1.0))
INVERSE = None  # Y = X⁻¹: all eigenvalues of the sum are 0

# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    ("spd-dropout", spd_dropout_case, (SPREAD, 0.6, 0.2)),
    ("spd-dropout-repeated", spd_dropout_case, (REPEATED, 0.5, 0.2)),
    ("dropcov", dropcov_case, ((3, 6, 4, 3), 2.0, 0.99)),
    ("dropcov-at-most", dropcov_case, ((2, 5, 3, 2), 1.0, 0.4)),
    ("shrinkage", shrinkage_case, (SPREAD, -0.8, False)),
    ("shrinkage-normalised", shrinkage_case, (SPREAD, 0.3, True)),
    ("shrinkage-repeated", shrinkage_case, (REPEATED, -2.0, True)),
    ("residual", residual_case, (SPREAD, OTHER)),
    ("residual-repeated", residual_case, (REPEATED, OTHER)),
    ("residual-inverse", residual_case, (SPREAD, INVERSE)),
]


def compute_all():
    result = []
    for index, (name, case, options) in enumerate(CASES):
        result.append(case(name, np.random.Generator(np.random.PCG64(index)), *options))
    return result


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
