/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Examples;
import io.github.spd4j.testing.LoopAlgebra;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Beside the checks of all layers: when the layer looks at W. */
class SpdTransformLayerTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  /** A training step looks at W once, together with its gradient; other passes look at once. */
  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void transformRefusesWhatIsNotFinite(double bad) {
    SpdTransformLayer conf = new SpdTransformLayer.Builder().nIn(4).nOut(2).build();
    Layer layer = LayerCase.runtime(conf, DataType.DOUBLE, Backend.of(new LoopAlgebra()));
    INDArray input = Examples.symmetricMatrices(3, 4);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 3, 1, 2, 2);
    layer.activate(input, true, NO_WORKSPACES);
    assertThatThrownBy(() -> layer.backpropGradient(epsilon.dup().putScalar(0, bad), NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("infinity in the gradient of W")
        .hasMessageContaining("no parameter was changed");
    layer.getParam("W").putScalar(3, bad);
    assertThatThrownBy(() -> layer.activate(input, false, NO_WORKSPACES))
        .hasMessageContaining("infinity in W");
    layer.activate(input, true, NO_WORKSPACES);
    assertThatThrownBy(() -> layer.backpropGradient(epsilon, NO_WORKSPACES))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("infinity in W,");
  }
}
