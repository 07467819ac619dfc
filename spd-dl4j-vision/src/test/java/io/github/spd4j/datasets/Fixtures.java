/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tiny data sets, one for each kind. */
final class Fixtures {

  private Fixtures() {}

  static Path of(DataSetKind kind) {
    String name = kind == DataSetKind.DTD_OFFICIAL ? "dtd" : kind.name().toLowerCase(Locale.ROOT);
    return of(name.replace('_', '-'));
  }

  static Path of(String folder) {
    try {
      return Path.of(Fixtures.class.getResource("/datasets/" + folder).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A copy that a test may damage. */
  static Path copy(DataSetKind kind, Path target) {
    Path source = of(kind);
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = target.resolve(source.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
      return target;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> names(List<ImageFile> images) {
    return images.stream().map(ImageFile::name).collect(Collectors.toList());
  }
}
