/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

class ScaleShiftLayerTest {

  private static final int MAPS = 5;

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(4);
  }

  private static ComputationGraph net(Layer layer, CNN2DFormat format) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(4) // of the numbers that are drawn after its beginning, too
                .dataType(DataType.DOUBLE)
                .inferenceWorkspaceMode(WorkspaceMode.NONE) // BatchNormalization of M1.1 wants it
                .graphBuilder()
                .addInputs("maps")
                .setInputTypes(InputType.convolutional(3, 4, MAPS, format))
                .addLayer("layer", layer, "maps")
                .setOutputs("layer")
                .build());
    net.init();
    return net;
  }

  private static INDArray maps(CNN2DFormat format) {
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, MAPS, 3, 4);
    return format == CNN2DFormat.NCHW ? maps : maps.permute(0, 2, 3, 1).dup('c');
  }

  /** DL4J's own layer, outside training, is the oracle. */
  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void isABatchNormalisationWithConstantStatistics(CNN2DFormat format) {
    ComputationGraph expected = net(new BatchNormalization.Builder().eps(1e-3).build(), format);
    INDArray gamma = expected.getParam("layer_gamma").assign(row(0.5));
    INDArray beta = expected.getParam("layer_beta").assign(row(-1));
    INDArray mean = expected.getParam("layer_mean").assign(row(0));
    INDArray variance = row(0.3);
    setVariance(expected, variance);

    ComputationGraph net = net(new ScaleShiftLayer.Builder().rectified(true).build(), format);
    INDArray scale = gamma.div(Transforms.sqrt(variance.add(1e-3)));
    net.getParam("layer_" + ScaleShiftLayer.SCALE).assign(scale);
    net.getParam("layer_" + ScaleShiftLayer.SHIFT).assign(beta.sub(mean.mul(scale)));
    INDArray input = maps(format);
    INDArray wanted = Transforms.relu(expected.outputSingle(input));
    double share = wanted.gt(0).castTo(DataType.DOUBLE).meanNumber().doubleValue();
    assertThat(share).as("what the ReLU lets pass").isBetween(0.1, 0.9);
    assertClose(net.outputSingle(input), wanted, 1e-12);
    assertClose(net.output(true, input)[0], wanted, 1e-12);
  }

  /** Numbers that go up by one from the first to the last. */
  private static INDArray row(double from) {
    return Nd4j.linspace(DataType.DOUBLE, from, 1.0 / (MAPS - 1), MAPS).reshape(1, MAPS);
  }

  /** DL4J keeps the variance, or the logarithm of the deviation. */
  private static void setVariance(ComputationGraph net, INDArray variance) {
    if (net.paramTable().containsKey("layer_var")) {
      net.getParam("layer_var").assign(variance);
    } else {
      net.getParam("layer_log10stdev")
          .assign(Transforms.log(Transforms.sqrt(variance)).divi(Math.log(10)));
    }
  }

  @Test
  void beginsAsTheIdentity() {
    INDArray input = maps(CNN2DFormat.NCHW);
    ComputationGraph net = net(new ScaleShiftLayer.Builder().build(), CNN2DFormat.NCHW);
    assertThat(net.outputSingle(input)).isEqualTo(input);
  }

  @Test
  void isStoredWithTheNetwork() throws IOException {
    ComputationGraph net =
        net(new ScaleShiftLayer.Builder().rectified(true).build(), CNN2DFormat.NHWC);
    net.params().assign(Nd4j.randn(DataType.DOUBLE, net.params().shape()));
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, file, false);
    ComputationGraph read =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(file.toByteArray()));
    INDArray input = maps(CNN2DFormat.NHWC);
    assertThat(read.outputSingle(input)).isEqualTo(net.outputSingle(input));
    assertThat(read.getLayer("layer").conf().getLayer())
        .hasToString("ScaleShiftLayer 'layer'(nIn=5, rectified=true)");
  }
}
