/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.util.List;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A kernel of a user's own, which has no more than its definition. */
class OwnKernelTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  /** {@code (f_i·f_j)² / 10}. */
  public static final class Squared implements Kernel {
    private static final long serialVersionUID = 1L;

    @Override
    public SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
      SDVariable products = sd.mmul(maps, maps, false, true, false);
      return products.mul(products).mul(0.1);
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Squared;
    }

    @Override
    public int hashCode() {
      return 7;
    }
  }

  private static KernelAggregationLayer layer(Kernel kernel) {
    return new KernelAggregationLayer.Builder().kernel(kernel).ridge(0.1).build();
  }

  @Test
  void itIsComputedAndDifferentiatedByItsDefinition() {
    Nd4j.getRandom().setSeed(4);
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 3, 4, 2, 3);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 3, 1, 4, 4);
    Layer own = LayerCase.runtime(layer(new Squared()), DataType.DOUBLE, Backend.current());
    Kernel same = PolynomialKernel.degree(2).scale(Math.sqrt(0.1));
    Layer closed = LayerCase.runtime(layer(same), DataType.DOUBLE, Backend.current());
    assertClose(
        own.activate(maps, true, NO_WORKSPACES),
        closed.activate(maps, true, NO_WORKSPACES),
        ROUNDING);
    assertClose(
        own.backpropGradient(epsilon, NO_WORKSPACES).getSecond(),
        closed.backpropGradient(epsilon, NO_WORKSPACES).getSecond(),
        ROUNDING);
  }

  @Test
  void aNetworkHasItsGradientsAndIsStoredWithIt() {
    List<org.deeplearning4j.nn.conf.layers.Layer> head =
        List.of(layer(new Squared()), new SpdVectorizationLayer.Builder().build());
    ComputationGraph net = Networks.forGradientCheck(head, InputType.convolutional(4, 4, 1));
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 1, 2, 1, 4, 4));
    String json = net.getConfiguration().toJson();
    assertThat(ComputationGraphConfiguration.fromJson(json)).isEqualTo(net.getConfiguration());
  }
}
