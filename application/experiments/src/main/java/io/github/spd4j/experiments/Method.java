/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.DataSetKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.ResourceBundle;

/**
 * The methods of the paper's tables, and others that came before or after it.
 *
 * <p>The paper's figures are in {@code paper.properties}: those of Table 2, and for the methods
 * that are missing there those of Table 1. Table 1 repeats three of the others, with one
 * difference: B-CNN has 69.6 on DTD there. The paper's Deep-TEN is on a ResNet-50, with more and
 * larger images.
 */
public enum Method {
  /** Improved Fisher vectors. */
  FV_CNN("fv-cnn", "FV-CNN", "Fisher vectors", "Fisher vectors", 0),

  /** The same, joined with the fully connected layers, or average pooling where there are none. */
  FV_FC_CNN(
      "fv-fc-cnn",
      "FV-FC-CNN",
      "Fisher vectors and the backbone's own layers",
      "Fisher vectors, joined",
      0),

  /** The encoding layer of Deep-TEN. */
  DEEP_TEN("deep-ten", "Deep-TEN", "residual encoding", 128),

  /** The backbone's own fully connected layers, or average pooling where it has none. */
  VGG_16("vgg-16", "VGG-16", "The backbone's own layers", "fully connected", 0),

  /** The same after a 1×1 convolution; always with average pooling. */
  CONV_512_VGG_16(
      "conv512-vgg-16",
      "512 conv 1×1 + VGG-16",
      "512 conv 1×1 + average pooling",
      "average pooling",
      512),

  /** Bilinear pooling. */
  B_CNN("b-cnn", "B-CNN", "Bilinear pooling", "bilinear", 0),

  /** Bilinear pooling after a 1×1 convolution. */
  CONV_512_B_CNN(
      "conv512-b-cnn", "512 conv 1×1 + B-CNN", "512 conv 1×1 + bilinear pooling", "bilinear", 512),

  /** The kernel matrix, straight to the classifier. */
  KERNEL("kernel", "no conv 1×1 + Kernel Aggregation Layer", "Kernel matrix", "kernel", 0),

  /** The same after a 1×1 convolution to 128 maps. */
  CONV_128_KERNEL(
      "conv128-kernel",
      "128 conv 1×1 + Kernel Aggregation Layer",
      "128 conv 1×1 + kernel matrix",
      "kernel",
      128),

  /** The same after a 1×1 convolution to 512 maps. */
  CONV_512_KERNEL(
      "conv512-kernel",
      "512 conv 1×1 + Kernel Aggregation Layer",
      "512 conv 1×1 + kernel matrix",
      "kernel",
      512),

  /** The whole method: convolution, kernel matrix, SPD transform, vectorisation. */
  SPD("spd", "Ours", "SPD head", "spd", 512),

  /** The whole method with a matrix square root in place of the entries' roots. */
  SPD_ROOT(
      "spd-root",
      "Ours, matrix square root",
      "SPD head, matrix square root",
      "spd with matrix square root",
      512),

  /** Covariance pooling with matrix square root. */
  ISQRT_COV("isqrt-cov", "iSQRT-COV", "matrix square root", 256),

  /** The logarithm of the kernel matrix. */
  LOG_EUCLIDEAN("log-euclidean", "Log-Euclidean", "logarithm", 128),

  /** Covariance pooling with a power of the matrix, by eigenvalues. */
  MPN_COV("mpn-cov", "MPN-COV", "matrix power", 256),

  /** Covariance pooling with the shrinkage of Ledoit and Wolf and matrix square root. */
  LEDOIT_WOLF(
      "ledoit-wolf", "iSQRT-COV, Ledoit-Wolf", "matrix square root of a shrunk covariance", 256),

  /** Covariance pooling with adaptive dropout of feature maps. */
  DROP_COV("dropcov", "DropCov", "covariance with dropout", 256),

  /** Sparse inverse of the covariance. */
  ISICE("isice", "iSICE", "sparse inverse", 128),

  /** The coordinates of the kernel matrix in the log-Cholesky metric. */
  LOG_CHOLESKY("log-cholesky", "Log-Cholesky", "log-Cholesky", 128),

  /** Logistic regression of the kernel matrix in the log-Euclidean metric. */
  SPD_CLASSIFIER(
      "spd-classifier",
      "SPD classifier, log-Euclidean",
      "classifier in the log-Euclidean metric",
      128),

  /** Logistic regression of the kernel matrix in the log-Cholesky metric. */
  SPD_CLASSIFIER_CHOLESKY(
      "spd-classifier-cholesky",
      "SPD classifier, log-Cholesky",
      "classifier in the log-Cholesky metric",
      128),

  /** Transform, rectified eigenvalues and logarithm of the covariance. */
  SPD_NET("spdnet", "SPDNet", "SPDNet", 128),

  /** SPDNet with a batch normalisation of its matrices. */
  SPD_NET_BN("spdnet-bn", "SPDNet, LieBN", "SPDNet with batch normalisation", 128),

  /** SPDNet with a dropout of rows and columns of its matrices. */
  SPD_NET_DROPOUT("spdnet-dropout", "SPDNet, dropout", "SPDNet with dropout", 128),

  /** SPDNet with a residual connection in the log-Euclidean metric. */
  SPD_NET_RESIDUAL("spdnet-residual", "SPDNet, residual", "SPDNet with a residual connection", 128),

  /** The logarithm of a covariance whose trace is normalised. */
  TRACE(
      "trace",
      "Log-Euclidean, trace normalised",
      "logarithm of a covariance of normalised trace",
      128),

  /** The logarithm of a covariance whose trace is normalised and whose shrinkage is fixed. */
  FIXED_SHRINKAGE(
      "fixed-shrinkage",
      "Log-Euclidean, fixed shrinkage",
      "logarithm of a covariance of fixed shrinkage",
      128),

  /** The logarithm of a covariance whose trace is normalised and whose shrinkage is learnt. */
  SHRINKAGE(
      "shrinkage", "Log-Euclidean, learnt shrinkage", "logarithm of a shrunk covariance", 128),

  /** A tensor sketch of bilinear pooling. */
  COMPACT_BILINEAR("compact-bilinear", "Compact bilinear", "compact bilinear", 0);

  private static final String PAPER = "io.github.spd4j.experiments.paper";

  private static final DataSetKind[] COLUMNS = {
    DataSetKind.DTD, DataSetKind.FMD, DataSetKind.KTH_TIPS_2B, DataSetKind.CUB, DataSetKind.AIRCRAFT
  };

  private final String key;
  private final String paperTitle;
  private final String headTitle;

  /** What comes after the 1×1 convolution, as runs are stored with it. */
  final String head;

  /** The channels of the 1×1 convolution, 0 for none. */
  final int convolution;

  Method(String key, String title, String head, int convolution) {
    this(key, title, title, head, convolution);
  }

  Method(String key, String paperTitle, String headTitle, String head, int convolution) {
    this.key = key;
    this.paperTitle = paperTitle;
    this.headTitle = headTitle;
    this.head = head;
    this.convolution = convolution;
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
   * The name for people.
   *
   * @param besideThePaper whether it stands beside the paper's figures
   * @return the name in the paper's tables there, elsewhere what the head is
   */
  public String title(boolean besideThePaper) {
    return besideThePaper ? paperTitle : headTitle;
  }

  /** Whether a mixture is fitted to the features before anything is trained. */
  boolean hasMixture() {
    return this == FV_CNN || this == FV_FC_CNN;
  }

  /**
   * Whether the paper has figures for a data set.
   *
   * @param kind the data set
   * @return whether any method has one
   */
  public static boolean areInPaper(DataSetKind kind) {
    return Arrays.stream(values()).anyMatch(method -> method.paperFigure(kind).isPresent());
  }

  /**
   * The paper's figure.
   *
   * @param kind the data set
   * @return percent, or nothing if the paper has no such column or row
   */
  public OptionalDouble paperFigure(DataSetKind kind) {
    ResourceBundle figures = ResourceBundle.getBundle(PAPER);
    DataSetKind same = kind == DataSetKind.DTD_OFFICIAL ? DataSetKind.DTD : kind;
    int column = Arrays.asList(COLUMNS).indexOf(same);
    if (column < 0 || !figures.containsKey(key)) {
      return OptionalDouble.empty();
    }
    double figure = Double.parseDouble(figures.getString(key).split("\\s+")[column]);
    return Double.isNaN(figure) ? OptionalDouble.empty() : OptionalDouble.of(figure);
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
   * @return the keys
   */
  public static List<String> keys() {
    return Arrays.stream(values()).map(Method::key).toList();
  }
}
