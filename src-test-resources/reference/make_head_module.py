# Copyright the spd-dl4j-layers authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs the PyTorch module of docs/from-pytorch.md with random weights, and writes them with its answers.

    python3 make_head_module.py           # writes head-spd-root.safetensors and head-spd.safetensors
    python3 make_head_module.py --check   # compares with the files, to 1e-6

Needs torch and safetensors. Beside the weights each file has maps [2, 6, 5, 5] and their logits.
"""

import re
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent.parent / "docs" / "from-pytorch.md"
MAPS, CHANNELS, SIZE, CLASSES = 6, 5, 4, 3

blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
module = {}
exec(next(block for block in blocks if "class SpdHead" in block), module)

for name, root in (("spd-root", True), ("spd", False)):
    torch.manual_seed(2)
    weights = {
        "spd-conv_W": torch.randn(CHANNELS, MAPS, 1, 1),
        "spd-conv_b": torch.randn(CHANNELS),
        "spd-transform-0_W": torch.linalg.qr(torch.randn(CHANNELS, SIZE))[0].contiguous(),
        "spd-out_W": torch.randn(SIZE * (SIZE + 1) // 2, CLASSES),
        "spd-out_b": torch.randn(CLASSES),
    }
    file = FOLDER / f"head-{name}.safetensors"
    temporary = file.with_suffix(".tmp")
    save_file(weights, temporary)
    maps = torch.rand(2, MAPS, 5, 5)
    with torch.no_grad():
        logits = module["SpdHead"](temporary, root)(maps)
    temporary.unlink()
    if "--check" in sys.argv:
        stored = load_file(file)
        for key, value in dict(weights, maps=maps, logits=logits).items():
            assert (stored[key] - value).abs().max() <= 1e-6, key
        print(name, "is the same")
    else:
        save_file(dict(weights, maps=maps, logits=logits.contiguous()), file, {"format": "pt"})
        print(name, logits.tolist())
