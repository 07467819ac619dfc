/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.internal.backend.Arguments;
import java.util.Objects;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * The floors and tolerances of the mathematics, by name and with their reasons. The rules behind
 * them:
 *
 * <ul>
 *   <li><b>Types.</b> Layers accept FLOAT and DOUBLE. In HALF the floors would be zero; in BFLOAT16
 *       a W of 512 columns is off the manifold by 0.05. Convolutions may round by themselves
 *       ({@code Precision} of {@code spd-dl4j-acceleration}): what they give is FLOAT. Eigenvalues,
 *       Cholesky factors of SPD matrices and all checks are computed in DOUBLE, whatever the type
 *       of the network.
 *   <li><b>Limits</b> are tested as {@code !(x <= limit)}, so that NaN fails. Whether an array is
 *       finite is tested by its norm, because ND4J's largest absolute value can hide a NaN.
 *   <li><b>Squared distances.</b> Rows are centred on their common mean, and norms and products
 *       come from one Gram matrix, so that the errors of equal rows cancel. What is left within
 *       {@link #distanceRounding} counts as zero: a root would turn an error of 1e-7 into one of
 *       3e-4, and the Laplacian kernel and a differentiated bandwidth divide by the distance.
 *   <li><b>Division.</b> What is not above its floor has the inverse 0, forward and backward, in
 *       every implementation ({@link #inverse}).
 *   <li><b>Huge maps.</b> In FLOAT squares of maps above 1e19 overflow. The maps of such an image
 *       are multiplied by a power of two, which changes no digit ({@link #shrinking}).
 *   <li><b>Square root.</b> Iterations differentiate exactly what the forward pass computes. With
 *       five, an eigenvalue of 0.01 of the trace reaches 0.66 of its root, one of 0.001 0.24; with
 *       ten, 1.00 and 0.98.
 *   <li><b>Retractions.</b> The diagonal of R is positive: otherwise columns of W change sign
 *       between steps. In FLOAT on the CPU Q comes from Cholesky factors of 64 columns at a time,
 *       polished beyond {@link #WELL_CONDITIONED}; LAPACK's {@code geqrf} takes over where they
 *       fail. A polar factor is finished once ‖E‖³ of its last step is below {@link #epsilon}.
 *   <li><b>Steps.</b> An updater writes W − W', DL4J subtracts it from W. By Sterbenz's lemma that
 *       is exact for entries that change by less than half, and otherwise of the order of rounding.
 *   <li><b>Manifold.</b> Every forward pass estimates ‖WᵀW − I‖ by ‖Wᵀ(Wx) − x‖ for one x of random
 *       signs, because DL4J has many ways to write into W and announces none.
 *   <li><b>Symmetry</b> is tested on up to 16 rows of each matrix: what breaks it, such as a
 *       convolution, affects all entries.
 *   <li><b>GPU, training.</b> To read a number the host waits for the card. So symmetry is checked
 *       in the first pass only, W and its gradient in the backward pass, before any updater runs.
 * </ul>
 */
public final class NumericPolicy {

  /**
   * The smallest bandwidth σ that a mean distance is divided by. Only a set of feature maps that
   * are all equal has a smaller one; every entry of its kernel matrix is then 1 and its gradient 0.
   * The square of the floor is still a normal number in single precision.
   */
  public static final double SIGMA_FLOOR = 1e-18;

  /**
   * How far the logarithm of what a bandwidth is learnt to be multiplied by counts, in either
   * direction. Long before, a kernel matrix is the identity or all ones; up to there, neither the
   * factor nor the square of a distance divided by σ leaves single precision.
   */
  public static final double LOG_BANDWIDTH_LIMIT = 20;

  /**
   * The default φ of the power normalisation {@code v / (φ + √(|v| + φ²))}, whose slope is at most
   * {@code 1 / (2φ)}, here 50.
   */
  public static final double POWER_FLOOR = 0.01;

  /**
   * The smallest Euclidean norm that an l2 normalisation divides by. A shorter vector has no usable
   * direction: it becomes zero, and so does its gradient.
   */
  public static final double NORM_FLOOR = 1e-12;

  /**
   * The smallest trace that a matrix is divided by before its square root is taken, the square of
   * {@link #NORM_FLOOR}: the trace of a covariance is the square of a norm. A matrix below it
   * becomes zero, and so does its gradient.
   */
  public static final double TRACE_FLOOR = 1e-24;

  /**
   * The default ε below which the eigenvalues of a matrix are raised to it, as before a logarithm,
   * whose slope is then at most 1/ε.
   */
  public static final double EIGENVALUE_FLOOR = 1e-4;

  /**
   * The most deviations from a running mean that a matrix counts as away from it. In training none
   * of N examples is farther than √(N − 1); where all examples of a batch were equal, the running
   * variance is next to nothing, and the exponential of a distance would not be finite.
   */
  public static final double FARTHEST_DEVIATION = 10;

  /**
   * How long the last step of the mean of a curved metric may be, as a share of the mean distance
   * of the matrices, where rounding allows no shorter one.
   */
  public static final double KARCHER_TOLERANCE = 1e-6;

  /**
   * The least that ridge penalties are a share of, where equal examples give nothing else; their
   * inverse is finite in FLOAT.
   */
  public static final double RIDGE_FLOOR = 1e-20;

  /**
   * The smallest variance of a mixture's component, as a share of the largest variance of all
   * descriptors: no component may shrink to a few equal descriptors.
   */
  public static final double VARIANCE_FLOOR = 1e-4;

  /**
   * A component of a mixture whose shares in all descriptors add up to less than this is empty. One
   * that has a single descriptor to itself is not.
   */
  public static final double EMPTY_COMPONENT = 0.5;

  /** The share of a column's length below which it counts as dependent on the columns before it. */
  public static final double DEPENDENT_COLUMN = 1e-13;

  /**
   * The ‖R − I‖ up to which Cholesky decompositions give Q of A = QR as orthonormal as rounding
   * allows: the squared condition of A, by which they multiply rounding at worst, is at most 4
   * then.
   */
  public static final double WELL_CONDITIONED = 0.25;

  /** The most steps a polar factor may take; a full-rank matrix needs far fewer. */
  public static final int POLAR_MAX_STEPS = 100;

  /**
   * The share of ‖W‖² by which it may differ from p after a retraction: far above rounding, far
   * below what a retraction that failed leaves.
   */
  public static final double FAILED_RETRACTION = 1e-3;

  /**
   * The share of the largest entries by which {@code K_ij} and {@code K_ji} may differ in a matrix
   * that counts as symmetric: above the rounding of long sums in FLOAT, below what a layer that
   * does not keep symmetry does.
   */
  public static final double ASYMMETRY = 1e-3;

  /**
   * How far the square root of a matrix of trace 1 may be from what the root of a semidefinite one
   * can be: a squared norm of at most 1, a diagonal that is not negative.
   */
  public static final double INDEFINITE = 1e-3;

  private static final double LARGE_SQUARE_FLOAT = 1e30;
  private static final double LARGE_SQUARE_DOUBLE = 1e300;

  /**
   * The ‖WᵀW − I‖ above which a forward pass refuses W. Rounding leaves 1e-5 in FLOAT with 512
   * columns, and the step of a gradient check, up to 1e-4 in an entry, twice that step. A step of a
   * Stiefel updater takes back what lies below.
   */
  public static final double REFUSED_OFF_MANIFOLD = 1e-3;

  private static final double OFF_MANIFOLD_FLOAT = 1e-4;
  private static final double OFF_MANIFOLD_DOUBLE = 1e-10;

  private static final double FLOAT_EPSILON = Math.ulp(1f);
  private static final double DOUBLE_EPSILON = Math.ulp(1.0);

  /**
   * A squared distance of equal rows from the Gram matrix is wrong by a few units in the last place
   * of the squared norms it is made of, even though norms and products come out of the same matrix
   * product: what lies at the edge of the matrix may be summed in another order. What lies within
   * this many units is no distance at all but rounding.
   */
  private static final double DISTANCE_ROUNDING_ULPS = 8;

  /** Up to this many pixels; beyond, the rounding of a sum grows with the root of its length. */
  private static final double DISTANCE_ROUNDING_LENGTH = 196;

  private NumericPolicy() {}

  /**
   * 1/x, the one rule for what is divided by and has a floor.
   *
   * @param x any number
   * @param floor its floor
   * @return 1/x, 0 where x is not above the floor, NaN for NaN
   */
  public static double inverse(double x, double floor) {
    return x <= floor ? 0 : 1 / x;
  }

  /**
   * The distance from 1 to the next larger number, ε.
   *
   * @param type FLOAT or DOUBLE
   * @return ε of that type
   */
  public static double epsilon(DataType type) {
    Objects.requireNonNull(type, "type");
    if (type != DataType.FLOAT && type != DataType.DOUBLE) {
      throw Arguments.refused("type", "FLOAT or DOUBLE", type);
    }
    return type == DataType.FLOAT ? FLOAT_EPSILON : DOUBLE_EPSILON;
  }

  /**
   * The largest sum of squares that is computed with as it is. Above, neither it nor its inverse
   * would be far from the ends of what the type can hold, and numbers are multiplied by a power of
   * two before.
   *
   * @param type FLOAT or DOUBLE
   * @return that sum
   */
  public static double largeSquare(DataType type) {
    return epsilon(type) == FLOAT_EPSILON ? LARGE_SQUARE_FLOAT : LARGE_SQUARE_DOUBLE;
  }

  /**
   * The smallest sum of squares that has all its digits. Below, the squares of its smaller terms
   * are rounded to few digits, or to zero.
   *
   * @param type FLOAT or DOUBLE
   * @return that sum
   */
  public static double smallSquare(DataType type) {
    double epsilon = epsilon(type);
    return (epsilon == FLOAT_EPSILON ? Float.MIN_NORMAL : Double.MIN_NORMAL) / epsilon;
  }

  /**
   * What large numbers are multiplied by so that their squares are of a usual size.
   *
   * @param largest the largest of their absolute values
   * @return a power of two that brings it between 1 and 2; 1 where it is below 1
   */
  public static double shrinking(double largest) {
    return largest < 1 ? 1 : Math.scalb(1.0, -Math.getExponent(largest));
  }

  /**
   * The share of {@code ‖a‖² + ‖b‖²} below which {@code ‖a − b‖²}, computed as {@code ‖a‖² + ‖b‖² −
   * 2ab}, cannot be told from zero.
   *
   * @param type FLOAT or DOUBLE
   * @param length the number of entries of a and b
   * @return that share
   */
  public static double distanceRounding(DataType type, long length) {
    Arguments.atLeast(length, 1, "length");
    double growth = Math.sqrt(Math.max(1, length / DISTANCE_ROUNDING_LENGTH));
    return DISTANCE_ROUNDING_ULPS * growth * epsilon(type);
  }

  /**
   * The largest ‖WᵀW − I‖ that a W on the Stiefel manifold shows: an order of magnitude above what
   * rounding leaves after a step, and far below what averaging or setting W by hand does.
   *
   * @param type FLOAT or DOUBLE
   * @return that distance
   */
  public static double offManifold(DataType type) {
    return epsilon(type) == FLOAT_EPSILON ? OFF_MANIFOLD_FLOAT : OFF_MANIFOLD_DOUBLE;
  }
}
