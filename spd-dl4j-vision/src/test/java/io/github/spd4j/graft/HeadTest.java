/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static io.github.spd4j.graft.SpdGraftTest.fineTune;
import static io.github.spd4j.graft.SpdGraftTest.fit;
import static io.github.spd4j.graft.SpdGraftTest.graft;
import static io.github.spd4j.graft.SpdGraftTest.images;
import static io.github.spd4j.graft.SpdGraftTest.layer;
import static io.github.spd4j.graft.SpdGraftTest.transforms;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Nesterovs;

/** What heads are made of, and that each trains and can be saved. */
class HeadTest {

  private static final Class<SpdVectorizationLayer> VECTOR = SpdVectorizationLayer.class;

  static Stream<Head> heads() {
    return Stream.of(
        Head.spd(),
        Head.spd(4),
        Head.spd(5, 4, 4).convolution(6).scale(10),
        Head.spd(5)
            .convolution(8)
            .identityStart()
            .kernel(new CovarianceKernel())
            .ridge(0.01)
            .with(
                SpdTransformLayer.Builder.class,
                transform -> transform.init(StiefelInit.IDENTITY).rectifier(Rectifier.RELU))
            .powerFloor(0.1),
        Head.kernelOnly(),
        Head.kernelOnly().convolution(5),
        Head.spd(4).kernel(new RbfKernel(Bandwidth.meanDistance().learnt())),
        Head.bilinear(),
        Head.bilinear().convolution(5).scale(10),
        Head.deepTen().with(TextureEncodingLayer.Builder.class, encoding -> encoding.words(4)),
        Head.deepTen()
            .convolution(5)
            .with(TextureEncodingLayer.Builder.class, encoding -> encoding.words(3))
            .scale(2),
        Head.covarianceRoot(),
        Head.dropCov().convolution(5),
        Head.partialCorrelation().convolution(5),
        Head.covarianceRoot()
            .convolution(5)
            .with(MatrixSquareRootLayer.Builder.class, root -> root.iterations(3))
            .l2Normalization(false),
        Head.covariancePower(0.25).convolution(5),
        Head.logEuclidean(),
        Head.logEuclidean()
            .kernel(new CovarianceKernel())
            .ridge(0.1)
            .with(LogEigLayer.Builder.class, logarithm -> logarithm.floor(0.01)),
        Head.logCholesky().convolution(5),
        Head.covarianceRoot().kernel(new LedoitWolfKernel()),
        Head.partialCorrelation().convolution(4),
        Head.spdRoot(4),
        Head.spdNet(5, 4),
        normalised(Head.spdNet(4), LogMetric.CHOLESKY),
        normalised(Head.spdNet(4), LogMetric.EUCLIDEAN).scale(10),
        Head.spdNet(4)
            .with(
                LogEigLayer.Builder.class,
                logarithm -> logarithm.dropOut(new SpdDropout(0.9, 1e-3))),
        Head.spdNet(5).convolution(5).residual(),
        shrunk(() -> new ShrinkageLayer.Builder().learntFrom(0.1)).convolution(5),
        shrunk(() -> new ShrinkageLayer.Builder().shrinkage(0.1)).convolution(5),
        shrunk(() -> new ShrinkageLayer.Builder()).convolution(5),
        Head.spdClassifier(LogMetric.EUCLIDEAN).convolution(5),
        Head.spdClassifier(LogMetric.CHOLESKY).convolution(5),
        classifierOfMatrices(LogMetric.EUCLIDEAN, 4),
        Head.compactBilinear(16),
        Head.compactBilinear(9)
            .with(CompactBilinearLayer.Builder.class, sketch -> sketch.seed(3))
            .convolution(5),
        Head.averagePooling(),
        Head.averagePooling().convolution(5),
        Head.fullyConnected());
  }

  private static Head normalised(Head head, LogMetric metric) {
    return head.before(
        SpdGraft.FUNCTION,
        Part.layer(
            SpdGraft.MATRIX_NORMALIZATION,
            () -> new SpdBatchNormalizationLayer.Builder().metric(metric)));
  }

  /** The logarithm of a covariance of normalised trace. */
  private static Head shrunk(Supplier<ShrinkageLayer.Builder> shrinkage) {
    return Head.logEuclidean()
        .kernel(new CovarianceKernel())
        .after(
            SpdGraft.AGGREGATION,
            Part.layer(SpdGraft.SHRINKAGE, () -> shrinkage.get().traceNormalization(true)));
  }

  /** SPDNet up to its last matrix, and a classifier on the manifold. */
  private static Head classifierOfMatrices(LogMetric metric, int... sizes) {
    return Head.spdNet(sizes)
        .without(SpdGraft.FUNCTION, SpdGraft.VECTOR)
        .classifier(() -> new SpdOutputLayer.Builder().metric(metric));
  }

  /** Those whose vector is as long as the maps make it. */
  static Stream<Head> headsThatWantSmallSteps() {
    return Stream.of(
        Head.averagePooling().convolution(6),
        Head.bilinear().l2Normalization(false).convolution(6),
        Head.kernelOnly().convolution(6),
        Head.spd(4).l2Normalization(false).convolution(6));
  }

  @ParameterizedTest
  @MethodSource("headsThatWantSmallSteps")
  void aConvolutionThatStartsAtRandomTakesSmallSteps(Head head) {
    TrainingPlan plan = head.recommendedPlan();
    assertThat(plan.rate(Stage.HEAD, LayerGroup.CONVOLUTION)).isEqualTo(3e-4);
    assertThat(plan.rate(Stage.WHOLE, LayerGroup.CONVOLUTION)).isEqualTo(3e-4);
    TrainingPlan same = plan.toBuilder().rate(Stage.HEAD, LayerGroup.CONVOLUTION, 1e-3).build();
    assertThat(same.settings()).hasToString(TrainingPlan.recommended().settings().toString());
  }

  static Stream<Head> headsWithTheUsualPlan() {
    return Stream.of(
        Head.fullyConnected(),
        Head.bilinear(),
        Head.bilinear().convolution(6).identityStart(),
        Head.bilinear().convolution(6),
        Head.compactBilinear(8).convolution(6),
        Head.spd(4).convolution(6),
        Head.spd(4).convolution(6).identityStart(),
        Head.kernelOnly().convolution(6).identityStart(),
        Head.spdRoot(4).convolution(6),
        Head.covarianceRoot().convolution(6),
        Head.dropCov().convolution(6),
        Head.spd().kernel(new LedoitWolfKernel()).convolution(6),
        Head.logCholesky().convolution(6),
        Head.spdClassifier(LogMetric.CHOLESKY).ridge(0).convolution(6),
        Head.deepTen().convolution(6),
        Head.fisherVectors().convolution(6));
  }

  @ParameterizedTest
  @MethodSource("headsWithTheUsualPlan")
  void allOthersTakeTheUsualSteps(Head head) {
    assertThat(head.recommendedPlan().settings())
        .hasToString(TrainingPlan.recommended().settings().toString());
  }

  @ParameterizedTest
  @MethodSource("heads")
  void everyHeadTrainsAndStaysOnTheManifold(Head head) {
    FineTuneConfiguration slowly = // for the heads whose vectors are ten times as long
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.005, 0.9)).build();
    ComputationGraph net = graft(SmallBackbone.create(), head).fineTune(slowly).build();
    DataSet data = images(DataType.FLOAT);
    double before = net.score(data);
    fit(net, data);
    assertThat(net.score(data)).isLessThan(before);
    assertThat(net.outputSingle(data.getFeatures()).shape())
        .containsExactly(SmallBackbone.IMAGES[0], Networks.CLASSES);
    for (INDArray w : transforms(net)) {
      assertSmall(Stiefel.distanceFromManifold(w), onManifold(DataType.FLOAT));
    }
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("heads")
  void channelsLastIsChannelsFirst(Head head) {
    if (head.toString().contains("fully connected")) {
      return; // flattens in another order
    }
    ComputationGraph first = SmallBackbone.create();
    ComputationGraph last = SmallBackbone.of(DataType.FLOAT).format(CNN2DFormat.NHWC).build();
    last.setParams(first.params());
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray expected = graft(first, head).build().outputSingle(images);
    ComputationGraph net = graft(last, head).build();
    INDArray permuted = images.permute(0, 2, 3, 1).dup();
    assertClose(net.outputSingle(permuted), expected, FLOAT_ROUNDING);
    net.fit(new DataSet(permuted, images(DataType.FLOAT).getLabels()));
  }

  @Test
  void aShrinkageIsLearntOrFixed() {
    Head learnt = shrunk(() -> new ShrinkageLayer.Builder().learntFrom(0.1));
    Head fixed = shrunk(() -> new ShrinkageLayer.Builder().shrinkage(0.1));
    String logit = SpdGraft.SHRINKAGE + "_" + ShrinkageLayer.LOGIT;
    ComputationGraph first = graft(SmallBackbone.create(), learnt).build();
    ComputationGraph second = graft(SmallBackbone.create(), fixed).build();
    assertThat(first.paramTable()).containsKey(logit);
    assertThat(second.paramTable()).doesNotContainKey(logit);
    INDArray input = images(DataType.FLOAT).getFeatures();
    assertClose(
        second.feedForward(input, false).get(SpdGraft.SHRINKAGE),
        first.feedForward(input, false).get(SpdGraft.SHRINKAGE),
        FLOAT_ROUNDING);
  }

  @Test
  void aResidualConnectionAddsTheLogarithmOfTheKernelMatrix() {
    Head head = Head.spdNet(5).convolution(5).ridge(0.1).residual();
    ComputationGraph net = graft(SmallBackbone.of(DataType.DOUBLE).build(), head).build();
    Map<String, INDArray> outputs =
        net.feedForward(images(DataType.DOUBLE).getFeatures().castTo(DataType.DOUBLE), false);
    INDArray kernels = outputs.get(SpdGraft.AGGREGATION);
    INDArray expected =
        Spd.logarithm(kernels.reshape(kernels.size(0), 5, 5))
            .reshape(kernels.shape())
            .add(outputs.get(SpdGraft.FUNCTION));
    assertClose(outputs.get(SpdGraft.SUM), expected, ROUNDING);
  }

  @Test
  void aClassifierOfMatricesTakesTheLogarithmItself() {
    ComputationGraph backbone = SmallBackbone.create();
    ComputationGraph net = graft(backbone, classifierOfMatrices(LogMetric.EUCLIDEAN, 4)).build();
    assertThat(net.getConfiguration().getVertices())
        .containsKey(SpdGraft.rectifier(0))
        .doesNotContainKeys(SpdGraft.FUNCTION, SpdGraft.VECTOR);
    assertThat(classifierFloor(Head.spdClassifier(LogMetric.EUCLIDEAN)))
        .isEqualTo(NumericPolicy.EIGENVALUE_FLOOR);
    assertThat(
            classifierFloor(
                Head.spd()
                    .classifier(() -> new SpdOutputLayer.Builder().floor(1e-2))
                    .without(SpdGraft.VECTOR)))
        .isEqualTo(1e-2);
  }

  /** What has no place in a head is refused where it is said. */
  @ParameterizedTest
  @MethodSource("refusals")
  void whatHasNoEffectOrIsWrongIsRefusedAtOnce(ThrowingCallable said, String message) {
    assertThatThrownBy(said).hasMessageContaining(message);
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        refusal(() -> Head.spdRoot(0), "'spd-transform-0': expected nOut(C') of at least 1"),
        refusal(() -> Head.spdNet(4, -1), "'spd-transform-1': expected nOut(C') of at least 1"),
        refusal(() -> Head.covariancePower(0), "expected a finite exponent other than 0"),
        refusal(() -> Head.covariancePower(Double.NaN), "expected a finite exponent other than 0"),
        refusal(() -> Head.spd().scale(Double.NaN), "expected a finite scale greater than 0"),
        refusal(() -> Head.bilinear().scale(0), "'spd-vector': expected a finite scale"),
        refusal(() -> Head.spd().powerFloor(0), "expected a finite powerFloor greater than 0"),
        refusal(
            () -> Head.spdRoot(4).powerFloor(0.1),
            "powerNormalization(true) before powerFloor(0.1)"),
        refusal(() -> Head.kernelOnly().powerFloor(0.1), "powerNormalization(true) before"),
        refusal(() -> Head.logCholesky().powerFloor(0.1), "VectorLayer.Builder"),
        refusal(() -> Head.spd().ridge(-1), "'spd-kernel': expected"),
        refusal(() -> Head.spd().kernel(null), "kernel"),
        refusal(() -> Head.spd().convolution(0), "at least 1 channel, got 0"),
        refusal(() -> Head.spd().identityStart(), "expected convolution(channels) before"),
        refusal(
            () -> Head.spd().convolution(6).identityStart().convolution(5),
            "expected without(SpdGraft.CONVOLUTION) before another convolution(5)"),
        refusal(
            () -> Head.deepTen().batchNormalization().batchNormalization(),
            "expected parts with names of their own, got another 'spd-norm'"),
        refusal(() -> Head.compactBilinear(0), "expected sketchSize(d) of at least 1"),
        refusal(() -> Head.fisherVectors(0), "expected at least 1 dimension, got 0"),
        refusal(() -> Head.spdClassifier(null), "metric"),
        refusal(() -> Head.bilinear().kernel(new RbfKernel()), "KernelAggregationLayer.Builder"),
        refusal(() -> Head.averagePooling().ridge(1), "KernelAggregationLayer.Builder"),
        refusal(() -> Head.logCholesky().powerNormalization(true), "VectorLayer.Builder"),
        refusal(() -> Head.logCholesky().scale(2), "VectorLayer.Builder"),
        refusal(() -> Head.spdClassifier(LogMetric.EUCLIDEAN).scale(2), "VectorLayer.Builder"),
        refusal(() -> Head.fullyConnected().scale(2), "VectorLayer.Builder"),
        refusal(
            () -> Head.spd().with(SpdTransformLayer.Builder.class, t -> t.nOut(3)),
            "SpdTransformLayer.Builder to set, got Head[spd-kernel: KernelAggregationLayer, "),
        refusal(
            () -> Head.spd(4).with(ReEigLayer.Builder.class, r -> r.floor(0.1)),
            "ReEigLayer.Builder"),
        refusal(() -> Head.spdRoot(4).residual(), "expected a head with a LogEigLayer"),
        refusal(
            () -> classifierOfMatrices(LogMetric.CHOLESKY, 8).residual(),
            "expected a head with a LogEigLayer"),
        refusal(
            () -> Head.spdClassifier(LogMetric.CHOLESKY).withFullyConnected(),
            "expected a head that ends in a normalised vector"),
        refusal(() -> Head.bilinear().withFullyConnected().scale(2), "before withFullyConnected()"),
        refusal(() -> Head.spd().without("spd-root"), "expected a head with a part 'spd-root'"),
        refusal(
            () -> Head.bilinear().without(SpdGraft.VECTOR), "expected a head of at least one part"),
        refusal(
            () -> Head.spd().after(SpdGraft.VECTOR, dropout(SpdGraft.VECTOR)),
            "expected parts with names of their own, got another 'spd-vector'"),
        refusal(() -> Head.of(dropout(SpdGraft.CLASSIFIER)), "names of their own"),
        refusal(
            () -> Head.of(dropout("mine").from("later"), dropout("later")),
            "expected parts before 'mine' as its inputs, got [later]"),
        refusal(() -> dropout("mine").from("a", "b"), "expected one input of layer 'mine'"),
        refusal(() -> dropout("mine").from((String[]) null), "names"),
        refusal(() -> Part.layer("mine", null), "builder"),
        refusal(() -> Part.layer("mine", () -> null), "builder: a supplier of null"),
        refusal(() -> Part.vertex("mine", () -> null), "vertex: a supplier of null"),
        refusal(() -> Part.fullyConnected((Part) null), "otherwise: null among them"),
        refusal(() -> Head.of((Part) null), "parts: null among them"),
        refusal(() -> Head.spd().without((String[]) null), "names"),
        refusal(() -> Head.spd().before(SpdGraft.VECTOR, (Part[]) null), "added"),
        refusal(() -> Head.spd().after(SpdGraft.VECTOR, (Part) null), "added: null among them"),
        refusal(() -> Head.spd().replace(SpdGraft.VECTOR, (Part[]) null), "added"),
        refusal(() -> Head.spd().with(null, change -> {}), "builder"),
        refusal(() -> Head.spd().with(SpdTransformLayer.Builder.class, null), "change"),
        refusal(() -> Head.spd().classifier(null), "builder"),
        refusal(() -> Head.spd().classifier(() -> null), "builder: a supplier of null"),
        refusal(
            () -> Head.spd().classifier(() -> new SpdOutputLayer.Builder().floor(-1)), "floor"));
  }

  private static Arguments refusal(ThrowingCallable said, String message) {
    return Arguments.of(said, message);
  }

  private static Part dropout(String name) {
    return Part.layer(name, () -> new DropoutLayer.Builder(0.5));
  }

  @Test
  void aHeadTellsItsParts() {
    assertThat(Head.spdRoot(4).convolution(6).identityStart())
        .hasToString(
            "Head[spd-conv: ConvolutionLayer to 6, spd-kernel: KernelAggregationLayer,"
                + " spd-transform-0: SpdTransformLayer to 4, spd-function: MatrixSquareRootLayer,"
                + " spd-vector: SpdVectorizationLayer, spd-out: OutputLayer]");
    assertThat(Head.spdClassifier(LogMetric.CHOLESKY))
        .hasToString("Head[spd-kernel: KernelAggregationLayer, spd-out: SpdOutputLayer]");
    assertThat(Head.bilinear().withFullyConnected())
        .hasToString(
            "Head[spd-vector: BilinearPoolingLayer, the backbone's fully connected layers, or"
                + " [spd-average: GlobalPoolingLayer from spd-maps], spd-unit: L2NormalizeVertex,"
                + " spd-joined: MergeVertex from spd-vector, spd-unit, spd-out: OutputLayer]");
  }

  @Test
  void aHeadDoesNotChange() {
    Head head = Head.spd();
    Head scaled = head.scale(10);
    assertThat(layer(graft(SmallBackbone.create(), head).build(), SpdGraft.VECTOR, VECTOR))
        .returns(1.0, SpdVectorizationLayer::getScale);
    assertThat(layer(graft(SmallBackbone.create(), scaled).build(), SpdGraft.VECTOR, VECTOR))
        .returns(10.0, SpdVectorizationLayer::getScale);
  }

  /** Layers of DL4J in a head of one's own, with a branch. */
  @Test
  void anyLayersMakeAHead() {
    Head head =
        Head.of(
            Part.layer("wide", () -> new ConvolutionLayer.Builder(3, 3).nOut(5)),
            Part.layer(SpdGraft.AGGREGATION, KernelAggregationLayer.Builder::new),
            Part.layer("dense", () -> new DenseLayer.Builder().nOut(7)),
            Part.layer("mean", () -> new GlobalPoolingLayer.Builder(PoolingType.AVG))
                .from(Backbone.MAPS),
            Part.vertex("both", MergeVertex::new).from("dense", "mean"),
            dropout("dropped"));
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    assertThat(net.getConfiguration().getVertexInputs())
        .containsEntry("dense", List.of(SpdGraft.AGGREGATION))
        .containsEntry("mean", List.of(Backbone.MAPS))
        .containsEntry("both", List.of("dense", "mean"))
        .containsEntry(SpdGraft.CLASSIFIER, List.of("dropped"));
    assertThat(net.getParam("dense_W").shape()).containsExactly(25, 7);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(7 + SmallBackbone.LAST_CHANNELS, Networks.CLASSES);
    fit(net, images(DataType.FLOAT));
  }

  @Test
  void aPartStartsWithParametersOfOnesOwn() {
    Part dense =
        Part.layer("dense", () -> new DenseLayer.Builder().nOut(2))
            .startingWith(params -> params.get("W").assign(3));
    Head head = Head.spd().after(SpdGraft.VECTOR, dense);
    INDArray w = graft(SmallBackbone.create(), head).build().getParam("dense_W");
    assertThat(w).isEqualTo(w.ulike().assign(3));
  }

  private static double classifierFloor(Head head) {
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    return layer(net, SpdGraft.CLASSIFIER, SpdOutputLayer.class).getFloor();
  }

  @Test
  void aResidualConnectionNeedsAMatrixOfTheSameSize() {
    ComputationGraph backbone = SmallBackbone.create();
    assertThatThrownBy(() -> graft(backbone, Head.spdNet(4).convolution(5).residual()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected inputs that fit together for 'spd-sum', got [")
        .hasMessageContaining("from [spd-function, spd-residual]");
  }

  @ParameterizedTest
  @MethodSource("headsWithMatrixDropout")
  void aDropoutOfMatricesStaysWithItsLayer(Head head, String layer) {
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    IDropout found = layer(net, layer, SpdLayer.class).getIDropout();
    assertThat(found).isEqualTo(new SpdDropout(0.9));
  }

  static Stream<Arguments> headsWithMatrixDropout() {
    SpdDropout dropout = new SpdDropout(0.9);
    return Stream.of(
        Arguments.of(
            Head.spdNet(4).with(LogEigLayer.Builder.class, log -> log.dropOut(dropout)),
            SpdGraft.FUNCTION),
        Arguments.of(
            Head.spd().with(SpdVectorizationLayer.Builder.class, v -> v.dropOut(dropout)),
            SpdGraft.VECTOR),
        Arguments.of(
            Head.logCholesky().with(LogCholeskyLayer.Builder.class, log -> log.dropOut(dropout)),
            SpdGraft.VECTOR),
        Arguments.of(
            normalised(Head.spdNet(4), LogMetric.CHOLESKY)
                .with(SpdBatchNormalizationLayer.Builder.class, norm -> norm.dropOut(dropout)),
            SpdGraft.MATRIX_NORMALIZATION));
  }

  @Test
  void layersHaveTheirSizesAndNames() {
    Head head = Head.spd(5, 4).convolution(6).scale(10);
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    KernelAggregationLayer aggregation =
        layer(net, SpdGraft.AGGREGATION, KernelAggregationLayer.class);
    assertThat(aggregation.getNIn()).isEqualTo(6);
    assertThat(aggregation.getDataFormat()).isEqualTo(CNN2DFormat.NCHW);
    assertThat(net.getParam(SpdGraft.CONVOLUTION + "_W").shape())
        .containsExactly(6, SmallBackbone.LAST_CHANNELS, 1, 1);
    assertThat(net.getParam(SpdGraft.transform(0) + "_W").shape()).containsExactly(6, 5);
    assertThat(net.getParam(SpdGraft.transform(1) + "_W").shape()).containsExactly(5, 4);
    SpdVectorizationLayer vector = layer(net, SpdGraft.VECTOR, SpdVectorizationLayer.class);
    assertThat(vector.getScale()).isEqualTo(10);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(10, Networks.CLASSES);
    assertThat(net.getConfiguration().getNetworkOutputs()).containsExactly(SpdGraft.CLASSIFIER);
    assertThat(net.getConfiguration().getVertices()).doesNotContainKeys("fc", "out");
  }

  @Test
  void spdNetHasItsLayersInOrder() {
    Head head =
        Head.spdNet(6, 4)
            .with(ReEigLayer.Builder.class, rectifier -> rectifier.floor(0.2))
            .with(LogEigLayer.Builder.class, logarithm -> logarithm.floor(0.1));
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    assertThat(net.getConfiguration().getVertexInputs())
        .containsEntry(SpdGraft.transform(0), List.of(SpdGraft.AGGREGATION))
        .containsEntry(SpdGraft.rectifier(0), List.of(SpdGraft.transform(0)))
        .containsEntry(SpdGraft.transform(1), List.of(SpdGraft.rectifier(0)))
        .containsEntry(SpdGraft.rectifier(1), List.of(SpdGraft.transform(1)))
        .containsEntry(SpdGraft.FUNCTION, List.of(SpdGraft.rectifier(1)))
        .containsEntry(SpdGraft.VECTOR, List.of(SpdGraft.FUNCTION));
    assertThat(layer(net, SpdGraft.AGGREGATION, KernelAggregationLayer.class).getKernel())
        .isEqualTo(new CovarianceKernel());
    assertThat(layer(net, SpdGraft.rectifier(1), ReEigLayer.class).getFloor()).isEqualTo(0.2);
    assertThat(layer(net, SpdGraft.FUNCTION, LogEigLayer.class).getFloor()).isEqualTo(0.1);
    SpdVectorizationLayer vector = layer(net, SpdGraft.VECTOR, SpdVectorizationLayer.class);
    assertThat(vector.isPowerNormalization()).isFalse();
    assertThat(vector.isL2Normalization()).isTrue();
  }

  @Test
  void kernelOnlyGivesTheClassifierTheKernelMatrixAsItIs() {
    ComputationGraph net = graft(SmallBackbone.create(), Head.kernelOnly()).build();
    Map<String, INDArray> activations =
        net.feedForward(images(DataType.FLOAT).getFeatures(), false);
    INDArray matrix = activations.get(SpdGraft.AGGREGATION).slice(0).slice(0);
    INDArray vector = activations.get(SpdGraft.VECTOR).getRow(0);
    assertThat(vector.getDouble(0)).isEqualTo(matrix.getDouble(0, 0));
    assertSmall(vector.getDouble(1) - Math.sqrt(2) * matrix.getDouble(0, 1), FLOAT_ROUNDING);
  }

  @Test
  void anIdentityStartIsTheBackbonesOwnMaps() {
    ComputationGraph backbone = SmallBackbone.create();
    INDArray image = images(DataType.FLOAT).getFeatures();
    for (int channels : new int[] {SmallBackbone.LAST_CHANNELS, 3}) {
      Head head = Head.spd().convolution(channels).identityStart();
      Map<String, INDArray> maps = graft(backbone, head).build().feedForward(image, false);
      for (int i = 0; i < channels; i++) {
        INDArray actual = maps.get(SpdGraft.CONVOLUTION).tensorAlongDimension(i, 0, 2, 3);
        INDArray expected = maps.get("last").tensorAlongDimension(i, 0, 2, 3);
        assertThat(actual).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("heads")
  void theNetworkCanBeSavedAndRead(Head head, @TempDir Path directory) throws IOException {
    ComputationGraph net =
        graft(SmallBackbone.create(), head).fineTune(fineTune()).frozenBackbone().build();
    DataSet data = images(DataType.FLOAT);
    net.fit(data);
    File file = directory.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file);
    assertThat(read.outputSingle(data.getFeatures()))
        .isEqualTo(net.outputSingle(data.getFeatures()));
    read.fit(data);
  }
}
