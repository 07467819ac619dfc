"""Writes timm.tsv: for each name of timm the pixels and the size that its weights were trained with.

    python3 make_timm_pixels.py > spd-dl4j-onnx/src/main/resources/io/github/spd4j/onnx/timm.tsv

Needs timm (1.0.29). A line is the pixels, the size, and the names that have both, by tabs and spaces.
"""

import collections

import timm

groups = collections.defaultdict(set)
for name in timm.list_models() + timm.list_pretrained():
    cfg = timm.get_pretrained_cfg(name, allow_unregistered=True)
    if cfg is None or cfg.input_size[0] != 3:
        continue
    text = "RGB, 0 to 1"
    if any(cfg.mean):
        text += ", minus (%s)" % ", ".join("%.6g" % x for x in cfg.mean)
    if any(x != 1 for x in cfg.std):
        text += ", divided by (%s)" % ", ".join("%.6g" % x for x in cfg.std)
    groups[text, cfg.input_size[1]].add(name)
for (pixels, size), names in sorted(groups.items()):
    print(pixels, size, " ".join(sorted(names)), sep="\t")
