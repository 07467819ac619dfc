#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes geometry.json: distances, geodesics, means and transports of SPD matrices, in double precision.

Functions of matrices are SciPy's: Schur and Padé methods, Fréchet derivatives by block matrices, and
generalised eigenvalues for the affine-invariant distance. The library goes by eigenvectors of
symmetric matrices; the two share no formula. The mean of the affine-invariant metric is checked to
be a stationary point. Where spd_learn (https://github.com/spdlearn/spd_learn) is installed, its
functions of the Bures-Wasserstein metric must give the same.

    python3 make_geometry.py           write geometry.json beside this script
    python3 make_geometry.py --check   compare with the file instead

Needs Python 3, NumPy, SciPy, PyTorch for spd_learn, and make_reference.py beside it for the layout of the file.
"""

import pathlib

import numpy as np
from scipy import integrate, linalg

from make_reference import (
    normal,
    relative,
    require,
    require_same_as_spd_learn,
    spd_learn,
    write_or_check,
)

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


def bures_wasserstein(a, b, xi):
    """Distance and geodesic by spd_learn's formulas; the transport in the plane of all M with MMᵀ = A.

    There the geodesic is a straight line M(t). A vector Y = SM with symmetric S is parallel along it
    if Y' = MΩ with an antisymmetric Ω (Y' has no part that A sees), and YM⁻¹ stays symmetric.
    """
    root = lambda m: np.real(linalg.sqrtm(m))
    half = root(a)
    middle = root(half @ b @ half)
    cross = half @ middle @ np.linalg.inv(half)  # (AB)^(1/2)
    n = len(a)
    end = np.linalg.inv(half) @ middle  # T A^(1/2)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    skew = np.zeros((len(pairs), n, n))
    for k, (i, j) in enumerate(pairs):
        skew[k, i, j], skew[k, j, i] = 1, -1

    def slope(t, y):
        m = (1 - t) * half + t * end
        inverse = np.linalg.inv(m)
        y = y.reshape(n, n)
        parts = lambda z: np.array([(z - z.T)[i, j] for i, j in pairs])
        columns = np.array([parts(m @ omega @ inverse) for omega in skew]).T
        wanted = parts(y @ inverse @ (end - half) @ inverse)
        omega = np.tensordot(np.linalg.solve(columns, wanted), skew, 1) if pairs else np.zeros((n, n))
        return (m @ omega).ravel()

    start = linalg.solve_sylvester(a, a, xi) @ half
    way = integrate.solve_ivp(slope, (0, 1), start.ravel(), "DOP853", rtol=1e-13, atol=1e-14)
    moved = way.y[:, -1].reshape(n, n)
    length = lambda p, v: (linalg.solve_sylvester(p, p, v) * v).sum()
    transported = moved @ end.T + end @ moved.T
    require("transport", abs(length(b, transported) / length(a, xi) - 1) < 1e-10, "changes lengths")
    return {
        "distance": float(np.sqrt(np.trace(a) + np.trace(b) - 2 * np.trace(middle))),
        "geodesic": (1 - T) ** 2 * a + T**2 * b + T * (1 - T) * (cross + cross.T),
        "logarithm": cross + cross.T - 2 * a,
        "transport": transported,
        "map": np.linalg.inv(half) @ middle @ np.linalg.inv(half),
    }


def barycentre(points, weights):
    """spd_learn's iteration M ← mean (M^(1/2) A M^(1/2))^(1/2)."""
    m = np.average(points, axis=0, weights=weights)
    for _ in range(2000):
        half = np.real(linalg.sqrtm(m))
        roots = [np.real(linalg.sqrtm(half @ p @ half)) for p in points]
        m = np.average(roots, axis=0, weights=weights)
        m = 0.5 * (m + m.T)
    return m


def means(points, weights):
    """The affine-invariant one by M ← M exp(mean log(M⁻¹A))."""
    mean = lambda arrays: np.average(list(arrays), axis=0, weights=weights)
    logs = mean(linalg.logm(p) for p in points)
    karcher = linalg.expm(logs)
    for _ in range(200):
        inverse = np.linalg.inv(karcher)
        step = mean(linalg.logm(inverse @ p) for p in points)
        karcher = karcher @ linalg.expm(step)
    factors = [np.linalg.cholesky(p) for p in points]
    below = mean(np.tril(f, -1) for f in factors)
    diagonal = np.exp(mean(np.log(np.diag(f)) for f in factors))
    factor = below + np.diag(diagonal)
    gradient = mean(linalg.logm(np.linalg.solve(karcher, p)) for p in points)
    require("mean", np.linalg.norm(gradient) < INVARIANT_TOLERANCE, "is not a stationary point")
    return {
        "log-euclidean": linalg.expm(logs),
        "affine-invariant": 0.5 * (karcher + karcher.T),
        "log-cholesky": factor @ factor.T,
        "bures-wasserstein": barycentre(points, weights),
    }


def compare_with_spd_learn(name, points, weights, result, mean, weighted):
    if not spd_learn():
        return
    import torch
    from spd_learn.functional.metrics import bures_wasserstein as bures

    stack = torch.tensor(points)
    a, b, c = stack[:3]
    tight = {"max_iter": 2000, "tol": 1e-15}
    moved = np.array(result["map"]) @ points[2] @ np.array(result["map"])
    for what, theirs, ours in (
        ("distance", bures.bures_wasserstein_distance(a, b), result["distance"]),
        ("geodesic", bures.bures_wasserstein_geodesic(a, b, T), result["geodesic"]),
        ("map", bures.bures_wasserstein_transport(a, b, c), moved),
        ("mean", bures.bures_wasserstein_mean(stack, **tight), mean),
        ("weighted mean", bures.bures_wasserstein_mean(stack, torch.tensor(weights), **tight), weighted),
    ):
        require_same_as_spd_learn(f"{name}, {what}", theirs, ours, CHECK_TOLERANCE)


def definite(rng, n):
    f = normal(rng, (n, 2 * n))
    return f @ f.T / (2 * n) + 0.1 * np.eye(n)


METRICS = {
    "log-euclidean": log_euclidean,
    "affine-invariant": affine_invariant,
    "log-cholesky": log_cholesky,
    "bures-wasserstein": bures_wasserstein,
}


def compute(index, n):
    rng = np.random.Generator(np.random.PCG64(index))
    points = np.array([definite(rng, n) for _ in range(4)])
    xi = normal(rng, (n, n))
    xi = 0.5 * (xi + xi.T)
    weights = 0.2 + np.abs(normal(rng, (4,)))
    mean = means(points, np.ones(4))
    weighted = means(points, weights)
    case = {"name": f"size {n}", "t": T, "points": points.tolist(), "tangent": xi.tolist()}
    case["weights"] = weights.tolist()
    for name, metric in METRICS.items():
        result = metric(points[0], points[1], xi)
        for key in [key for key in result if key != "distance"]:
            m = np.real_if_close(result[key])
            require(name, relative(m - m.T, m) < INVARIANT_TOLERANCE, f"{key} is not symmetric")
            result[key] = (0.5 * (m + m.T)).tolist()
        case[name] = {**result, "mean": mean[name].tolist(), "weightedMean": weighted[name].tolist()}
    name = "bures-wasserstein"
    compare_with_spd_learn(case["name"], points, weights, case[name], mean[name], weighted[name])
    return case


def compute_all():
    return [compute(index, n) for index, n in enumerate((1, 2, 3, 6))]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
