/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.examples.datasets.DataSetKind;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * The methods of the paper's tables that are made of layers of this library or of DL4J, with the
 * paper's figures.
 *
 * <p>The figures are those of Table 2, where every one of these methods stands. Table 1 repeats
 * three of them, with one difference: B-CNN has 69.6 on DTD there.
 */
public enum Method {
  /** The backbone's own fully connected layers, or average pooling where it has none. */
  VGG_16("vgg-16", "VGG-16", Family.CLASSIFIER, 0, 66.8, 77.8, 78.3, 68.0, 75.0),

  /** The same after a 1×1 convolution; always with average pooling. */
  CONV_512_VGG_16(
      "conv512-vgg-16", "512 conv 1×1 + VGG-16", Family.AVERAGE, 512, 64.5, 74.3, 76.7, 64.5, 75.1),

  /** Bilinear pooling. */
  B_CNN("b-cnn", "B-CNN", Family.BILINEAR, 0, 67.9, 77.8, 79.7, 74.0, 74.3),

  /** Bilinear pooling after a 1×1 convolution. */
  CONV_512_B_CNN(
      "conv512-b-cnn", "512 conv 1×1 + B-CNN", Family.BILINEAR, 512, 66.3, 74.9, 77.9, 67.2, 65.3),

  /** The kernel matrix, straight to the classifier. */
  KERNEL(
      "kernel",
      "no conv 1×1 + Kernel Aggregation Layer",
      Family.KERNEL,
      0,
      66.8,
      76.7,
      81.0,
      72.2,
      75.8),

  /** The same after a 1×1 convolution to 128 maps. */
  CONV_128_KERNEL(
      "conv128-kernel",
      "128 conv 1×1 + Kernel Aggregation Layer",
      Family.KERNEL,
      128,
      67.8,
      78.3,
      81.1,
      64.6,
      72.3),

  /** The same after a 1×1 convolution to 512 maps. */
  CONV_512_KERNEL(
      "conv512-kernel",
      "512 conv 1×1 + Kernel Aggregation Layer",
      Family.KERNEL,
      512,
      67.1,
      78.6,
      81.3,
      72.1,
      76.7),

  /** The whole method: convolution, kernel matrix, SPD transform, vectorisation. */
  SPD("spd", "Ours", Family.SPD, 512, 68.9, 79.2, 81.1, 72.4, 77.8);

  /** What comes after the 1×1 convolution. */
  enum Family {
    CLASSIFIER,
    AVERAGE,
    BILINEAR,
    KERNEL,
    SPD
  }

  private static final DataSetKind[] COLUMNS = {
    DataSetKind.DTD, DataSetKind.FMD, DataSetKind.KTH_TIPS_2B, DataSetKind.CUB, DataSetKind.AIRCRAFT
  };

  private final String key;
  private final String title;
  private final Family family;
  private final int convolution;
  private final double[] figures;

  Method(String key, String title, Family family, int convolution, double... figures) {
    this.key = key;
    this.title = title;
    this.family = family;
    this.convolution = convolution;
    this.figures = figures;
  }

  /**
   * The name on the command line and in files.
   *
   * @return a short name
   */
  public String key() {
    return key;
  }

  /**
   * The name in the paper's tables.
   *
   * @return the title
   */
  public String title() {
    return title;
  }

  Family family() {
    return family;
  }

  /** The channels of the 1×1 convolution, 0 for none. */
  int convolution() {
    return convolution;
  }

  /**
   * The paper's figure, from its Table 2.
   *
   * @param kind the data set
   * @return percent, or nothing if the paper has no such column
   */
  public OptionalDouble paperFigure(DataSetKind kind) {
    DataSetKind known = kind == DataSetKind.DTD_OFFICIAL ? DataSetKind.DTD : kind;
    int column = Arrays.asList(COLUMNS).indexOf(known);
    return column < 0 ? OptionalDouble.empty() : OptionalDouble.of(figures[column]);
  }

  /**
   * What Table 1 says where it differs from Table 2.
   *
   * @param kind the data set
   * @return percent, or nothing if the tables agree
   */
  public OptionalDouble otherFigure(DataSetKind kind) {
    return this == B_CNN && kind == DataSetKind.DTD
        ? OptionalDouble.of(69.6)
        : OptionalDouble.empty();
  }

  /**
   * Finds a method by its name on the command line.
   *
   * @param key the name
   * @return the method, if there is one
   */
  public static Optional<Method> find(String key) {
    return Arrays.stream(values()).filter(method -> method.key.equals(key)).findFirst();
  }

  /**
   * The names of all methods.
   *
   * @return the keys, separated by commas
   */
  public static String keys() {
    return Arrays.stream(values()).map(Method::key).collect(Collectors.joining(", "));
  }
}
