"""Writes networks of timm with random weights as ONNX files, and what PyTorch makes of an image.

    python3 make_onnx.py [FOLDER [full]]

Needs torch, timm, onnx and onnxscript. Without arguments it writes the small networks of the tests
into this folder; with full, six families as timm has them. NAME.json has the images' size and the
maps [C, h, w] of an image whose number i is sin(i / 10).
"""

import json
import os
import sys

import onnx
import timm
import torch
from timm.models import efficientnet as generate
from timm.models import mobilenetv3 as mobile

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
FULL = len(sys.argv) > 2


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


torch.manual_seed(1)
for name, net, size in full() if FULL else small():
    net = Maps(net).eval()
    for module in net.modules():  # so that nothing is the identity by chance
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    file = os.path.join(FOLDER, name + ".onnx")
    image = torch.sin(torch.arange(3 * size * size, dtype=torch.float32) / 10)
    image = image.reshape(1, 3, size, size)
    with torch.no_grad():
        maps = arranged(net(image))
    torch.onnx.export(net, (image,), file, input_names=["image"], output_names=["maps"],
                      dynamic_axes={"image": {0: "n"}, "maps": {0: "n"}}, opset_version=17,
                      dynamo=False)
    if not FULL:
        model = onnx.load(file)
        for node in model.graph.node:
            node.doc_string = ""
        onnx.save(model, file)
    with open(os.path.join(FOLDER, name + ".json"), "w") as out:
        json.dump({"size": size, "shape": list(maps.shape),
                   "maps": [float("%.8g" % x) for x in maps.flatten().tolist()]}, out)
    print(name, os.path.getsize(file), list(maps.shape), maps.std().item())
