/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * The square roots of symmetric positive semidefinite matrices, by so many coupled Newton–Schulz
 * iterations and nothing but products.
 *
 * <pre>
 * Y₀ = Σ / tr Σ,  Z₀ = I
 * T = (3I − Z Y) / 2,  Y ← Y T,  Z ← T Z          N times; Y → A^½, Z → A^−½
 * √Σ ≈ √(tr Σ) · Y
 * </pre>
 *
 * <p>The backward pass is the derivative of exactly these iterations, however far they have come. A
 * matrix whose trace is not above {@link NumericPolicy#TRACE_FLOOR} has the root zero, and no
 * gradient.
 */
public final class RootGraph {

  private static final String INVERSE_TRACE = "inverseTrace";
  private static final String ROOT_OF_TRACE = "rootOfTrace";
  private static final String ROOT = "root";
  private static final String INVERSE_ROOT = "inverseRoot";

  private final int iterations;

  /**
   * A square root.
   *
   * @param iterations N, at least 1
   */
  public RootGraph(int iterations) {
    if (iterations < 1) {
      throw new IllegalArgumentException(
          "expected at least 1 iteration, got iterations = " + iterations);
    }
    this.iterations = iterations;
  }

  /**
   * Defines the roots.
   *
   * @param sd where to define them
   * @param matrices Σ [N, n, n]
   * @param n the number of rows
   * @return [N, n, n]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices, long n) {
    SDVariable identity = sd.constant(identity(matrices.dataType(), n));
    SDVariable trace = sd.reshape(matrices.mul(identity), -1, 1, n * n).sum(true, 2);
    SDVariable usable = sd.gt(trace, NumericPolicy.TRACE_FLOOR).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    SDVariable divisor = trace.mul(usable).add(usable.rsub(1));
    SDVariable inverse = usable.div(divisor).rename(INVERSE_TRACE);
    SDVariable y = matrices.mul(inverse).rename(ROOT + 0);
    SDVariable z = null;
    for (int k = 1; k <= iterations; k++) {
      SDVariable product = z == null ? y : sd.mmul(z, y, false, false, false);
      SDVariable step = identity.mul(1.5).sub(product.mul(0.5));
      y = sd.mmul(y, step, false, false, false).rename(ROOT + k);
      if (k < iterations) {
        z = z == null ? sd.identity(step) : sd.mmul(step, z, false, false, false);
        z = z.rename(INVERSE_ROOT + k);
      }
    }
    return y.mul(sd.math().sqrt(divisor).mul(usable).rename(ROOT_OF_TRACE));
  }

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names
   */
  public List<String> saved() {
    List<String> names = new ArrayList<>(List.of(INVERSE_TRACE, ROOT_OF_TRACE, ROOT + 0));
    for (int k = 1; k <= iterations; k++) {
      names.add(ROOT + k);
      if (k < iterations) {
        names.add(INVERSE_ROOT + k);
      }
    }
    return names;
  }

  /**
   * The gradient with respect to the matrices.
   *
   * @param saved the values of the {@link #saved} variables, unchanged by this method
   * @param gradient G, the gradient with respect to the roots [N, n, n], unchanged by this method;
   *     only its symmetric part counts
   * @return a new array [N, n, n], symmetric but for rounding
   */
  public INDArray backward(Map<String, INDArray> saved, INDArray gradient) {
    INDArray g = Matrices.symmetricPart(gradient);
    INDArray byY = g.mul(saved.get(ROOT_OF_TRACE));
    INDArray byZ = null;
    for (int k = iterations; k > 1; k--) {
      INDArray y = saved.get(ROOT + (k - 1));
      INDArray z = saved.get(INVERSE_ROOT + (k - 1));
      INDArray step = step(Matrices.product(z, y));
      INDArray byStep = Matrices.transposeFirst(y, byY);
      INDArray beforeZ = null;
      if (byZ != null) {
        byStep.addi(Matrices.transposeSecond(byZ, z));
        beforeZ = Matrices.transposeFirst(step, byZ);
      }
      byStep.muli(-0.5);
      INDArray throughStep = Matrices.transposeSecond(byStep, y);
      byZ = beforeZ == null ? throughStep : throughStep.addi(beforeZ);
      byY = Matrices.transposeSecond(byY, step).addi(Matrices.transposeFirst(z, byStep));
    }
    return byMatrices(saved, g, first(saved.get(ROOT + 0), byY, byZ));
  }

  /** The gradient with respect to A, through the first iteration, where Z is the identity. */
  private static INDArray first(INDArray a, INDArray byY, INDArray byZ) {
    INDArray byStep = Matrices.transposeFirst(a, byY);
    if (byZ != null) {
      byStep.addi(byZ);
    }
    return Matrices.transposeSecond(byY, step(a)).subi(byStep.muli(0.5));
  }

  /** The gradient with respect to Σ, through the trace by which it was divided and multiplied. */
  private INDArray byMatrices(Map<String, INDArray> saved, INDArray g, INDArray byA) {
    INDArray inverse = saved.get(INVERSE_TRACE);
    INDArray divided = inner(byA, saved.get(ROOT + 0)).muli(inverse);
    INDArray multiplied =
        inner(g, saved.get(ROOT + iterations)).muli(Transforms.sqrt(inverse)).muli(0.5);
    INDArray byTrace = multiplied.subi(divided);
    return byA.muli(inverse).addi(identity(g.dataType(), g.size(1)).mul(byTrace));
  }

  /** T = (3I − product) / 2. */
  private static INDArray step(INDArray product) {
    return product.mul(-0.5).addi(identity(product.dataType(), product.size(1)).muli(1.5));
  }

  /** ⟨a, b⟩ of each pair of matrices, [N, 1, 1]. */
  private static INDArray inner(INDArray a, INDArray b) {
    return a.mul(b).reshape(a.size(0), 1, a.size(1) * a.size(2)).sum(true, 2);
  }

  private static INDArray identity(DataType type, long n) {
    return Nd4j.eye(n).castTo(type).reshape(1, n, n);
  }
}
