/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the user of a schedule trains. Other commands take the first of its runs, or all. */
enum Training {
  ONE_HEAD("train"),
  SEVERAL_HEADS("train", "b-cnn", "spd-root"),
  GRAPH("train"),
  ONNX("train"),
  TEXTURE("texture", "b-cnn"),
  FINE_GRAINED("fine-grained", "b-cnn"),
  PAPER("paper", "b-cnn", "kernel");

  private static final String RUN = "folders_as-foldered_split1_%s_seed1";

  private final String command;
  private final List<String> heads;

  Training(String command, String... heads) {
    this.command = command;
    this.heads = List.of(heads);
  }

  /** That of a schedule: every other time the usual one. */
  static Training of(long seed) {
    return seed % 2 == 0 ? ONE_HEAD : values()[(int) (seed / 2 % values().length)];
  }

  /**
   * The words of the command.
   *
   * @param nets the folder with the networks to take as backbones
   */
  List<String> words(Path photos, Path out, Path nets) {
    List<String> words = new ArrayList<>(List.of(command));
    if (!command.equals("train")) {
      words.add("folders");
    }
    words.addAll(List.of(photos.toString(), "--out=" + out, "--batch=4"));
    if (!heads.isEmpty()) {
      words.add("--methods=" + String.join(",", heads));
    }
    if (this == ONNX) {
      words.addAll(List.of("--backbone=onnx:" + nets.resolve("net.onnx"), "--pixels=torch"));
      words.addAll(List.of("--epochs-head=2", "--epochs-whole=0"));
    } else {
      words.addAll(List.of("--size=16", "--epochs-head=2", "--epochs-whole=1"));
      words.add("--backbone=" + (this == GRAPH ? "graph:" + nets.resolve("net.zip") : "random"));
    }
    if (this == GRAPH) {
      words.addAll(List.of("--cut=conv1", "--pixels=torch"));
    }
    return words;
  }

  /** The folders of its runs, below that of the command. */
  List<Path> runs(Path out) {
    if (heads.isEmpty()) {
      return List.of(out);
    }
    String run = command.equals("train") ? "%s" : RUN;
    return heads.stream().map(head -> out.resolve(run.formatted(head))).toList();
  }
}
