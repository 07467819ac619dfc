"""Writes networks of timm with random weights as ONNX files, and what PyTorch makes of an image.

    python3 make_onnx.py [FOLDER [full]]
    python3 make_onnx.py FOLDER pretrained GOOGLENET RESNET.npz

Needs torch, timm, onnx and onnxscript. Without arguments it writes the small networks of the tests
into this folder, one of them also by PyTorch's newer exporter, with its weights beside it; with
full, six families as timm has them; with pretrained, GoogLeNet (a folder as for --backbone
googlenet:) and ResNet-50 v2 up to where the library cuts them for fine-grained classes. NAME.json
has the images' size and the maps [C, h, w] of an image whose number i is sin(i / 10).
"""

import json
import os
import sys

import numpy
import onnx
import timm
import torch
import torch.nn.functional as F
from timm.models import efficientnet as generate
from timm.models import mobilenetv3 as mobile

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
WHICH = sys.argv[2] if len(sys.argv) > 2 else "small"


def small():
    """Six families, with narrow and few layers."""
    create = timm.create_model
    yield "resnet", timm.models.ResNet(
        timm.models.resnet.BasicBlock, [1, 1, 1, 1], channels=(4, 8, 8, 16), stem_width=4), 64
    yield "convnext", create(
        "convnext_tiny", depths=(1, 1, 1, 1), dims=(4, 8, 8, 16)), 64
    yield "efficientnet", generate._gen_efficientnet(
        "efficientnet_b0", channel_multiplier=0.1, depth_multiplier=0.1), 64
    yield "mobilenet", mobile._gen_mobilenet_v3("mobilenetv3_small_100", 0.1), 64
    yield "vit", create("vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=16, depth=2,
                        num_heads=2), 32
    yield "swin", create("swin_tiny_patch4_window7_224", img_size=56, embed_dim=8, depths=(1, 1),
                         num_heads=(2, 2)), 56


def full():
    for name in ("resnet50", "convnext_tiny", "efficientnet_b0", "mobilenetv3_large_100",
                 "vit_base_patch16_224", "swin_tiny_patch4_window7_224"):
        yield name, timm.create_model(name), 224


class GoogLeNet:
    """BVLC's, up to inception_4c/output."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "manifest.tsv")) as lines:
            self.layers = {line.split("\t")[0]: line.rstrip("\n").split("\t") for line in lines}

    def numbers(self, file, *shape):
        numbers = numpy.fromfile(os.path.join(self.folder, file), "<f4")
        return torch.from_numpy(numbers.reshape(shape))

    def conv(self, x, name):
        _, _, shape, stride, padding, kernel, bias = self.layers[name]
        shape = [int(size) for size in shape.split("x")]
        return F.relu(F.conv2d(
            x, self.numbers(kernel, *shape), self.numbers(bias, shape[0]),
            stride=int(stride.split("=")[1]), padding=int(padding.split("=")[1])))

    def inception(self, x, name):
        inner = [("1x1",), ("3x3_reduce", "3x3"), ("5x5_reduce", "5x5")]
        branches = []
        for layers in inner:
            y = x
            for layer in layers:
                y = self.conv(y, f"inception_{name}/{layer}")
            branches.append(y)
        pooled = F.max_pool2d(x, 3, 1, 1)
        return torch.cat(branches + [self.conv(pooled, f"inception_{name}/pool_proj")], 1)

    def __call__(self, x):
        def halved(maps):
            return F.max_pool2d(maps, 3, 2, ceil_mode=True)

        def normalised(maps):
            return F.local_response_norm(maps, 5)

        x = normalised(halved(self.conv(x, "conv1/7x7_s2")))
        x = halved(normalised(self.conv(self.conv(x, "conv2/3x3_reduce"), "conv2/3x3")))
        x = halved(self.inception(self.inception(x, "3a"), "3b"))
        return self.inception(self.inception(self.inception(x, "4a"), "4b"), "4c")


class ResNet50V2:
    """Of the ONNX model zoo, up to the end of its third stage."""

    def __init__(self, file):
        self.arrays = {name: torch.from_numpy(array) for name, array in numpy.load(file).items()}

    def bn(self, x, name):
        statistics = ("running_mean", "running_var", "gamma", "beta")
        return F.batch_norm(x, *(self.arrays[f"{name}_{s}"] for s in statistics), eps=1e-5)

    def conv(self, x, name, stride=1):
        kernel = self.arrays[name + "_weight"]
        return F.conv2d(x, kernel, stride=stride, padding=kernel.shape[2] // 2)

    def __call__(self, x):
        x = self.conv(self.bn(x, "batchnorm0"), "conv0", 2)
        x = F.max_pool2d(F.relu(self.bn(x, "batchnorm1")), 3, 2, 1)
        for stage, units in enumerate((3, 4, 6), 1):
            convs = iter(f"stage{stage}_conv{i}" for i in range(100))
            norms = iter(f"stage{stage}_batchnorm{i}" for i in range(100))
            for unit in range(units):
                stride = 2 if stage > 1 and unit == 0 else 1
                a = F.relu(self.bn(x, next(norms)))
                b = F.relu(self.bn(self.conv(a, next(convs)), next(norms)))
                b = F.relu(self.bn(self.conv(b, next(convs), stride), next(norms)))
                b = self.conv(b, next(convs))
                x = b + (self.conv(a, next(convs), stride) if unit == 0 else x)
        return F.relu(self.bn(x, "stage4_batchnorm0"))


class Features(torch.nn.Module):
    """A function of images as timm has networks."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward_features(self, image):
        return self.function(image)


def pretrained():
    googlenet, resnet = sys.argv[3:]
    yield "googlenet", Features(GoogLeNet(googlenet)), 224
    yield "resnet50v2", Features(ResNet50V2(resnet)), 224


class Normalised(torch.nn.Module):
    """Means over neighbouring maps, as GoogLeNet has them."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 6, 3)

    def forward_features(self, image):
        return F.local_response_norm(F.relu(self.convolution(image)), 5, alpha=1.0)


class Maps(torch.nn.Module):
    """What a network computes before it pools."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return self.net.forward_features(image)


def arranged(maps):
    """Tokens and channels that come last as maps [C, h, w]."""
    if maps.dim() == 3:
        side = int((maps.shape[1]) ** 0.5)
        return maps[:, -side * side:].transpose(1, 2).reshape(1, -1, side, side)[0]
    last = maps.shape[1] == maps.shape[2] and maps.shape[2] != maps.shape[3]
    return (maps.permute(0, 3, 1, 2) if last else maps)[0]


def export(net, image, file, dynamo):
    """By the exporter that PyTorch takes by itself, or by the older one."""
    if dynamo:
        torch.onnx.export(net, (image,), file, input_names=["image"], output_names=["maps"],
                          dynamic_shapes=({0: "n"},), dynamo=True)
    else:
        torch.onnx.export(net, (image,), file, input_names=["image"], output_names=["maps"],
                          dynamic_axes={"image": {0: "n"}, "maps": {0: "n"}}, opset_version=17,
                          dynamo=False)


def write(name, net, size, dynamo):
    net = Maps(net).eval()
    file = os.path.join(FOLDER, name + ".onnx")
    image = torch.sin(torch.arange(3 * size * size, dtype=torch.float32) / 10)
    image = image.reshape(1, 3, size, size)
    with torch.no_grad():
        maps = arranged(net(image))
    export(net, image, file, dynamo)
    if WHICH == "small":  # without what tells where on this machine the sources are
        model = onnx.load(file, load_external_data=False)
        for node in model.graph.node:
            node.doc_string = ""
            del node.metadata_props[:]
        onnx.save(model, file)
    with open(os.path.join(FOLDER, name + ".json"), "w") as out:
        json.dump({"size": size, "shape": list(maps.shape),
                   "maps": [float("%.8g" % x) for x in maps.flatten().tolist()]}, out)
    print(name, os.path.getsize(file), list(maps.shape), maps.std().item())


torch.manual_seed(1)
for name, net, size in {"small": small, "full": full, "pretrained": pretrained}[WHICH]():
    for module in net.modules():  # so that nothing is the identity by chance
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    write(name, net, size, WHICH != "small")
    if name == "convnext" and WHICH == "small":
        write("convnext-dynamo", net, size, True)
if WHICH == "small":
    write("normalised-dynamo", Normalised(), 8, True)
