/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Optional;
import java.util.ServiceLoader;

/** Looks for a {@link StridedGemm} once. */
final class StridedGemms {

  static final Optional<StridedGemm> OF_BACKEND =
      ServiceLoader.load(StridedGemm.class, StridedGemm.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(StridedGemm::isForBackend)
          .findFirst();

  private StridedGemms() {}
}
