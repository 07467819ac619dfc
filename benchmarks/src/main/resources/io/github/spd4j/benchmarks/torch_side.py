# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of `spd bench`: the same head, the same convolutions, eager.

Reads one JSON request a line on standard input and answers each with one JSON line. Arrays come and go as raw
float32 files, row by row. It needs PyTorch and nothing else.

It is written to be fast: index tensors are made once, sigma is computed without a graph, the triangle is a gather.
"""
import ctypes
import json
import os
import sys
import time

import torch
import torch.nn.functional as F


DEVICE = "cpu"
PRECISION = "float"


def read(folder, name, shape):
    with open(os.path.join(folder, name), "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.float32).reshape(shape).to(DEVICE)


def write(folder, name, tensor):
    tensor = tensor.detach().contiguous().cpu()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(ctypes.string_at(tensor.data_ptr(), 4 * tensor.numel()))


class Head:
    """Kernel aggregation, WᵀKW, vectorisation, classifier; momentum for it, a Stiefel step for W."""

    def __init__(self, folder, batch, channels, outputs, side, classes, floor, rate, momentum, inputs="input"):
        length = outputs * (outputs + 1) // 2
        self.floor, self.rate, self.momentum = floor, rate, momentum
        self.x = read(folder, inputs, (batch, channels, side, side)).requires_grad_()
        self.w = read(folder, "w", (channels, outputs)).requires_grad_()
        self.weight = read(folder, "weight", (classes, length)).requires_grad_()
        self.bias = read(folder, "bias", (classes,)).requires_grad_()
        self.labels = read(folder, "labels", (batch,)).long()
        rows, columns = torch.triu_indices(outputs, outputs, device=DEVICE)
        self.places = (rows * outputs + columns).expand(batch, -1)
        self.weights = torch.where(rows == columns, 1.0, 2.0 ** 0.5)
        self.velocity = torch.zeros_like(self.w)
        self.sgd = torch.optim.SGD([self.weight, self.bias], lr=rate, momentum=momentum, nesterov=True)

    def logits(self):
        maps = self.x.flatten(2)
        maps = maps - maps.mean(1, keepdim=True)
        channels = maps.shape[1]
        norms = (maps * maps).sum(2)
        squared = (norms[:, :, None] + norms[:, None, :] - 2 * torch.bmm(maps, maps.transpose(1, 2))).clamp_min(0)
        with torch.no_grad():
            distances = squared.sqrt()
            distances.diagonal(dim1=1, dim2=2).zero_()  # else the root of rounding
            sigma = distances.sum((1, 2)) / (channels * (channels - 1))
        kernel = torch.exp(squared * (-0.5 / (sigma * sigma))[:, None, None])
        batch = kernel.shape[0]
        transformed = torch.matmul(self.w.t().expand(batch, -1, -1), kernel @ self.w)
        vector = transformed.flatten(1).gather(1, self.places) * self.weights
        powered = vector / (self.floor + torch.sqrt(vector.abs() + self.floor * self.floor))
        return F.linear(F.normalize(powered), self.weight, self.bias)

    def backward(self):
        for tensor in (self.x, self.w, self.weight, self.bias):
            if tensor.is_leaf:
                tensor.grad = None
        logits = self.logits()
        F.cross_entropy(logits, self.labels).backward()
        return logits

    def step(self):
        self.backward()
        self.sgd.step()
        with torch.no_grad():
            w, gradient, velocity = self.w, self.w.grad, self.velocity
            natural = gradient - w @ (gradient.t() @ w)
            inner = w.t() @ velocity
            velocity.sub_(w @ (inner + inner.t()), alpha=0.5).mul_(self.momentum).add_(natural)
            q, r = torch.linalg.qr(w - self.rate * velocity)
            self.w.copy_(q * torch.where(r.diagonal() < 0, -1.0, 1.0))

    def forward(self):
        with torch.no_grad():
            return torch.softmax(self.logits(), 1)

    def check(self, folder):
        write(folder, "probabilities", torch.softmax(self.backward(), 1))
        write(folder, "by_input", self.x.grad)
        write(folder, "by_w", self.w.grad)
        write(folder, "by_weight", self.weight.grad)
        kept = [t.detach().clone() for t in (self.w, self.weight, self.bias)]
        self.step()
        write(folder, "next_w", self.w)
        with torch.no_grad():
            for tensor, before in zip((self.w, self.weight, self.bias), kept):
                tensor.copy_(before)
            self.velocity.zero_()
        self.sgd.state.clear()


class Convolutions:
    """The convolutions and poolings of VGG-16 in front of its fifth pooling."""

    def __init__(self, folder, batch, side, filters):
        # what autocast computes fastest with
        self.order = torch.channels_last if PRECISION == "mixed" else torch.contiguous_format
        self.x = read(folder, "input", (batch, 3, side, side)).to(memory_format=self.order)
        self.layers = []
        before = 3
        for number, count in enumerate(filters):
            if count > 0:
                weight = read(folder, "weight%d" % number, (count, before, 3, 3)).to(memory_format=self.order)
                self.layers.append((weight, read(folder, "bias%d" % number, (count,))))
                before = count
            else:
                self.layers.append(None)

    def maps(self):
        x = self.x
        with torch.autocast(DEVICE, torch.bfloat16, enabled=PRECISION == "mixed"):
            for layer in self.layers:
                x = F.max_pool2d(x, 2) if layer is None else F.relu_(F.conv2d(x, *layer, padding=1))
        return x.float().contiguous()

    def forward(self):
        with torch.no_grad():
            return self.maps()

    def check(self, folder):
        write(folder, "maps", self.forward())


class Whole:
    """The convolutions and the head on top of them, trained together."""

    def __init__(self, folder, filters, image_side, batch, rate, momentum, **head):
        self.convolutions = Convolutions(folder, batch, image_side, filters)
        self.head = Head(folder, batch=batch, rate=rate, momentum=momentum, inputs="maps", **head)
        self.layers = [t.requires_grad_() for layer in self.convolutions.layers if layer for t in layer]
        self.sgd = torch.optim.SGD(self.layers, lr=rate, momentum=momentum, nesterov=True)

    def step(self):
        for tensor in self.layers:
            tensor.grad = None
        self.head.x = self.convolutions.maps()
        self.head.step()
        self.sgd.step()

    def check(self, folder):
        with torch.no_grad():
            self.head.x = self.convolutions.maps()
        write(folder, "probabilities", self.head.forward())


class Average:
    """The convolutions, the means of their maps and a classifier, trained together."""

    def __init__(self, folder, filters, image_side, batch, classes, rate, momentum):
        self.convolutions = Convolutions(folder, batch, image_side, filters)
        self.layers = [t.requires_grad_() for layer in self.convolutions.layers if layer for t in layer]
        maps = [count for count in filters if count][-1]
        self.layers += [read(folder, "weight", (classes, maps)).requires_grad_()]
        self.layers += [read(folder, "bias", (classes,)).requires_grad_()]
        self.labels = read(folder, "labels", (batch,)).long()
        self.sgd = torch.optim.SGD(self.layers, lr=rate, momentum=momentum, nesterov=True)

    def logits(self):
        return F.linear(self.convolutions.maps().mean((2, 3)), *self.layers[-2:])

    def step(self):
        self.sgd.zero_grad()
        F.cross_entropy(self.logits(), self.labels).backward()
        self.sgd.step()

    def check(self, folder):
        with torch.no_grad():
            write(folder, "probabilities", torch.softmax(self.logits(), 1))


class Product:
    """The product of two square matrices, for the rate that the library reaches."""

    def __init__(self, folder, size):
        self.a, self.b = torch.randn(size, size, device=DEVICE), torch.randn(size, size, device=DEVICE)

    def forward(self):
        return self.a @ self.b

    def check(self, folder):
        pass  # its factors are each side's own


class Eigen:
    """Eigenvalues and eigenvectors of a stack of symmetric matrices."""

    def __init__(self, folder, count, n):
        self.matrices = read(folder, "matrices", (count, n, n)).double()

    def forward(self):
        return torch.linalg.eigh(self.matrices)

    def check(self, folder):
        write(folder, "values", self.forward().eigenvalues.float())


def status(field):
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(field))


def peak(request):
    """The largest resident set in some steps of a new workload, less what was resident before it."""
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    workload = KINDS[request["kind"]](**request["settings"])
    for _ in range(request["times"]):
        getattr(workload, request["what"])()
    return status("VmHWM") - before


def device():
    return torch.cuda.get_device_name() if DEVICE == "cuda" else DEVICE


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def times(workload, what, count):
    result = []
    for _ in range(count):
        synchronize()
        start = time.perf_counter()
        getattr(workload, what)()
        synchronize()
        result.append(1e3 * (time.perf_counter() - start))
    return result


KINDS = {"head": Head, "convolutions": Convolutions, "whole": Whole, "average": Average, "product": Product,
         "eigen": Eigen}


def main():
    global DEVICE, PRECISION
    torch.set_num_threads(int(sys.argv[1]))
    DEVICE = sys.argv[2]
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False  # as on our side
    workload = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = True
            if request["do"] == "versions":
                answer = {"torch": torch.__version__, "python": sys.version.split()[0],
                          "torchThreads": str(torch.get_num_threads()), "torchDevice": device()}
            elif request["do"] == "round":  # convolutions alone, as on our side
                PRECISION = request["to"]
                torch.backends.cudnn.allow_tf32 = PRECISION == "tf32"
            elif request["do"] == "load":
                workload = None
                workload = KINDS[request["kind"]](**request["settings"])
            elif request["do"] == "check":
                workload.check(request["folder"])
            elif request["do"] == "run":
                answer = times(workload, request["what"], request["times"])
            elif request["do"] == "peak":
                workload = None
                answer = peak(request)
            else:
                raise ValueError("unknown request " + line)
            print(json.dumps({"answer": answer}), flush=True)
        except Exception as problem:  # the other side reports it
            print(json.dumps({"problem": "%s: %s" % (type(problem).__name__, problem)}), flush=True)


if __name__ == "__main__":
    main()
