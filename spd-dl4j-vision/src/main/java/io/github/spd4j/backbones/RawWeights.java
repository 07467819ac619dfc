/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.internal.files.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A folder of little-endian float32 files, two for each layer, and the {@code manifest.tsv} that
 * says which file is what: layer, type, shape, stride, padding, file of weights, file of biases.
 */
final class RawWeights {

  /** The name of the file that lists the others. */
  static final String MANIFEST = "manifest.tsv";

  /** Where the manifest lies if not in the folder itself; named after the layout of the kernels. */
  private static final String SUBFOLDER = "oihw";

  private static final int COLUMNS = 7;

  private final Path manifest;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private RawWeights(Path manifest) {
    this.manifest = manifest;
  }

  /**
   * Reads the manifest, and no weights yet.
   *
   * @param folder a folder with the manifest in it or in its subfolder {@code oihw}
   * @throws IOException if there is no manifest, or it cannot be made sense of
   */
  static RawWeights open(Path folder) throws IOException {
    Path manifest = folder.resolve(MANIFEST);
    if (!Files.isRegularFile(manifest)) {
      manifest = folder.resolve(SUBFOLDER).resolve(MANIFEST);
    }
    if (!Files.isRegularFile(manifest)) {
      throw new NoSuchFileException(
          folder.resolve(MANIFEST).toString(),
          null,
          "expected the list of the weight files here or in the subfolder " + SUBFOLDER);
    }
    RawWeights weights = new RawWeights(manifest);
    weights.parse(Files.readAllLines(RegularFile.require(manifest)));
    return weights;
  }

  private void parse(List<String> lines) throws IOException {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.isBlank()) {
        continue;
      }
      try {
        Entry entry = Entry.parse(line);
        entries.put(entry.name, entry);
      } catch (IllegalArgumentException e) {
        throw new IOException(manifest + ", line " + (i + 1) + ": " + e.getMessage(), e);
      }
    }
  }

  /**
   * What the manifest says of a layer.
   *
   * @throws IOException if it says nothing, or that its weights have another number of dimensions
   */
  Entry entry(String layer, int rank) throws IOException {
    Entry entry = entries.get(layer);
    if (entry == null) {
      throw new IOException(manifest + " lists no layer " + layer);
    }
    if (entry.shape.length != rank) {
      throw wrongShape(entry, rank + " dimensions");
    }
    return entry;
  }

  /** Makes sure that a layer has weights of the shape that the graph has room for. */
  void requireShape(Entry entry, long... shape) throws IOException {
    if (!Arrays.equals(entry.shape, shape)) {
      throw wrongShape(entry, dimensions(shape));
    }
  }

  private IOException wrongShape(Entry entry, String wanted) {
    return new IOException(
        manifest + ": " + entry.name + " needs " + wanted + ", got " + dimensions(entry.shape));
  }

  /** The weights of a layer, in the shape that the manifest gives. */
  INDArray weights(Entry entry) throws IOException {
    return read(entry.weightFile, entry.shape);
  }

  /** The biases of a layer, as a row [1, outputs]. */
  INDArray biases(Entry entry) throws IOException {
    return read(entry.biasFile, 1, entry.outputs());
  }

  private INDArray read(String name, long... shape) throws IOException {
    Path file = manifest.resolveSibling(name);
    long count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    long expected = Math.multiplyExact(count, Float.BYTES);
    String wanted = "expected " + expected + " bytes, float32 " + dimensions(shape);
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(file.toString(), null, "missing: " + wanted);
    }
    byte[] bytes = Files.readAllBytes(RegularFile.require(file));
    if (bytes.length != expected) {
      throw new IOException(file + ": " + wanted + ", got " + bytes.length + " bytes");
    }
    float[] values = new float[Math.toIntExact(count)];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
    return Nd4j.createFromArray(values).reshape(shape);
  }

  /** The manifest's own way to write a shape, as in 64x3x7x7. */
  private static String dimensions(long... shape) {
    return Arrays.toString(shape).replaceAll("[\\[\\] ]", "").replace(',', 'x');
  }

  /** One line of the manifest. */
  record Entry(
      String name, long[] shape, int stride, int padding, String weightFile, String biasFile) {

    private static Entry parse(String line) {
      String[] columns = line.split("\t");
      if (columns.length != COLUMNS) {
        throw new IllegalArgumentException(
            "expected " + COLUMNS + " columns with tabs between them, got " + columns.length);
      }
      return new Entry(
          columns[0],
          Arrays.stream(columns[2].split("x", -1)).mapToLong(Long::parseLong).toArray(),
          setting("stride", columns[3]),
          setting("pad", columns[4]),
          columns[5],
          columns[6]);
    }

    private static int setting(String key, String column) {
      if (!column.startsWith(key + "=")) {
        throw new IllegalArgumentException("expected " + key + "=<number>, got " + column);
      }
      return Integer.parseInt(column.substring(key.length() + 1));
    }

    int outputs() {
      return (int) shape[0];
    }

    /** Height and width of the kernel. */
    int[] kernel() {
      return Arrays.stream(shape).skip(2).mapToInt(Math::toIntExact).toArray();
    }
  }
}
