/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RbfKernel;
import java.util.function.Supplier;

/** The kernels that experiments can choose from. */
public enum KernelChoice {
  /** {@link RbfKernel}, the paper's. */
  RBF,
  /** {@link LaplacianKernel}. */
  LAPLACIAN,
  /** {@link CovarianceKernel}, which has no bandwidth. */
  COVARIANCE;

  /** The kernel, which takes a bandwidth if it has one. */
  Kernel with(Supplier<Bandwidth> bandwidth) {
    return switch (this) {
      case RBF -> new RbfKernel(bandwidth.get());
      case LAPLACIAN -> new LaplacianKernel(bandwidth.get());
      case COVARIANCE -> new CovarianceKernel();
    };
  }
}
