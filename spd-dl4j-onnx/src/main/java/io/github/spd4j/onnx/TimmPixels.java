/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import io.github.spd4j.images.PixelFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What a network of timm was trained with, by its name. {@code make_timm_pixels.py} wrote the
 * table.
 *
 * @param pixels how colours become numbers
 * @param size height and width of the images
 */
record TimmPixels(PixelFormat pixels, int size) {

  private static final String TABLE = "timm.tsv";

  /** That of a name such as resnet50 or resnet50.a1_in1k, if timm has it. */
  static Optional<TimmPixels> of(String name) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                TimmPixels.class.getResourceAsStream(TABLE), StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .map(line -> line.split("\t"))
          .filter(parts -> List.of(parts[2].split(" ")).contains(name))
          .map(parts -> new TimmPixels(PixelFormat.valueOf(parts[0]), Integer.parseInt(parts[1])))
          .findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
