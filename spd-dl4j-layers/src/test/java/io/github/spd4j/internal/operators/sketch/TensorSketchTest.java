/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.sketch;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** Beside the reference, which takes the way of the paper: what makes a sketch a sketch. */
class TensorSketchTest {

  private static final int N = 6;

  private static double inner(INDArray a, INDArray b) {
    return a.mul(b).sumNumber().doubleValue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 36, 1000})
  void theAdjointIsTheAdjoint(int d) {
    Nd4j.getRandom().setSeed(d);
    INDArray x = Nd4j.randn(DataType.DOUBLE, 3, N, N);
    INDArray y = Nd4j.randn(DataType.DOUBLE, 3, d);
    TensorSketch sketch = new TensorSketch(N, d, 11);
    INDArray before = x.dup();
    INDArray sketched = sketch.apply(x);
    assertThat(x).isEqualTo(before);
    assertThat(sketched.shape()).containsExactly(3, d);
    assertSmall(inner(sketched, y) - inner(x, sketch.adjoint(y)), ROUNDING);
  }

  /** Over many seeds the mean of ⟨Sx, Sy⟩ is ⟨x, y⟩, to within four standard errors. */
  @Test
  void innerProductsAreKeptInTheMean() {
    Nd4j.getRandom().setSeed(5);
    INDArray x = Nd4j.randn(DataType.DOUBLE, 1, N, N);
    INDArray y = x.add(Nd4j.randn(DataType.DOUBLE, 1, N, N));
    int seeds = 200;
    double sum = 0;
    double squares = 0;
    for (int seed = 0; seed < seeds; seed++) {
      TensorSketch sketch = new TensorSketch(N, 16, seed);
      INDArray both = sketch.apply(Nd4j.concat(0, x, y));
      double product = inner(both.slice(0), both.slice(1));
      sum += product;
      squares += product * product;
    }
    double mean = sum / seeds;
    double standardError = Math.sqrt((squares / seeds - mean * mean) / seeds);
    assertSmall(mean - inner(x, y), 4 * standardError);
    assertThat(standardError).isLessThan(0.1 * inner(x, y));
  }

  /**
   * Where every entry is 1, whatever meets in one place would add up, were there not the signs of
   * rows and columns: without either the mean would be too large.
   */
  @Test
  void signsKeepWhatMeetsFromAddingUp() {
    INDArray ones = Nd4j.ones(DataType.DOUBLE, 1, N, N);
    int seeds = 3000;
    double sum = 0;
    double squares = 0;
    for (int seed = 0; seed < seeds; seed++) {
      INDArray v = new TensorSketch(N, 4, seed).apply(ones);
      double square = inner(v, v);
      sum += square;
      squares += square * square;
    }
    double mean = sum / seeds;
    double standardError = Math.sqrt((squares / seeds - mean * mean) / seeds);
    assertSmall(mean - N * N, 4 * standardError);
    assertThat(standardError).isLessThan(2);
  }

  /** An entry goes to the place h₁(i) + h₂(j) with the sign s₁(i) s₂(j), and nowhere else. */
  @Test
  void placesAddUpAndSignsMultiply() {
    int d = 7;
    int[][] places = new int[N][N];
    double[][] signs = new double[N][N];
    TensorSketch sketch = new TensorSketch(N, d, 3);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        INDArray entry = Nd4j.zeros(DataType.DOUBLE, 1, N, N).putScalar(0, i, j, 1);
        INDArray v = sketch.apply(entry);
        places[i][j] = Nd4j.argMax(Transforms.abs(v), 1).getInt(0);
        signs[i][j] = v.getDouble(0, places[i][j]);
        assertThat(Math.abs(signs[i][j])).isEqualTo(1);
        assertThat(v.norm1Number().doubleValue()).isEqualTo(1);
        assertThat(signs[i][j] * signs[0][0]).isEqualTo(signs[i][0] * signs[0][j]);
        assertThat((places[i][j] + places[0][0]) % d).isEqualTo((places[i][0] + places[0][j]) % d);
      }
    }
    double[] firstColumn = Arrays.stream(signs).mapToDouble(row -> row[0]).toArray();
    assertThat(firstColumn).contains(1, -1);
    assertThat(signs[0]).contains(1, -1);
    assertThat(Arrays.stream(places).mapToInt(row -> row[0]).distinct().count()).isGreaterThan(2);
    assertThat(Arrays.stream(places[0]).distinct().count()).isGreaterThan(2);
  }

  @Test
  void theSeedDecides() {
    INDArray x = Nd4j.rand(DataType.DOUBLE, 1, N, N);
    INDArray sketch = new TensorSketch(N, 9, 1).apply(x);
    assertThat(new TensorSketch(N, 9, 1).apply(x)).isEqualTo(sketch);
    assertThat(new TensorSketch(N, 9, 2).apply(x)).isNotEqualTo(sketch);
  }

  @Test
  void wantsANumberToSketchTo() {
    assertThatThrownBy(() -> new TensorSketch(N, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a sketch of at least 1 number, got 0");
  }
}
