# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Trains heads on frozen features with different plans. A tidied form of what made results/rates-pytorch.tsv.

    python3 rates.py DATA --googlenet FOLDER [--cut b|c] [--heads spd,root] [--plans learnt] [--seed 1]
    python3 rates.py DATA --resnet FILE.npz ...

Reads DATA/train/<class> and DATA/test/<class>. Prints a line for each head and plan: the test accuracy of the
classifier as it was learnt, and of one that is fitted in closed form. It needs PyTorch, NumPy and Pillow.
"""
import argparse
import importlib.util
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps

spec = importlib.util.spec_from_file_location("end_to_end", Path(__file__).with_name("end-to-end.py"))
common = importlib.util.module_from_spec(spec)
spec.loader.exec_module(common)

BATCH, DECAY, SCALE, FLOOR = 32, 5e-4, 10.0, 0.1
LEARNT, FALL = 0.99, 6

# name: (most epochs, course of the rates, rate of the classifier, rate of the rest, whether vectors are centred)
PLANS = {
    "steps": (10, "steps", "0.001", 1e-3, False),
    "cosine": (20, "cosine", "0.001", 1e-3, False),
    "small": (20, "cosine", "0.0001", 1e-4, False),
    "length-small": (20, "cosine", "0.3/|v|", 3e-4, False),
    "length": (20, "cosine", "0.3/|v|", 1e-3, False),
    "centred": (20, "cosine", "0.0003", 3e-4, True),
    "centred-slow": (20, "cosine", "0.0001", 1e-3, True),
    "share": (20, "cosine", "2|u|/|v|^2", 1e-3, False),
    "learnt": (20, "learnt", "2|u|/|v|^2", 1e-3, False),
    "learnt-slow": (30, "learnt", "2|u|/|v|^2", 3e-4, False),
}


class ResNet:
    """ResNet-50 v2 up to the end of its third stage."""

    def __init__(self, file, device):
        stored = np.load(file)
        self.w = {name.split("resnetv24_")[-1]: torch.tensor(stored[name]).to(device) for name in stored.keys()}

    def bn(self, x, name):
        parts = ("_running_mean", "_running_var", "_gamma", "_beta")
        mean, variance, gamma, beta = (self.w[name + part] for part in parts)
        return F.batch_norm(x, mean, variance, gamma, beta, False, 0, 1e-5)

    def __call__(self, x):
        x = F.conv2d(self.bn(x, "batchnorm0"), self.w["conv0_weight"], stride=2, padding=3)
        x = F.max_pool2d(F.relu(self.bn(x, "batchnorm1")), 3, 2, 1)
        for stage, units in ((1, 3), (2, 4), (3, 6)):
            conv = norm = 0
            for unit in range(units):
                stride, part = 2 if unit == 0 and stage > 1 else 1, f"stage{stage}_"
                weight = lambda k: self.w[f"{part}conv{conv + k}_weight"]
                start = F.relu(self.bn(x, f"{part}batchnorm{norm}"))
                branch = F.relu(self.bn(F.conv2d(start, weight(0)), f"{part}batchnorm{norm + 1}"))
                branch = F.conv2d(branch, weight(1), stride=stride, padding=1)
                branch = F.conv2d(F.relu(self.bn(branch, f"{part}batchnorm{norm + 2}")), weight(2))
                if unit == 0:
                    x = F.conv2d(start, weight(3), stride=stride)
                conv, norm, x = conv + (4 if unit == 0 else 3), norm + 3, x + branch
        return F.relu(self.bn(x, "stage4_batchnorm0"))


def resnet_pixels(path):
    image = ImageOps.exif_transpose(Image.open(path)).convert("RGB").resize((common.SIZE, common.SIZE), Image.BILINEAR)
    pixels = (np.asarray(image, dtype=np.float32) / 255 - (0.485, 0.456, 0.406)) / (0.229, 0.224, 0.225)
    return pixels.astype(np.float32).transpose(2, 0, 1).copy()


class Head(torch.nn.Module):
    """Convolution 1x1 and ReLU, a matrix, its function, a vector of length 10."""

    KINDS = {"spd": (512, 512), "root": (512, 256), "isqrt": (256, 0), "bilinear": (512, 0)}

    def __init__(self, kind, maps, classes):
        super().__init__()
        channels, size = self.KINDS[kind]
        self.kind, self.starts_at_random = kind, channels != maps
        random = torch.randn(channels, maps) * math.sqrt(2 / (channels + maps))
        start = random if self.starts_at_random else torch.eye(maps)
        self.conv, self.conv_bias = torch.nn.Parameter(start), torch.nn.Parameter(torch.zeros(channels))
        self.w = torch.nn.Parameter(torch.linalg.qr(torch.randn(channels, size))[0]) if size else None
        n = size or channels
        rows, columns = torch.triu_indices(n, n)
        self.register_buffer("places", rows * n + columns)
        self.register_buffer("weights", torch.where(rows == columns, 1.0, 2.0 ** 0.5))
        self.register_buffer("eye", torch.eye(n))
        self.v = torch.nn.Parameter(torch.zeros(len(rows), classes))
        self.v_bias = torch.nn.Parameter(torch.zeros(classes))
        self.register_buffer("mean", torch.zeros(len(rows)))
        self.gain = 1.0

    def vector(self, maps):
        x = F.relu(self.conv @ maps.flatten(2).float() + self.conv_bias[:, None])
        if self.w is not None:
            x = x - x.mean(1, keepdim=True)
            gram = x @ x.transpose(1, 2)
            norms = gram.diagonal(dim1=1, dim2=2)
            squared = (norms[:, :, None] + norms[:, None, :] - 2 * gram).clamp_min(0)
            c = squared.shape[1]
            with torch.no_grad():
                sigma = (squared.sqrt().sum((1, 2)) / (c * (c - 1))).clamp_min(1e-6)
            matrix = self.w.t() @ (torch.exp(squared * (-0.5 / (sigma * sigma))[:, None, None]) @ self.w)
        elif self.kind == "isqrt":
            x = x - x.mean(2, keepdim=True)
            matrix = x @ x.transpose(1, 2) / x.shape[2]
        else:
            matrix = x @ x.transpose(1, 2) / x.shape[2]
        if self.kind in ("root", "isqrt"):
            matrix = common.root(matrix, self.eye)
        vector = matrix.flatten(1)[:, self.places] * self.weights
        if self.kind in ("spd", "bilinear"):
            vector = vector / (FLOOR + (vector.abs() + FLOOR * FLOOR).sqrt())
        return SCALE * F.normalize(vector)

    def forward(self, maps):
        return (self.vector(maps) - self.mean) * self.gain


@torch.no_grad()
def vectors(head, maps):
    return torch.cat([head(part) for part in maps.split(BATCH)])


def classifier_rate(rule, seen):
    """The rate, from some vectors that the classifier sees."""
    length = seen.norm(p=1, dim=1).mean().item()
    apart = (seen - seen.mean(0)).norm(p=1, dim=1).mean().item()
    rules = {"0.3/|v|": 0.3 / length, "2|u|/|v|^2": 2 * apart / length ** 2}
    return min(1e-3, rules[rule]) if rule in rules else float(rule)


def course(name, share, fallen):
    """What the rates are multiplied by, after a share of all epochs, or of those of the fall."""
    if name == "steps":
        return 1 if share < 0.6 else 0.1 if share < 0.85 else 0.01
    if name == "learnt":
        return 1 if fallen is None else (1 + math.cos(math.pi * fallen)) / 2
    return (1 + math.cos(math.pi * share)) / 2


def train(head, maps, labels, plan):
    most, name, rule, rate, centred = PLANS[plan]
    order = torch.randperm(len(labels))
    seen = vectors(head, maps[order[:512].to(maps.device)])
    if centred:
        head.mean = vectors(head, maps).mean(0)
        head.gain = SCALE / (seen - head.mean).norm(dim=1).mean().item()
    slow = 3e-4 if rule == "0.001" and head.starts_at_random and head.kind in ("spd", "bilinear") else rate
    groups = [
        {"params": [head.conv], "lr": slow, "weight_decay": DECAY}, {"params": [head.conv_bias], "lr": slow},
        {"params": [head.v], "lr": classifier_rate(rule, seen), "weight_decay": DECAY},
        {"params": [head.v_bias], "lr": classifier_rate(rule, seen)},
    ]
    del seen
    rates, adam = [group["lr"] for group in groups], torch.optim.Adam(groups)
    stiefel = common.StiefelAdam(head.w) if head.w is not None else None
    steps, fall = math.ceil(len(labels) / BATCH), None
    for epoch in range(most):
        if fall is not None and epoch == fall + FALL:
            break
        right = 0
        for step, batch in enumerate(torch.randperm(len(labels)).split(BATCH)):
            time = epoch + step / steps
            fallen = None if fall is None else (time - fall) / FALL
            factor = course(name, (epoch if name == "steps" else time) / most, fallen)
            factor *= min(1, time + 1 / steps) if name != "steps" else 1
            for group, full in zip(adam.param_groups, rates):
                group["lr"] = full * factor
            index = batch.to(maps.device)
            scores = head(maps[index]) @ head.v + head.v_bias
            right += (scores.argmax(1) == labels[index]).sum().item()
            head.zero_grad(set_to_none=True)
            F.cross_entropy(scores, labels[index]).backward()
            adam.step()
            if stiefel:
                stiefel.step(rate * factor)
        if name == "learnt" and fall is None and (right >= LEARNT * len(labels) or epoch + 1 >= most - FALL):
            fall = epoch + 1
    return most if fall is None else fall + FALL


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data")
    arguments.add_argument("--googlenet")
    arguments.add_argument("--resnet")
    arguments.add_argument("--cut", choices=["b", "c"], default="c")
    arguments.add_argument("--heads", default=",".join(Head.KINDS))
    arguments.add_argument("--plans", default=",".join(PLANS))
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if options.googlenet:
        whole = common.GoogLeNet(options.googlenet, device)
        net, pixels = (lambda x: whole(x, "abc"[:"abc".index(options.cut) + 1])), common.caffe_pixels
    else:
        net, pixels = ResNet(options.resnet, device), resnet_pixels
    sets = {}
    for part in ("train", "test"):
        paths, labels = common.files(str(Path(options.data, part)))
        sets[part] = common.features(net, paths, pixels, device, 4).half(), labels.to(device)
    (maps, labels), (unseen, truth) = sets["train"], sets["test"]
    classes = int(labels.max()) + 1
    print("head\tplan\tepochs\tlearnt\tfitted")
    for kind in options.heads.split(","):
        for plan in options.plans.split(","):
            torch.manual_seed(options.seed)
            head = Head(kind, maps.shape[1], classes).to(device)
            epochs = train(head, maps, labels, plan)
            test = vectors(head, unseen)
            weights, bias = common.ridge(vectors(head, maps), labels, classes)
            with torch.no_grad():
                found = (test @ head.v + head.v_bias, test @ weights + bias)
            accuracies = [100 * (scores.argmax(1) == truth).float().mean().item() for scores in found]
            print("%s\t%s\t%d\t%.1f\t%.1f" % (kind, plan, epochs, *accuracies), flush=True)


if __name__ == "__main__":
    main()
