/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.testing.SmallBackbone;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.images.InMemoryImages;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;

class AttributionTest {

  private static final int SIZE = 4;
  private static final int CLASSES = 3;
  private static final String CUT = "maps";

  /** A backbone whose maps are the image itself, so that a place of the maps is a pixel. */
  private static ComputationGraph net(Head head) {
    ComputationGraph backbone =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .dataType(DataType.DOUBLE)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer(
                    CUT,
                    new ConvolutionLayer.Builder(1, 1)
                        .nOut(3)
                        .weightInit(WeightInit.ZERO)
                        .activation(Activation.IDENTITY)
                        .build(),
                    "image")
                .setOutputs(CUT)
                .build());
    backbone.init();
    for (int i = 0; i < 3; i++) {
      backbone.getParam(CUT + "_W").putScalar(new int[] {i, i, 0, 0}, 1);
    }
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(backbone, CUT)).head(head).classes(CLASSES).seed(5).build();
    INDArray weights = net.getParam(SpdGraft.CLASSIFIER + "_W"); // they begin at zero
    Nd4j.getRandom().setSeed(6);
    weights.assign(Nd4j.randn(DataType.DOUBLE, weights.shape()));
    return net;
  }

  static Stream<Head> heads() {
    return Stream.of(
        Head.spd(2).kernel(new RbfKernel(Bandwidth.fixed(2))).scale(3),
        Head.kernelOnly().kernel(new RbfKernel(Bandwidth.fixed(2))),
        Head.spd(2).kernel(new RbfKernel(Bandwidth.fixed(2).learnt())),
        Head.spdClassifier(LogMetric.EUCLIDEAN).kernel(new RbfKernel(Bandwidth.fixed(2))),
        Head.spdClassifier(LogMetric.CHOLESKY).kernel(new RbfKernel(Bandwidth.fixed(2))),
        Head.spdNet(3).kernel(new RbfKernel(Bandwidth.fixed(2))).ridge(0.1).residual(),
        Head.bilinear().scale(2),
        Head.averagePooling());
  }

  private static INDArray image() {
    Nd4j.getRandom().setSeed(3);
    return Nd4j.rand(DataType.DOUBLE, 1, 3, SIZE, SIZE).addi(0.2);
  }

  /** The logit of the answer minus the mean of all. */
  private static double logit(ComputationGraph net, INDArray image, int answer) {
    INDArray logs = Transforms.log(net.outputSingle(image));
    return logs.getDouble(0, answer) - logs.meanNumber().doubleValue();
  }

  @ParameterizedTest
  @MethodSource("heads")
  void aPlaceThatGrowsChangesTheLogitByItsAttribution(Head head) {
    ComputationGraph net = net(head);
    INDArray image = image();
    INDArray heat = new Attribution(net).of(image, 1);
    assertThat(heat.shape()).containsExactly(SIZE, SIZE);
    double step = 1e-5;
    for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
        double up = logit(net, grown(image, y, x, step), 1);
        double down = logit(net, grown(image, y, x, -step), 1);
        assertThat(heat.getDouble(y, x)).isCloseTo((up - down) / (2 * step), offset(1e-6));
      }
    }
  }

  private static INDArray grown(INDArray image, int y, int x, double share) {
    INDArray grown = image.dup();
    for (int c = 0; c < 3; c++) {
      grown.putScalar(new int[] {0, c, y, x}, image.getDouble(0, c, y, x) * (1 + share));
    }
    return grown;
  }

  /** A vector that is joined with another gets its own share of the logit. */
  @Test
  void ofAJoinedHeadItIsTheShareOfItsVector() {
    ComputationGraph net =
        net(
            Head.fisherVectors()
                .with(FisherVectorLayer.Builder.class, vector -> vector.components(2).dimensions(2))
                .withFullyConnected());
    INDArray image = image();
    INDArray many = Nd4j.rand(DataType.DOUBLE, 6, 3, SIZE, SIZE);
    FisherVectors.of(net)
        .descriptorsPerComponent(20)
        .fit(new InMemoryImages(many, new int[6], CLASSES));
    INDArray heat = new Attribution(net).of(image, 1);
    double step = 1e-5;
    for (int x = 0; x < SIZE; x++) {
      double up = share(net, grown(image, 2, x, step));
      double down = share(net, grown(image, 2, x, -step));
      assertThat(heat.getDouble(2, x)).isCloseTo((up - down) / (2 * step), offset(1e-6));
    }
  }

  private static double share(ComputationGraph net, INDArray image) {
    INDArray vector = net.feedForward(image, false).get(SpdGraft.VECTOR);
    INDArray weights = net.getParam(SpdGraft.CLASSIFIER + "_W");
    INDArray slope = weights.getColumn(1).sub(weights.mean(1));
    return vector
        .mul(slope.get(NDArrayIndex.interval(0, vector.length())).reshape(vector.shape()))
        .sumNumber()
        .doubleValue();
  }

  @Test
  void averagePoolingGivesTheClassActivationMap() {
    ComputationGraph net = net(Head.averagePooling());
    INDArray image = image();
    double sum = new Attribution(net).of(image, 2).sumNumber().doubleValue();
    assertThat(sum).isCloseTo(logit(net, image, 2), offset(1e-10)); // biases are still zero
  }

  @Test
  void aNetworkWithoutACut() {
    assertThatThrownBy(() -> new Attribution(SmallBackbone.create()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a network of SpdGraft, with the vertices 'spd-maps' and");
    assertThatThrownBy(() -> new Attribution(null)).hasMessage("net");
  }
}
