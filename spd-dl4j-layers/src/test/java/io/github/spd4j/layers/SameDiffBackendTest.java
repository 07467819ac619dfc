/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.runtime.DifferentiatedRuntimeLayer;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.Tolerances;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;

/**
 * The layers by their definitions, which SameDiff differentiates, against their closed formulas.
 */
class SameDiffBackendTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();
  private static final InputType IMAGE = InputType.convolutional(6, 6, 1);

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(
        HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)),
        "ND4J's singular values are good to single precision alone on a GPU");
  }

  private static Stream<Kernel> kernels() {
    return Stream.of(
        new RbfKernel(),
        new RbfKernel(Bandwidth.meanDistance().times(0.5).learnt()),
        new RbfKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.fixed(2)),
        new RbfKernel(Bandwidth.fixed(2).learnt()),
        new LaplacianKernel(),
        new LaplacianKernel(Bandwidth.meanDistance().times(0.7).differentiated().learnt()),
        new LaplacianKernel(Bandwidth.fixed(2)),
        PolynomialKernel.degree(3).offset(0.5).scale(0.2),
        new CovarianceKernel(),
        new LedoitWolfKernel());
  }

  static Stream<SpdLayer> onMaps() {
    return Stream.concat(
        kernels().map(kernel -> new KernelAggregationLayer.Builder().kernel(kernel).build()),
        Stream.of(
            new KernelAggregationLayer.Builder().ridge(0.1).build(),
            new BilinearPoolingLayer.Builder().scale(3).build(),
            new BilinearPoolingLayer.Builder().l2Normalization(false).build(),
            new CompactBilinearLayer.Builder().sketchSize(7).seed(3).build(),
            new CompactBilinearLayer.Builder().sketchSize(1).l2Normalization(false).build(),
            new ScaleShiftLayer.Builder().nIn(5).build(),
            new ScaleShiftLayer.Builder().nIn(5).rectified(true).build(),
            new TextureEncodingLayer.Builder().nIn(5).words(3).build(),
            new TextureEncodingLayer.Builder().nIn(5).words(2).powerNormalization(true).build()));
  }

  @ParameterizedTest
  @MethodSource("onMaps")
  void onMaps(SpdLayer conf) {
    compare(conf, random(3, 5, 4, 3));
    compare(conf, random(1, 5, 2, 4));
  }

  @ParameterizedTest
  @MethodSource("onMaps")
  void channelsLast(SpdLayer conf) {
    SpdLayer last = conf.clone();
    last.setNIn(InputType.convolutional(4, 3, 5, CNN2DFormat.NHWC), true);
    compare(last, random(3, 4, 3, 5));
  }

  @Test
  void degenerateMaps() {
    INDArray equal = Nd4j.ones(DataType.DOUBLE, 2, 5, 3, 3);
    INDArray twoDead = random(2, 5, 3, 3);
    twoDead.slice(0).slice(1).assign(0);
    twoDead.slice(0).slice(2).assign(0);
    for (Kernel kernel : new Kernel[] {new RbfKernel(), new RbfKernel(Bandwidth.fixed(2))}) {
      KernelAggregationLayer layer = new KernelAggregationLayer.Builder().kernel(kernel).build();
      compare(layer, equal);
      compare(layer, twoDead);
    }
    compare(new KernelAggregationLayer.Builder().build(), random(2, 1, 3, 3));
  }

  static Stream<SpdLayer> onMatrices() {
    return Stream.of(
        new SpdTransformLayer.Builder().nIn(5).nOut(3).build(),
        new SpdTransformLayer.Builder().nIn(5).nOut(5).rectifier(Rectifier.RELU).build(),
        new SpdVectorizationLayer.Builder().build(),
        new SpdVectorizationLayer.Builder().powerNormalization(false).scale(3).build(),
        new SpdVectorizationLayer.Builder().l2Normalization(false).powerFloor(0.3).build(),
        new MatrixSquareRootLayer.Builder().build(),
        new MatrixSquareRootLayer.Builder().iterations(1).build(),
        new LogEigLayer.Builder().floor(0.5).build(),
        new ReEigLayer.Builder().floor(0.5).build(),
        new ExpEigLayer.Builder().build(),
        new MatrixPowerLayer.Builder().exponent(0.25).build(),
        new MatrixPowerLayer.Builder().exponent(-1.5).floor(0.5).build(),
        new LogCholeskyLayer.Builder().build(),
        new ShrinkageLayer.Builder().shrinkage(0.3).build(),
        new ShrinkageLayer.Builder().learntFrom(0.3).traceNormalization(true).build(),
        new SparseInverseLayer.Builder().build(),
        new SparseInverseLayer.Builder().steps(0).iterations(1).build(),
        new SpdBatchNormalizationLayer.Builder().nIn(5).build(),
        new SpdBatchNormalizationLayer.Builder().nIn(5).metric(LogMetric.CHOLESKY).build());
  }

  @ParameterizedTest
  @MethodSource("onMatrices")
  void onMatrices(SpdLayer conf) {
    compare(conf, positive(3, 5));
    compare(conf, positive(1, 5));
  }

  /** Of sizes where ND4J's sums, transposes and decompositions have cases of their own. */
  static Stream<Supplier<SpdLayer>> ofAnySize() {
    return Stream.of(
        () -> new SpdVectorizationLayer.Builder().build(),
        () -> new MatrixSquareRootLayer.Builder().build(),
        () -> new LogEigLayer.Builder().build(),
        () -> new LogCholeskyLayer.Builder().build(),
        () -> new SparseInverseLayer.Builder().build());
  }

  @ParameterizedTest
  @MethodSource("ofAnySize")
  void otherSizes(Supplier<SpdLayer> conf) {
    for (int n : new int[] {1, 2, 17}) {
      // A number divided by its size has no gradient.
      compare(conf.get(), positive(3, n), n == 1 ? 1 : 0);
    }
  }

  /** Domains with three examples, with one alone, and with none. */
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void batchNormalizationOfDomains(LogMetric metric) {
    SpdBatchNormalizationLayer layer =
        new SpdBatchNormalizationLayer.Builder().nIn(3).metric(metric).domains(3).build();
    INDArray domains = Nd4j.zeros(DataType.DOUBLE, 4, 1, 3, 3);
    domains.slice(2).assign(2);
    compare(layer, Nd4j.concat(1, positive(4, 3), domains));
    domains.slice(3).assign(5);
    INDArray wrong = Nd4j.concat(1, positive(4, 3), domains);
    Layer defined = HostTest.runtime(layer, DataType.DOUBLE, Backend.definitions());
    assertThatThrownBy(() -> defined.activate(wrong, true, NO_WORKSPACES))
        .hasMessageContaining("expected the number of a domain");
  }

  private static INDArray random(long... shape) {
    Nd4j.getRandom().setSeed(5);
    return Nd4j.randn(DataType.DOUBLE, shape);
  }

  /** Positive definite matrices. */
  private static INDArray positive(int images, int n) {
    INDArray factors = random(images, 1, n, 2 * n).divi(Math.sqrt(n));
    INDArray eye = Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, 1, n, n);
    return Nd4j.matmul(factors, factors.permute(0, 1, 3, 2)).addi(eye.mul(0.2));
  }

  private static void compare(SpdLayer conf, INDArray input) {
    compare(conf, input, 0);
  }

  private static void compare(SpdLayer conf, INDArray input, double cancelling) {
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Nd4j.getRandom().setSeed(7);
      Layer usual = HostTest.runtime(conf, type, Backend.current());
      Layer defined = HostTest.runtime(conf, type, Backend.definitions());
      assertThat(defined).isInstanceOf(DifferentiatedRuntimeLayer.class);
      HostTest.moveBandwidth(usual);
      if (usual.numParams() > 0) {
        defined.params().assign(usual.params());
      }
      INDArray x = input.castTo(type);
      INDArray output = usual.activate(x.dup(), true, NO_WORKSPACES);
      assertClose(defined.activate(x.dup(), true, NO_WORKSPACES), output, rounding(type));
      INDArray epsilon = Nd4j.randn(type, output.shape());
      Pair<Gradient, INDArray> expected = usual.backpropGradient(epsilon.dup(), NO_WORKSPACES);
      Pair<Gradient, INDArray> actual = defined.backpropGradient(epsilon.dup(), NO_WORKSPACES);
      boolean ofMatrices = conf.input() instanceof MatrixInput; // only symmetric parts count
      assertClose(
          ofMatrices ? symmetricPart(actual.getSecond()) : actual.getSecond(),
          ofMatrices ? symmetricPart(expected.getSecond()) : expected.getSecond(),
          rounding(type),
          cancelling);
      compare(actual.getFirst().gradientForVariable(), expected.getFirst().gradientForVariable());
      if (usual.numParams() > 0) { // running statistics have moved
        assertClose(defined.params(), usual.params(), rounding(type));
      }
      assertClose(
          defined.activate(x.dup(), false, NO_WORKSPACES),
          usual.activate(x.dup(), false, NO_WORKSPACES),
          rounding(type));
    }
  }

  private static INDArray symmetricPart(INDArray matrices) {
    return matrices.add(matrices.permute(0, 1, 3, 2));
  }

  private static void compare(Map<String, INDArray> actual, Map<String, INDArray> expected) {
    assertThat(actual).containsOnlyKeys(expected.keySet());
    expected.forEach(
        (name, array) -> assertClose(actual.get(name), array, rounding(array.dataType())));
  }

  /** Gradients go through a whole head to the convolution before it. */
  static Stream<List<org.deeplearning4j.nn.conf.layers.Layer>> heads() {
    return Stream.concat(
        Networks.secondOrderHeads(),
        Stream.of(
            Networks.head(),
            List.of(new FisherVectorLayer.Builder().components(2).build()),
            List.of(new TextureEncodingLayer.Builder().words(3).build())));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void networks(List<org.deeplearning4j.nn.conf.layers.Layer> head) {
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Supplier<ComputationGraph> network =
          () -> Networks.convolutional(Networks.general(type, new NoOp()), head, IMAGE);
      ComputationGraph usual = network.get();
      ComputationGraph defined = onSameDiff(network);
      assertThat(defined.getLayer("layer0")).isInstanceOf(DifferentiatedRuntimeLayer.class);
      defined.params().assign(usual.params());
      DataSet data = Networks.images(type, 1, 4, 1, 6, 6);
      compare(gradients(defined, data), gradients(usual, data));
      assertClose(
          defined.outputSingle(data.getFeatures()),
          usual.outputSingle(data.getFeatures()),
          rounding(type));
    }
  }

  private static Map<String, INDArray> gradients(ComputationGraph net, DataSet data) {
    net.setInput(0, data.getFeatures());
    net.setLabel(0, data.getLabels());
    net.computeGradientAndScore();
    return net.gradient().gradientForVariable();
  }

  private static ComputationGraph onSameDiff(Supplier<ComputationGraph> network) {
    String before = System.getProperty(Backend.PROPERTY);
    System.setProperty(Backend.PROPERTY, Backend.SAMEDIFF);
    try {
      return network.get();
    } finally {
      if (before == null) {
        System.clearProperty(Backend.PROPERTY);
      } else {
        System.setProperty(Backend.PROPERTY, before);
      }
    }
  }

  /** No gradient comes out of a ScatteringLayer; what it computes is its definition. */
  @Test
  void scattering() {
    ScatteringLayer conf = new ScatteringLayer.Builder().scales(2).directions(3).nIn(1).build();
    INDArray images = random(2, 1, 16, 16).castTo(DataType.FLOAT);
    Layer defined = HostTest.runtime(conf, DataType.FLOAT, Backend.definitions());
    Layer usual = HostTest.runtime(conf, DataType.FLOAT, Backend.current());
    INDArray output = defined.activate(images, true, NO_WORKSPACES);
    assertClose(output, usual.activate(images, true, NO_WORKSPACES), Tolerances.FLOAT_ROUNDING);
    assertThat(defined.backpropGradient(output, NO_WORKSPACES).getSecond()).isNull();
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void spdOutput(LogMetric metric) {
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Supplier<ComputationGraph> network = () -> classifier(type, metric);
      ComputationGraph usual = network.get();
      ComputationGraph defined = onSameDiff(network);
      defined.params().assign(usual.params());
      DataSet data = Networks.images(type, 1, 4, 1, 6, 6);
      compare(gradients(defined, data), gradients(usual, data));
    }
  }

  private static ComputationGraph classifier(DataType type, LogMetric metric) {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(type, new NoOp())
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(IMAGE)
                .addLayer(
                    "conv",
                    new org.deeplearning4j.nn.conf.layers.ConvolutionLayer.Builder(3, 3)
                        .nOut(5)
                        .build(),
                    "in")
                .addLayer(
                    "kernel",
                    new KernelAggregationLayer.Builder()
                        .kernel(new RbfKernel(Bandwidth.fixed(2)))
                        .ridge(0.1)
                        .build(),
                    "conv")
                .addLayer(
                    "out",
                    new SpdOutputLayer.Builder().metric(metric).nOut(Networks.CLASSES).build(),
                    "kernel")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  @Test
  void aNetworkLearnsWithWOnTheManifold() {
    ComputationGraph net =
        onSameDiff(
            () ->
                Networks.convolutional(
                    Networks.general(DataType.DOUBLE, new Sgd(0.1)), Networks.head(), IMAGE));
    DataSet data = Networks.images(DataType.DOUBLE, 1, 6, 1, 6, 6);
    double before = net.score(data);
    for (int i = 0; i < 10; i++) {
      net.fit(data);
    }
    assertThat(net.score(data)).isLessThan(before);
    Tolerances.assertSmall(
        Stiefel.distanceFromManifold(net.getParam("layer1_W")), Tolerances.ON_MANIFOLD_DOUBLE);
  }

  @Test
  void numbersThatAreNotFiniteAreRefusedInTheLayersName() {
    KernelAggregationLayer conf = new KernelAggregationLayer.Builder().build();
    Layer layer = HostTest.runtime(conf, DataType.DOUBLE, Backend.definitions());
    INDArray images = random(2, 3, 4, 5).putScalar(0, Double.NaN);
    assertThatThrownBy(() -> layer.activate(images, true, NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("KernelAggregationLayer: got NaN or infinity in its input");
  }

  /** Whoever writes a layer without an entry above is reminded. */
  @Test
  void everyLayerIsThere() {
    List<Class<?>> tested =
        Stream.of(
                onMaps().map(Object::getClass),
                onMatrices().map(Object::getClass),
                Stream.of(FisherVectorLayer.class, ScatteringLayer.class, SpdOutputLayer.class))
            .flatMap(classes -> classes)
            .distinct()
            .<Class<?>>map(layer -> layer)
            .collect(java.util.stream.Collectors.toList());
    assertThat(Arrays.asList(new java.io.File("src/main/java/io/github/spd4j/layers").list()))
        .filteredOn(name -> name.endsWith("Layer.java"))
        .extracting(name -> name.replace(".java", ""))
        .filteredOn(name -> !java.lang.reflect.Modifier.isAbstract(classOf(name).getModifiers()))
        .allSatisfy(name -> assertThat(tested).contains(classOf(name)));
  }

  private static Class<?> classOf(String name) {
    try {
      return Class.forName("io.github.spd4j.layers." + name);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
