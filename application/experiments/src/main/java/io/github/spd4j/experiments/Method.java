/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.Part;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.train.plan.LayerGroup;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.ResourceBundle;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.deeplearning4j.exception.DL4JInvalidConfigException;

/**
 * The methods of the paper's tables, and others that came before or after it: what each is called,
 * the channels of its 1×1 convolution, and the recipe of its head. The command line, the tables and
 * the benchmark take them from here.
 *
 * <p>The paper's figures are in {@code paper.properties}: those of Table 2, and for the methods
 * that are missing there those of Table 1. Table 1 repeats three of the others, with one
 * difference: B-CNN has 69.6 on DTD there. The paper's Deep-TEN is on a ResNet-50, with more and
 * larger images.
 */
public enum Method {
  /** Improved Fisher vectors. */
  FV_CNN(
      "fv-cnn",
      "FV-CNN",
      "Fisher vectors",
      "Fisher vectors",
      0,
      recipe -> recipe.normalised(recipe.fisherVectors())),

  /** The same, joined with the fully connected layers, or average pooling where there are none. */
  FV_FC_CNN(
      "fv-fc-cnn",
      "FV-FC-CNN",
      "Fisher vectors and the backbone's own layers",
      "Fisher vectors, joined",
      "Fisher vectors, joined with average pooling",
      0,
      recipe -> recipe.normalised(recipe.fisherVectors()).withFullyConnected()),

  /** The encoding layer of Deep-TEN. */
  DEEP_TEN(
      "deep-ten",
      "Deep-TEN",
      "residual encoding",
      128,
      recipe -> recipe.scaled(Head.deepTen()).batchNormalization()),

  /** The backbone's own fully connected layers, or average pooling where it has none. */
  VGG_16(
      "vgg-16",
      "VGG-16",
      "The backbone's own layers",
      "fully connected",
      "average pooling",
      0,
      recipe -> recipe.hasFullyConnected() ? Head.fullyConnected() : Head.averagePooling()),

  /** The same after a 1×1 convolution; always with average pooling. */
  CONV_512_VGG_16(
      "conv512-vgg-16",
      "512 conv 1×1 + VGG-16",
      "512 conv 1×1 + average pooling",
      "average pooling",
      512,
      recipe -> Head.averagePooling()),

  /** Bilinear pooling. */
  B_CNN(
      "b-cnn",
      "B-CNN",
      "Bilinear pooling",
      "bilinear",
      0,
      recipe -> recipe.normalised(Head.bilinear())),

  /** Bilinear pooling after a 1×1 convolution. */
  CONV_512_B_CNN(
      "conv512-b-cnn",
      "512 conv 1×1 + B-CNN",
      "512 conv 1×1 + bilinear pooling",
      "bilinear",
      512,
      recipe -> recipe.normalised(Head.bilinear())),

  /** The kernel matrix, straight to the classifier. */
  KERNEL(
      "kernel",
      "no conv 1×1 + Kernel Aggregation Layer",
      "Kernel matrix",
      "kernel",
      0,
      recipe -> recipe.scaledByWidth(recipe.kernel(Head.kernelOnly()))),

  /** The same after a 1×1 convolution to 128 maps. */
  CONV_128_KERNEL(
      "conv128-kernel",
      "128 conv 1×1 + Kernel Aggregation Layer",
      "128 conv 1×1 + kernel matrix",
      "kernel",
      128,
      recipe -> recipe.scaledByWidth(recipe.kernel(Head.kernelOnly()))),

  /** The same after a 1×1 convolution to 512 maps. */
  CONV_512_KERNEL(
      "conv512-kernel",
      "512 conv 1×1 + Kernel Aggregation Layer",
      "512 conv 1×1 + kernel matrix",
      "kernel",
      512,
      recipe -> recipe.scaledByWidth(recipe.kernel(Head.kernelOnly()))),

  /** The whole method: convolution, kernel matrix, SPD transform, vectorisation. */
  SPD(
      "spd",
      "Ours",
      "SPD head",
      "spd",
      512,
      recipe -> recipe.normalised(recipe.kernel(Head.spd(recipe.transform(recipe.width()))))),

  /** The whole method with a matrix square root in place of the entries' roots. */
  SPD_ROOT(
      "spd-root",
      "Ours, matrix square root",
      "SPD head, matrix square root",
      "spd with matrix square root",
      512,
      recipe -> recipe.scaled(recipe.kernel(Head.spdRoot(recipe.transform(recipe.width() / 2))))),

  /** Covariance pooling with matrix square root. */
  ISQRT_COV(
      "isqrt-cov",
      "iSQRT-COV",
      "matrix square root",
      256,
      recipe -> recipe.scaled(Head.covarianceRoot())),

  /** The logarithm of the kernel matrix. */
  LOG_EUCLIDEAN(
      "log-euclidean",
      "Log-Euclidean",
      "logarithm",
      128,
      recipe -> recipe.scaled(recipe.kernel(Head.logEuclidean()))),

  /** Covariance pooling with a power of the matrix, by eigenvalues. */
  MPN_COV(
      "mpn-cov",
      "MPN-COV",
      "matrix power",
      256,
      recipe -> recipe.scaled(Head.covariancePower(recipe.exponent()))),

  /** Covariance pooling with the shrinkage of Ledoit and Wolf and matrix square root. */
  LEDOIT_WOLF(
      "ledoit-wolf",
      "iSQRT-COV, Ledoit-Wolf",
      "matrix square root of a shrunk covariance",
      256,
      recipe -> recipe.scaled(Head.covarianceRoot().kernel(new LedoitWolfKernel()))),

  /** Covariance pooling with adaptive dropout of feature maps. */
  DROP_COV(
      "dropcov",
      "DropCov",
      "covariance with dropout",
      256,
      recipe -> recipe.normalised(Head.dropCov())),

  /** Sparse inverse of the covariance. */
  ISICE(
      "isice", "iSICE", "sparse inverse", 128, recipe -> recipe.scaled(Head.partialCorrelation())),

  /** The coordinates of the kernel matrix in the log-Cholesky metric. */
  LOG_CHOLESKY(
      "log-cholesky",
      "Log-Cholesky",
      "log-Cholesky",
      128,
      recipe -> recipe.kernel(Head.logCholesky())),

  /** Logistic regression of the kernel matrix in the log-Euclidean metric. */
  SPD_CLASSIFIER(
      "spd-classifier",
      "SPD classifier, log-Euclidean",
      "classifier in the log-Euclidean metric",
      128,
      recipe -> recipe.kernel(Head.spdClassifier(LogMetric.EUCLIDEAN))),

  /** Logistic regression of the kernel matrix in the log-Cholesky metric. */
  SPD_CLASSIFIER_CHOLESKY(
      "spd-classifier-cholesky",
      "SPD classifier, log-Cholesky",
      "classifier in the log-Cholesky metric",
      128,
      recipe -> recipe.kernel(Head.spdClassifier(LogMetric.CHOLESKY))),

  /** Transform, rectified eigenvalues and logarithm of the covariance. */
  SPD_NET(
      "spdnet", "SPDNet", "SPDNet", 128, recipe -> recipe.scaled(Head.spdNet(recipe.width() / 2))),

  /** SPDNet with a batch normalisation of its matrices. */
  SPD_NET_BN(
      "spdnet-bn",
      "SPDNet, LieBN",
      "SPDNet with batch normalisation",
      128,
      recipe ->
          recipe
              .scaled(Head.spdNet(recipe.width() / 2))
              .before(
                  SpdGraft.FUNCTION,
                  Part.layer(
                      SpdGraft.MATRIX_NORMALIZATION,
                      () -> new SpdBatchNormalizationLayer.Builder().metric(LogMetric.CHOLESKY)))),

  /** SPDNet with a dropout of rows and columns of its matrices. */
  SPD_NET_DROPOUT(
      "spdnet-dropout",
      "SPDNet, dropout",
      "SPDNet with dropout",
      128,
      recipe ->
          recipe
              .scaled(Head.spdNet(recipe.width() / 2))
              .with(
                  LogEigLayer.Builder.class,
                  logarithm ->
                      logarithm.dropOut(new SpdDropout(0.9, 1e-3)))), // as small as a ridge

  /** SPDNet with a residual connection in the log-Euclidean metric. */
  SPD_NET_RESIDUAL(
      "spdnet-residual",
      "SPDNet, residual",
      "SPDNet with a residual connection",
      128,
      recipe -> recipe.scaled(Head.spdNet(recipe.width())).residual()),

  /** The logarithm of a covariance whose trace is normalised. */
  TRACE(
      "trace",
      "Log-Euclidean, trace normalised",
      "logarithm of a covariance of normalised trace",
      128,
      recipe -> recipe.scaled(logarithm(trace -> trace))),

  /** The logarithm of a covariance whose trace is normalised and whose shrinkage is fixed. */
  FIXED_SHRINKAGE(
      "fixed-shrinkage",
      "Log-Euclidean, fixed shrinkage",
      "logarithm of a covariance of fixed shrinkage",
      128,
      recipe -> recipe.scaled(logarithm(trace -> trace.shrinkage(0.1)).ridge(0))),

  /** The logarithm of a covariance whose trace is normalised and whose shrinkage is learnt. */
  SHRINKAGE(
      "shrinkage",
      "Log-Euclidean, learnt shrinkage",
      "logarithm of a shrunk covariance",
      128,
      recipe -> recipe.scaled(logarithm(trace -> trace.learntFrom(0.1)).ridge(0))),

  /** A tensor sketch of bilinear pooling. */
  COMPACT_BILINEAR(
      "compact-bilinear",
      "Compact bilinear",
      "compact bilinear",
      0,
      recipe -> recipe.normalised(Head.compactBilinear(recipe.sketch())));

  private static final int USUAL_MAPS = 512;

  private static final String PAPER = "io.github.spd4j.experiments.paper";

  private static final DataSetKind[] COLUMNS = {
    DataSetKind.DTD, DataSetKind.FMD, DataSetKind.KTH_TIPS_2B, DataSetKind.CUB, DataSetKind.AIRCRAFT
  };

  private final String key;
  private final String paperTitle;
  private final String headTitle;
  private final String words;
  private final String pooled;
  private final Function<Recipe, Head> maker;

  /** The channels of the 1×1 convolution, 0 for none. */
  final int convolution;

  /** A method that is called the same beside the paper's and elsewhere. */
  Method(String key, String title, String words, int convolution, Function<Recipe, Head> maker) {
    this(key, title, title, words, convolution, maker);
  }

  /** A method whose head is the same on all backbones. */
  Method(
      String key,
      String paperTitle,
      String headTitle,
      String words,
      int convolution,
      Function<Recipe, Head> maker) {
    this(key, paperTitle, headTitle, words, words, convolution, maker);
  }

  /**
   * Any method.
   *
   * @param key its name on the command line and in files
   * @param paperTitle its name in the paper's tables
   * @param headTitle its name elsewhere
   * @param words what comes after the 1×1 convolution, as runs are stored with it
   * @param pooled the same on a backbone without fully connected layers
   * @param convolution the channels of the 1×1 convolution, 0 for none
   * @param maker makes what comes after the convolution
   */
  Method(
      String key,
      String paperTitle,
      String headTitle,
      String words,
      String pooled,
      int convolution,
      Function<Recipe, Head> maker) {
    this.key = key;
    this.paperTitle = paperTitle;
    this.headTitle = headTitle;
    this.words = words;
    this.pooled = pooled;
    this.convolution = convolution;
    this.maker = maker;
  }

  /** The logarithm of a covariance whose trace is normalised, and perhaps its eigenvalues. */
  private static Head logarithm(UnaryOperator<ShrinkageLayer.Builder> trace) {
    return Head.logEuclidean()
        .kernel(new CovarianceKernel())
        .after(
            SpdGraft.AGGREGATION,
            Part.layer(
                SpdGraft.SHRINKAGE,
                () -> trace.apply(new ShrinkageLayer.Builder().traceNormalization(true))));
  }

  /**
   * The head of this method.
   *
   * @param settings how it is made
   * @param maps the backbone's feature maps
   * @param hasFullyConnected whether the backbone has pretrained fully connected layers
   * @return the head, and what it is made of
   * @throws UserException if there is none with these settings
   */
  public Recipe recipe(HeadSettings settings, int maps, boolean hasFullyConnected) {
    try {
      return new Recipe(this, settings, maps, hasFullyConnected);
    } catch (IllegalArgumentException | DL4JInvalidConfigException e) { // such as too few maps
      throw new UserException("no network can be made so: " + e.getMessage(), e);
    }
  }

  /**
   * The head of this method on a backbone.
   *
   * @param settings how it is made
   * @param backbone what it is put onto
   * @return the head, and what it is made of
   */
  public Recipe recipe(HeadSettings settings, Backbone backbone) {
    SpdGraft graft = SpdGraft.onto(backbone);
    return recipe(settings, graft.featureMaps(), graft.hasFullyConnected());
  }

  /**
   * Whether the head depends on a setting.
   *
   * @param setting the name of a field
   * @param settings the other ones: a kernel without bandwidth takes none, for example
   * @return whether the recipe asks for it
   * @throws UserException if there is no head with these settings
   */
  public boolean asksFor(String setting, HeadSettings settings) {
    return recipe(settings, USUAL_MAPS, true).asked().contains(setting);
  }

  /**
   * Whether a network of this method may have layers of a group that has a learning rate.
   *
   * @param group the group
   * @param settings how the head is made
   * @return false for transforms and convolutions that the head does not have
   * @throws UserException if there is no head with these settings
   */
  public boolean has(LayerGroup group, HeadSettings settings) {
    List<Part> parts = recipe(settings, USUAL_MAPS, true).head().parts();
    switch (group) {
      case TRANSFORM:
        return parts.stream().anyMatch(part -> part.name().startsWith(SpdGraft.TRANSFORM));
      case CONVOLUTION:
        return parts.stream().anyMatch(part -> part.name().equals(SpdGraft.CONVOLUTION));
      default:
        return true;
    }
  }

  Head made(Recipe from) {
    return maker.apply(from);
  }

  /** What comes after the 1×1 convolution, as runs are stored with it. */
  String stored(boolean hasFullyConnected) {
    return hasFullyConnected ? words : pooled;
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

  /**
   * The name for people of what the head is on a backbone without fully connected layers.
   *
   * @return the title, or what takes the place of the backbone's own layers
   */
  public String titleOfPooled() {
    return pooled.equals(words)
        ? headTitle
        : Character.toUpperCase(pooled.charAt(0)) + pooled.substring(1);
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
