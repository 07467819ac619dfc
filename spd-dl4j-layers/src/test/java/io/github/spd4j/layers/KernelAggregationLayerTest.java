/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.assertSmall;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/** Beside the checks of all layers, those of a bandwidth that is a constant. */
@Tag("once")
class KernelAggregationLayerTest {

  static Stream<Kernel> kernels() {
    return Stream.of(
        new RbfKernel(),
        new RbfKernel(Bandwidth.meanDistance().times(2)),
        new RbfKernel(Bandwidth.meanDistance().learnt()),
        new RbfKernel(Bandwidth.fixed(2)),
        new RbfKernel(Bandwidth.fixed(2).learnt()),
        new RbfKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.meanDistance().times(0.7).differentiated()),
        new LaplacianKernel(),
        new LaplacianKernel(Bandwidth.fixed(2)),
        new LaplacianKernel(Bandwidth.meanDistance().differentiated()),
        new LaplacianKernel(Bandwidth.meanDistance().times(0.7).differentiated().learnt()),
        PolynomialKernel.degree(2).offset(1).scale(0.1),
        new CovarianceKernel());
  }

  private static ComputationGraph net(Kernel kernel) {
    return Networks.plain(
        Networks.general(DataType.DOUBLE, new NoOp()),
        List.of(
            new KernelAggregationLayer.Builder().kernel(kernel).build(),
            new SpdTransformLayer.Builder().nOut(3).build(),
            new SpdVectorizationLayer.Builder().build()),
        InputType.convolutional(3, 3, 5));
  }

  /** With nothing before the layer, a constant σ is constant for the check too. */
  @ParameterizedTest
  @MethodSource("kernels")
  void gradientsOnTheInput(Kernel kernel) {
    ComputationGraph net = net(kernel);
    net.getLayer("layer0").paramTable().values().forEach(theta -> theta.assign(0.3));
    GradientChecks.checkHead(net, Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3));
  }

  /** ⟨∂L/∂W, ξ⟩ is the derivative of the score along ξ, for tangent ξ. */
  @ParameterizedTest
  @MethodSource("kernels")
  void parametersAlongTangentDirections(Kernel kernel) {
    ComputationGraph net = net(kernel);
    DataSet data = Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3);
    net.setInput(0, data.getFeatures());
    net.setLabel(0, data.getLabels());
    net.computeGradientAndScore();
    INDArray w = net.getParam("layer1_W").dup();
    INDArray byW = net.gradient().getGradientFor("layer1_W").div(data.numExamples());
    for (int i = 0; i < 5; i++) {
      INDArray tangent = Stiefel.projection(w, Nd4j.randn(DataType.DOUBLE, w.shape()));
      double expected = FiniteDifferences.along(x -> score(net, data, x), w, tangent);
      assertSmall(byW.mul(tangent).sumNumber().doubleValue() - expected, DERIVATIVE);
    }
  }

  private static double score(ComputationGraph net, DataSet data, INDArray w) {
    net.setParam("layer1_W", w);
    return net.score(data);
  }
}
