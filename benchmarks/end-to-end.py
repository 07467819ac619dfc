# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""What `./spd fine-grained folders DATA --methods spd-root` does, written straightforwardly in PyTorch.

    python3 end-to-end.py DATA GOOGLENET [--device cpu|cuda] [--threads N] [--epochs 10]

Reads DATA/train/<class> and DATA/test/<class>, computes GoogLeNet's features at inception_4c/output, trains the head
(1x1 convolution, RBF kernel matrix, Stiefel transform, matrix square root) with Adam for ten epochs, fits the
classifier in closed form, and prints the test accuracy and the seconds of each part. It needs PyTorch, NumPy and Pillow.
"""
import argparse
import concurrent.futures
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps

SIZE, BATCH, RATE, DECAY, SCALE = 224, 32, 1e-3, 5e-4, 10.0
CAFFE_MEAN = np.array([104, 117, 123], dtype=np.float32)


def files(folder):
    classes = sorted(os.listdir(folder))
    found = [(os.path.join(folder, name, file), label) for label, name in enumerate(classes)
             for file in sorted(os.listdir(os.path.join(folder, name)))]
    return [f for f, _ in found], torch.tensor([l for _, l in found])


def caffe_pixels(path, size=SIZE):
    image = ImageOps.exif_transpose(Image.open(path)).convert("RGB").resize((size, size), Image.BILINEAR)
    return (np.asarray(image, dtype=np.float32)[:, :, ::-1] - CAFFE_MEAN).transpose(2, 0, 1).copy()


class GoogLeNet:
    """Up to inception_4c/output, or one before it."""

    def __init__(self, folder, device):
        folder = os.path.join(folder, "oihw")
        self.layers = {}
        for line in open(os.path.join(folder, "manifest.tsv")):
            name, kind, shape, stride, pad, w, b = line.split()
            if kind == "CONVOLUTION":
                shape = [int(n) for n in shape.split("x")]
                weight = torch.from_numpy(np.fromfile(os.path.join(folder, w), dtype="<f4")).reshape(shape)
                bias = torch.from_numpy(np.fromfile(os.path.join(folder, b), dtype="<f4"))
                self.layers[name] = (weight.to(device), bias.to(device), int(stride[7:]), int(pad[4:]))

    def conv(self, name, x):
        weight, bias, stride, pad = self.layers[name]
        return F.relu(F.conv2d(x, weight, bias, stride, pad))

    def inception(self, name, x):
        return torch.cat([
            self.conv(name + "/1x1", x),
            self.conv(name + "/3x3", self.conv(name + "/3x3_reduce", x)),
            self.conv(name + "/5x5", self.conv(name + "/5x5_reduce", x)),
            self.conv(name + "/pool_proj", F.max_pool2d(x, 3, 1, 1))], 1)

    def __call__(self, x, parts="abc"):
        halve = lambda t: F.max_pool2d(t, 3, 2, ceil_mode=True)
        norm = lambda t: F.local_response_norm(t, 5, 1e-4, 0.75, 1.0)
        x = norm(halve(self.conv("conv1/7x7_s2", x)))
        x = halve(norm(self.conv("conv2/3x3", self.conv("conv2/3x3_reduce", x))))
        x = halve(self.inception("inception_3b", self.inception("inception_3a", x)))
        for part in parts:
            x = self.inception("inception_4" + part, x)
        return x


@torch.no_grad()
def features(net, paths, pixels, device, workers):
    result = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        images = pool.map(pixels, paths)
        for start in range(0, len(paths), BATCH):
            batch = [next(images) for _ in range(min(BATCH, len(paths) - start))]
            result.append(net(torch.from_numpy(np.stack(batch)).to(device)))
    return torch.cat(result)


class SpdRoot(torch.nn.Module):
    """1x1 convolution that starts as the identity, ReLU, RBF kernel matrix, W'KW, square root, vector, l2."""

    def __init__(self, maps, outputs):
        super().__init__()
        self.conv = torch.nn.Conv2d(maps, maps, 1)
        torch.nn.init.dirac_(self.conv.weight)
        torch.nn.init.zeros_(self.conv.bias)
        self.w = torch.nn.Parameter(torch.linalg.qr(torch.randn(maps, outputs))[0])
        rows, columns = torch.triu_indices(outputs, outputs)
        self.register_buffer("places", rows * outputs + columns)
        self.register_buffer("weights", torch.where(rows == columns, 1.0, 2.0 ** 0.5))
        self.register_buffer("eye", torch.eye(outputs))

    def forward(self, x):
        maps = F.relu(self.conv(x)).flatten(2)
        maps = maps - maps.mean(1, keepdim=True)
        channels = maps.shape[1]
        norms = (maps * maps).sum(2)
        squared = (norms[:, :, None] + norms[:, None, :] - 2 * torch.bmm(maps, maps.transpose(1, 2))).clamp_min(0)
        with torch.no_grad():
            distances = squared.sqrt()
            distances.diagonal(dim1=1, dim2=2).zero_()
            sigma = distances.sum((1, 2)) / (channels * (channels - 1))
        kernel = torch.exp(squared * (-0.5 / (sigma * sigma))[:, None, None])
        y = self.w.t() @ (kernel @ self.w)
        return vector(root(y, self.eye), self)


def root(matrices, eye, iterations=5):
    """Newton-Schulz."""
    trace = matrices.diagonal(dim1=1, dim2=2).sum(1)[:, None, None]
    y, z = matrices / trace, None
    for k in range(iterations):
        step = 1.5 * eye - 0.5 * (y if z is None else z @ y)
        y, z = y @ step, step if z is None else step @ z
    return y * trace.sqrt()


def vector(matrices, head):
    return SCALE * F.normalize(matrices.flatten(1)[:, head.places] * head.weights)


class StiefelAdam:
    """Adam with one second moment for the matrix, along the tangent space, retracted by QR."""

    def __init__(self, w):
        self.w, self.m, self.v, self.t = w, torch.zeros_like(w), 0.0, 0

    @torch.no_grad()
    def step(self, rate):
        w, g = self.w, self.w.grad
        self.t += 1
        natural = g - w @ (g.t() @ w)
        inner = w.t() @ self.m
        self.m.sub_(0.5 * w @ (inner + inner.t())).mul_(0.9).add_(natural, alpha=0.1)
        self.v = 0.999 * self.v + 0.001 * (natural * natural).mean()
        scaled = (self.m / (1 - 0.9 ** self.t)) / ((self.v / (1 - 0.999 ** self.t)).sqrt() + 1e-8)
        q, r = torch.linalg.qr(w - rate * scaled)
        self.w.copy_(q * torch.where(r.diagonal() < 0, -1.0, 1.0))


def train(head, x, labels, classes, epochs, device):
    with torch.no_grad():
        length = head(x[:1]).shape[1]
    classifier = torch.nn.Linear(length, classes).to(device)
    torch.nn.init.zeros_(classifier.weight)
    torch.nn.init.zeros_(classifier.bias)
    weights = [p for n, p in head.named_parameters() if n.endswith("weight")] + [classifier.weight]
    others = [p for n, p in head.named_parameters() if n.endswith("bias")] + [classifier.bias]
    adam = torch.optim.Adam([{"params": weights, "weight_decay": DECAY}, {"params": others}], lr=RATE)
    stiefel = StiefelAdam(head.w) if hasattr(head, "w") else None
    for epoch in range(epochs):
        cut = 1.0 if epoch < 0.6 * epochs else 0.1 if epoch < 0.8 * epochs else 0.01
        for group in adam.param_groups:
            group["lr"] = RATE * cut
        order = torch.randperm(len(labels))
        for batch in order.split(BATCH):
            index = batch.to(x.device)
            loss = F.cross_entropy(classifier(head(x[index])), labels[index])
            adam.zero_grad(set_to_none=True)
            if stiefel:
                head.w.grad = None
            loss.backward()
            adam.step()
            if stiefel:
                stiefel.step(RATE * cut)


@torch.no_grad()
def vectors(head, x):
    return torch.cat([head(part) for part in x.split(BATCH)])


@torch.no_grad()
def ridge(examples, labels, classes):
    """Ridge regression of the classes' indicators; the penalty by exact answers to images left out."""
    x = examples.double()
    mean = x.mean(0)
    x = x - mean
    targets = F.one_hot(labels, classes).double()
    shares = targets.mean(0)
    targets = targets - shares
    values, left = torch.linalg.eigh(x @ x.t())
    values = values.clamp_min(0)
    projected = left.t() @ targets
    best = None
    for share in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1):
        penalty = share * values.sum() / len(labels)
        shrink = values / (values + penalty)
        hat = ((left * left) @ shrink + 1.0 / len(labels))[:, None]
        residual = (targets - left @ (shrink[:, None] * projected)) / (1 - hat).clamp_min(1e-9)
        right = ((targets - residual + shares).argmax(1) == labels).sum().item()
        if best is None or right > best[0]:
            best = (right, penalty)
    weights = x.t() @ (left @ (projected / (values + best[1])[:, None]))
    return weights.to(examples.dtype), (shares - mean @ weights).to(examples.dtype)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("data")
    arguments.add_argument("weights")
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    arguments.add_argument("--epochs", type=int, default=10)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    device = options.device
    clock = [time.perf_counter()]

    def lap(what):
        if device == "cuda":
            torch.cuda.synchronize()
        clock.append(time.perf_counter())
        print("%-10s %7.1f s" % (what, clock[-1] - clock[-2]), flush=True)

    net = GoogLeNet(options.weights, device)
    train_files, train_labels = files(os.path.join(options.data, "train"))
    test_files, test_labels = files(os.path.join(options.data, "test"))
    classes = int(train_labels.max()) + 1
    train_labels, test_labels = train_labels.to(device), test_labels.to(device)
    train_maps = features(net, train_files, caffe_pixels, device, options.threads)
    test_maps = features(net, test_files, caffe_pixels, device, options.threads)
    lap("features")
    head = SpdRoot(512, 256).to(device)
    train(head, train_maps, train_labels, classes, options.epochs, device)
    lap("epochs")
    weights, bias = ridge(vectors(head, train_maps), train_labels, classes)
    lap("fit")
    answers = (vectors(head, test_maps) @ weights + bias).argmax(1)
    lap("test")
    print("%-10s %7.1f s" % ("all", clock[-1] - clock[0]))
    print("accuracy   %7.1f %%" % (100 * (answers == test_labels).float().mean().item()))


if __name__ == "__main__":
    main()
