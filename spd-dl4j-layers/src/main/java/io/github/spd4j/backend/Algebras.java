/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend;

import java.util.Optional;
import java.util.ServiceLoader;

/** Looks for a {@link Algebra} once. */
final class Algebras {

  static final Optional<Algebra> OF_BACKEND =
      ServiceLoader.load(Algebra.class, Algebra.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(Algebra::isForBackend)
          .findFirst();

  private Algebras() {}
}
