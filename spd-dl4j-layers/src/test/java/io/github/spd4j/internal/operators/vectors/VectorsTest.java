/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.linalg.Matrices;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class VectorsTest {

  private static final VectorNormalization NONE = new VectorNormalization(false, 0.1, false, 1);

  /** Without it results would be right as well, but slow. */
  @Test
  void floatOnTheHostTakesTheFusedPass() {
    assumeTrue(Backend.current().isFused(DataType.FLOAT));
    assertThat(Vectors.on(Backend.current(), DataType.FLOAT, NONE)).isInstanceOf(VectorsHost.class);
  }

  @Test
  void oneOperatorTakesMatricesOfSeveralSizes() {
    Vectors operator = Vectors.on(Backend.of(new Nd4jAlgebra()), DataType.DOUBLE, NONE);
    for (int n : new int[] {3, 5, 2}) {
      INDArray matrices = Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 2, n, n));
      INDArray vectors = Nd4j.create(DataType.DOUBLE, 2, Triangle.length(n));
      INDArray back = Nd4j.create(DataType.DOUBLE, 2, n, n);
      ForwardPass saved = new ForwardPass();
      saved.begin(matrices, Map.of(), true);
      operator.forward(matrices, vectors, saved);
      operator.backward(vectors, back, saved);
      assertClose(back, matrices, ROUNDING); // the adjoint of an isometry is its inverse
    }
  }
}
