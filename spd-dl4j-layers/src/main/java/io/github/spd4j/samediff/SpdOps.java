/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.samediff;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.internal.operators.congruence.CongruenceGraph;
import io.github.spd4j.internal.operators.root.RootGraph;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.internal.operators.vectors.VectorNormalization;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SpectralFunction;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * What the layers compute, in graphs of SameDiff: the same definitions, which SameDiff
 * differentiates.
 *
 * <pre>
 * SDVariable k = SpdOps.kernel(sd, maps);                     // [N, C, H, W] → [N, C, C]
 * SDVariable y = SpdOps.transform(sd, k, w);                  // w [C, C'] → [N, C', C']
 * SDVariable v = SpdOps.vectorize(sd, SpdOps.logarithm(sd, y)); // [N, C'(C'+1)/2]
 * </pre>
 *
 * <p>{@link StiefelVariables} keeps w on the Stiefel manifold. Gradients are those of the layers: a
 * bandwidth that is not {@linkplain io.github.spd4j.kernel.Bandwidth#differentiated differentiated}
 * is a constant of the backward pass, and gradients of eigenvalues are right where they repeat.
 *
 * <p>Sizes of variables in the middle of a graph are found by computing them once, for one example
 * of random numbers; all placeholders that they depend on must have shapes.
 *
 * <p>All pixels and examples count: there are no masks. Of pictures of different sizes, take each
 * size by itself.
 *
 * <p>When not to use it: in a network of DL4J, whose layers compute the same several times faster.
 */
public final class SpdOps {

  /** How many Newton–Schulz iterations {@link #squareRoot(SameDiff, SDVariable)} takes. */
  public static final int ROOT_ITERATIONS = 5;

  private SpdOps() {}

  /**
   * The kernel matrices of feature maps, {@code exp(−‖f_i − f_j‖² / 2σ²)} with the mean distance σ.
   *
   * @param sd the graph
   * @param maps [N, C, H, W] or [N, C, P]
   * @return K [N, C, C]
   */
  public static SDVariable kernel(SameDiff sd, SDVariable maps) {
    return kernel(sd, maps, new RbfKernel());
  }

  /**
   * The kernel matrices of feature maps.
   *
   * @param sd the graph
   * @param maps [N, C, H, W] or [N, C, P]
   * @param kernel the kernel; what it learns is at its start
   * @return K [N, C, C]
   */
  public static SDVariable kernel(SameDiff sd, SDVariable maps, Kernel kernel) {
    long[] shape = mapsShape(sd, maps, kernel);
    return kernel.define(sd, rows(sd, maps, shape), shape[1], shape[2]);
  }

  /**
   * The kernel matrices of feature maps, for a kernel that learns.
   *
   * @param sd the graph
   * @param maps [N, C, H, W] or [N, C, P]
   * @param kernel the kernel
   * @param parameters its {@linkplain Kernel#parameters parameters} by name, each [1, 1]
   * @return K [N, C, C]
   */
  public static SDVariable kernel(
      SameDiff sd, SDVariable maps, Kernel kernel, Map<String, SDVariable> parameters) {
    Objects.requireNonNull(parameters, "parameters");
    long[] shape = mapsShape(sd, maps, kernel);
    if (!parameters.keySet().containsAll(kernel.parameters())) {
      throw Arguments.refused("parameters", kernel.parameters().toString(), parameters.keySet());
    }
    return kernel.define(sd, rows(sd, maps, shape), shape[1], shape[2], parameters);
  }

  /** N (or what stands for it), C and P. */
  private static long[] mapsShape(SameDiff sd, SDVariable maps, Kernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    long[] shape = shapeOf(sd, maps, "maps");
    if (shape.length == 3 || shape.length == 4) {
      long pixels = shape.length == 3 ? shape[2] : shape[2] * shape[3];
      if (shape[1] > 0 && pixels > 0) {
        return new long[] {shape[0], shape[1], pixels};
      }
    }
    throw unexpected(
        "maps", "feature maps [N, C, H, W] or [N, C, P] with C, H and W known", maps, shape);
  }

  private static SDVariable rows(SameDiff sd, SDVariable maps, long[] shape) {
    return sd.reshape(maps, -1, shape[1], shape[2]);
  }

  /**
   * {@code Y = WᵀKW}.
   *
   * @param sd the graph
   * @param matrices symmetric K [N, C, C] or [N, 1, C, C]
   * @param w W [C, C'], best a point of the Stiefel manifold
   * @return Y [N, C', C']
   */
  public static SDVariable transform(SameDiff sd, SDVariable matrices, SDVariable w) {
    Objects.requireNonNull(w, "w");
    long n = rowsOf(sd, matrices);
    long[] shape = shapeOf(sd, w, "w");
    if (shape.length != 2 || shape[0] != n) {
      throw unexpected("w", "W [" + n + ", C'] for matrices of " + n + " rows", w, shape);
    }
    if (w.dataType() != matrices.dataType()) {
      throw Arguments.refused("w", matrices.dataType() + " as the matrices have", w.dataType());
    }
    SDVariable y = CongruenceGraph.define(sd, matrices, w, n, shape[1]);
    return sd.reshape(y, -1, shape[1], shape[1]);
  }

  /**
   * The square roots of positive semidefinite matrices by {@value #ROOT_ITERATIONS} Newton–Schulz
   * iterations.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @return [N, n, n]
   */
  public static SDVariable squareRoot(SameDiff sd, SDVariable matrices) {
    return squareRoot(sd, matrices, ROOT_ITERATIONS);
  }

  /**
   * The square roots of positive semidefinite matrices by Newton–Schulz iterations.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @param iterations at least 1
   * @return [N, n, n]
   */
  public static SDVariable squareRoot(SameDiff sd, SDVariable matrices, int iterations) {
    Arguments.atLeast((long) iterations, 1, "iterations");
    long n = rowsOf(sd, matrices);
    return RootGraph.define(sd, sd.reshape(matrices, -1, n, n), n, iterations);
  }

  /**
   * The logarithms of symmetric matrices, whose eigenvalues below {@link
   * NumericPolicy#EIGENVALUE_FLOOR} count as that.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @return [N, n, n]
   */
  public static SDVariable logarithm(SameDiff sd, SDVariable matrices) {
    SpectralFunction logarithm = SpectralFunction.logarithm(NumericPolicy.EIGENVALUE_FLOOR);
    return function(sd, matrices, logarithm);
  }

  /**
   * A function of the eigenvalues of symmetric matrices, such as {@link SpectralFunction#rectifier}
   * or {@link SpectralFunction#power}.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @param function the function
   * @return [N, n, n]
   */
  public static SDVariable function(SameDiff sd, SDVariable matrices, SpectralFunction function) {
    Objects.requireNonNull(function, "function");
    long n = rowsOf(sd, matrices);
    return function.define(sd, sd.reshape(matrices, -1, n, n), n);
  }

  /**
   * The upper triangles of symmetric matrices as vectors of the same norm: the entries off the
   * diagonal times √2.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @return [N, n(n+1)/2]
   */
  public static SDVariable triangle(SameDiff sd, SDVariable matrices) {
    return Triangle.symmetric(Math.toIntExact(rowsOf(sd, matrices))).define(sd, matrices);
  }

  /**
   * The upper triangles of symmetric matrices as vectors, with power and l2 normalisation: an
   * {@code SpdVectorizationLayer} as it is unless set.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @return [N, n(n+1)/2]
   */
  public static SDVariable vectorize(SameDiff sd, SDVariable matrices) {
    long length = Triangle.length(Math.toIntExact(rowsOf(sd, matrices)));
    return new VectorNormalization(true, NumericPolicy.POWER_FLOOR, true, 1)
        .define(sd, triangle(sd, matrices), length);
  }

  /**
   * The coordinates of positive definite matrices {@code LLᵀ} under the log-Cholesky metric: the
   * lower triangle of L, with the logarithm of its diagonal.
   *
   * @param sd the graph
   * @param matrices [N, n, n] or [N, 1, n, n]
   * @return [N, n(n+1)/2]
   */
  public static SDVariable logCholesky(SameDiff sd, SDVariable matrices) {
    int n = Math.toIntExact(rowsOf(sd, matrices));
    return Chart.logCholesky()
        .define(sd, sd.reshape(matrices, -1, n, n), n)
        .castTo(matrices.dataType());
  }

  private static long rowsOf(SameDiff sd, SDVariable matrices) {
    long[] shape = shapeOf(sd, matrices, "matrices");
    int rank = shape.length;
    boolean isStack = rank == 3 || rank == 4 && shape[1] == 1;
    if (!isStack || shape[rank - 1] < 1 || shape[rank - 1] != shape[rank - 2]) {
      throw unexpected("matrices", "[N, n, n] or [N, 1, n, n] with n known", matrices, shape);
    }
    return shape[rank - 1];
  }

  /** The shape of a variable; where the number of examples is not known, 1 or −1 of them. */
  private static long[] shapeOf(SameDiff sd, SDVariable variable, String name) {
    Objects.requireNonNull(sd, "sd");
    Arguments.type(Objects.requireNonNull(variable, name).dataType(), name);
    long[] known = variable.getShape();
    if (known != null) {
      return known;
    }
    Map<String, INDArray> examples = new HashMap<>();
    for (SDVariable each : sd.variables()) {
      if (each.isPlaceHolder() && each.getShape() != null) {
        examples.put(each.name(), example(each, each.getShape()));
      }
    }
    try {
      return sd.output(examples, variable.name()).get(variable.name()).shape();
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          name
              + ": expected a variable whose shape follows from the shapes of the placeholders, got "
              + variable.name(),
          e);
    }
  }

  /** One example of a placeholder, by a generator of its own. */
  private static INDArray example(SDVariable placeholder, long[] shape) {
    long[] ofOne = Arrays.stream(shape).map(size -> Math.max(1, size)).toArray();
    if (!placeholder.dataType().isFPType()) {
      return Nd4j.zeros(placeholder.dataType(), ofOne);
    }
    Random random = new Random(1);
    int length = Math.toIntExact(Arrays.stream(ofOne).reduce(1, Math::multiplyExact));
    double[] numbers = random.doubles(length).toArray();
    return Nd4j.createFromArray(numbers).castTo(placeholder.dataType()).reshape(ofOne);
  }

  private static IllegalArgumentException unexpected(
      String name, String wanted, SDVariable got, long[] shape) {
    return Arguments.refused(name, wanted, got.name() + " " + Arrays.toString(shape));
  }
}
