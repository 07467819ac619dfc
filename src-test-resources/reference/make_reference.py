#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes spd-head.json: values and gradients of the whole head, in double precision.

The values follow the definitions with explicit loops: distances from differences, products entry by
entry. The gradients are complex-step derivatives of those loops, Im L(x + ih) / h, which lose no
digits to cancellation and know no closed form. Nothing is shared with the library, neither code nor
formulas; that is what makes a comparison worth something.

    python3 make_reference.py           write spd-head.json beside this script
    python3 make_reference.py --check   compare with the file instead, to the last few digits

Needs Python 3 and numpy.
"""

import argparse
import functools
import json
import math
import pathlib
import sys

import numpy as np

FILE = pathlib.Path(__file__).with_name("spd-head.json")

STEP = 1e-30  # of the complex-step derivative: its square is lost against any number here
DIFFERENCE_STEP = 1e-6  # of the central differences that the gradients are checked with
DIFFERENCE_TOLERANCE = 1e-6  # relative to the largest entry of a gradient
INVARIANT_TOLERANCE = 1e-12  # likewise
KINK_MARGIN = 1e-3  # how far every entry that meets a ReLU stays from its kink
CHECK_TOLERANCE = 1e-13  # between two machines, relative to the largest entry of an array


# --- The head, by definition. Every function takes real or complex numbers; it branches on the real
# --- part and never takes a complex modulus or conjugate, so that it stays analytic.


def squared_distance(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = total + (x - y) * (x - y)
    return total


def distance(a, b):
    return np.sqrt(squared_distance(a, b))


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total = total + x * y
    return total


def mean_distance(maps):
    """The mean over all pairs of different channels; a channel's distance to itself is not one."""
    total, pairs = 0.0, 0
    for i in range(len(maps)):
        for j in range(len(maps)):
            if i != j:
                total = total + distance(maps[i], maps[j])
                pairs += 1
    return total / pairs


def sigma_of(bandwidth, maps):
    if bandwidth["type"] == "fixed":
        return bandwidth["factor"] * bandwidth["sigma"]
    return bandwidth["factor"] * mean_distance(maps if bandwidth["differentiated"] else maps.real)


def centred(f):
    total = 0.0
    for x in f:
        total = total + x
    return np.array([x - total / len(f) for x in f])


def power(base, exponent):
    result = 1.0
    for _ in range(exponent):
        result = result * base
    return result


def kernel_function(kernel, maps):
    """k(f, g), with whatever it takes from all maps of the image."""
    kind = kernel["type"]
    if kind == "rbf":
        sigma = sigma_of(kernel["bandwidth"], maps)
        return lambda f, g: np.exp(-squared_distance(f, g) / (2 * sigma * sigma))
    if kind == "laplacian":
        sigma = sigma_of(kernel["bandwidth"], maps)
        return lambda f, g: np.exp(-distance(f, g) / sigma)
    if kind == "polynomial":
        return lambda f, g: power(kernel["scale"] * dot(f, g) + kernel["offset"], kernel["degree"])
    if kind == "covariance":
        return lambda f, g: dot(centred(f), centred(g)) / (len(f) - 1)
    raise ValueError(kind)


def kernel_matrix(options, image):
    maps = image.reshape(image.shape[0], -1)
    k = kernel_function(options["kernel"], maps)
    c = len(maps)
    matrix = np.zeros((c, c), dtype=image.dtype)
    for i in range(c):
        for j in range(c):
            matrix[i, j] = k(maps[i], maps[j]) + (options["ridge"] if i == j else 0.0)
    return matrix


def transform(matrix, w):
    """Y_ab = Σ_i Σ_j W_ia K_ij W_jb."""
    c, n = w.shape
    y = np.zeros((n, n), dtype=np.result_type(matrix, w))
    for a in range(n):
        for b in range(n):
            for i in range(c):
                for j in range(c):
                    y[a, b] += w[i, a] * matrix[i, j] * w[j, b]
    return y


def relu(y):
    result = np.zeros_like(y)
    for place, value in np.ndenumerate(y):
        if value.real > 0:
            result[place] = value
    return result


def signed_root(v, phi):
    """sign(v) (√(|v| + φ²) − φ)."""
    if v.real < 0:
        return -(np.sqrt(-v + phi * phi) - phi)
    return np.sqrt(v + phi * phi) - phi


def vectorise(options, y):
    entries = []
    for i in range(len(y)):
        for j in range(i, len(y)):
            entries.append(y[i, j] if i == j else math.sqrt(2) * y[i, j])
    if options["power"]:
        entries = [signed_root(v, options["phi"]) for v in entries]
    if options["l2"]:
        norm = np.sqrt(sum(v * v for v in entries))
        entries = [v / norm for v in entries]
    return np.array([options["scale"] * v for v in entries])


def head(options, image, weights):
    """K, the matrices before and after each rectifier, and the vector of one image."""
    k = kernel_matrix(options, image)
    before, after = [], []
    matrix = k
    for w, layer in zip(weights, options["transforms"]):
        before.append(transform(matrix, w))
        matrix = relu(before[-1]) if layer["rectifier"] == "relu" else before[-1]
        after.append(matrix)
    return k, before, after, vectorise(options["vectorisation"], matrix)


def loss_of(options, image, weights, r):
    return dot(r, head(options, image, weights)[3])


# --- Gradients.


def complex_step(function, x):
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        stepped = x.astype(complex)
        stepped[place] += 1j * STEP
        gradient[place] = function(stepped).imag / STEP
    return gradient


def central_difference(function, x):
    gradient = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += DIFFERENCE_STEP
        down[place] -= DIFFERENCE_STEP
        gradient[place] = (function(up) - function(down)) / (2 * DIFFERENCE_STEP)
    return gradient


def gradients(options, images, weights, rs, derivative):
    """The derivatives of Σ_n ⟨R_n, vector_n⟩ by the images and by each W."""
    by_input = np.zeros(images.shape)
    by_weights = [np.zeros(w.shape) for w in weights]
    for n, (image, r) in enumerate(zip(images, rs)):
        by_input[n] = derivative(lambda x: loss_of(options, x, weights, r), image)
        for i, w in enumerate(weights):

            def by_w(x, i=i):
                return loss_of(options, image, weights[:i] + [x] + weights[i + 1 :], r)

            by_weights[i] += derivative(by_w, w)
    return by_input, by_weights


# --- What must be so, whatever the numbers are.


def relative(difference, scale):
    return np.max(np.abs(difference)) / np.max(np.abs(scale))


def require(name, condition, complaint):
    if not condition:
        sys.exit(f"{name}: {complaint}")


def holds_sigma_constant(options):
    bandwidth = options["kernel"].get("bandwidth")
    return bool(bandwidth) and bandwidth["type"] == "mean" and not bandwidth["differentiated"]


def frozen(options, image):
    """The options with the σ of this image as a number: what 'held constant' means."""
    bandwidth = options["kernel"]["bandwidth"]
    sigma = {"type": "fixed", "sigma": mean_distance(image.reshape(len(image), -1))}
    return {**options, "kernel": {**options["kernel"], "bandwidth": {**bandwidth, **sigma}}}


def check_differences(name, options, images, weights, rs, by_input, by_weights):
    by_weights_here = [np.zeros(w.shape) for w in weights]
    for n in range(len(images)):
        here = frozen(options, images[n]) if holds_sigma_constant(options) else options
        one = slice(n, n + 1)
        image_part, weight_parts = gradients(
            here, images[one], weights, rs[one], central_difference
        )
        error = relative(image_part[0] - by_input[n], by_input)
        require(name, error <= DIFFERENCE_TOLERANCE, f"∂L/∂F off differences by {error}")
        by_weights_here = [a + b for a, b in zip(by_weights_here, weight_parts)]
    for differences, exact in zip(by_weights_here, by_weights):
        error = relative(differences - exact, exact)
        require(name, error <= DIFFERENCE_TOLERANCE, f"∂L/∂W off differences by {error}")


def check_invariants(name, options, images, by_input):
    bandwidth = options["kernel"].get("bandwidth")
    if bandwidth:
        # A radial kernel does not see a map that is added to all maps of an image.
        error = relative(by_input.sum(axis=1), by_input)
        require(name, error <= INVARIANT_TOLERANCE, f"Σ_i ∂L/∂f_i is {error}, not 0")
    if bandwidth and bandwidth["differentiated"]:
        # Divided by their mean, distances do not see a factor before all maps.
        along = abs((by_input * images).sum()) / np.abs(by_input * images).sum()
        require(name, along <= INVARIANT_TOLERANCE, f"⟨∂L/∂F, F⟩ is {along}, not 0")


def check_kinks(name, options, before):
    for layer, y in zip(options["transforms"], before):
        if layer["rectifier"] == "relu":
            require(name, np.min(np.abs(y)) >= KINK_MARGIN, "an entry is too near the kink of ReLU")
            require(name, (y < 0).any() and (y > 0).any(), "the ReLU has nothing to choose from")


# --- The cases.


def mean(factor=1.0, differentiated=False):
    return {"type": "mean", "factor": factor, "differentiated": differentiated}


def fixed(sigma, factor=1.0):
    return {"type": "fixed", "sigma": sigma, "factor": factor, "differentiated": False}


def rbf(bandwidth):
    return {"type": "rbf", "bandwidth": bandwidth}


def laplacian(bandwidth):
    return {"type": "laplacian", "bandwidth": bandwidth}


def polynomial(degree, offset, scale):
    return {"type": "polynomial", "degree": degree, "offset": offset, "scale": scale}


COVARIANCE = {"type": "covariance"}


def to(n_out, rectifier="none"):
    return {"nOut": n_out, "rectifier": rectifier}


def vector(power=True, phi=0.01, l2=True, scale=1.0):
    return {"power": power, "phi": phi, "l2": l2, "scale": scale}


def normal(rng, shape):
    """Four decimals are enough, and keep the file readable."""
    return np.round(rng.standard_normal(shape), 4)


def rectified_with_dead_channels(rng, shape):
    """What a ReLU leaves, channels 1 and 3 silent in every image."""
    x = np.maximum(normal(rng, shape), 0.0)
    x[:, [1, 3]] = 0.0
    return x


def far_from_zero(rng, shape):
    """Distances of about 5 between maps of length about 350."""
    return 100.0 + normal(rng, shape)


def orthonormal(rng, rows, columns):
    """Normally distributed columns through Gram-Schmidt, twice for the last digits."""
    w = rng.standard_normal((rows, columns))
    for j in range(columns):
        for _ in range(2):
            for i in range(j):
                w[:, j] -= dot(w[:, i], w[:, j]) * w[:, i]
            w[:, j] /= math.sqrt(dot(w[:, j], w[:, j]))
    return w


def off_manifold(rng, rows, columns):
    return normal(rng, (rows, columns))


def case(
    name,
    kernel,
    ridge=0.0,
    transforms=(to(3),),
    vectorisation=None,
    shape=(2, 5, 3, 4),
    data=normal,
    weight=orthonormal,
):
    options = {
        "kernel": kernel,
        "ridge": ridge,
        "transforms": list(transforms),
        "vectorisation": vectorisation or vector(),
    }
    return {"name": name, "options": options, "shape": shape, "data": data, "weight": weight}


PLAIN = vector(power=False, l2=False)

# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    # kernels
    case("rbf-mean-constant", rbf(mean())),
    case("rbf-mean-differentiated", rbf(mean(differentiated=True))),
    case("rbf-half-mean-constant-ridge", rbf(mean(0.5)), ridge=0.01),
    case("rbf-half-mean-differentiated-ridge", rbf(mean(0.5, differentiated=True)), ridge=0.01),
    case("rbf-fixed-half-of-5", rbf(fixed(5.0, 0.5))),
    case("rbf-fixed-half-of-5-ridge", rbf(fixed(5.0, 0.5)), ridge=0.1, shape=(2, 4, 3, 4)),
    case("laplacian-mean-constant", laplacian(mean())),
    case("laplacian-mean-differentiated-ridge", laplacian(mean(differentiated=True)), ridge=0.01),
    case("laplacian-fixed", laplacian(fixed(3.0)), shape=(2, 4, 3, 4)),
    case("polynomial-1-linear", polynomial(1, 0.0, 0.1), shape=(2, 4, 3, 4)),
    case("polynomial-2-ridge", polynomial(2, 1.0, 0.1), ridge=0.01),
    case("polynomial-3", polynomial(3, 0.5, 0.1)),
    case("covariance", COVARIANCE),
    case("covariance-few-pixels-ridge", COVARIANCE, ridge=0.01, shape=(2, 6, 2, 2)),
    # transforms
    case("no-transform", rbf(mean()), transforms=(), shape=(2, 4, 3, 4)),
    case("square-transform", rbf(mean()), transforms=(to(4),), shape=(2, 4, 3, 4)),
    case("off-manifold-transform", rbf(mean(differentiated=True)), weight=off_manifold),
    case("two-transforms", rbf(mean()), transforms=(to(4), to(3)), shape=(2, 6, 3, 4)),
    case("relu", rbf(mean()), transforms=(to(3, "relu"),)),
    case("relu-between", laplacian(mean()), transforms=(to(4, "relu"), to(3))),
    case("relu-twice", COVARIANCE, ridge=0.1, transforms=(to(4, "relu"), to(3, "relu"))),
    # vectorisation
    case("vector-plain", rbf(mean()), vectorisation=PLAIN),
    case("vector-power-only", rbf(mean()), vectorisation=vector(l2=False, phi=0.1)),
    case("vector-l2-only", COVARIANCE, vectorisation=vector(power=False)),
    case("vector-scaled", rbf(mean()), vectorisation=vector(phi=0.1, scale=10.0)),
    case("vector-plain-scaled", polynomial(2, 1.0, 0.1), vectorisation={**PLAIN, "scale": 0.5}),
    # hard inputs
    case("dead-channels-ridge", rbf(mean()), ridge=0.01, data=rectified_with_dead_channels),
    case("far-from-zero", rbf(mean()), data=far_from_zero),
]


def compute(index, definition):
    name, options = definition["name"], definition["options"]
    rng = np.random.Generator(np.random.PCG64(index))
    images = definition["data"](rng, definition["shape"])
    weights, size = [], definition["shape"][1]
    for layer in options["transforms"]:
        weights.append(definition["weight"](rng, size, layer["nOut"]))
        size = layer["nOut"]
    rs = normal(rng, (len(images), size * (size + 1) // 2))

    results = [head(options, image, weights) for image in images]
    layers = range(len(weights))
    check_kinks(name, options, [np.array([r[1][i] for r in results]) for i in layers])
    by_input, by_weights = gradients(options, images, weights, rs, complex_step)
    check_differences(name, options, images, weights, rs, by_input, by_weights)
    check_invariants(name, options, images, by_input)
    return {
        "name": name,
        "options": options,
        "input": images.tolist(),
        "W": [w.tolist() for w in weights],
        "R": rs.tolist(),
        "K": [r[0].tolist() for r in results],
        "Y": [[r[2][i].tolist() for r in results] for i in layers],
        "vector": [r[3].tolist() for r in results],
        "loss": float(sum(dot(r, result[3]) for r, result in zip(rs, results))),
        "gradInput": by_input.tolist(),
        "gradW": [g.tolist() for g in by_weights],
    }


# --- The file.


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) and value else 0


def lines(items, brackets, indent):
    inside = ",\n".join(f"{indent} {item}" for item in items)
    return f"{brackets[0]}\n{inside}\n{indent}{brackets[1]}"


def array_text(value, line_depth, indent):
    if depth(value) <= line_depth:
        return json.dumps(value, allow_nan=False)  # Python writes doubles exactly
    return lines([array_text(v, line_depth, indent + " ") for v in value], "[]", indent)


def case_text(result):
    """A matrix row on a line, of the deeper arrays a whole feature map or matrix."""
    indent = "  "
    items = []
    for key, value in result.items():
        line_depth = 2 if depth(value) == 4 else 1
        items.append(f"{json.dumps(key)}: {array_text(value, line_depth, indent + ' ')}")
    return lines(items, "{}", indent)


def file_text(cases):
    return lines([f'"cases": {lines([case_text(c) for c in cases], "[]", " ")}'], "{}", "") + "\n"


def check(name, ours, theirs, tolerance):
    """Reals may differ from the file by the tolerance, relative to the largest entry of an array; nothing else may."""
    if isinstance(ours, dict):
        require(name, ours.keys() == theirs.keys(), "has other members in the file")
        for key, value in ours.items():
            check(f"{name}, {key}", value, theirs[key], tolerance)
    elif isinstance(ours, list) and not rectangular(ours):
        require(name, len(ours) == len(theirs), f"has {len(theirs)} entries in the file, not {len(ours)}")
        for index, value in enumerate(ours):
            check(f"{name}[{index}]", value, theirs[index], tolerance)
    elif ours is None or isinstance(ours, (str, int)):  # and bool
        require(name, ours == theirs, "is another in the file")
    else:
        require(name, np.shape(ours) == np.shape(theirs), "has another shape in the file")
        difference = np.max(np.abs(np.subtract(ours, theirs)), initial=0)
        allowed = tolerance * np.max(np.abs(theirs), initial=0)
        require(name, difference <= allowed, f"is off by {difference}, which is more than {allowed}")


def rectangular(values):
    """Whether a list is an array of numbers."""
    try:
        return np.array(values).dtype.kind in "if"
    except ValueError:
        return False


@functools.cache
def spd_learn():
    """The package, or None where it is not installed, which is said."""
    try:
        import spd_learn
    except ImportError:
        print("not compared with spd_learn, which is not installed", file=sys.stderr)
        return None
    print("compared with spd_learn", file=sys.stderr)
    return spd_learn


def require_same_as_spd_learn(name, theirs, ours, tolerance):
    error = relative(np.asarray(theirs) - np.asarray(ours), np.asarray(ours))
    require(name, error <= tolerance, f"is off spd_learn by {error}")


def write_or_check(description, file, tolerance, compute_all):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the file")
    arguments = parser.parse_args()
    cases = compute_all()
    if arguments.check:
        stored = json.loads(file.read_text(encoding="utf-8"))["cases"]
        require(file.name, len(stored) == len(cases), f"has {len(stored)} cases, not {len(cases)}")
        for ours, theirs in zip(cases, stored):
            check(ours["name"], ours, theirs, tolerance)
    else:
        file.write_text(file_text(cases), encoding="utf-8")


def compute_all():
    return [compute(index, definition) for index, definition in enumerate(CASES)]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
