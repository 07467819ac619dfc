#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes geometry.json: distances, geodesics, means and transports of SPD matrices, in double precision.

Functions of matrices are SciPy's: Schur and Padé methods, Fréchet derivatives by block matrices, and
generalised eigenvalues for the affine-invariant distance. The library goes by eigenvectors of
symmetric matrices; the two share no formula. The mean of the affine-invariant metric is checked to
be a stationary point.

    python3 make_geometry.py           write geometry.json beside this script
    python3 make_geometry.py --check   compare with the file instead

Needs Python 3, NumPy, SciPy, and make_reference.py beside it for the layout of the file.
"""

import pathlib

import numpy as np
from scipy import linalg

from make_reference import normal, relative, require, write_or_check

FILE = pathlib.Path(__file__).with_name("geometry.json")
CHECK_TOLERANCE = 1e-9
INVARIANT_TOLERANCE = 1e-8
T = 0.3


def log_euclidean(a, b, xi):
    log_a, log_b = linalg.logm(a), linalg.logm(b)
    change = linalg.expm_frechet(log_a, log_b - log_a)[1]
    # dlog(A)[ξ] solves dexp(log A)[x] = ξ.
    n = len(a)
    columns = [linalg.expm_frechet(log_a, e.reshape(n, n))[1].ravel() for e in np.eye(n * n)]
    moved = np.linalg.solve(np.array(columns).T, xi.ravel()).reshape(n, n)
    return {
        "distance": float(np.linalg.norm(log_a - log_b)),
        "geodesic": linalg.expm((1 - T) * log_a + T * log_b),
        "logarithm": change,
        "transport": linalg.expm_frechet(log_b, moved)[1],
    }


def affine_invariant(a, b, xi):
    inverse = np.linalg.inv(a)
    e = linalg.sqrtm(b @ inverse)
    return {
        "distance": float(np.sqrt((np.log(linalg.eigvalsh(b, a)) ** 2).sum())),
        "geodesic": a @ linalg.fractional_matrix_power(inverse @ b, T),
        "logarithm": a @ linalg.logm(inverse @ b),
        "transport": e @ xi @ e.T,
    }


def log_cholesky(a, b, xi):
    l, k = np.linalg.cholesky(a), np.linalg.cholesky(b)
    below = lambda m: np.tril(m, -1)
    on = lambda m: np.diag(np.diag(m))
    difference = below(k) - below(l)
    ratio = np.log(np.diag(k) / np.diag(l))
    point = below(l) + T * difference + np.diag(np.diag(l) * np.exp(T * ratio))
    at_l = difference + np.diag(np.diag(l) * ratio)  # the tangent vector of the factor
    half = linalg.solve_triangular(l, linalg.solve_triangular(l, xi, lower=True).T, lower=True)
    dl = l @ (below(half) + 0.5 * on(half))
    at_k = below(dl) + np.diag(np.diag(dl) / np.diag(l) * np.diag(k))
    return {
        "distance": float(np.sqrt((difference**2).sum() + (ratio**2).sum())),
        "geodesic": point @ point.T,
        "logarithm": at_l @ l.T + l @ at_l.T,
        "transport": at_k @ k.T + k @ at_k.T,
    }


def means(points):
    """The affine-invariant one by M ← M exp(mean log(M⁻¹A))."""
    logs = np.mean([linalg.logm(p) for p in points], axis=0)
    karcher = linalg.expm(logs)
    for _ in range(200):
        inverse = np.linalg.inv(karcher)
        step = np.mean([linalg.logm(inverse @ p) for p in points], axis=0)
        karcher = karcher @ linalg.expm(step)
    factors = [np.linalg.cholesky(p) for p in points]
    below = np.mean([np.tril(f, -1) for f in factors], axis=0)
    diagonal = np.exp(np.mean([np.log(np.diag(f)) for f in factors], axis=0))
    factor = below + np.diag(diagonal)
    gradient = np.mean([linalg.logm(np.linalg.solve(karcher, p)) for p in points], axis=0)
    require("mean", np.linalg.norm(gradient) < INVARIANT_TOLERANCE, "is not a stationary point")
    return {
        "log-euclidean": linalg.expm(logs),
        "affine-invariant": 0.5 * (karcher + karcher.T),
        "log-cholesky": factor @ factor.T,
    }


def definite(rng, n):
    f = normal(rng, (n, 2 * n))
    return f @ f.T / (2 * n) + 0.1 * np.eye(n)


METRICS = {
    "log-euclidean": log_euclidean,
    "affine-invariant": affine_invariant,
    "log-cholesky": log_cholesky,
}


def compute(index, n):
    rng = np.random.Generator(np.random.PCG64(index))
    points = np.array([definite(rng, n) for _ in range(4)])
    xi = normal(rng, (n, n))
    xi = 0.5 * (xi + xi.T)
    mean = means(points)
    case = {"name": f"size {n}", "t": T, "points": points.tolist(), "tangent": xi.tolist()}
    for name, metric in METRICS.items():
        result = metric(points[0], points[1], xi)
        for key in ("geodesic", "logarithm", "transport"):
            m = np.real_if_close(result[key])
            require(name, relative(m - m.T, m) < INVARIANT_TOLERANCE, f"{key} is not symmetric")
            result[key] = (0.5 * (m + m.T)).tolist()
        case[name] = {**result, "mean": mean[name].tolist()}
    return case


def compute_all():
    return [compute(index, n) for index, n in enumerate((1, 2, 3, 6))]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
