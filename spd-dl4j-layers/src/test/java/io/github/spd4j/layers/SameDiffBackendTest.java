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
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.Tolerances;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

  static Stream<Sample> samples() {
    return LayerCases.samples(Check.AUTODIFF);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void layers(Sample sample) {
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Layer usual = sample.runtime(type, Backend.current());
      Layer defined = sample.runtime(type, Backend.definitions());
      compare(usual, defined, sample.input().castTo(type), sample.cancelling());
    }
  }

  /** By the statistics of the batch, which its definition for training has. */
  @Tag("once")
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void batchNormalization(LogMetric metric) {
    SpdBatchNormalizationLayer.Builder layer =
        new SpdBatchNormalizationLayer.Builder().metric(metric);
    compare(layer.nIn(5).build(), positive(3, 5));
    compare(layer.build(), positive(1, 5));
    compare(layer.nIn(1).build(), positive(3, 1));
  }

  /** Domains with three examples, with one alone, and with none. */
  @Tag("once")
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
    Layer defined = LayerCase.runtime(layer, DataType.DOUBLE, Backend.definitions());
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
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Layer usual = LayerCase.runtime(conf, type, Backend.current());
      Layer defined = LayerCase.runtime(conf, type, Backend.definitions());
      compare(usual, defined, input.castTo(type), 0);
    }
  }

  private static void compare(Layer usual, Layer defined, INDArray input, double cancelling) {
    assertThat(defined).isInstanceOf(DifferentiatedRuntimeLayer.class);
    DataType type = input.dataType();
    if (usual.numParams() > 0) {
      defined.params().assign(usual.params());
    }
    INDArray output = usual.activate(input.dup(), true, NO_WORKSPACES);
    assertClose(defined.activate(input.dup(), true, NO_WORKSPACES), output, rounding(type));
    INDArray epsilon = Nd4j.randn(type, output.shape());
    Pair<Gradient, INDArray> expected = usual.backpropGradient(epsilon.dup(), NO_WORKSPACES);
    Pair<Gradient, INDArray> actual = defined.backpropGradient(epsilon.dup(), NO_WORKSPACES);
    boolean ofMatrices = ((SpdLayer) usual.conf().getLayer()).input() instanceof MatrixInput;
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
        defined.activate(input.dup(), false, NO_WORKSPACES),
        usual.activate(input.dup(), false, NO_WORKSPACES),
        rounding(type));
  }

  /** All of a gradient by a symmetric matrix that counts. */
  private static INDArray symmetricPart(INDArray matrices) {
    return matrices.add(matrices.permute(0, 1, 3, 2));
  }

  private static void compare(Map<String, INDArray> actual, Map<String, INDArray> expected) {
    assertThat(actual).containsOnlyKeys(expected.keySet());
    expected.forEach(
        (name, array) -> assertClose(actual.get(name), array, rounding(array.dataType())));
  }

  /** Gradients go through a whole head to the convolution before it. */
  static Stream<Head> heads() {
    return LayerCases.heads(Check.RUNTIME);
  }

  @ParameterizedTest
  @MethodSource("heads")
  void networks(Head head) {
    for (DataType type : new DataType[] {DataType.DOUBLE, DataType.FLOAT}) {
      Supplier<ComputationGraph> network =
          () -> Networks.convolutional(Networks.general(type, new NoOp()), head.layers(), IMAGE);
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
    Layer defined = LayerCase.runtime(conf, DataType.FLOAT, Backend.definitions());
    Layer usual = LayerCase.runtime(conf, DataType.FLOAT, Backend.current());
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
    Layer layer = LayerCase.runtime(conf, DataType.DOUBLE, Backend.definitions());
    INDArray images = random(2, 3, 4, 5).putScalar(0, Double.NaN);
    assertThatThrownBy(() -> layer.activate(images, true, NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("KernelAggregationLayer: got NaN or infinity in its input");
  }
}
