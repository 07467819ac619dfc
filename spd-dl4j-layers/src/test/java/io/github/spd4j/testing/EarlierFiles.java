/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Files that an earlier revision wrote; the {@code README.md} beside them tells which. */
public final class EarlierFiles {

  /** The number of classes of the networks. Image i is of class i modulo this. */
  public static final int CLASSES = 3;

  private EarlierFiles() {}

  /** The path of what only the present version of DL4J can read: networks and what has them. */
  public static String own(String name) {
    return System.getProperty("spd4j.dl4j.version") + "/" + name;
  }

  /** A file or folder by its path below {@code before}. */
  public static Path path(String name) {
    return Path.of(System.getProperty("spd4j.root"), "src-test-resources/before", name);
  }

  /** The content of an {@code .npy} file. */
  public static INDArray numbers(String name) {
    return Nd4j.createFromNpyFile(path(name).toFile());
  }

  /** Copies a folder and all that is in it, for tests that write to it. */
  public static void copy(String name, Path target) {
    Path source = path(name);
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (Files.isRegularFile(file)) {
          Path copy = target.resolve(source.relativize(file));
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
