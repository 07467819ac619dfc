#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes encodings.json: values and gradients of dictionary encodings, in double precision.

Residual encodings (Deep-TEN) follow the definition with every residual formed. Fisher vectors are
what their name says: automatic differentiation of the mean log-likelihood of a mixture with respect
to its means and standard deviations, times the roots of the inverse Fisher information; no formula
of a Fisher vector is written down. Gradients of the loss are automatic derivatives of all that.

    python3 make_encoding_reference.py           write encodings.json beside this script
    python3 make_encoding_reference.py --check   compare with the file instead

Needs Python 3, PyTorch, and make_reference.py beside it for the layout of the file.
"""

import pathlib

import torch

from make_reference import require, write_or_check

FILE = pathlib.Path(__file__).with_name("encodings.json")
CHECK_TOLERANCE = 1e-12  # between two machines, relative to the largest entry of an array
DIFFERENCE_STEP = 1e-6  # of the central differences that the gradients are checked with
DIFFERENCE_TOLERANCE = 1e-6  # relative to the largest entry of a gradient

torch.set_default_dtype(torch.float64)


def descriptors(image):
    """What all maps [C, H, W] show at each position, [H·W, C]."""
    return image.flatten(1).T


def residual_encoding(image, p):
    residuals = descriptors(image)[:, None, :] - p["codewords"][None, :, :]
    shares = torch.softmax(-p["smoothing"] * (residuals**2).sum(2), dim=1)
    return (shares[:, :, None] * residuals).sum(0).flatten()


def mean_log_likelihood(y, weights, means, deviations):
    gaussians = torch.distributions.Independent(torch.distributions.Normal(means, deviations), 1)
    choice = torch.distributions.Categorical(probs=weights)
    mixture = torch.distributions.MixtureSameFamily(choice, gaussians)
    return mixture.log_prob(y).mean()


def fisher_vector(image, p):
    y = (descriptors(image) - p["pcaMean"]) @ p["pcaBasis"]
    weights, means = p["weights"], p["means"].clone().requires_grad_(True)
    deviations = p["variances"].sqrt().detach().requires_grad_(True)
    value = mean_log_likelihood(y, weights, means, deviations)
    by_means, by_deviations = torch.autograd.grad(value, (means, deviations), create_graph=True)
    # The Fisher information of a mean is w/σ², of a standard deviation 2w/σ².
    root = p["variances"].sqrt() / weights.sqrt()[:, None]
    return torch.cat([(by_means * root).flatten(), (by_deviations * root / 2**0.5).flatten()])


KINDS = {"residual": residual_encoding, "fisher": fisher_vector}


def normalised(v, options):
    if options["power"]:
        phi = options["phi"]
        v = torch.sign(v) * (torch.sqrt(v.abs() + phi * phi) - phi)
    if options["l2"]:
        v = v / v.norm()
    return options["scale"] * v


def vectors(options, images, parameters):
    encode = KINDS[options["kind"]]
    return torch.stack([normalised(encode(image, parameters), options) for image in images])


def loss(options, images, parameters, r):
    return (r * vectors(options, images, parameters)).sum()


# --- The cases.


def normal(generator, *shape):
    """Four decimals are enough, and keep the file readable."""
    return (torch.randn(*shape, generator=generator) * 1e4).round() / 1e4


def uniform(generator, low, high, *shape):
    drawn = torch.rand(*shape, generator=generator) * (high - low) + low
    return (drawn * 1e4).round() / 1e4


def residual_parameters(generator, size, options):
    k = options["words"]
    return {
        "codewords": normal(generator, k, size),
        "smoothing": uniform(generator, *options["smoothing"], k),
    }


def fisher_parameters(generator, size, options):
    k, d = options["components"], options["dimensions"]
    shares = uniform(generator, 0.2, 1.0, k)
    return {
        "pcaMean": normal(generator, size),
        "pcaBasis": torch.linalg.qr(normal(generator, size, d))[0],
        "weights": shares / shares.sum(),
        "means": normal(generator, k, d),
        "variances": uniform(generator, 0.3, 2.0, k, d),
    }


PARAMETERS = {"residual": residual_parameters, "fisher": fisher_parameters}


def case(name, kind, shape=(2, 4, 3, 2), scale_of_input=1.0, **options):
    defaults = {"kind": kind, "power": kind == "fisher", "phi": 0.01, "l2": True, "scale": 1.0}
    return name, shape, scale_of_input, {**defaults, **options}


def residual(name, words=3, smoothing=(0.0, 1.0), **rest):
    return case(f"residual-{name}", "residual", words=words, smoothing=list(smoothing), **rest)


def fisher(name, components=3, dimensions=4, **rest):
    return case(f"fisher-{name}", "fisher", components=components, dimensions=dimensions, **rest)


# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    residual("default"),
    residual("plain", l2=False),
    residual("power-scaled", power=True, phi=0.1, scale=10.0),
    residual("one-word", words=1),
    residual("one-channel", shape=(2, 1, 3, 3)),
    residual("one-position", shape=(2, 4, 1, 1)),
    residual("negative-smoothing", smoothing=(-0.2, 0.2)),
    residual("hard-assignment", scale_of_input=10.0),
    fisher("default"),
    fisher("plain", power=False, l2=False),
    fisher("power-scaled", phi=0.1, scale=10.0),
    fisher("fewer-dimensions", dimensions=2),
    fisher("one-dimension", dimensions=1),
    fisher("one-component", components=1),
    fisher("one-position", shape=(2, 4, 1, 1)),
    fisher("sharp", scale_of_input=4.0, components=5),
]


def compute(index, definition):
    name, shape, scale, options = definition
    generator = torch.Generator().manual_seed(index)
    images = (normal(generator, *shape) * scale).requires_grad_(True)
    parameters = PARAMETERS[options["kind"]](generator, shape[1], options)
    length = len(KINDS[options["kind"]](images[0], parameters))
    r = normal(generator, shape[0], length)
    learnt = ["codewords", "smoothing"] if options["kind"] == "residual" else []
    for key in learnt:
        parameters[key].requires_grad_(True)
    leaves = [images] + [parameters[key] for key in learnt]
    gradients = torch.autograd.grad(loss(options, images, parameters, r), leaves)
    check_differences(name, options, images, parameters, r, gradients[0])
    return {
        "name": name,
        "options": options,
        "input": images.tolist(),
        "parameters": {key: value.tolist() for key, value in parameters.items()},
        "R": r.tolist(),
        "vector": vectors(options, images, parameters).tolist(),
        "gradInput": gradients[0].tolist(),
        "gradParameters": {key: g.tolist() for key, g in zip(learnt, gradients[1:])},
    }


def check_differences(name, options, images, parameters, r, by_input):
    """Holds the gradient against central differences, along three directions."""
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        direction = normal(generator, *images.shape)
        up, down = (
            loss(options, images.detach() + sign * DIFFERENCE_STEP * direction, parameters, r).item()
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * DIFFERENCE_STEP)
        error = abs(slope - (by_input * direction).sum().item())
        allowed = DIFFERENCE_TOLERANCE * max(1.0, by_input.abs().max().item())
        require(name, error <= allowed, f"∂L/∂x off differences by {error}")


def compute_all():
    return [compute(index, definition) for index, definition in enumerate(CASES)]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
