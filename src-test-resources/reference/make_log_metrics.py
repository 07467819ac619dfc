#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes log-metrics.json: batch normalisation and classification of SPD matrices, in double precision.

Both follow their papers, not the library, which computes in coordinates. Batch normalisation is made
of the products, inverses and tangent vectors of two Lie groups. The classifier is made of Riemannian
logarithms, transported tangent vectors and inner products at the points of the classes. Gradients
are complex-step derivatives. No eigenvalue is computed: the logarithm is an integral, the
exponential a Taylor series, derivatives of both are blocks of larger matrices.

The affine-invariant metric follows spd_learn (https://github.com/spdlearn/spd_learn), in which
gradients of the mean are left out. Where it is installed, its outputs and statistics must be these.

    python3 make_log_metrics.py           write log-metrics.json beside this script
    python3 make_log_metrics.py --check   compare with the file instead

Needs Python 3, NumPy, PyTorch for spd_learn, and make_reference.py beside it for the layout of the file.
"""

import pathlib

import numpy as np

from make_reference import (
    complex_step,
    normal,
    orthonormal,
    relative,
    require,
    require_same_as_spd_learn,
    spd_learn,
    write_or_check,
)

FILE = pathlib.Path(__file__).with_name("log-metrics.json")
CHECK_TOLERANCE = 1e-10
INVARIANT_TOLERANCE = 1e-9
DECAY, EPS = 0.9, 1e-5
FARTHEST = 10  # deviations from a running mean, beyond which the layer brings examples nearer
NODES = np.polynomial.legendre.leggauss(200)


# --- Functions of matrices, all of them analytic: no modulus, no conjugate.


def log(a):
    """log a = ∫ (a - 1) (t (a - 1) + 1)⁻¹ dt over [0, 1], of a divided by its mean diagonal."""
    scale = np.trace(a.real) / len(a)
    eye = np.eye(len(a))
    rest = a / scale - eye
    total = np.log(scale) * eye
    for node, weight in zip(*NODES):
        total = total + 0.5 * weight * np.linalg.solve(0.5 * (node + 1) * rest + eye, rest)
    return total


def exp(a):
    """By a Taylor series of a / 2¹⁰, squared ten times."""
    term = result = np.eye(len(a))
    for k in range(1, 20):
        term = term @ a / (1024 * k)
        result = result + term
    for _ in range(10):
        result = result @ result
    return result


def derivative(function, at, direction):
    """The derivative of a function of matrices: a block of the function of a larger matrix."""
    n = len(at)
    block = np.block([[at, direction], [np.zeros((n, n)), at]])
    return function(block)[:n, n:]


def factor(a):
    """Cholesky's, with the sums written out."""
    n = len(a)
    l = np.zeros((n, n), dtype=np.asarray(a).dtype)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j] - sum(l[i, k] * l[j, k] for k in range(j))
            l[i, j] = np.sqrt(rest) if i == j else rest / l[j, j]
    return l


def below(a):
    return np.tril(a, -1)


def on(a):
    return np.diag(np.diag(a))


def symmetric(a):
    return 0.5 * (a + np.swapaxes(a, -1, -2))


# --- The two groups and metrics.


class LogEuclidean:
    name = "EUCLIDEAN"

    def product(self, a, b):
        return exp(log(a) + log(b))

    def inverse(self, a):
        return np.linalg.inv(a)

    def mean(self, points):
        return exp(sum(log(p) for p in points) / len(points))

    def squared_distance(self, a, b):
        difference = log(a) - log(b)
        return (difference * difference).sum()

    def at_identity(self, tangent):
        return exp(tangent)

    def from_identity(self, point):
        return log(point)

    def transported(self, point, tangent):
        return derivative(exp, log(point), tangent)

    def logarithm(self, base, point):
        return derivative(exp, log(base), log(point) - log(base))

    def inner(self, base, a, b):
        return (derivative(log, base, a) * derivative(log, base, b)).sum()

    def point(self, vector, n):
        return exp(self.matrix(vector, n))

    def matrix(self, vector, n):
        result = np.zeros((n, n), dtype=np.asarray(vector).dtype)
        for (i, j), v in zip([(i, j) for i in range(n) for j in range(i, n)], vector):
            result[i, j] = result[j, i] = v if i == j else v / np.sqrt(2)
        return result

    def vector(self, point):
        return self.flat(log(point))

    def flat(self, a):
        """Also of a tangent vector at the identity."""
        n = len(a)
        return np.array([a[i, j] * (1 if i == j else np.sqrt(2)) for i in range(n) for j in range(i, n)])


class LogCholesky:
    name = "CHOLESKY"

    def of_factor(self, l):
        return l @ l.T

    def product(self, a, b):
        l, k = factor(a), factor(b)
        return self.of_factor(below(l) + below(k) + on(l) @ on(k))

    def inverse(self, a):
        l = factor(a)
        return self.of_factor(-below(l) + np.diag(1 / np.diag(l)))

    def mean(self, points):
        factors = [factor(p) for p in points]
        lower = sum(below(l) for l in factors) / len(factors)
        logs = sum(np.log(np.diag(l)) for l in factors) / len(factors)
        return self.of_factor(lower + np.diag(np.exp(logs)))

    def squared_distance(self, a, b):
        l, k = factor(a), factor(b)
        lower = below(l) - below(k)
        logs = np.log(np.diag(l) / np.diag(k))
        return (lower * lower).sum() + (logs * logs).sum()

    def at_identity(self, tangent):
        return self.of_factor(below(tangent) + np.diag(np.exp(0.5 * np.diag(tangent))))

    def from_identity(self, point):
        l = factor(point)
        return below(l) + below(l).T + 2 * np.diag(np.log(np.diag(l)))

    def change_of_factor(self, base, tangent):
        l = factor(base)
        inverse = np.linalg.inv(l)
        inner = inverse @ tangent @ inverse.T
        return l @ (below(inner) + 0.5 * on(inner))

    def tangent(self, base, change):
        l = factor(base)
        return change @ l.T + l @ change.T

    def transported(self, point, tangent):
        change = self.change_of_factor(np.eye(len(point)), tangent)
        return self.tangent(point, below(change) + on(factor(point)) @ on(change))

    def logarithm(self, base, point):
        l, k = factor(base), factor(point)
        logs = np.log(np.diag(k) / np.diag(l))
        return self.tangent(base, below(k) - below(l) + np.diag(np.diag(l) * logs))

    def inner(self, base, a, b):
        l, x, y = factor(base), self.change_of_factor(base, a), self.change_of_factor(base, b)
        diagonal = np.diag(x) * np.diag(y) / np.diag(l) ** 2
        return (below(x) * below(y)).sum() + diagonal.sum()

    def point(self, vector, n):
        l = np.zeros((n, n), dtype=np.asarray(vector).dtype)
        for (i, j), v in zip([(i, j) for i in range(n) for j in range(i + 1)], vector):
            l[i, j] = np.exp(v) if i == j else v
        return self.of_factor(l)

    def matrix(self, vector, n):
        result = np.zeros((n, n), dtype=np.asarray(vector).dtype)
        for (i, j), v in zip([(i, j) for i in range(n) for j in range(i + 1)], vector):
            result[i, j] = result[j, i] = 2 * v if i == j else v
        return result

    def vector(self, point):
        l = factor(point)
        n = len(l)
        return np.array([np.log(l[i, j]) if i == j else l[i, j] for i in range(n) for j in range(i + 1)])

    def flat(self, a):
        """The change of the factor I by a tangent vector there."""
        n = len(a)
        return np.array([a[i, j] * (0.5 if i == j else 1) for i in range(n) for j in range(i + 1)])


class AffineInvariant(LogEuclidean):
    """By spd_learn's formulas: its mean with one iteration, from the arithmetic one."""

    name = "AFFINE_INVARIANT"

    def power(self, a, exponent):
        return exp(exponent * log(a))

    def between(self, a, exponent, x):
        root = self.power(a, exponent)
        return root @ x @ root

    def mean(self, points):
        start = sum(points) / len(points)
        logs = [log(self.between(start, -0.5, p)) for p in points]
        return self.between(start, 0.5, exp(sum(logs) / len(points)))

    def squared_distance(self, a, b):
        l = log(self.between(b, -0.5, a))
        return (l * l).sum()

    def normalised(self, point, mean, bias, factor):
        return self.between(bias, 0.5, self.power(self.between(mean, -0.5, point), factor))

    def next(self, running, mean, n):
        """On the geodesic."""
        old = self.point(running, n)
        return self.vector(self.between(old, 0.5, self.power(self.between(old, -0.5, mean), 1 - DECAY)))


# --- Batch normalisation: algorithm 1 of LieBN.


def statistics(group, points):
    mean = group.mean(points)
    return mean, sum(group.squared_distance(p, mean) for p in points) / len(points)


def normalised(group, points, mean, variance, bias, dispersion):
    result = []
    for p in points:
        if isinstance(group, AffineInvariant):
            result.append(group.normalised(p, mean, bias, dispersion / np.sqrt(variance + EPS)))
            continue
        centred = group.product(group.inverse(mean), p)
        scaled = group.at_identity(dispersion / np.sqrt(variance + EPS) * group.from_identity(centred))
        result.append(group.product(bias, scaled))
    return np.array(result)


def next_mean(group, running, mean):
    if isinstance(group, AffineInvariant):
        return group.next(running, mean, len(mean))
    return DECAY * running + (1 - DECAY) * group.vector(mean)


def trained(group, x, b, s):
    points = symmetric(x)
    mean, variance = statistics(group, points)
    return normalised(group, points, mean, variance, group.point(b, x.shape[-1]), s)


def compare_with_spd_learn(name, group, x, running, variance, b, s, expected):
    """Its layer in training and in use: outputs, and the statistics after a step."""
    if not (isinstance(group, AffineInvariant) and spd_learn()):
        return
    import torch
    from spd_learn.modules import SPDBatchNormMeanVar

    torch.set_default_dtype(torch.float64)  # or else it rounds the momentum to single precision
    n = x.shape[-1]
    layer = SPDBatchNormMeanVar(n, momentum=1 - DECAY, n_iter=1, eps=EPS)
    layer.bias = torch.tensor(group.point(b, n))[None]
    layer.weight = torch.tensor(s)
    layer.running_mean = torch.tensor(group.point(running, n))[None]
    layer.running_var = torch.tensor(variance)
    matrices = torch.tensor(symmetric(x))
    with torch.no_grad():
        in_use = layer.eval()(matrices)
        in_training = layer.train()(matrices)
    mean, variance = layer.running_mean[0].numpy(), layer.running_var.item()
    for what, theirs, ours in (
        ("output in use", in_use, np.array(expected["outputInUse"])[:, 0]),
        ("output", in_training, np.array(expected["output"])[:, 0]),
        ("running mean", mean, group.point(np.array(expected["nextMean"]), n)),
        ("running variance", variance, expected["nextVariance"]),
    ):
        require_same_as_spd_learn(f"{name}, {what}", theirs, ours, CHECK_TOLERANCE)


def normalisation_case(name, group, draw, rng):
    x = draw(rng)
    n = x.shape[-1]
    length = n * (n + 1) // 2
    b, s = 0.3 * normal(rng, (length,)), float(1 + 0.3 * normal(rng, ()))
    running, variance = 0.3 * normal(rng, (length,)), float(1 + 0.1 * normal(rng, ()))
    r = normal(rng, x.shape)
    output = trained(group, x, b, s)
    mean, own = statistics(group, x)
    by_input = complex_step(lambda z: (r * trained(group, z, b, s)).sum(), x)
    by_bias = complex_step(lambda z: (r * trained(group, x, z, s)).sum(), b)
    by_dispersion = complex_step(lambda z: (r * trained(group, x, b, z[0])).sum(), np.array([s]))
    used = normalised(group, x, group.point(running, n), variance, group.point(b, n), s)
    after = group.mean([output[i] for i in range(len(output))])
    distance = np.sqrt(group.squared_distance(after, group.point(b, n)))
    exact = not isinstance(group, AffineInvariant)  # one step is not the mean
    require(name, distance <= (INVARIANT_TOLERANCE if exact else 0.1), f"the mean of the output is {distance} from B")
    case = {
        "name": name,
        "kind": "normalisation",
        "metric": group.name,
        "input": x[:, None].tolist(),
        "bias": b.tolist(),
        "dispersion": s,
        "mean": running.tolist(),
        "variance": variance,
        "decay": DECAY,
        "eps": EPS,
        "R": r[:, None].tolist(),
        "output": output[:, None].tolist(),
        "gradInput": symmetric(by_input)[:, None].tolist(),
        "gradBias": by_bias.tolist(),
        "gradDispersion": float(by_dispersion[0]),
        "nextMean": next_mean(group, running, mean).tolist(),
        "nextVariance": float(DECAY * variance + (1 - DECAY) * own),
        "outputInUse": used[:, None].tolist(),
    }
    compare_with_spd_learn(name, group, x, running, variance, b, s, case)
    return case


# --- The same for domains: each has statistics of its own, and B and s are common.


def trained_by_domain(group, x, domains, running, variances, b, s):
    """The only example of a domain takes the running statistics."""
    points = symmetric(x)
    n = x.shape[-1]
    result = [None] * len(points)
    for domain in set(domains):
        own = [i for i, d in enumerate(domains) if d == domain]
        mean, variance = group.point(running[domain], n), variances[domain]
        if len(own) > 1:
            mean, variance = statistics(group, [points[i] for i in own])
        bias = group.point(b, n)
        for i in own:
            result[i] = normalised(group, [points[i]], mean, variance, bias, s)[0]
    return np.array(result)


def domains_case(name, group, draw, rng, domains, count):
    x = draw(rng)
    n = x.shape[-1]
    length = n * (n + 1) // 2
    b, s = 0.3 * normal(rng, (length,)), float(1 + 0.3 * normal(rng, ()))
    running, variances = 0.3 * normal(rng, (count, length)), 1 + 0.1 * normal(rng, (count,))
    r = normal(rng, x.shape)

    def output(x, b, s):
        return trained_by_domain(group, x, domains, running, variances, b, s)

    by_input = complex_step(lambda z: (r * output(z, b, s)).sum(), x)
    by_bias = complex_step(lambda z: (r * output(x, z, s)).sum(), b)
    by_dispersion = complex_step(lambda z: (r * output(x, b, z[0])).sum(), np.array([s]))
    used, next_running, next_variances = [], running.copy(), variances.copy()
    bias = group.point(b, n)
    for matrix, domain in zip(x, domains):
        mean = group.point(running[domain], n)
        far = np.sqrt(group.squared_distance(matrix, mean) / (variances[domain] + EPS))
        require(name, far < FARTHEST, f"an example is {far} deviations from its running mean")
        used.append(normalised(group, [matrix], mean, variances[domain], bias, s)[0])
    for domain in range(count):
        own = [matrix for matrix, d in zip(x, domains) if d == domain]
        if len(own) > 1:
            mean, variance = statistics(group, own)
            next_running[domain] = next_mean(group, running[domain], mean)
            next_variances[domain] = DECAY * variances[domain] + (1 - DECAY) * variance
    return {
        "name": name,
        "kind": "domains",
        "metric": group.name,
        "domains": list(domains),
        "input": x[:, None].tolist(),
        "bias": b.tolist(),
        "dispersion": s,
        "mean": running.tolist(),
        "variance": variances.tolist(),
        "decay": DECAY,
        "eps": EPS,
        "R": r[:, None].tolist(),
        "output": output(x, b, s)[:, None].tolist(),
        "gradInput": symmetric(by_input)[:, None].tolist(),
        "gradBias": by_bias.tolist(),
        "gradDispersion": float(by_dispersion[0]),
        "nextMean": next_running.tolist(),
        "nextVariance": next_variances.tolist(),
        "outputInUse": np.array(used)[:, None].tolist(),
    }


# --- The classifier: signed distances from hyperplanes through P_k, orthogonal to A_k.


def logits(group, x, points, normals):
    return np.array(
        [
            [
                group.inner(p, group.logarithm(p, s), group.transported(p, a))
                for p, a in zip(points, normals)
            ]
            for s in symmetric(x)
        ]
    )


def loss(group, x, points, normals, labels):
    z = logits(group, x, points, normals)
    z = z - z.real.max(axis=1, keepdims=True)
    e = np.exp(z)
    return -sum(np.log(e[i, k] / e[i].sum()) for i, k in enumerate(labels))


def hyperplanes(group, w, b, n):
    """Those with this linear form; of all points of a hyperplane the one nearest to I."""
    points = [group.point(-offset / (a * a).sum() * a, n) for a, offset in zip(w.T, b)]
    return points, [group.matrix(a, n) for a in w.T]


def classifier_case(name, group, draw, rng, classes):
    x = draw(rng)
    n = x.shape[-1]
    length = n * (n + 1) // 2
    points = [group.point(0.5 * normal(rng, (length,)), n) for _ in range(classes)]
    normals = [symmetric(normal(rng, (n, n))) for _ in range(classes)]
    labels = [i % classes for i in range(len(x))]
    z = logits(group, x, points, normals)
    w = np.array([group.flat(a) for a in normals]).T
    b = np.array([-group.flat(a) @ group.vector(p) for p, a in zip(points, normals)])
    linear = np.array([group.vector(s) for s in x]) @ w + b
    error = relative(z - linear, z)
    require(name, error <= INVARIANT_TOLERANCE, f"is off its linear form by {error}")
    moved = logits(group, x, *hyperplanes(group, w, b, n))
    error = relative(moved - z, z)
    require(name, error <= INVARIANT_TOLERANCE, f"is off other points of its hyperplanes by {error}")
    e = np.exp(z - z.max(axis=1, keepdims=True))
    by_input = complex_step(lambda y: loss(group, y, points, normals, labels), x)
    by_w = complex_step(lambda y: loss(group, x, *hyperplanes(group, y, b, n), labels), w)
    by_b = complex_step(lambda y: loss(group, x, *hyperplanes(group, w, y, n), labels), b)
    return {
        "name": name,
        "kind": "classifier",
        "metric": group.name,
        "input": x[:, None].tolist(),
        "W": w.tolist(),
        "b": b.tolist(),
        "labels": labels,
        "probabilities": (e / e.sum(axis=1, keepdims=True)).tolist(),
        "loss": float(loss(group, x, points, normals, labels)),
        "gradInput": symmetric(by_input)[:, None].tolist(),
        "gradW": by_w.tolist(),
        "gradB": by_b.tolist(),
    }


# --- The cases.


def spectra(*spectra_of_examples):
    """A matrix with each of these spectra and random eigenvectors."""

    def draw(rng):
        result = []
        for values in spectra_of_examples:
            u = orthonormal(rng, len(values), len(values))
            result.append(u @ np.diag(values) @ u.T)
        return symmetric(np.array(result))

    return draw


SPREAD = spectra((0.1, 0.7, 3.0), (0.3, 0.5, 1.0), (0.2, 2.0, 2.5), (0.05, 0.4, 1.5))
REPEATED = spectra((1.0, 1.0, 1.0), (0.5, 0.5, 2.0), (3.0, 3.0, 3.0))
PAIR = spectra((0.2, 1.4), (0.8, 0.9))
NUMBERS = spectra((0.3,), (2.5,), (1.1,))
FIVE = spectra((0.1, 0.7, 3.0), (0.3, 0.5, 1.0), (0.5, 0.5, 2.0), (0.05, 0.4, 1.5), (1.0, 1.0, 1.0))

# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    (f"{kind}-{group.name.lower()}-{label}", kind, group, draw)
    for group in (LogEuclidean(), LogCholesky())
    for kind in ("normalisation", "classifier")
    for label, draw in (("spread", SPREAD), ("repeated", REPEATED), ("pair", PAIR), ("numbers", NUMBERS))
]

# What follows the cases above: the domain of each example, and how many domains there are.
DOMAINS = [
    (f"domains-{group.name.lower()}-{label}", group, FIVE, domains, count)
    for group in (LogEuclidean(), LogCholesky())
    for label, domains, count in (
        ("two", (0, 1, 1, 0, 0), 2),
        ("one-example-and-none", (3, 1, 3, 3, 3), 4),
    )
]


# After all of these, the affine-invariant metric.
AFFINE = [("spread", SPREAD), ("repeated", REPEATED), ("pair", PAIR), ("numbers", NUMBERS)]
AFFINE_DOMAINS = [("two", (0, 1, 1, 0, 0), 2), ("one-example-and-none", (3, 1, 3, 3, 3), 4)]


def affine(first):
    group = AffineInvariant()
    for index, (label, draw) in enumerate(AFFINE, first):
        rng = np.random.Generator(np.random.PCG64(index))
        yield normalisation_case(f"normalisation-affine-invariant-{label}", group, draw, rng)
    for index, (label, domains, count) in enumerate(AFFINE_DOMAINS, first + len(AFFINE)):
        rng = np.random.Generator(np.random.PCG64(index))
        name = f"domains-affine-invariant-{label}"
        yield domains_case(name, group, FIVE, rng, domains, count)


def compute_all():
    result = []
    for index, (name, kind, group, draw) in enumerate(CASES):
        rng = np.random.Generator(np.random.PCG64(index))
        case = normalisation_case if kind == "normalisation" else classifier_case
        result.append(case(name, group, draw, rng, *([3] if kind == "classifier" else [])))
    for index, (name, group, draw, domains, count) in enumerate(DOMAINS, len(CASES)):
        rng = np.random.Generator(np.random.PCG64(index))
        result.append(domains_case(name, group, draw, rng, domains, count))
    return result + list(affine(len(CASES) + len(DOMAINS)))


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
