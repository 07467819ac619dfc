/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.internal.backend.host.Workers;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Root} for FLOAT arrays in the host's memory, each matrix on one thread from the first
 * iteration to the last.
 */
final class RootHost implements Root {

  private final int iterations;

  RootHost(int iterations) {
    this.iterations = iterations;
  }

  @Override
  public void forward(INDArray matrices, INDArray roots, ForwardPass saved) {
    saved.keep("matrices", matrices);
    int n = (int) matrices.size(1);
    int images = (int) matrices.size(0);
    boolean training = saved.isTraining();
    BatchMemory batch = new BatchMemory(training ? images : Workers.count(), n, saved.scratch());
    HostFloats source = new HostFloats(matrices);
    HostFloats target = new HostFloats(roots);
    float[][] buffer = saved.scratch().heaps("buffer", n * n);
    double[] traces = new double[images];
    double[] squaredNorms = new double[images];
    double[] smallest = new double[images];
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          float[] numbers = buffer[worker];
          for (int i = from; i < to; i++) {
            HostMatrix.of(source, i, n, n).read(numbers);
            float trace = trace(numbers, n);
            traces[i] = trace;
            float inverse = inverse(trace);
            scale(numbers, n * n, inverse);
            OneMatrix one = new OneMatrix(batch, training ? i : worker, worker);
            one.normalised().write(numbers);
            one.iteration.forward(one.normalised()).read(numbers);
            squaredNorms[i] = FloatMatrices.dot(numbers, numbers, 0, n * n);
            smallest[i] = smallestOfDiagonal(numbers, n);
            scale(numbers, n * n, rootOf(trace));
            HostMatrix.of(target, i, n, n).write(numbers);
          }
        });
    for (int i = 0; i < images; i++) {
      Root.check(matrices, i, traces[i], squaredNorms[i], smallest[i]);
    }
  }

  private static double smallestOfDiagonal(float[] matrix, int n) {
    double smallest = matrix[0];
    for (int k = 1; k < n; k++) {
      smallest = Math.min(smallest, matrix[k * n + k]);
    }
    return smallest;
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved) {
    INDArray matrices = saved.get("matrices");
    int n = (int) matrices.size(1);
    int images = (int) matrices.size(0);
    BatchMemory batch = new BatchMemory(images, n, saved.scratch());
    HostFloats source = new HostFloats(matrices);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats target = new HostFloats(matricesGradient);
    float[][] buffer = saved.scratch().heaps("buffer", n * n);
    float[][] other = saved.scratch().heaps("other", n * n);
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          float[] numbers = buffer[worker];
          float[] factors = other[worker];
          for (int i = from; i < to; i++) {
            OneMatrix one = new OneMatrix(batch, i, worker);
            HostMatrix.of(source, i, n, n).read(numbers);
            float trace = trace(numbers, n);
            float inverse = inverse(trace);
            float rootOfTrace = rootOf(trace);
            HostMatrix.of(gradients, i, n, n).read(numbers);
            FloatMatrices.addTransposed(numbers, n, 0.5f);
            one.iteration.result().read(factors);
            double multiplied =
                0.5 * FloatMatrices.dot(numbers, factors, 0, n * n) * rootOfTrace * inverse;
            scale(numbers, n * n, rootOfTrace);
            one.iteration.byResult().write(numbers);
            one.iteration.backward(one.normalised()).read(numbers);
            one.normalised().read(factors);
            double divided = FloatMatrices.dot(numbers, factors, 0, n * n) * inverse;
            scale(numbers, n * n, inverse);
            for (int k = 0; k < n; k++) {
              numbers[k * n + k] += (float) (multiplied - divided);
            }
            HostMatrix.of(target, i, n, n).write(numbers);
          }
        });
  }

  private static float trace(float[] matrix, int n) {
    double trace = 0;
    for (int k = 0; k < n; k++) {
      trace += matrix[k * n + k];
    }
    return (float) trace;
  }

  /** 1 / tr Σ, or 0 where the trace is not above its floor. */
  private static float inverse(float trace) {
    return (float) NumericPolicy.inverse(trace, NumericPolicy.TRACE_FLOOR);
  }

  /** √(tr Σ), or 0 where the trace is not above its floor. */
  private static float rootOf(float trace) {
    double inverse = NumericPolicy.inverse(trace, NumericPolicy.TRACE_FLOOR);
    return (float) (trace * Math.sqrt(inverse));
  }

  private static void scale(float[] numbers, int length, float factor) {
    for (int k = 0; k < length; k++) {
      numbers[k] *= factor;
    }
  }

  /** The iterations for one matrix of a batch. */
  private final class OneMatrix implements RootIteration.IterationMatrices<HostMatrix> {
    final RootIteration<HostMatrix> iteration = new RootIteration<>(iterations, false, this);

    private final BatchMemory batch;
    private final int image;
    private final int worker;

    OneMatrix(BatchMemory batch, int image, int worker) {
      this.batch = batch;
      this.image = image;
      this.worker = worker;
    }

    /** Σ / tr Σ. */
    HostMatrix normalised() {
      return batch.kept(image, 0);
    }

    @Override
    public HostMatrix kept(RootIteration.Kind kind, int number) {
      return batch.kept(image, kind.ordinal() * iterations + number);
    }

    @Override
    public HostMatrix passing(int place) {
      return batch.passing(worker, place);
    }

    @Override
    public void multiply(double alpha, HostMatrix a, HostMatrix b, double beta, HostMatrix c) {
      c.setProduct((float) alpha, a.plain(), b.plain(), (float) beta);
    }

    @Override
    public void setThreeHalves(HostMatrix c) {
      c.write(batch.threeHalves);
    }

    @Override
    public void add(double alpha, HostMatrix a, HostMatrix c) {
      c.add((float) alpha, a);
    }
  }

  /** The memory of a batch: what the backward pass needs by image, the rest by thread. */
  private final class BatchMemory {
    final float[] threeHalves;

    private final int n;
    private final int each = RootIteration.Kind.values().length * iterations + 1;
    private final HostFloats kept;
    private final HostFloats passing;

    BatchMemory(int images, int n, Scratch scratch) {
      this.n = n;
      this.kept = new HostFloats(scratch.array("kept", images, each, n, n));
      this.passing =
          new HostFloats(scratch.array("passing", Workers.count(), RootIteration.PASSING, n, n));
      this.threeHalves = new float[n * n];
      for (int k = 0; k < n; k++) {
        threeHalves[k * n + k] = 1.5f;
      }
    }

    HostMatrix kept(int image, int place) {
      return HostMatrix.of(kept, image * each + place, n, n);
    }

    HostMatrix passing(int worker, int place) {
      return HostMatrix.of(passing, worker * RootIteration.PASSING + place, n, n);
    }
  }
}
