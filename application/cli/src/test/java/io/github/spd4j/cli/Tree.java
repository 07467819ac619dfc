/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All that is in a folder. */
final class Tree {

  private Tree() {}

  /** By path from the folder: what a file has, and where a link leads. */
  static Map<String, String> of(Path folder) throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        all.put(folder.relativize(file).toString(), content(file));
      }
    }
    return all;
  }

  private static String content(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      return "-> " + Files.readSymbolicLink(file);
    }
    if (Files.isDirectory(file)) {
      return "folder";
    }
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? new String(Files.readAllBytes(file), ISO_8859_1)
        : "pipe";
  }
}
