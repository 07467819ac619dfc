#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Writes signals.json: covariance, transform and logarithm of made-up signals, in double precision.

It follows the formulas of spd_learn (https://github.com/spdlearn/spd_learn): sample_covariance,
BiMap with a given W, and LogEig with the upper triangle. Where that package is installed, its
functions must give the same values and gradients. Each signal is cut to its length before; gradients are PyTorch's.

    python3 make_signals.py           write signals.json beside this script
    python3 make_signals.py --check   compare with the file instead

Needs Python 3, PyTorch, and make_reference.py beside it.
"""

import pathlib

import numpy as np
import torch

from make_reference import normal, orthonormal, require_same_as_spd_learn, spd_learn, write_or_check

FILE = pathlib.Path(__file__).with_name("signals.json")
CHECK_TOLERANCE = 1e-11

torch.set_default_dtype(torch.float64)


def sample_covariance(x):
    """[..., C, T] to [..., C, C]."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred @ centred.mT / (x.shape[-1] - 1)


def bimap(x, w):
    return w.mT @ x @ w


def log_eig(x):
    """Upper triangle of the logarithm, row by row, times the root of 2 off the diagonal."""
    values, vectors = torch.linalg.eigh(x)
    logarithm = vectors @ torch.diag_embed(values.log()) @ vectors.mT
    rows, columns = torch.triu_indices(*x.shape[-2:])
    return logarithm[..., rows, columns] * torch.where(rows == columns, 1.0, 2.0**0.5)


def features(signal, w):
    return log_eig(bimap(sample_covariance(signal), w))


def compare_with_spd_learn(name, x, w, r, lengths, output):
    """Of x and w the gradients are known."""
    if not spd_learn():
        return
    from spd_learn import functional
    from spd_learn.modules import LogEig

    their_x, their_w = (each.detach().clone().requires_grad_() for each in (x, w))
    covariances = (functional.sample_covariance(s[:, :length]) for s, length in zip(their_x, lengths))
    theirs = torch.stack([LogEig(upper=True)(functional.bimap_transform(c, their_w)) for c in covariances])
    (r * theirs).sum().backward()
    for what, their, our in (
        ("vector", theirs, output),
        ("gradient by the input", their_x.grad, x.grad),
        ("gradient by W", their_w.grad, w.grad),
    ):
        require_same_as_spd_learn(f"{name}, {what}", their.detach(), our.detach(), CHECK_TOLERANCE)


# A case's numbers come from the position it has here: append new ones at the end.
CASES = [
    ("one-length", 4, 3, [20, 20]),
    ("different-lengths", 5, 3, [12, 20, 7]),
]


def compute(index, definition):
    name, channels, size, lengths = definition
    rng = np.random.Generator(np.random.PCG64(index))
    mixing = normal(rng, (channels, channels))
    signals = np.round(mixing @ normal(rng, (len(lengths), channels, max(lengths))) + 3, 4)
    x = torch.tensor(signals, requires_grad=True)
    w = torch.tensor(orthonormal(rng, channels, size), requires_grad=True)
    r = torch.tensor(normal(rng, (len(lengths), size * (size + 1) // 2)))
    output = torch.stack([features(signal[:, :length], w) for signal, length in zip(x, lengths)])
    (r * output).sum().backward()
    compare_with_spd_learn(name, x, w, r, lengths, output)
    return {
        "name": name,
        "kind": "signals",
        "lengths": [float(length) for length in lengths],
        "input": signals.tolist(),
        "W": w.tolist(),
        "R": r.tolist(),
        "vector": output.tolist(),
        "gradInput": x.grad.tolist(),
        "gradW": w.grad.tolist(),
    }


def compute_all():
    return [compute(index, definition) for index, definition in enumerate(CASES)]


if __name__ == "__main__":
    write_or_check(__doc__, FILE, CHECK_TOLERANCE, compute_all)
