/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.Matrices;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * The fused passes in FLOAT on the host against those over an algebra in DOUBLE, which are never
 * fused.
 */
class HostTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
    Nd4j.getRandom().setSeed(1);
  }

  static KernelAggregationLayer.Builder aggregation() {
    return new KernelAggregationLayer.Builder().dataFormat(CNN2DFormat.NCHW);
  }

  /**
   * 300 channels are more than a strip of the product, 33 more than a tile; 32 images are enough
   * for all threads.
   */
  @ParameterizedTest
  @CsvSource({"3, 300, 3", "32, 60, 5", "5, 33, 4", "1, 2, 2", "2, 1, 3", "4, 7, 1"})
  void aggregation(int images, int channels, int side) {
    compare(aggregation().build(), maps(images, channels, side));
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.meanDistance().times(0.5))).build(),
        maps(images, channels, side));
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.fixed(2))).build(),
        maps(images, channels, side));
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.meanDistance().times(0.5).learnt())).build(),
        maps(images, channels, side));
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.fixed(2).learnt())).build(),
        maps(images, channels, side));
  }

  private static INDArray maps(int images, int channels, int side) {
    return Nd4j.randn(DataType.DOUBLE, images, channels, side, side);
  }

  @Test
  void aggregationWithChannelsLast() {
    compare(
        aggregation().nIn(6).dataFormat(CNN2DFormat.NHWC).build(),
        Nd4j.randn(DataType.DOUBLE, 3, 4, 5, 6));
  }

  @Test
  void aggregationOfViews() {
    compare(aggregation().build(), Nd4j.randn(DataType.DOUBLE, 3, 4, 5, 6).permute(0, 3, 2, 1));
  }

  @Test
  void aggregationOfEqualMaps() {
    INDArray equal = Nd4j.ones(DataType.DOUBLE, 2, 5, 3, 3);
    assertThat(equal.sumNumber().doubleValue()).isEqualTo(90);
    Kernel learnt = new RbfKernel(Bandwidth.meanDistance().learnt());
    compare(aggregation().build(), equal);
    compare(aggregation().kernel(learnt).build(), equal);
    INDArray twoDead = maps(2, 6, 3);
    twoDead.get(NDArrayIndex.all(), NDArrayIndex.interval(1, 3)).assign(0);
    compare(aggregation().build(), twoDead);
    compare(aggregation().kernel(learnt).build(), twoDead);
  }

  @Test
  void aggregationOfFarMaps() {
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.fixed(0.3))).build(), maps(2, 5, 4).muli(3));
    compare(
        aggregation().kernel(new RbfKernel(Bandwidth.fixed(0.3).learnt())).build(),
        maps(2, 5, 4).muli(3));
  }

  @ParameterizedTest
  @CsvSource({"2, 300, 270", "32, 50, 40", "3, 40, 35", "5, 7, 7", "1, 3, 1", "2, 1, 1"})
  void transform(int images, int c, int p) {
    compare(new SpdTransformLayer.Builder().nIn(c).nOut(p).build(), symmetric(images, c));
  }

  static INDArray symmetric(int images, int c) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, images, c, c);
    return Matrices.symmetricPart(any).reshape(images, 1, c, c);
  }

  @ParameterizedTest
  @CsvSource({"true, true, 1", "true, false, 1", "false, true, 10", "false, false, 3"})
  void bilinearPooling(boolean power, boolean l2, double scale) {
    BilinearPoolingLayer.Builder layer =
        new BilinearPoolingLayer.Builder()
            .powerNormalization(power)
            .l2Normalization(l2)
            .scale(scale);
    compare(layer.dataFormat(CNN2DFormat.NCHW).build(), maps(3, 35, 4));
    compare(layer.build(), maps(32, 6, 2));
    compare(layer.build(), maps(2, 1, 1), l2 ? 1 : 0); // its direction is 1
    compare(layer.build(), Nd4j.zeros(DataType.DOUBLE, 2, 3, 4, 4));
    compare(
        layer.nIn(6).dataFormat(CNN2DFormat.NHWC).build(), Nd4j.randn(DataType.DOUBLE, 3, 4, 5, 6));
    compare(
        new CompactBilinearLayer.Builder()
            .sketchSize(50)
            .powerNormalization(power)
            .l2Normalization(l2)
            .scale(scale)
            .dataFormat(CNN2DFormat.NCHW)
            .build(),
        maps(3, 12, 4));
  }

  @ParameterizedTest
  @CsvSource({"true, true, 1", "true, false, 1", "false, true, 10", "false, false, 3"})
  void vectorization(boolean power, boolean l2, double scale) {
    SpdVectorizationLayer layer =
        new SpdVectorizationLayer.Builder()
            .powerNormalization(power)
            .l2Normalization(l2)
            .scale(scale)
            .build();
    compare(layer, symmetric(3, 35));
    compare(layer, symmetric(5, 2));
    compare(layer, symmetric(2, 1), l2 ? 1 : 0); // its direction is ±1
    compare(layer, Nd4j.zeros(DataType.DOUBLE, 2, 1, 4, 4));
  }

  @ParameterizedTest
  @CsvSource({"32, 40, 5", "2, 70, 5", "5, 7, 2", "3, 4, 1", "2, 1, 3"})
  void squareRoot(int images, int c, int iterations) {
    MatrixSquareRootLayer layer =
        new MatrixSquareRootLayer.Builder().iterations(iterations).build();
    compare(layer, positive(images, c));
    compare(layer, Nd4j.zeros(DataType.DOUBLE, images, 1, c, c));
  }

  static INDArray positive(int images, int c) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, images, c, 2 * c);
    return Matrices.transposeSecond(any, any).reshape(images, 1, c, c);
  }

  @Test
  void buffersFollowTheBatchSize() {
    Layer layer = runtime(aggregation().build(), DataType.FLOAT);
    for (int images : new int[] {2, 5, 3, 5}) {
      INDArray input = maps(images, 6, 3);
      INDArray epsilon = Nd4j.randn(DataType.DOUBLE, images, 1, 6, 6);
      INDArray output = layer.activate(input.castTo(DataType.FLOAT), true, NO_WORKSPACES).dup();
      INDArray gradient =
          layer.backpropGradient(epsilon.castTo(DataType.FLOAT), NO_WORKSPACES).getSecond();
      Layer exact = runtime(aggregation().build(), DataType.DOUBLE);
      assertClose(output, exact.activate(input, true, NO_WORKSPACES), FLOAT_ROUNDING);
      assertClose(
          gradient, exact.backpropGradient(epsilon, NO_WORKSPACES).getSecond(), FLOAT_ROUNDING);
    }
  }

  @Test
  void onlyFloatOnTheHostIsFused() {
    assertThat(Backend.current().isFused(DataType.FLOAT)).isTrue();
    assertThat(Backend.current().isFused(DataType.DOUBLE)).isFalse();
    assertThat(Backend.of(new Nd4jAlgebra()).isFused(DataType.FLOAT)).isFalse();
  }

  /** What has no fused pass takes the algebra in FLOAT too. */
  @Test
  void kernelsWithoutAFusedPass() {
    Bandwidth differentiated = Bandwidth.meanDistance().differentiated();
    compare(aggregation().kernel(new LaplacianKernel()).build(), maps(3, 6, 3));
    compare(aggregation().kernel(new RbfKernel(differentiated)).build(), maps(3, 6, 3));
    compare(aggregation().kernel(new RbfKernel(differentiated.learnt())).build(), maps(3, 6, 3));
    compare(aggregation().ridge(0.1).build(), maps(3, 6, 3));
    SpdTransformLayer.Builder transform = new SpdTransformLayer.Builder().nIn(5).nOut(2);
    compare(transform.rectifier(Rectifier.RELU).build(), symmetric(3, 5));
  }

  private static void compare(SpdLayer conf, INDArray input) {
    compare(conf, input, 0);
  }

  /** With the length of terms that cancel in the gradient by the input; 0 if none do. */
  private static void compare(SpdLayer conf, INDArray input, double cancelling) {
    Layer fused = runtime(conf, DataType.FLOAT);
    Layer exact = runtime(conf, DataType.DOUBLE);
    moveBandwidth(fused);
    if (exact.numParams() > 0) {
      exact.params().assign(fused.params());
    }
    // What is common to both is a number in FLOAT.
    INDArray common = input.castTo(DataType.FLOAT);
    INDArray before = common.dup();
    INDArray output = fused.activate(common, true, NO_WORKSPACES);
    INDArray expected = exact.activate(common.castTo(DataType.DOUBLE), true, NO_WORKSPACES);
    assertClose(output, expected, FLOAT_ROUNDING);
    assertThat(fused.activate(common, false, NO_WORKSPACES)).isEqualTo(output);
    output.assign(7); // the next layer may

    INDArray epsilon = Nd4j.randn(DataType.FLOAT, expected.shape());
    INDArray epsilonBefore = epsilon.dup();
    fused.activate(common, true, NO_WORKSPACES).assign(7);
    Pair<Gradient, INDArray> ours = fused.backpropGradient(epsilon, NO_WORKSPACES);
    Pair<Gradient, INDArray> theirs =
        exact.backpropGradient(epsilon.castTo(DataType.DOUBLE), NO_WORKSPACES);
    assertClose(ours.getSecond(), theirs.getSecond(), FLOAT_ROUNDING, cancelling);
    for (Map.Entry<String, INDArray> entry : theirs.getFirst().gradientForVariable().entrySet()) {
      INDArray ourGradient = ours.getFirst().getGradientFor(entry.getKey());
      assertClose(ourGradient, entry.getValue(), FLOAT_ROUNDING);
    }
    assertThat(common).isEqualTo(before);
    assertThat(epsilon).isEqualTo(epsilonBefore);
  }

  /** Moves a learnt bandwidth away from its start, where e^θ is 1. */
  static void moveBandwidth(Layer layer) {
    INDArray theta = layer.paramTable().get(RadialKernel.LOG_BANDWIDTH);
    if (theta != null) {
      theta.assign(0.3);
    }
  }

  static Layer runtime(SpdLayer configuration, DataType type) {
    return runtime(configuration, type, Backend.current());
  }

  static Layer runtime(SpdLayer configuration, DataType type, Backend backend) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(configuration).build();
    long size = configuration.initializer().numParams(conf);
    INDArray params = size == 0 ? null : Nd4j.create(type, 1, size);
    Layer layer = ((SpdLayer) conf.getLayer()).executed(conf, type, backend);
    layer.setParamsViewArray(params);
    layer.setParamTable(configuration.initializer().init(conf, params, true));
    if (size > 0) {
      layer.setBackpropGradientsViewArray(Nd4j.create(type, 1, size));
    }
    return layer;
  }
}
