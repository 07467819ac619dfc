/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** A residual connection of logarithms, a sum of DL4J's, and the exponential. */
class ResidualTest {

  private static ComputationGraph net() {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(DataType.DOUBLE, new NoOp())
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(3, 3, 4))
                .addLayer(
                    "x",
                    new KernelAggregationLayer.Builder()
                        .kernel(new CovarianceKernel())
                        .ridge(0.1)
                        .build(),
                    "in")
                .addLayer("y", new SpdTransformLayer.Builder().nOut(4).build(), "x")
                .addLayer("logX", new LogEigLayer.Builder().build(), "x")
                .addLayer("logY", new LogEigLayer.Builder().build(), "y")
                .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "logX", "logY")
                .addLayer("residual", new ExpEigLayer.Builder().build(), "sum")
                .addLayer("vector", new SpdVectorizationLayer.Builder().build(), "residual")
                .addLayer(
                    "out",
                    new OutputLayer.Builder(LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(Networks.CLASSES)
                        .build(),
                    "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  @Test
  void isTheExponentialOfTheSumOfLogarithms() throws IOException {
    ComputationGraph net = net();
    DataSet data = Networks.images(DataType.DOUBLE, 2, 3, 4, 3, 3);
    Map<String, INDArray> activations = net.feedForward(data.getFeatures(), false);
    INDArray x = activations.get("x").reshape(3, 4, 4);
    INDArray y = activations.get("y").reshape(3, 4, 4);
    INDArray expected = Spd.exponential(Spd.logarithm(x).add(Spd.logarithm(y)));
    assertClose(activations.get("residual").reshape(3, 4, 4), expected, ROUNDING);

    GradientChecks.check(net, data);
    ByteArrayOutputStream zip = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, zip, true);
    ComputationGraph restored =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(zip.toByteArray()), true);
    assertThat(restored.outputSingle(data.getFeatures()))
        .isEqualTo(net.outputSingle(data.getFeatures()));
  }

  @Test
  void anExponentialThatIsTooLargeIsRefused() {
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new NoOp()),
            List.of(new ExpEigLayer.Builder().build(), new SpdVectorizationLayer.Builder().build()),
            InputType.convolutional(2, 2, 1));
    INDArray large = Nd4j.eye(2).castTo(DataType.FLOAT).muli(200).reshape(1, 1, 2, 2);
    assertThatThrownBy(() -> net.outputSingle(large))
        .hasMessageContaining("ExpEigLayer 'layer0'")
        .hasMessageContaining("too large");
  }
}
