/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Fits a {@link GaussianMixture} to descriptors by expectation maximisation, from the clusters of
 * k-means.
 *
 * <p>All sums are in double precision, of which a copy of the descriptors is made. A variance is at
 * least {@link NumericPolicy#VARIANCE_FLOOR} times the largest variance of all descriptors. A
 * component that is left with less than {@link NumericPolicy#EMPTY_COMPONENT} descriptors begins
 * anew at the descriptor that the mixture explains worst, one component in a step; {@link
 * MixtureFit#reseeded} counts them. The same options and descriptors give the same mixture.
 */
public final class ExpectationMaximization {

  private static final int COMPONENTS = 64;

  /** The most steps unless set. */
  public static final int STEPS = 100;

  private static final double TOLERANCE = 1e-4;

  private int components = COMPONENTS;
  private int steps = STEPS;
  private double tolerance = TOLERANCE;
  private long seed;
  private FitProgress progress = FitProgress.NONE;

  /** A fit with {@value #COMPONENTS} components and at most {@value #STEPS} steps. */
  public ExpectationMaximization() {}

  /**
   * The number of components; {@value #COMPONENTS} unless set.
   *
   * @param components at least 1
   * @return this fit
   */
  public ExpectationMaximization components(int components) {
    this.components = (int) Arguments.atLeast((long) components, 1, "components");
    return this;
  }

  /**
   * The most steps; {@value #STEPS} unless set.
   *
   * @param steps at least 1
   * @return this fit
   */
  public ExpectationMaximization steps(int steps) {
    this.steps = (int) Arguments.atLeast((long) steps, 1, "steps");
    return this;
  }

  /**
   * The gain in mean log-likelihood below which no further step is taken; {@value #TOLERANCE}
   * unless set.
   *
   * @param tolerance not negative
   * @return this fit
   */
  public ExpectationMaximization tolerance(double tolerance) {
    this.tolerance = Arguments.atLeast(Arguments.finite(tolerance, "tolerance"), 0, "tolerance");
    return this;
  }

  /**
   * The seed of the start; 0 unless set.
   *
   * @param seed the seed
   * @return this fit
   */
  public ExpectationMaximization seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * The listener that is told about each step; none unless set.
   *
   * @param progress the listener
   * @return this fit
   */
  public ExpectationMaximization progress(FitProgress progress) {
    this.progress = Objects.requireNonNull(progress, "progress");
    return this;
  }

  /**
   * Fits a mixture.
   *
   * @param descriptors [n, D], at least as many different ones as components
   * @return the mixture and how the fit went
   * @throws NotFiniteException if the descriptors are not finite
   */
  public MixtureFit fit(INDArray descriptors) {
    if (Arguments.matrix(descriptors, "descriptors").rows() < components) {
      throw Arguments.refused(
          "descriptors",
          "[n, D], at least as many as the " + components + " components",
          "shape " + Arrays.toString(descriptors.shape()));
    }
    INDArray exact = descriptors.castTo(DataType.DOUBLE);
    double floor = floorFor(Moments.ofAll(exact));
    Moments start = KMeansStart.of(exact, components, new Random(seed));
    return improve(start.mixture(floor), exact);
  }

  private static double floorFor(Moments all) {
    double largest = all.variances().maxNumber().doubleValue();
    double norm = all.variances().norm2Number().doubleValue(); // a maximum can hide a NaN
    if (!Double.isFinite(norm)) {
      throw new NotFiniteException(
          "descriptors: expected finite ones, got NaN or infinity in them");
    }
    double size = all.means().norm2Number().doubleValue();
    double rounding = NumericPolicy.distanceRounding(all.means().dataType(), 1) * size * size;
    if (!(largest > rounding)) {
      throw Arguments.refused("descriptors", "different ones", "all equal ones");
    }
    return NumericPolicy.VARIANCE_FLOOR * largest;
  }

  /** Takes the steps from a given start, with DOUBLE descriptors. */
  MixtureFit improve(GaussianMixture start, INDArray descriptors) {
    Moments all = Moments.ofAll(descriptors);
    double floor = floorFor(all);
    GaussianMixture mixture = start;
    List<Double> gains = new ArrayList<>();
    int reseeded = 0;
    boolean converged = false;
    double before = Double.NEGATIVE_INFINITY;
    for (int step = 1; ; step++) {
      Expectation expectation = new Expectation(mixture, descriptors);
      double mean = expectation.total / descriptors.rows();
      gains.add(mean);
      progress.iterationDone(step, mean);
      converged = mean - before < tolerance;
      if (converged || step > steps) {
        return new MixtureFit(mixture, gains, reseeded, converged);
      }
      before = mean;
      if (reseed(expectation, mixture, all.mixture(floor).variances())) {
        reseeded++;
        before = Double.NEGATIVE_INFINITY;
      }
      mixture = expectation.moments.mixture(floor);
    }
  }

  /** Lets the first empty component begin anew; others stay as they are until the next step. */
  private boolean reseed(Expectation expectation, GaussianMixture mixture, INDArray variance) {
    boolean found = false;
    for (int k = 0; k < mixture.components(); k++) {
      if (expectation.moments.isEmpty(k)) {
        if (found) {
          INDArray mean = mixture.means().getRow(k, true);
          expectation.moments.fill(k, mean, mixture.variances().getRow(k, true));
        } else {
          expectation.moments.fill(k, expectation.worst, variance);
          progress.componentReseeded(k);
          found = true;
        }
      }
    }
    return found;
  }

  /** What a mixture says about the descriptors. */
  private static final class Expectation {
    private final Moments moments;
    private double total;
    private double least = Double.POSITIVE_INFINITY;
    private INDArray worst;

    Expectation(GaussianMixture mixture, INDArray descriptors) {
      moments = new Moments(mixture.components(), mixture.dimensions());
      Blocks.of(descriptors, (first, block) -> take(mixture, block));
    }

    private void take(GaussianMixture mixture, INDArray block) {
      INDArray joint = mixture.logJoint(block);
      INDArray likelihoods = GaussianMixture.logLikelihoods(joint);
      moments.add(Transforms.exp(joint.subi(likelihoods), false), block);
      double[] logs = likelihoods.data().asDouble();
      for (int i = 0; i < logs.length; i++) {
        total += logs[i];
        if (logs[i] < least) {
          least = logs[i];
          worst = Blocks.rows(block, i, i + 1);
        }
      }
      Matrices.closeAll(joint, likelihoods);
    }
  }
}
