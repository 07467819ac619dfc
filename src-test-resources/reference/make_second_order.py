#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes second-order.json: values and gradients of the other second-order layers, in double precision.

Gradients are PyTorch's automatic differentiation of these definitions. Functions of eigenvalues are
computed without any: the rectifier through the matrix sign function (Newton's iteration with
inverses), the logarithm as an integral (Gauss-Legendre quadrature). So they can be differentiated
where eigenvalues repeat, and share no formula with the library. The tensor sketch takes the way of
its paper, a Fourier transform for each pixel.

    python3 make_second_order.py           write second-order.json beside this script
    python3 make_second_order.py --check   compare with the file instead, to the last few digits

Needs Python 3, PyTorch, and make_reference.py beside it for the layout of the file.
"""

import pathlib

import numpy as np
import torch

from make_reference import normal, orthonormal, relative, require, write_or_check

FILE = pathlib.Path(__file__).with_name("second-order.json")

SIGN_STEPS = 60
NODES = 200  # of the quadrature: exact to rounding for condition numbers up to about a thousand
EIGH_TOLERANCE = 1e-9  # between this way and eigh, where no eigenvalue repeats
DIFFERENCE_STEP = 1e-6
DIFFERENCE_TOLERANCE = 1e-6
CHECK_TOLERANCE = 1e-12

torch.set_default_dtype(torch.float64)


# --- The layers, by definition, on a batch [N, 1, C, C] or [N, C, H, W].


def identity_like(a):
    return torch.eye(a.shape[-1]).expand(a.shape)


def covariance(x, ridge):
    f = x.flatten(2)
    f = f - f.mean(2, keepdim=True)
    k = f @ f.transpose(1, 2) / (f.shape[2] - 1)
    return (k + ridge * torch.eye(k.shape[1])).unsqueeze(1)


def transform(a, w):
    return w.T @ a @ w


def square_root(a, iterations):
    trace = a.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    eye = identity_like(a)
    y, z = a / trace, eye
    for _ in range(iterations):
        y, z = 0.5 * y @ (3 * eye - z @ y), 0.5 * (3 * eye - z @ y) @ z
    return torch.sqrt(trace) * y


def sign(a):
    s = a
    for _ in range(SIGN_STEPS):
        s = 0.5 * (s + torch.linalg.inv(s))
    return s


def rectified(a, floor):
    """max(a, ε) = (a + ε + |a - ε|) / 2, and |m| = m sign(m)."""
    above = a - floor * identity_like(a)
    return 0.5 * (a + floor * identity_like(a) + above @ sign(above))


def logarithm(a, floor):
    """log r = ∫ (r - 1) (t (r - 1) + 1)⁻¹ dt over [0, 1]."""
    r = rectified(a, floor)
    scale = r.diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None].detach()
    eye = identity_like(r)
    rest = r / scale - eye
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    total = torch.log(scale) * eye
    for node, weight in zip(nodes, weights):
        t = 0.5 * (node + 1)
        total = total + 0.5 * weight * torch.linalg.solve(t * rest + eye, rest)
    return total


def power(a, exponent, floor):
    """rᵅ = exp(α log r), the exponential by scaling and Padé's approximation."""
    return torch.matrix_exp(exponent * logarithm(a, floor))


def log_cholesky(a):
    """L row by row, with the sums written out, and the logarithm of its diagonal."""
    n = a.shape[-1]
    rows = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[:, 0, i, j] - sum((rows[i][k] * rows[j][k] for k in range(j)), torch.zeros(1))
            rows[i][j] = torch.sqrt(rest) if i == j else rest / rows[j][j]
    entries = [torch.log(rows[i][j]) if i == j else rows[i][j] for i in range(n) for j in range(i + 1)]
    return torch.stack(entries, 1)


def trace_of(a):
    return a.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]


def shrunk(a, options):
    n = a.shape[-1]
    if options["normalised"]:
        a = a / (trace_of(a) / n)
    return (1 - options["alpha"]) * a + options["alpha"] * trace_of(a) / n * torch.eye(n)


def ledoit_wolf(x):
    """The estimators m, d^2, b^2 of the paper's section 3.2 as sums over outer products, pixel by pixel."""
    f = x.flatten(2)
    f = f - f.mean(2, keepdim=True)
    c, p = f.shape[1:]
    matrices = []
    for image in f:
        outer = [torch.outer(image[:, k], image[:, k]) for k in range(p)]
        s = sum(outer) / p
        target = torch.trace(s) / c * torch.eye(c)
        d2 = ((s - target) ** 2).sum() / c
        b2 = sum(((o - s) ** 2).sum() / c for o in outer) / p**2
        alpha = torch.minimum(b2, d2) / d2
        matrices.append(p / (p - 1) * (alpha * target + (1 - alpha) * s))
    return torch.stack(matrices).unsqueeze(1)


def newton_schulz_inverse(a, iterations):
    trace = trace_of(a)
    eye = identity_like(a)
    y, z = a / trace, eye
    for _ in range(iterations):
        y, z = 0.5 * y @ (3 * eye - z @ y), 0.5 * (3 * eye - z @ y) @ z
    return z @ z / trace


def sparse_inverse(a, options):
    """iSICE's Algorithm 1, with its last step, whose rate is zero, left out."""
    a = a / trace_of(a)
    theta = newton_schulz_inverse(a, options["iterations"])
    for i in range(options["steps"]):
        eta = options["rate"] * (1 - i / options["steps"])
        slope = a - newton_schulz_inverse(theta, options["iterations"])
        plus, minus = torch.relu(theta), torch.relu(-theta)
        plus = torch.relu(plus - eta * (slope + options["sparsity"]))
        minus = torch.relu(minus - eta * (-slope + options["sparsity"]))
        theta = symmetric(plus - minus)
    return theta


def dropcov_rate(x, gamma):
    """The rate of the authors' code, from whole covariance matrices."""
    weights = torch.softmax(x.mean((2, 3)), 1)
    correlations = covariance(x, 0.0)[:, 0].sum(2)
    agreement = torch.nn.functional.cosine_similarity(weights, correlations, 1, 0.0).mean()
    return min(1.0, max(0.0, 1 - gamma / float(np.log2(x.shape[1])) * agreement.item()))


def signed_root(v, phi):
    return torch.sign(v) * (torch.sqrt(torch.abs(v) + phi * phi) - phi)


def normalised(v, options):
    if options["power"]:
        v = signed_root(v, options["phi"])
    if options["l2"]:
        v = v / v.norm(dim=1, keepdim=True)
    return options["scale"] * v


def vector(a, options):
    n = a.shape[-1]
    i, j = np.triu_indices(n)
    factor = torch.tensor(np.where(i == j, 1.0, np.sqrt(2.0)))
    return normalised(a[:, 0, i, j] * factor, options)


def count_sketch(x, places, signs, d):
    """[N, C, P] to [N, P, d]."""
    result = torch.zeros(x.shape[0], x.shape[2], d)
    for c, (place, s) in enumerate(zip(places, signs)):
        one = torch.zeros(d)
        one[place] = s
        result = result + x[:, c, :, None] * one
    return result


def compact_bilinear(x, options):
    d, f = options["d"], x.flatten(2)
    (rows, row_signs), (columns, column_signs) = hashes(options["seed"], f.shape[1], d)
    a = torch.fft.fft(count_sketch(f, rows, row_signs, d))
    b = torch.fft.fft(count_sketch(f, columns, column_signs, d))
    return normalised(torch.fft.ifft(a * b).real.mean(1), options)


class JavaRandom:
    """java.util.Random, whose documentation fixes what it returns."""

    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def next(self, bits):
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        value = self.state >> (48 - bits)
        return value - (1 << bits) if value >> (bits - 1) and bits == 32 else value

    def next_int(self, bound):
        if bound & (bound - 1) == 0:
            return (bound * self.next(31)) >> 31
        while True:
            bits = self.next(31)
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound

    def next_boolean(self):
        return self.next(1) != 0


def hashes(seed, channels, d):
    random = JavaRandom(seed)
    result = []
    for _ in range(2):
        places, signs = [], []
        for _ in range(channels):
            places.append(random.next_int(d))
            signs.append(1 if random.next_boolean() else -1)
        result.append((places, signs))
    return result


def run(layers, x, weights):
    rest = list(weights)
    for layer in layers:
        kind = layer["type"]
        if kind == "covariance":
            x = covariance(x, layer["ridge"])
        elif kind == "transform":
            x = transform(x, rest.pop(0))
        elif kind == "root":
            x = square_root(x, layer["iterations"])
        elif kind == "reeig":
            x = rectified(x, layer["floor"])
        elif kind == "logeig":
            x = logarithm(x, layer["floor"])
        elif kind == "power":
            x = power(x, layer["exponent"], layer["floor"])
        elif kind == "logcholesky":
            x = log_cholesky(x)
        elif kind == "expeig":
            x = torch.matrix_exp(x)
        elif kind == "shrinkage":
            x = shrunk(x, layer)
        elif kind == "ledoitwolf":
            x = ledoit_wolf(x)
        elif kind == "dropcov":
            pass
        elif kind == "sparseinverse":
            x = sparse_inverse(x, layer)
        elif kind == "vector":
            x = vector(x, layer)
        elif kind == "compact":
            x = compact_bilinear(x, layer)
        else:
            raise ValueError(kind)
    return x


# --- What must be so.


def check_against_eigh(name, layer, x, output):
    """Of a single function of eigenvalues: the same through eigenvalues."""
    functions = {"reeig": lambda f: f, "logeig": torch.log, "power": lambda f: f ** layer["exponent"]}
    if layer["type"] not in functions:
        return
    values, vectors = torch.linalg.eigh(x)
    f = functions[layer["type"]](torch.clamp(values, min=layer["floor"]))
    expected = vectors @ torch.diag_embed(f) @ vectors.transpose(-1, -2)
    error = relative((output - expected).numpy(), expected.numpy())
    require(name, error <= EIGH_TOLERANCE, f"is off eigh by {error}")


def check_differences(name, layers, x, weights, r, gradient):
    """Along one symmetric direction (a matrix), or any (feature maps)."""
    direction = torch.tensor(np.random.Generator(np.random.PCG64(1)).standard_normal(x.shape))
    if is_matrix(x):
        direction = symmetric(direction)
    up = (r * run(layers, x + DIFFERENCE_STEP * direction, weights)).sum()
    down = (r * run(layers, x - DIFFERENCE_STEP * direction, weights)).sum()
    expected = ((up - down) / (2 * DIFFERENCE_STEP)).item()
    actual = (gradient * direction).sum().item()
    error = abs(actual - expected) / max(1.0, abs(expected))
    require(name, error <= DIFFERENCE_TOLERANCE, f"∂L/∂input off differences by {error}")


# --- The cases.


def is_matrix(x):
    return x.shape[1] == 1


def symmetric(a):
    return 0.5 * (a + a.transpose(-1, -2))


def maps(*shape):
    return lambda rng: normal(rng, shape)


def spectrum(*values):
    """Two matrices with these eigenvalues and random eigenvectors."""

    def draw(rng):
        matrices = []
        for _ in range(2):
            u = orthonormal(rng, len(values), len(values))
            a = u @ np.diag(values) @ u.T
            matrices.append([0.5 * (a + a.T)])
        return np.array(matrices)

    return draw


def root(iterations=5):
    return {"type": "root", "iterations": iterations}


def reeig(floor):
    return {"type": "reeig", "floor": floor}


def logeig(floor):
    return {"type": "logeig", "floor": floor}


def to_power(exponent, floor):
    return {"type": "power", "exponent": exponent, "floor": floor}


def cov(ridge=0.0):
    return {"type": "covariance", "ridge": ridge}


def to(n_out):
    return {"type": "transform", "nOut": n_out}


def to_vector(power=False, phi=0.01, l2=False, scale=1.0):
    return {"type": "vector", "power": power, "phi": phi, "l2": l2, "scale": scale}


def compact(d, seed, power=False, phi=0.01, l2=False, scale=1.0):
    options = {"power": power, "phi": phi, "l2": l2, "scale": scale}
    return {"type": "compact", "d": d, "seed": seed, **options}


LOG_CHOLESKY = {"type": "logcholesky"}
LEDOIT_WOLF = {"type": "ledoitwolf"}
EXP_EIG = {"type": "expeig"}
DROPCOV = {"type": "dropcov", "gamma": 1.0}  # nothing is dropped: a case for the rate alone


def shrinkage(alpha, normalised=False):
    return {"type": "shrinkage", "alpha": alpha, "normalised": normalised}


def sparse(steps=4, sparsity=0.01, rate=1.0, iterations=7):
    options = {"steps": steps, "sparsity": sparsity, "rate": rate, "iterations": iterations}
    return {"type": "sparseinverse", **options}


DISTINCT = spectrum(0.02, 0.3, 0.9, 1.7, 4.0)
REPEATED = spectrum(0.3, 0.3, 0.3, 2.0, 2.0)
EQUAL = spectrum(0.7, 0.7, 0.7, 0.7)
NEARLY_EQUAL = spectrum(0.3, 0.3 + 1e-9, 2.0, 2.0 + 1e-13)
BELOW = spectrum(-0.4, 0.01, 0.01, 0.5, 0.5)

# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    ("root", [root()], DISTINCT),
    ("root-1", [root(1)], DISTINCT),
    ("root-2", [root(2)], DISTINCT),
    ("root-15", [root(15)], DISTINCT),
    ("root-repeated", [root()], REPEATED),
    ("root-singular", [root()], spectrum(0.0, 0.0, 1.0, 3.0)),
    ("root-of-one-number", [root()], spectrum(2.5)),
    ("reeig", [reeig(0.1)], DISTINCT),
    ("reeig-nothing-below", [reeig(1e-3)], DISTINCT),
    ("reeig-repeated", [reeig(0.1)], REPEATED),
    ("reeig-repeated-below", [reeig(0.1)], BELOW),
    ("logeig", [logeig(1e-3)], DISTINCT),
    ("logeig-floor", [logeig(0.1)], DISTINCT),
    ("logeig-repeated", [logeig(1e-3)], REPEATED),
    ("logeig-equal", [logeig(1e-3)], EQUAL),
    ("logeig-nearly-equal", [logeig(1e-3)], NEARLY_EQUAL),
    ("logeig-repeated-below", [logeig(0.1)], BELOW),
    ("compact", [compact(7, 0)], maps(2, 5, 3, 2)),
    ("compact-power-of-two", [compact(16, 42)], maps(2, 5, 3, 2)),
    ("compact-one", [compact(1, -3)], maps(2, 4, 3, 2)),
    ("compact-larger", [compact(50, 7)], maps(2, 4, 3, 2)),
    ("compact-normalised", [compact(8, 5, True, 0.1, True, 10.0)], maps(2, 5, 3, 2)),
    ("isqrt-cov", [cov(), root(), to_vector()], maps(2, 4, 3, 4)),
    ("isqrt-cov-few-pixels", [cov(), root(), to_vector(l2=True)], maps(2, 5, 2, 2)),
    ("log-euclidean", [cov(0.1), logeig(1e-3), to_vector()], maps(2, 4, 3, 4)),
    (
        "spdnet",
        [cov(0.01), to(4), reeig(0.5), to(3), reeig(0.6), logeig(1e-2), to_vector()],
        maps(2, 6, 3, 4),
    ),
    ("power", [to_power(0.5, 1e-3)], DISTINCT),
    ("power-quarter", [to_power(0.25, 0.1)], DISTINCT),
    ("power-inverse", [to_power(-1.0, 0.1)], DISTINCT),
    ("power-repeated", [to_power(0.5, 1e-3)], REPEATED),
    ("power-equal", [to_power(0.25, 1e-3)], EQUAL),
    ("power-nearly-equal", [to_power(0.5, 1e-3)], NEARLY_EQUAL),
    ("power-repeated-below", [to_power(0.75, 0.1)], BELOW),
    ("mpn-cov", [cov(0.1), to_power(0.5, 1e-3), to_vector()], maps(2, 4, 3, 4)),
    ("log-cholesky", [LOG_CHOLESKY], DISTINCT),
    ("log-cholesky-repeated", [LOG_CHOLESKY], REPEATED),
    ("log-cholesky-of-one-number", [LOG_CHOLESKY], spectrum(2.5)),
    ("log-cholesky-head", [cov(0.1), to(3), LOG_CHOLESKY], maps(2, 4, 3, 4)),
    ("shrinkage", [shrinkage(0.3)], DISTINCT),
    ("trace-normalisation", [shrinkage(0.0, True)], DISTINCT),
    ("shrinkage-normalised", [shrinkage(0.2, True)], REPEATED),
    ("ledoit-wolf", [LEDOIT_WOLF, to_vector()], maps(2, 4, 5, 6)),
    ("ledoit-wolf-few-pixels", [LEDOIT_WOLF, logeig(1e-3), to_vector()], maps(2, 6, 2, 2)),
    ("sparse-inverse", [sparse()], DISTINCT),
    ("sparse-inverse-no-steps", [sparse(steps=0)], REPEATED),
    ("sparse-inverse-much", [sparse(steps=3, sparsity=0.4, rate=0.7, iterations=6)], DISTINCT),
    ("isice", [cov(), sparse(steps=2, sparsity=0.1), to_vector()], maps(2, 5, 2, 3)),
    ("dropcov", [DROPCOV], maps(3, 6, 4, 3)),
    ("expeig", [EXP_EIG], BELOW),
    ("expeig-repeated", [EXP_EIG], REPEATED),
]


def compute(index, definition):
    name, layers, data = definition
    rng = np.random.Generator(np.random.PCG64(index))
    values = data(rng)
    x = torch.tensor(values, requires_grad=True)
    weights, size = [], values.shape[1]
    for layer in layers:
        if layer["type"] == "transform":
            w = orthonormal(rng, size, layer["nOut"])
            weights.append(torch.tensor(w, requires_grad=True))
            size = layer["nOut"]
    output = run(layers, x, weights)
    r = torch.tensor(normal(rng, tuple(output.shape)))
    (r * output).sum().backward()
    gradient = symmetric(x.grad) if is_matrix(x) else x.grad
    with torch.no_grad():
        check_against_eigh(name, layers[0], x, output)
        check_differences(name, layers, x, weights, r, gradient)
    for layer in layers:
        if layer["type"] == "dropcov":
            layer["rate"] = dropcov_rate(x.detach(), layer["gamma"])
    return {
        "name": name,
        "layers": layers,
        "input": values.tolist(),
        "W": [w.tolist() for w in weights],
        "R": r.tolist(),
        "output": output.detach().tolist(),
        "gradInput": gradient.tolist(),
        "gradW": [w.grad.tolist() for w in weights],
    }


def compute_all():
    return [compute(index, definition) for index, definition in enumerate(CASES)]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
