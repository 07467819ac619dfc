"""Writes narrow networks of torchvision and timm with random weights, and what PyTorch makes of an image.

    python3 make_safetensors.py

Needs torch, torchvision, timm and safetensors. Beside the weights each file has an image [1, 3, H, W]
and its maps: those after ReLU of conv5-3 of VGG-16, and of the last block of ResNet-50.
"""

import os

import timm
import torch
import torchvision
from safetensors.torch import save_file

FOLDER = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(1)

layout = [2, 2, "M", 2, 2, "M", 3, 3, 3, "M", 3, 3, 3, "M", 4, 4, 4, "M"]
vgg16 = torchvision.models.VGG(torchvision.models.vgg.make_layers(layout), 2)
vgg16.classifier = torch.nn.Linear(4, 2)
for layer in vgg16.features:
    if isinstance(layer, torch.nn.Conv2d):
        layer.bias.data.normal_(0, 0.2)
resnet50 = timm.models.ResNet(timm.models.resnet.Bottleneck, [3, 4, 6, 3], num_classes=2,
                              stem_width=2, channels=(2, 3, 3, 2))
resnet50.conv1, resnet50.bn1 = torch.nn.Conv2d(3, 2, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(2)
resnet50.layer1[0].conv1 = torch.nn.Conv2d(2, 2, 1, bias=False)
resnet50.layer1[0].downsample[0] = torch.nn.Conv2d(2, 8, 1, bias=False)
for layer in resnet50.modules():
    if isinstance(layer, torch.nn.BatchNorm2d):
        layer.weight.data.uniform_(0.5, 1.5)
        layer.bias.data.normal_(0, 0.2)
        layer.running_mean.normal_(0, 0.2)
        layer.running_var.uniform_(0.5, 1.5)
for name, net, maps in (("vgg16", vgg16, lambda x: vgg16.features[:-1](x)),
                        ("resnet50", resnet50, resnet50.forward_features)):
    image = torch.randn(1, 3, 64, 64)
    net.eval()
    with torch.no_grad():
        tensors = dict(net.state_dict(), image=image, maps=maps(image))
    tensors = {key: value.contiguous() for key, value in tensors.items()}
    save_file(tensors, os.path.join(FOLDER, name + ".safetensors"), {"format": "pt"})
    print(name, list(tensors["maps"].shape), tensors["maps"].std().item())
