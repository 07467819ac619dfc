/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.internal.files.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.ArrayUtils;
import org.deeplearning4j.nn.modelimport.keras.Hdf5Archive;
import org.deeplearning4j.nn.modelimport.keras.exceptions.UnsupportedKerasConfigurationException;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The weights of layers in an HDF5 file of Keras.
 *
 * <p>Versions of Keras differ in what they call the arrays of a layer ({@code block1_conv1_W_1:0},
 * {@code block1_conv1/kernel:0}) and in where its group lies (at the top, or in {@code
 * model_weights}). So kernel and bias of a convolution are told apart by their rank, four and one.
 */
final class KerasWeights implements AutoCloseable {

  private static final byte[] SIGNATURE = {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  private static final String WHOLE_MODEL = "model_weights";

  private final Path file;
  private final Hdf5Archive archive;
  private final String[] top;

  KerasWeights(Path file) {
    requireSignature(file);
    this.file = file;
    try {
      this.archive = new Hdf5Archive(file.toString());
      this.top =
          archive.getGroups().contains(WHOLE_MODEL) ? new String[] {WHOLE_MODEL} : new String[0];
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("expected an HDF5 file that can be read, got " + file, e);
    }
  }

  /** The HDF5 library writes to standard error when it is given anything else. */
  private static void requireSignature(Path file) {
    byte[] start;
    try (InputStream stream = Files.newInputStream(RegularFile.require(file))) {
      start = stream.readNBytes(SIGNATURE.length);
    } catch (IOException e) {
      throw new IllegalArgumentException("expected a file that can be read, got " + file, e);
    }
    if (!Arrays.equals(start, SIGNATURE)) {
      throw new IllegalArgumentException("expected an HDF5 file, got " + file);
    }
  }

  /** The kernel of a convolution, in DL4J's order [out, in, height, width]. */
  INDArray kernel(String layer, long... shape) {
    INDArray stored = only(layer, 4); // [height, width, in, out]
    return requireShape(layer, "kernel", stored.permute(3, 2, 0, 1), shape);
  }

  INDArray bias(String layer, long length) {
    return requireShape(layer, "bias", only(layer, 1), length);
  }

  /** One of the vectors of a batch normalisation: gamma, beta, moving_mean or moving_variance. */
  INDArray vector(String layer, String name, long length) {
    Map<String, INDArray> found = arrays(layer);
    found.keySet().removeIf(key -> !key.substring(key.lastIndexOf('/')).contains(name));
    return requireShape(layer, name, only(found, layer, name), length);
  }

  private INDArray only(String layer, int rank) {
    Map<String, INDArray> found = arrays(layer);
    found.values().removeIf(array -> array.rank() != rank);
    return only(found, layer, "array of rank " + rank);
  }

  private INDArray only(Map<String, INDArray> found, String layer, String what) {
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          String.format("expected one %s for %s in %s, got %d", what, layer, file, found.size()));
    }
    return found.values().iterator().next();
  }

  private Map<String, INDArray> arrays(String layer) {
    List<String> layers = archive.getGroups(top);
    if (!layers.contains(layer)) {
      throw new IllegalArgumentException(
          "expected the weights of " + layer + " in " + file + ", got those of " + layers);
    }
    Map<String, INDArray> found = new HashMap<>();
    collect(found, ArrayUtils.add(top, layer));
    return found;
  }

  /** Reads all arrays below a group, by their paths. */
  private void collect(Map<String, INDArray> arrays, String... group) {
    try {
      for (String name : archive.getDataSets(group)) {
        arrays.put(String.join("/", group) + "/" + name, archive.readDataSet(name, group));
      }
    } catch (UnsupportedKerasConfigurationException e) {
      throw new IllegalArgumentException("expected weights of Keras, got " + file, e);
    }
    for (String name : archive.getGroups(group)) {
      collect(arrays, ArrayUtils.add(group, name));
    }
  }

  private INDArray requireShape(String layer, String what, INDArray array, long... shape) {
    if (!Arrays.equals(array.shape(), shape)) {
      throw new IllegalArgumentException(
          String.format(
              "expected a %s of shape %s for %s in %s, got %s",
              what, Arrays.toString(shape), layer, file, Arrays.toString(array.shape())));
    }
    return array;
  }

  @Override
  public void close() {
    archive.close();
  }
}
