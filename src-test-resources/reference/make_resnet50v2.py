#!/usr/bin/env python3
# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""What ResNet-50 v2 makes of images, by PyTorch in double precision, layer after layer as its paper has it.

    make_resnet50v2.py                               writes resnet50v2.npz: a narrow network with random weights
    make_resnet50v2.py --check                       compares with that file, to 1e-6
    make_resnet50v2.py WEIGHTS.npz OUT.npz IMAGES…   the same for real weights and images of 224x224

Each file holds the weights, and beside them `pixels` [N][H][W][3], RGB from 0 to 255, and `maps` [N][C][h][w].
"""
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).parent / "resnet50v2.npz"
UNITS = (3, 4, 6)
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)
STATISTICS = ("running_mean", "running_var", "gamma", "beta")


def maps(weights, pixels):
    w = {name: torch.from_numpy(array.astype(np.float64)) for name, array in weights.items()}

    def bn(x, name):
        return F.batch_norm(x, *(w[f"{name}_{s}"] for s in STATISTICS), training=False, eps=1e-5)

    def conv(x, name, stride=1):
        kernel = w[name + "_weight"]
        return F.conv2d(x, kernel, stride=stride, padding=kernel.shape[2] // 2)

    x = (pixels.astype(np.float64) / 255 - np.array(MEAN)) / np.array(DEVIATION)
    x = bn(torch.from_numpy(x).permute(0, 3, 1, 2), "batchnorm0")
    x = F.relu(bn(conv(x, "conv0", 2), "batchnorm1"))
    x = F.max_pool2d(x, 3, 2, 1)
    for stage, units in enumerate(UNITS, 1):
        convs = iter(range(100))
        norms = iter(range(100))
        next_conv = lambda: f"stage{stage}_conv{next(convs)}"
        next_norm = lambda: f"stage{stage}_batchnorm{next(norms)}"
        for unit in range(units):
            stride = 2 if stage > 1 and unit == 0 else 1
            a = F.relu(bn(x, next_norm()))
            b = F.relu(bn(conv(a, next_conv()), next_norm()))
            b = F.relu(bn(conv(b, next_conv(), stride), next_norm()))
            b = conv(b, next_conv())
            x = b + (conv(a, next_conv(), stride) if unit == 0 else x)
    return F.relu(bn(x, "stage4_batchnorm0")).numpy()


def random_weights():
    """All widths differ, so that none can stand for another. Sixteenths, so that the file is short."""
    random = np.random.default_rng(1)
    weights = {}

    def bn(name, n):
        for statistic, low in zip(STATISTICS, (-0.5, 0.5, 0.5, -0.5)):
            weights[f"{name}_{statistic}"] = (low + random.integers(0, 17, n) / 16).astype(np.float32)

    def conv(name, out, inputs, size):
        scale = 2.0 ** np.round(np.log2(np.sqrt(2 / (inputs * size * size))))
        values = scale * random.integers(-16, 17, (out, inputs, size, size)) / 16
        weights[name + "_weight"] = values.astype(np.float32)

    bn("batchnorm0", 3)
    conv("conv0", 5, 3, 7)
    bn("batchnorm1", 5)
    before = 5
    for stage, (units, inner, outer) in enumerate(zip(UNITS, (2, 3, 4), (6, 7, 8)), 1):
        c = b = 0
        for unit in range(units):
            sizes = [(inner, before, 1), (inner, inner, 3), (outer, inner, 1)]
            sizes += [(outer, before, 1)] if unit == 0 else []
            for out, inputs, size in sizes:
                conv(f"stage{stage}_conv{c}", out, inputs, size)
                c += 1
            for n in (before, inner, inner):
                bn(f"stage{stage}_batchnorm{b}", n)
                b += 1
            before = outer
    bn("stage4_batchnorm0", before)
    pixels = random.integers(0, 256, (2, 40, 33, 3)).astype(np.float32)
    return weights, pixels


def main(arguments):
    if arguments and arguments[0] != "--check":
        from PIL import Image

        weights = dict(np.load(arguments[0]))
        images = [Image.open(name).convert("RGB").resize((224, 224), Image.BILINEAR) for name in arguments[2:]]
        pixels = np.stack([np.asarray(image, dtype=np.float32) for image in images])
        out = Path(arguments[1])
    else:
        weights, pixels = random_weights()
        out = HERE
    result = dict(weights, pixels=pixels, maps=maps(weights, pixels).astype(np.float32))
    if arguments == ["--check"]:
        stored = np.load(HERE)
        assert sorted(stored.files) == sorted(result)
        for name, array in result.items():
            assert np.abs(stored[name] - array).max() <= 1e-6 * np.abs(array).max(), name
    else:
        np.savez_compressed(out, **result)
        print(out, result["maps"].shape, "mean", result["maps"].mean(), "share of zeros", (result["maps"] == 0).mean())


if __name__ == "__main__":
    main(sys.argv[1:])
