# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Trains heads on a frozen network, then network and head together: what does the second stage gain?

    python3 whole.py DATA --resnet FILE.npz [--heads spd,root] [--size 224] [--rate 0.0001] [--crops 0.7] [--seed 1]
    python3 whole.py DATA --googlenet FOLDER [--cut b|c] ...

Reads DATA/train/<class> and DATA/test/<class>. Prints the test accuracy after each stage, of one view and of a picture
with its mirror image, by the classifier as it was learnt and by one fitted in closed form. It needs PyTorch, NumPy and
Pillow, and a GPU to be of use.
"""
import argparse
import importlib.util
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps

spec = importlib.util.spec_from_file_location("rates", Path(__file__).with_name("rates.py"))
rates = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rates)
common = rates.common

BATCH, DECAY, HEAD_EPOCHS = 32, 5e-4, 20


class ResNet(torch.nn.Module):
    """ResNet-50 v2 up to the end of its third stage; its normalisations by the statistics stored or of the batch."""

    def __init__(self, file, device, batch_statistics=False, folded=False):
        super().__init__()
        self.net, self.batch_statistics, self.learnt = rates.ResNet(file, device), batch_statistics, []
        fixed = self.fold() if folded else ()
        for name, values in self.net.w.items():
            if not name.endswith(("_mean", "_var")) and name not in fixed:
                self.learnt.append(values.requires_grad_(True))
        self.net.bn = self.bn

    def fold(self):
        """As Resnet50V2 does: a normalisation is a scale and a shift, and that scale is in the kernel before it.

        Returns the names of what does not learn.
        """
        w = self.net.w
        for name in [name[:-len("_gamma")] for name in w if name.endswith("_gamma")]:
            mean, variance = w[name + "_running_mean"], w[name + "_running_var"]
            w[name + "_gamma"] /= (variance + 1e-5).sqrt()
            w[name + "_beta"] -= mean * w[name + "_gamma"]
            mean.zero_()
            variance.fill_(1 - 1e-5)
        pairs = [("conv0", "batchnorm1")]
        for stage, units in ((1, 3), (2, 4), (3, 6)):
            for unit in range(units):
                conv, norm = 3 * unit + (unit > 0), 3 * unit + 1
                pairs += [(f"stage{stage}_conv{conv + k}", f"stage{stage}_batchnorm{norm + k}") for k in (0, 1)]
        for conv, norm in pairs:
            w[conv + "_weight"] *= w[norm + "_gamma"].view(-1, 1, 1, 1)
            w[norm + "_gamma"].fill_(1)
        return [norm + "_gamma" for _, norm in pairs]

    def bn(self, x, name):
        mean, variance, gamma, beta = (self.net.w[name + part]
                                       for part in ("_running_mean", "_running_var", "_gamma", "_beta"))
        return F.batch_norm(x, mean, variance, gamma, beta, self.training and self.batch_statistics, 0.1, 1e-5)

    def forward(self, pixels):
        mean = torch.tensor([0.485, 0.456, 0.406], device=pixels.device).view(1, 3, 1, 1)
        deviation = torch.tensor([0.229, 0.224, 0.225], device=pixels.device).view(1, 3, 1, 1)
        return self.net((pixels / 255 - mean) / deviation)


class GoogLeNet(torch.nn.Module):
    def __init__(self, folder, device, cut):
        super().__init__()
        self.net, self.parts = common.GoogLeNet(folder, device), "abc"[:"abc".index(cut) + 1]
        names = [n for n in self.net.layers if not n.startswith(("inception_4", "inception_5", "loss"))
                 or n.startswith(tuple("inception_4" + part for part in self.parts))]
        self.learnt = [values.requires_grad_(True) for n in names for values in self.net.layers[n][:2]]

    def forward(self, pixels):
        mean = torch.tensor([104.0, 117.0, 123.0], device=pixels.device).view(1, 3, 1, 1)
        return self.net(pixels.flip(1) - mean, self.parts)


def squeezed(path, side):
    image = ImageOps.exif_transpose(Image.open(path)).convert("RGB").resize((side, side), Image.BILINEAR)
    return torch.from_numpy(np.asarray(image).transpose(2, 0, 1).copy())


def read(paths, size, device):
    """Squares a little larger than what the network sees."""
    with ThreadPoolExecutor(8) as pool:
        return torch.stack(list(pool.map(lambda path: squeezed(path, size * 8 // 7), paths))).to(device)


def view(squares, size, crops=None, mirrored=True):
    """The whole picture, or a random part of it (sides of at least a share of the whole's), half of them mirrored."""
    squares = squares.float()
    if crops is None:
        return F.interpolate(squares, size=(size, size), mode="bilinear", antialias=True)
    n, device = len(squares), squares.device
    side = crops + (1 - crops) * torch.rand(n, device=device)
    theta = torch.zeros(n, 2, 3, device=device)
    theta[:, 0, 0] = side * torch.where((torch.rand(n, device=device) < 0.5) & mirrored, -1.0, 1.0)
    theta[:, 1, 1] = side
    theta[:, :, 2] = (1 - side)[:, None] * (2 * torch.rand(n, 2, device=device) - 1)
    grid = F.affine_grid(theta, (n, 3, size, size), align_corners=False)
    return F.grid_sample(squares, grid, padding_mode="reflection", align_corners=False)


def maps_of(net, pixels):
    with torch.autocast(pixels.device.type, torch.bfloat16):
        maps = net(pixels.contiguous(memory_format=torch.channels_last))
    return maps.float()


@torch.no_grad()
def vectors(net, head, squares, size):
    """Of each picture, and of its mirror image."""
    net.eval()
    found = [[], []]
    for part in squares.split(BATCH):
        pixels = view(part, size)
        for k, seen in enumerate((pixels, pixels.flip(3))):
            found[k].append(head(maps_of(net, seen)))
    net.train()
    return [torch.cat(parts) for parts in found]


@torch.no_grad()
def accuracies(net, head, train, test, size, classes):
    """Percent: learnt, fitted, learnt with the mirror image, fitted with it."""
    (seen, labels), (unseen, truth) = train, test
    a = vectors(net, head, seen, size)
    weights, bias = common.ridge(a[0], labels, classes)
    both, both_bias = common.ridge(torch.cat(a), torch.cat([labels, labels]), classes)
    del a
    v = vectors(net, head, unseen, size)
    right = lambda scores: 100 * (scores.argmax(1) == truth).float().mean().item()
    learnt = lambda x: F.softmax(x @ head.v + head.v_bias, 1)
    return [round(r, 2) for r in (
        right(learnt(v[0])), right(v[0] @ weights + bias), right(learnt(v[0]) + learnt(v[1])),
        right((v[0] + v[1]) @ both + 2 * both_bias))]


def train(net, head, data, size, epochs, crops, net_rate, head_rate, sgd=False, mirrored=True, learnt=False):
    """With net_rate 0 the network is frozen. Rates fall along half a cosine; if learnt, once 99 % are right.

    Returns the share of the last epoch's pictures that were right.
    """
    squares, labels = data
    with torch.no_grad():
        sample = torch.randperm(len(labels))[:256].to(squares.device)
        net.eval()
        seen = torch.cat([head(maps_of(net, view(p, size, crops))) for p in squares[sample].split(BATCH)])
        net.train()
    classifier = min(head_rate, rates.classifier_rate("2|u|/|v|^2", seen))
    groups = [
        {"params": [head.conv], "lr": head_rate, "weight_decay": DECAY}, {"params": [head.conv_bias], "lr": head_rate},
        {"params": [head.v], "lr": classifier, "weight_decay": DECAY}, {"params": [head.v_bias], "lr": classifier},
    ]
    optimisers = [torch.optim.Adam(groups)]
    if net_rate:
        weights = [p for p in net.learnt if p.dim() > 1]
        others = [p for p in net.learnt if p.dim() == 1]
        groups = [{"params": weights, "lr": net_rate, "weight_decay": DECAY}, {"params": others, "lr": net_rate}]
        optimisers.append(torch.optim.SGD(groups, lr=net_rate, momentum=0.9) if sgd else torch.optim.Adam(groups))
    full = [[g["lr"] for g in o.param_groups] for o in optimisers]
    stiefel = common.StiefelAdam(head.w) if head.w is not None else None
    steps, right, fall = math.ceil(len(labels) / BATCH), 0, None if learnt else 0
    for epoch in range(epochs):
        if learnt and fall is not None and epoch == fall + rates.FALL:
            break
        right = 0
        for step, batch in enumerate(torch.randperm(len(labels)).split(BATCH)):
            time = epoch + step / steps
            fallen = 0 if fall is None else (time - fall) / (rates.FALL if learnt else epochs)
            factor = (1 + math.cos(math.pi * fallen)) / 2 * min(1, time + 1 / steps)
            for optimiser, starts in zip(optimisers, full):
                for group, start in zip(optimiser.param_groups, starts):
                    group["lr"] = start * factor
            index = batch.to(squares.device)
            pixels = view(squares[index], size, crops, mirrored)
            with torch.set_grad_enabled(net_rate > 0):
                maps = maps_of(net, pixels)
            scores = head(maps) @ head.v + head.v_bias
            right = right + (scores.argmax(1) == labels[index]).sum()
            for optimiser in optimisers:
                optimiser.zero_grad(set_to_none=True)
            head.zero_grad(set_to_none=True)
            F.cross_entropy(scores, labels[index]).backward()
            for optimiser in optimisers:
                optimiser.step()
            if stiefel:
                stiefel.step(head_rate * factor)
        if fall is None and (right >= rates.LEARNT * len(labels) or epoch + 1 >= epochs - rates.FALL):
            fall = epoch + 1
    return float(right) / len(labels)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data")
    arguments.add_argument("--googlenet")
    arguments.add_argument("--resnet")
    arguments.add_argument("--cut", choices=["b", "c"], default="c")
    arguments.add_argument("--heads", default="bilinear,spd,root,isqrt")
    arguments.add_argument("--size", type=int, default=224)
    arguments.add_argument("--crops", type=float, default=0.7)
    arguments.add_argument("--rate", type=float, default=1e-4, help="of the network, Adam")
    arguments.add_argument("--head-rate", type=float, default=3e-4, help="of the head in stage two")
    arguments.add_argument("--epochs", type=int, default=20)
    arguments.add_argument("--batch-statistics", action="store_true")
    arguments.add_argument("--folded", action="store_true", help="normalisations of ResNet-50 v2 in its kernels")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = []
    for part in ("train", "test"):
        paths, labels = common.files(str(Path(options.data, part)))
        data.append((read(paths, options.size, device), labels.to(device)))
    classes = int(data[0][1].max()) + 1
    print("head\tstage\ttrain\tlearnt\tfitted\tlearnt, mirrored\tfitted, mirrored")
    for kind in options.heads.split(","):
        torch.manual_seed(options.seed)
        net = (ResNet(options.resnet, device, options.batch_statistics, options.folded) if options.resnet
               else GoogLeNet(options.googlenet, device, options.cut))
        maps = maps_of(net, view(data[0][0][:1], options.size)).shape[1]
        head = rates.Head(kind, maps, classes).to(device)
        for stage, epochs, rate, head_rate in (("head", HEAD_EPOCHS, 0, 1e-3),
                                               ("whole", options.epochs, options.rate, options.head_rate)):
            right = train(net, head, data[0], options.size, epochs, options.crops, rate, head_rate)
            found = accuracies(net, head, *data, options.size, classes)
            print("%s\t%s\t%.1f\t%s" % (kind, stage, 100 * right, "\t".join(map(str, found))), flush=True)


if __name__ == "__main__":
    main()
