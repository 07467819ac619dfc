/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Optional;
import java.util.ServiceLoader;

/** Looks for a {@link MatrixLibrary} once. */
final class MatrixLibraries {

  static final Optional<MatrixLibrary> OF_BACKEND =
      ServiceLoader.load(MatrixLibrary.class, MatrixLibrary.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .filter(MatrixLibrary::isForBackend)
          .findFirst();

  private MatrixLibraries() {}
}
