/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.testing.KindCase;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Holds dropout, learnt shrinkage and residuals of SPD matrices to an independent script, which
 * computes them by their definitions. What a dropout draws is given.
 */
class MatrixLayersReferenceTest {

  private static final LayerWorkspaceMgr NONE = LayerWorkspaceMgr.noWorkspaces();

  static List<KindCase> spdDropouts() {
    return KindCase.ofMatrixLayers("spd-dropout");
  }

  /** Rows and columns are dropped, and the logarithm follows. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("spdDropouts")
  void spdDropout(KindCase reference) {
    SpdDropout dropout = new SpdDropout(reference.number("p"), reference.number("floor"));
    compare(dropout, reference.array("drawn"), new LogEigLayer.Builder().build(), reference);
  }

  static List<KindCase> dropCovs() {
    return KindCase.ofMatrixLayers("dropcov");
  }

  /** Maps are dropped, and the covariance follows. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("dropCovs")
  void dropCov(KindCase reference) {
    DropCov dropout = new DropCov(reference.number("gamma"), reference.number("most"));
    assertSmall(dropout.rate(reference.array("input")) - reference.number("rate"), ROUNDING);
    INDArray drawn = reference.array("drawn");
    Layer covariance = new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build();
    compare(dropout, drawn.reshape(drawn.size(0), drawn.size(1), 1, 1), covariance, reference);
  }

  private static void compare(
      MaskedDropout dropout, INDArray drawn, Layer next, KindCase reference) {
    INDArray input = reference.array("input");
    INDArray dropped = dropout.apply(input, drawn, input.ulike());
    assertClose(dropped, reference.array("dropped"), ROUNDING);
    MultiLayerNetwork net = network(next, dropped);
    assertClose(net.feedForward(true, false).get(1), reference.array("output"), ROUNDING);
    INDArray byDropped = net.backpropGradient(reference.array("R"), null).getSecond();
    INDArray byInput = dropout.backprop(byDropped, byDropped.ulike(), 0, 0);
    assertClose(byInput, reference.array("gradInput"), ROUNDING);
  }

  static List<KindCase> shrinkages() {
    return KindCase.ofMatrixLayers("shrinkage");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("shrinkages")
  void learntShrinkage(KindCase reference) {
    Layer layer =
        new ShrinkageLayer.Builder()
            .learntFrom(0.5)
            .traceNormalization(reference.flag("normalised"))
            .build();
    MultiLayerNetwork net = network(layer, reference.array("input"));
    String theta = "0_" + ShrinkageLayer.LOGIT;
    net.getParam(theta).assign(reference.number("theta"));
    assertClose(net.feedForward(true, false).get(1), reference.array("output"), ROUNDING);
    Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.array("R"), null);
    assertClose(gradients.getSecond(), reference.array("gradInput"), ROUNDING);
    double byTheta = gradients.getFirst().getGradientFor(theta).getDouble(0);
    assertSmall(byTheta / reference.number("gradTheta") - 1, ROUNDING);
  }

  /** One layer, with its input. */
  private static MultiLayerNetwork network(Layer layer, INDArray input) {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.DOUBLE, new NoOp())
                .list()
                .layer(layer)
                .setInputType(InputType.convolutional(input.size(2), input.size(3), input.size(1)))
                .build());
    net.init();
    net.setInput(input);
    return net;
  }

  static List<KindCase> residuals() {
    return KindCase.ofMatrixLayers("residual");
  }

  /** exp(log X + log Y), with the gradients by both. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("residuals")
  void residual(KindCase reference) {
    INDArray x = reference.array("x");
    InputType matrices = InputType.convolutional(x.size(2), x.size(3), 1);
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(DataType.DOUBLE, new NoOp())
                .graphBuilder()
                .addInputs("x", "y")
                .setInputTypes(matrices, matrices)
                .addLayer("logX", new LogEigLayer.Builder().build(), "x")
                .addLayer("logY", new LogEigLayer.Builder().build(), "y")
                .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "logX", "logY")
                .addLayer("residual", new ExpEigLayer.Builder().build(), "sum")
                .setOutputs("residual")
                .build());
    net.init();
    INDArray[] inputs = {x, reference.array("y")};
    Map<String, INDArray> activations = net.feedForward(inputs, true, false);
    assertClose(activations.get("residual"), reference.array("output"), ROUNDING);
    GraphVertex sum = net.getVertex("sum");
    sum.setEpsilon(back(net, "residual", reference.array("R")));
    INDArray[] byLogarithms = sum.doBackward(false, NONE).getSecond();
    assertClose(back(net, "logX", byLogarithms[0]), reference.array("gradX"), ROUNDING);
    assertClose(back(net, "logY", byLogarithms[1]), reference.array("gradY"), ROUNDING);
  }

  private static INDArray back(ComputationGraph net, String layer, INDArray gradient) {
    return net.getLayer(layer).backpropGradient(gradient, NONE).getSecond();
  }
}
