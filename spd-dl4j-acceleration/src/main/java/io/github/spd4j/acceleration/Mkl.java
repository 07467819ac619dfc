/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Set;
import java.util.function.Consumer;
import org.bytedeco.javacpp.Loader;

/**
 * Intel's MKL in the place of OpenBLAS, for faster products of matrices on Linux on x86.
 *
 * <p>Put {@code org.bytedeco:mkl} and its natives, with the classifier {@code linux-x86_64-redist},
 * on the class path, and call {@link #load()} first of all.
 */
public final class Mkl {

  /** Tells JavaCPP what to load as OpenBLAS. */
  static final String PROPERTY = "org.bytedeco.openblas.load";

  private static final String PLATFORM = "linux-x86_64";
  private static final String OPEN_MP = "/org/bytedeco/mkl/" + PLATFORM + "/libiomp5.so";

  /** What ND4J and JavaCPP load for the CPU; it cannot be taken back. */
  private static final Set<String> TOO_LATE =
      Set.of("jnind4jcpu", "jniopenblas", "jniopenblas_nolapack");

  private Mkl() {}

  /**
   * Loads MKL if its natives are on the class path and suit this machine. To be called before
   * anything else of ND4J or this library, since ND4J loads a BLAS with its first array.
   *
   * @return whether MKL computes products from now on; if not, nothing has changed
   * @throws IllegalStateException if ND4J has loaded a BLAS already
   */
  public static boolean load() {
    URL openMp = Mkl.class.getResource(OPEN_MP);
    if (openMp == null || !Loader.getPlatform().equals(PLATFORM)) {
      return false;
    }
    load(openMp, Loader.getLoadedLibraries().keySet(), Loader::loadGlobal);
    return true;
  }

  /** MKL loads its own parts, which look for Intel's OpenMP among what all libraries share. */
  static void load(URL openMp, Set<String> loaded, Consumer<String> loader) {
    if (loaded.stream().anyMatch(TOO_LATE::contains)) {
      throw new IllegalStateException(
          "expected Mkl.load() before ND4J loads a BLAS, got it after: call it first of all, at the"
              + " start of main");
    }
    try {
      loader.accept(Loader.cacheResource(openMp).getPath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    System.setProperty(PROPERTY, "mkl");
  }
}
