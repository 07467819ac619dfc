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
  FV_CNN("fv-cnn", "FV-CNN", "Fisher vectors", Family.FISHER, 0),

  /** The same, joined with the fully connected layers, or average pooling where there are none. */
  FV_FC_CNN(
      "fv-fc-cnn",
      "FV-FC-CNN",
      "Fisher vectors and the backbone's own layers",
      Family.FISHER_JOINED,
      0),

  /** The encoding layer of Deep-TEN. */
  DEEP_TEN("deep-ten", "Deep-TEN", Family.DEEP_TEN, 128),

  /** The backbone's own fully connected layers, or average pooling where it has none. */
  VGG_16("vgg-16", "VGG-16", "The backbone's own layers", Family.CLASSIFIER, 0),

  /** The same after a 1×1 convolution; always with average pooling. */
  CONV_512_VGG_16(
      "conv512-vgg-16",
      "512 conv 1×1 + VGG-16",
      "512 conv 1×1 + average pooling",
      Family.AVERAGE,
      512),

  /** Bilinear pooling. */
  B_CNN("b-cnn", "B-CNN", "Bilinear pooling", Family.BILINEAR, 0),

  /** Bilinear pooling after a 1×1 convolution. */
  CONV_512_B_CNN(
      "conv512-b-cnn",
      "512 conv 1×1 + B-CNN",
      "512 conv 1×1 + bilinear pooling",
      Family.BILINEAR,
      512),

  /** The kernel matrix, straight to the classifier. */
  KERNEL("kernel", "no conv 1×1 + Kernel Aggregation Layer", "Kernel matrix", Family.KERNEL, 0),

  /** The same after a 1×1 convolution to 128 maps. */
  CONV_128_KERNEL(
      "conv128-kernel",
      "128 conv 1×1 + Kernel Aggregation Layer",
      "128 conv 1×1 + kernel matrix",
      Family.KERNEL,
      128),

  /** The same after a 1×1 convolution to 512 maps. */
  CONV_512_KERNEL(
      "conv512-kernel",
      "512 conv 1×1 + Kernel Aggregation Layer",
      "512 conv 1×1 + kernel matrix",
      Family.KERNEL,
      512),

  /** The whole method: convolution, kernel matrix, SPD transform, vectorisation. */
  SPD("spd", "Ours", "SPD head", Family.SPD, 512),

  /** The whole method with a matrix square root in place of the entries' roots. */
  SPD_ROOT(
      "spd-root", "Ours, matrix square root", "SPD head, matrix square root", Family.SPD_ROOT, 512),

  /** Covariance pooling with matrix square root. */
  ISQRT_COV("isqrt-cov", "iSQRT-COV", Family.ROOT, 256),

  /** The logarithm of the kernel matrix. */
  LOG_EUCLIDEAN("log-euclidean", "Log-Euclidean", Family.LOGARITHM, 128),

  /** Covariance pooling with a power of the matrix, by eigenvalues. */
  MPN_COV("mpn-cov", "MPN-COV", Family.POWER, 256),

  /** Covariance pooling with the shrinkage of Ledoit and Wolf and matrix square root. */
  LEDOIT_WOLF("ledoit-wolf", "iSQRT-COV, Ledoit-Wolf", Family.SHRUNK_ROOT, 256),

  /** Covariance pooling with adaptive dropout of feature maps. */
  DROP_COV("dropcov", "DropCov", Family.DROP_COV, 256),

  /** Sparse inverse of the covariance. */
  ISICE("isice", "iSICE", Family.SPARSE_INVERSE, 128),

  /** The coordinates of the kernel matrix in the log-Cholesky metric. */
  LOG_CHOLESKY("log-cholesky", "Log-Cholesky", Family.LOG_CHOLESKY, 128),

  /** Logistic regression of the kernel matrix in the log-Euclidean metric. */
  SPD_CLASSIFIER("spd-classifier", "SPD classifier, log-Euclidean", Family.MATRIX_CLASSIFIER, 128),

  /** Logistic regression of the kernel matrix in the log-Cholesky metric. */
  SPD_CLASSIFIER_CHOLESKY(
      "spd-classifier-cholesky", "SPD classifier, log-Cholesky", Family.CHOLESKY_CLASSIFIER, 128),

  /** Transform, rectified eigenvalues and logarithm of the covariance. */
  SPD_NET("spdnet", "SPDNet", Family.SPD_NET, 128),

  /** SPDNet with a batch normalisation of its matrices. */
  SPD_NET_BN("spdnet-bn", "SPDNet, LieBN", Family.SPD_NET_BN, 128),

  /** SPDNet with a dropout of rows and columns of its matrices. */
  SPD_NET_DROPOUT("spdnet-dropout", "SPDNet, dropout", Family.SPD_NET_DROPOUT, 128),

  /** SPDNet with a residual connection in the log-Euclidean metric. */
  SPD_NET_RESIDUAL("spdnet-residual", "SPDNet, residual", Family.SPD_NET_RESIDUAL, 128),

  /** The logarithm of a covariance whose trace is normalised. */
  TRACE("trace", "Log-Euclidean, trace normalised", Family.NORMALIZED_LOGARITHM, 128),

  /** The logarithm of a covariance whose trace is normalised and whose shrinkage is learnt. */
  SHRINKAGE("shrinkage", "Log-Euclidean, learnt shrinkage", Family.SHRUNK_LOGARITHM, 128),

  /** A tensor sketch of bilinear pooling. */
  COMPACT_BILINEAR("compact-bilinear", "Compact bilinear", Family.COMPACT, 0);

  /** What comes after the 1×1 convolution. */
  enum Family {
    CLASSIFIER("fully connected"),
    AVERAGE("average pooling"),
    BILINEAR("bilinear"),
    KERNEL("kernel"),
    SPD("spd"),
    SPD_ROOT("spd with matrix square root"),
    FISHER("Fisher vectors"),
    FISHER_JOINED("Fisher vectors, joined"),
    DEEP_TEN("residual encoding"),
    ROOT("matrix square root"),
    POWER("matrix power"),
    SHRUNK_ROOT("matrix square root of a shrunk covariance"),
    DROP_COV("covariance with dropout"),
    SPARSE_INVERSE("sparse inverse"),
    LOGARITHM("logarithm"),
    LOG_CHOLESKY("log-Cholesky"),
    MATRIX_CLASSIFIER("classifier in the log-Euclidean metric"),
    CHOLESKY_CLASSIFIER("classifier in the log-Cholesky metric"),
    SPD_NET("SPDNet"),
    SPD_NET_BN("SPDNet with batch normalisation"),
    SPD_NET_DROPOUT("SPDNet with dropout"),
    SPD_NET_RESIDUAL("SPDNet with a residual connection"),
    NORMALIZED_LOGARITHM("logarithm of a covariance of normalised trace"),
    SHRUNK_LOGARITHM("logarithm of a shrunk covariance"),
    COMPACT("compact bilinear");

    final String title;

    Family(String title) {
      this.title = title;
    }
  }

  private static final String PAPER = "io.github.spd4j.experiments.paper";

  private static final DataSetKind[] COLUMNS = {
    DataSetKind.DTD, DataSetKind.FMD, DataSetKind.KTH_TIPS_2B, DataSetKind.CUB, DataSetKind.AIRCRAFT
  };

  private final String key;
  private final String paperTitle;
  private final String headTitle;
  final Family family;

  /** The channels of the 1×1 convolution, 0 for none. */
  final int convolution;

  Method(String key, String title, Family family, int convolution) {
    this(key, title, title, family, convolution);
  }

  Method(String key, String paperTitle, String headTitle, Family family, int convolution) {
    this.key = key;
    this.paperTitle = paperTitle;
    this.headTitle = headTitle;
    this.family = family;
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
    return family == Family.FISHER || family == Family.FISHER_JOINED;
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
