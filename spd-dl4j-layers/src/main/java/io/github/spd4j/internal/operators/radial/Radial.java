/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.NotFiniteException;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Kernel matrices {@code K = exp(e)} of feature maps F, whose exponent depends on the distances
 * {@code d_ij = ‖f_i − f_j‖} and a bandwidth σ alone.
 *
 * <pre>
 * RBF        e = −d² / 2σ²      ∂e/∂D = −1/2σ²        σ ∂e/∂σ = d²/σ²
 * Laplacian  e = −d / σ         ∂e/∂D = −1/(2dσ)      σ ∂e/∂σ = d/σ
 * </pre>
 *
 * <p>Backward, with {@code D = d∘d}, {@code A = ∂L/∂K ∘ K} and {@code B = ∂L/∂D}:
 *
 * <pre>
 * ∂L/∂F = 2 (diag(T·1) − T) F,  T = B + Bᵀ
 * B = A ∘ ∂e/∂D                                       σ constant
 * B = A ∘ ∂e/∂D + ∂L/∂σ · ∂σ/∂d / 2d                   σ differentiated
 * ∂L/∂θ = Σ σ ∂L/∂σ                                   θ learnt, σ ∝ e^θ
 * </pre>
 *
 * <p>Where two maps are equal, 1/2d counts as 0; where σ is not above its floor, 1/σ does. K does
 * not change if F and a constant σ are multiplied by the same number: then {@code σ ∂L/∂σ =
 * −⟨∂L/∂F, F⟩}.
 *
 * <p>{@link RadialHost} and {@link RadialBatch} compute it; {@link RadialGraph} defines it in
 * SameDiff.
 */
public interface Radial {

  /** What the exponent is. */
  enum Exponent {
    /** {@code −d² / 2σ²}. */
    RBF,
    /** {@code −d / σ}. */
    LAPLACIAN;

    /** For ways to compute that were not written for it. */
    IllegalStateException unknown() {
      return new IllegalStateException("nothing computes the exponent " + this);
    }
  }

  /**
   * The way to compute it on a backend.
   *
   * @param backend the backend
   * @param type the type of the maps
   * @param exponent which kernel
   * @param sigma how σ is found
   * @return the operator
   */
  static Radial on(Backend backend, DataType type, Exponent exponent, Sigma sigma) {
    return backend.isFused(type) && exponent == Exponent.RBF && !sigma.isDifferentiated()
        ? new RadialHost(sigma)
        : new RadialBatch(exponent, sigma, backend.algebra());
  }

  /**
   * What is thrown for feature maps that are not finite.
   *
   * @param example the number of the example in its batch
   * @return the exception to throw
   */
  static NotFiniteException notFinite(int example) {
    return new NotFiniteException(
        String.format(
            "got NaN or infinity in the feature maps of example %s of the batch, expected finite "
                + "numbers; no parameter was changed",
            example));
  }

  /**
   * The forward pass. Maps so large that their squares would overflow are multiplied by a power of
   * two first, and so is σ; K is the same.
   *
   * @param maps F [N, C, P] in C order; not changed
   * @param scale what σ is multiplied by, e^θ
   * @param kernel where K [N, C, C] goes
   * @param saved what the backward pass needs
   * @throws NotFiniteException if there is NaN or infinity in the maps
   */
  void forward(INDArray maps, double scale, INDArray kernel, ForwardPass saved);

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient ∂L/∂K [N, C, C] in C order; not changed
   * @param mapsGradient where ∂L/∂F [N, C, P] goes
   * @param thetaGradient where ∂L/∂θ [1, 1] goes, or null
   * @param saved what the forward pass kept
   */
  void backward(
      INDArray gradient, INDArray mapsGradient, INDArray thetaGradient, ForwardPass saved);
}
