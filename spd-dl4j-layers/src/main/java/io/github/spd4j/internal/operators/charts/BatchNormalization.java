/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import static io.github.spd4j.linalg.NumericPolicy.FARTHEST_DEVIATION;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The normalisation of vectors by the mean and the variance of a batch, one number for all entries,
 * or by running ones, for each domain that the examples come from.
 *
 * <pre>
 * m = Σ x_i / N,   v² = Σ ‖x_i − m‖² / N,   c_i = x_i − m
 * y_i = s c_i / √(v² + ε) + b
 * </pre>
 *
 * <p>Backward, with g_i = ∂L/∂y_i and r = 1/√(v² + ε): {@code ∂L/∂b = Σ g_i}, {@code ∂L/∂s = r Σ
 * ⟨g_i, c_i⟩}, and
 *
 * <pre>
 * ∂L/∂x_i = s r (g_i − Σ g_j / N) − s r³ c_i Σ ⟨g_j, c_j⟩ / N
 * </pre>
 *
 * <p>With running statistics, m and v² are constants: {@code ∂L/∂x_i = s r g_i}. So it is in
 * training, too, where a batch has a single example of a domain, which is its own mean. An example
 * with {@code r‖c_i‖} above {@link NumericPolicy#FARTHEST_DEVIATION} has that in place of it: r is
 * then a share of {@code 1/‖c_i‖}, and its gradient loses the part along c_i.
 */
public final class BatchNormalization {

  private static final String CENTRED = "centred";
  private static final String INVERSE_DEVIATIONS = "inverse deviations";

  /** The names of what {@link Statistics#follow} follows. */
  public static final String MEANS = "meansOfBatch";

  /** The names of what {@link Statistics#follow} follows. */
  public static final String VARIANCES = "variancesOfBatch";

  private final double epsilon;

  /**
   * A normalisation.
   *
   * @param epsilon ε, greater than 0
   */
  public BatchNormalization(double epsilon) {
    this.epsilon = epsilon;
  }

  /** Mean and variance of each domain. */
  public static final class Statistics {
    private final INDArray means;
    private final INDArray variances;

    /**
     * Running statistics.
     *
     * @param means [D, d], which {@link #follow} changes
     * @param variances [D, 1], which {@link #follow} changes
     */
    public Statistics(INDArray means, INDArray variances) {
      this.means = means;
      this.variances = variances;
    }

    /**
     * Moves the running statistics towards those of a batch, of the domains that had more than one
     * example.
     *
     * @param domains the domain of each example
     * @param saved of {@link BatchNormalization#forward}, by the batch's own statistics
     * @param decay the share of the old ones that is kept
     */
    public void follow(int[] domains, ForwardPass saved, double decay) {
      follow(domains, saved, decay, Statistics::move);
    }

    /**
     * Moves the running statistics towards those of a batch, the means on ways of their own.
     *
     * @param domains the domain of each example
     * @param saved of {@link BatchNormalization#forward}, by the batch's own statistics
     * @param decay the share of the old ones that is kept
     * @param way moves a mean
     */
    public void follow(int[] domains, ForwardPass saved, double decay, Way way) {
      INDArray batchMeans = saved.get(MEANS);
      INDArray batchVariances = saved.get(VARIANCES);
      forEachOf(
          domains,
          (domain, rows) -> {
            if (rows.length > 1) {
              way.move(means.getRow(domain), batchMeans.getRow(domain), decay);
              move(variances.getRow(domain), batchVariances.getRow(domain), decay);
            }
          });
    }

    private static void move(INDArray running, INDArray batch, double decay) {
      running.muli(decay).addi(batch.mul(1 - decay).castTo(running.dataType()));
    }
  }

  /** How a running mean follows that of a batch. */
  public interface Way {

    /**
     * Moves a mean.
     *
     * @param running [d], to be changed
     * @param batch [d]
     * @param decay the share of the old one that is kept
     */
    void move(INDArray running, INDArray batch, double decay);
  }

  private interface Group {
    void accept(int domain, int[] rows);
  }

  /** Calls something for each domain with the numbers of its examples. */
  private static void forEachOf(int[] domains, Group group) {
    IntConsumer call =
        domain -> {
          int[] rows = new int[domains.length];
          int count = 0;
          for (int i = 0; i < domains.length; i++) {
            if (domains[i] == domain) {
              rows[count++] = i;
            }
          }
          group.accept(domain, Arrays.copyOf(rows, count));
        };
    Arrays.stream(domains).distinct().forEach(call);
  }

  /** Whether some examples are normalised by their own statistics. */
  private static boolean hasOwn(int[] rows, ForwardPass saved) {
    return rows.length > 1 && !saved.isInference();
  }

  /**
   * Normalises vectors: by the statistics of the batch in training, otherwise by the running ones.
   *
   * @param vectors x [N, d], DOUBLE
   * @param domains the domain of each of the N examples
   * @param running the running statistics
   * @param scale s
   * @param bias b [1, d]
   * @param saved says whether to use running statistics, and takes what the backward pass needs
   * @return y [N, d], DOUBLE
   */
  public INDArray forward(
      INDArray vectors,
      int[] domains,
      Statistics running,
      double scale,
      INDArray bias,
      ForwardPass saved) {
    double[][] x = HostDoubles.rowsOf(vectors);
    int length = Math.toIntExact(vectors.size(1));
    double[] b = HostDoubles.of(bias);
    double[] inverse = new double[x.length];
    double[][] means = new double[Math.toIntExact(running.means.size(0))][length];
    double[][] variances = new double[means.length][1];
    forEachOf(
        domains,
        (domain, rows) -> {
          boolean own = hasOwn(rows, saved);
          means[domain] =
              own ? sum(x, rows, 1.0 / rows.length) : HostDoubles.of(running.means.getRow(domain));
          double squares = 0;
          for (int i : rows) {
            for (int k = 0; k < length; k++) {
              x[i][k] -= means[domain][k];
              squares += x[i][k] * x[i][k];
            }
          }
          variances[domain][0] = own ? squares / rows.length : running.variances.getDouble(domain);
          for (int i : rows) {
            double plain = 1 / Math.sqrt(variances[domain][0] + epsilon);
            inverse[i] = own ? plain : Math.min(plain, FARTHEST_DEVIATION / norm(x[i]));
          }
        });
    saved.keep(CENTRED, Nd4j.createFromArray(x));
    saved.keep(INVERSE_DEVIATIONS, Nd4j.createFromArray(inverse));
    saved.keep(MEANS, Nd4j.createFromArray(means));
    saved.keep(VARIANCES, Nd4j.createFromArray(variances));
    for (int i = 0; i < x.length; i++) {
      for (int k = 0; k < length; k++) {
        x[i][k] = scale * inverse[i] * x[i][k] + b[k];
      }
    }
    return Nd4j.createFromArray(x);
  }

  /**
   * The gradient with respect to the vectors.
   *
   * @param gradient ∂L/∂y [N, d], DOUBLE
   * @param domains the domain of each example
   * @param scale s
   * @param byScale where to write ∂L/∂s, one number
   * @param byBias where to write ∂L/∂b [1, d]
   * @param saved of the forward pass
   * @return ∂L/∂x [N, d], DOUBLE
   */
  public INDArray backward(
      INDArray gradient,
      int[] domains,
      double scale,
      INDArray byScale,
      INDArray byBias,
      ForwardPass saved) {
    double[][] g = HostDoubles.rowsOf(gradient);
    double[][] centred = HostDoubles.rowsOf(saved.get(CENTRED));
    double[] inverse = HostDoubles.of(saved.get(INVERSE_DEVIATIONS));
    double[][] result = new double[g.length][];
    double[] slopes = new double[g.length];
    double total = 0;
    for (int i = 0; i < g.length; i++) {
      slopes[i] = inverse[i] * dot(g[i], centred[i]);
      total += slopes[i];
    }
    forEachOf(
        domains,
        (domain, rows) -> {
          boolean own = hasOwn(rows, saved);
          double[] mean = own ? sum(g, rows, 1.0 / rows.length) : new double[g[0].length];
          double slope = own ? Arrays.stream(rows).mapToDouble(i -> slopes[i]).sum() : 0;
          for (int i : rows) {
            double perCentred =
                own
                    ? inverse[i] * inverse[i] * slope / rows.length
                    : alongCentred(slopes[i], inverse[i], centred[i]);
            result[i] = new double[mean.length];
            for (int k = 0; k < mean.length; k++) {
              double direct = inverse[i] * (g[i][k] - mean[k]);
              result[i][k] = scale * (direct - perCentred * centred[i][k]);
            }
          }
        });
    byScale.assign(total);
    byBias.assign(gradient.sum(true, 0).castTo(byBias.dataType()).reshape(byBias.shape()));
    return Nd4j.createFromArray(result);
  }

  /** What an example that counts as nearer than it is loses of its gradient, per c_i. */
  private static double alongCentred(double slope, double inverse, double[] centred) {
    double norm = norm(centred);
    boolean far = norm * inverse >= FARTHEST_DEVIATION * (1 - 1e-12);
    return far ? slope / (norm * norm) : 0;
  }

  private static double norm(double[] a) {
    return Math.sqrt(dot(a, a));
  }

  private static double[] sum(double[][] x, int[] rows, double factor) {
    double[] sum = new double[x[0].length];
    for (int i : rows) {
      for (int k = 0; k < sum.length; k++) {
        sum[k] += x[i][k];
      }
    }
    for (int k = 0; k < sum.length; k++) {
      sum[k] *= factor;
    }
    return sum;
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int k = 0; k < a.length; k++) {
      sum += a[k] * b[k];
    }
    return sum;
  }
}
