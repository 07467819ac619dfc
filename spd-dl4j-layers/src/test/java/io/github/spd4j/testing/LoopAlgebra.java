/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.LocalResponse;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.HostEigen;
import java.util.function.Supplier;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The definition, entry by entry; it counts its calls. */
public final class LoopAlgebra implements Algebra {

  /** Calls so far. */
  public int calls;

  /** How many copies it made. */
  public int copies;

  @Override
  public boolean isForBackend() {
    return true;
  }

  @Override
  public boolean isOnDevice() {
    return true;
  }

  @Override
  public void add(double alpha, INDArray a, INDArray c) {
    calls++;
    INDArray from = a.reshape(a.length());
    INDArray to = c.reshape(c.length());
    for (long i = 0; i < from.length(); i++) {
      to.putScalar(i, to.getDouble(i) + alpha * from.getDouble(i));
    }
  }

  @Override
  public void multiply(
      double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count) {
    calls++;
    double[] left = flat(a.array());
    double[] right = flat(b.array());
    INDArray target = c.array().reshape(c.array().length());
    for (int matrix = 0; matrix < count; matrix++) {
      for (int i = 0; i < c.rows(); i++) {
        for (int j = 0; j < c.columns(); j++) {
          double sum = 0;
          for (int k = 0; k < a.columns(); k++) {
            sum += left[place(a, matrix, i, k)] * right[place(b, matrix, k, j)];
          }
          int place = place(c, matrix, i, j);
          double rest = beta == 0 ? 0 : beta * target.getDouble(place);
          target.putScalar(place, alpha * sum + rest);
        }
      }
    }
  }

  @Override
  public void scaleRows(INDArray matrix, INDArray factors, INDArray products) {
    calls++;
    for (long i = 0; i < matrix.size(0); i++) {
      for (long j = 0; j < matrix.size(1); j++) {
        products.putScalar(i, j, matrix.getDouble(i, j) * factors.getDouble(i));
      }
    }
  }

  @Override
  public void scaleColumns(INDArray matrix, INDArray factors, INDArray products) {
    scaleRows(matrix.transpose(), factors, products.transpose());
  }

  @Override
  public void copy(INDArray source, long from, INDArray target, long to, int step, int count) {
    copies++;
    INDArray flatSource = source.reshape(source.length());
    INDArray flatTarget = target.reshape(target.length());
    for (long i = 0; i < count; i++) {
      flatTarget.putScalar(to + i * step, flatSource.getDouble(from + i));
    }
  }

  @Override
  public void copy(INDArray source, INDArray target) {
    copies++;
    target.assign(source);
  }

  @Override
  public void packTriangles(INDArray matrices, INDArray vectors) {
    calls++;
    for (long m = 0; m < matrices.size(0); m++) {
      long k = 0;
      for (long i = 0; i < matrices.size(1); i++) {
        for (long j = i; j < matrices.size(1); j++, k++) {
          vectors.putScalar(m, k, matrices.getDouble(m, i, j));
        }
      }
    }
  }

  @Override
  public void unpackSymmetric(INDArray vectors, INDArray matrices) {
    calls++;
    for (long m = 0; m < matrices.size(0); m++) {
      long k = 0;
      for (long i = 0; i < matrices.size(1); i++) {
        for (long j = i; j < matrices.size(1); j++, k++) {
          matrices.putScalar(m, i, j, vectors.getDouble(m, k));
          matrices.putScalar(m, j, i, vectors.getDouble(m, k));
        }
      }
    }
  }

  @Override
  public void addTransposed(INDArray matrices, double alpha, INDArray sums) {
    calls++;
    for (long m = 0; m < matrices.size(0); m++) {
      for (long i = 0; i < matrices.size(1); i++) {
        for (long j = 0; j < matrices.size(1); j++) {
          sums.putScalar(
              m, i, j, alpha * (matrices.getDouble(m, i, j) + matrices.getDouble(m, j, i)));
        }
      }
    }
  }

  @Override
  public void squaredDistances(INDArray gram, double kept, INDArray norms, INDArray sums) {
    calls++;
    long n = gram.size(1);
    for (long m = 0; m < gram.size(0); m++) {
      for (long i = 0; i < n; i++) {
        norms.putScalar(m, i, gram.getDouble(m, i, i));
      }
      for (long i = 0; i < n; i++) {
        double sum = 0;
        for (long j = 0; j < n; j++) {
          double squares = kept * (norms.getDouble(m, i) + norms.getDouble(m, j));
          double distance = squares - 2 * gram.getDouble(m, i, j);
          distance = distance < 0 ? 0 : distance;
          gram.putScalar(m, i, j, distance);
          sum += Math.sqrt(distance);
        }
        sums.putScalar(m, i, sum);
      }
    }
  }

  @Override
  public void exponentials(INDArray matrices, INDArray factors) {
    calls++;
    for (long m = 0; m < matrices.size(0); m++) {
      for (long i = 0; i < matrices.size(1); i++) {
        for (long j = 0; j < matrices.size(2); j++) {
          double exponent = factors.getDouble(m) * matrices.getDouble(m, i, j);
          matrices.putScalar(m, i, j, Math.exp(exponent));
        }
      }
    }
  }

  @Override
  public void signedRoots(INDArray vectors, INDArray weights, double floor, INDArray roots) {
    calls++;
    for (long m = 0; m < vectors.size(0); m++) {
      for (long k = 0; k < vectors.size(1); k++) {
        double value = weights.getDouble(k) * vectors.getDouble(m, k);
        double root = Math.sqrt(Math.abs(value) + floor * floor);
        roots.putScalar(m, k, root);
        vectors.putScalar(m, k, value / (root + floor));
      }
    }
  }

  @Override
  public void rowProducts(double alpha, INDArray a, INDArray b, INDArray products) {
    calls++;
    for (long i = 0; i < a.size(0); i++) {
      double sum = 0;
      for (long j = 0; j < a.size(1); j++) {
        sum += a.getDouble(i, j) * b.getDouble(i, j);
      }
      products.putScalar(i, alpha * sum);
    }
  }

  @Override
  public void inverseRoots(INDArray numbers, double factor, double bound) {
    calls++;
    for (long i = 0; i < numbers.length(); i++) {
      double x = numbers.getDouble(i);
      numbers.putScalar(i, x <= bound ? 0 : factor / Math.sqrt(x));
    }
  }

  @Override
  public void inverseSquares(INDArray numbers, double factor, double bound) {
    calls++;
    for (long i = 0; i < numbers.length(); i++) {
      double x = numbers.getDouble(i);
      numbers.putScalar(i, x <= bound ? 0 : factor / (x * x));
    }
  }

  @Override
  public void eigen(INDArray matrices, INDArray values, INDArray vectors) {
    calls++;
    HostEigen.decompose(matrices, values, vectors);
  }

  @Override
  public void normalize(INDArray maps, LocalResponse response, INDArray output) {
    for (long n = 0; n < maps.size(0); n++) {
      for (long c = 0; c < maps.size(1); c++) {
        for (long p = 0; p < maps.size(2); p++) {
          double scale = Math.pow(sum(maps, response, n, c, p), -response.beta());
          output.putScalar(new long[] {n, c, p}, maps.getDouble(n, c, p) * scale);
        }
      }
    }
  }

  private static double sum(INDArray maps, LocalResponse response, long n, long c, long p) {
    double sum = 0;
    for (long j = 0; j < maps.size(1); j++) {
      if (Math.abs(j - c) <= response.reach()) {
        sum += maps.getDouble(n, j, p) * maps.getDouble(n, j, p);
      }
    }
    return response.k() + response.alpha() * sum;
  }

  /** The derivative of each output by each input. */
  @Override
  public void normalizeGradient(
      INDArray maps, INDArray delta, LocalResponse response, INDArray gradient) {
    double beta = response.beta();
    for (long n = 0; n < maps.size(0); n++) {
      for (long i = 0; i < maps.size(1); i++) {
        for (long p = 0; p < maps.size(2); p++) {
          double derivative = 0;
          for (long j = 0; j < maps.size(1); j++) {
            double s = sum(maps, response, n, j, p);
            double own = i == j ? Math.pow(s, -beta) : 0;
            double bySum = -beta * Math.pow(s, -beta - 1) * maps.getDouble(n, j, p);
            double sumByInput =
                Math.abs(i - j) <= response.reach()
                    ? 2 * response.alpha() * maps.getDouble(n, i, p)
                    : 0;
            derivative += delta.getDouble(n, j, p) * (own + bySum * sumByInput);
          }
          gradient.putScalar(new long[] {n, i, p}, derivative);
        }
      }
    }
  }

  @Override
  public Supplier<double[]> squares(INDArray numbers, long step) {
    double[] all = flat(numbers);
    double[] sum = new double[1];
    for (int i = 0; i < all.length; i += (int) step) {
      sum[0] += all[i] * all[i];
    }
    return () -> sum;
  }

  @Override
  public Supplier<double[]> asymmetries(INDArray matrices, long step) {
    double[] shares = new double[(int) matrices.size(0)];
    for (int m = 0; m < shares.length; m++) {
      double largest = 0;
      double difference = 0;
      for (long i = 0; i < matrices.size(1); i += step) {
        for (long j = 0; j < matrices.size(1); j += step) {
          double entry = matrices.getDouble(m, i, j);
          double other = matrices.getDouble(m, j, i);
          largest = Double.isFinite(entry) ? Math.max(largest, Math.abs(entry)) : largest;
          difference =
              Double.isFinite(entry - other)
                  ? Math.max(difference, Math.abs(entry - other))
                  : difference;
        }
      }
      shares[m] = difference == 0 ? 0 : difference / largest;
    }
    return () -> shares;
  }

  private static double[] flat(INDArray array) {
    return array.reshape(array.length()).toDoubleVector();
  }

  private static int place(MatrixStack stack, int matrix, int row, int column) {
    long along = stack.isTransposed() ? column : row;
    long across = stack.isTransposed() ? row : column;
    return Math.toIntExact(stack.offset() + matrix * stack.step() + along * stack.pitch() + across);
  }
}
