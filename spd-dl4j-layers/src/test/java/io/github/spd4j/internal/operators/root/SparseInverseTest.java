/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.Matrices;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

class SparseInverseTest {

  private static final int ROWS = 6;

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(5);
  }

  private static SparseInverse operator() {
    return new SparseInverse(4, 0.01, 1, 7, Backend.current().algebra());
  }

  /** The result, and the gradient that follows from another. */
  private static INDArray[] passes(SparseInverse operator, INDArray matrices, INDArray gradient) {
    ForwardPass saved = new ForwardPass();
    saved.begin(matrices, Map.of(), true);
    INDArray result = Nd4j.create(matrices.dataType(), matrices.shape(), 'c');
    operator.forward(matrices, saved, result);
    INDArray back = Nd4j.create(matrices.dataType(), matrices.shape(), 'c');
    operator.backward(gradient, saved, back);
    return new INDArray[] {result, back};
  }

  private static INDArray positive(int count) {
    INDArray any = Nd4j.randn(DataType.DOUBLE, count, ROWS, 3 * ROWS);
    return Matrices.transposeSecond(any, any);
  }

  @Test
  void floatsAgreeWithDoubles() {
    INDArray matrices = positive(5);
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, matrices.shape());
    INDArray[] doubles = passes(operator(), matrices, gradient);
    INDArray[] floats =
        passes(operator(), matrices.castTo(DataType.FLOAT), gradient.castTo(DataType.FLOAT));
    for (int i = 0; i < 2; i++) {
      double error = floats[i].castTo(DataType.DOUBLE).sub(doubles[i]).norm2Number().doubleValue();
      assertThat(error).isLessThan(1e-4 * doubles[i].norm2Number().doubleValue());
    }
  }

  /** Passes that keep nothing use the same memory for every step. */
  @Test
  void withoutABackwardPassTheResultIsTheSame() {
    INDArray matrices = positive(3);
    INDArray expected = passes(operator(), matrices, matrices)[0];
    ForwardPass saved = new ForwardPass();
    saved.begin(matrices, Map.of(), false);
    INDArray result = Nd4j.create(DataType.DOUBLE, matrices.shape(), 'c');
    operator().forward(matrices, saved, result);
    assertThat(result).isEqualTo(expected);
  }

  @Test
  void refusesANegativeEigenvalue() {
    INDArray matrices = positive(3);
    matrices.get(NDArrayIndex.point(1)).assign(Nd4j.eye(ROWS));
    matrices.putScalar(1, 2, 2, -0.5);
    assertThatThrownBy(() -> passes(operator(), matrices, matrices))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("negative eigenvalues");
  }
}
