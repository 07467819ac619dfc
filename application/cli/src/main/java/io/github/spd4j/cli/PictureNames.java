/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.PicturePaths;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The pictures that a user names: on the command line, all at once; on standard input, as many at a
 * time as are there, so that who writes one name gets its answer before the next.
 */
final class PictureNames implements Iterator<List<Path>> {

  private static final String STANDARD_INPUT = "-";

  private final List<List<Path>> named = new ArrayList<>();
  private final BufferedReader reader; // null if all are named
  private String line;

  /**
   * Finds what is named on the command line.
   *
   * @param words files, folders and patterns, or {@code -} for the input
   * @param input has the name of a file in each line
   */
  PictureNames(List<String> words, InputStream input) {
    List<String> others = words.stream().filter(word -> !word.equals(STANDARD_INPUT)).toList();
    if (!others.isEmpty()) {
      named.add(PicturePaths.of(others));
    }
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    boolean all = others.size() == words.size();
    reader = all ? null : new BufferedReader(new InputStreamReader(input, names));
  }

  /** Whether some are named while others are answered. */
  boolean isPiped() {
    return reader != null;
  }

  @Override
  public boolean hasNext() {
    if (named.isEmpty() && line == null && reader != null) {
      line = read();
    }
    return !named.isEmpty() || line != null;
  }

  @Override
  public List<Path> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    if (!named.isEmpty()) {
      return named.remove(0);
    }
    List<Path> some = new ArrayList<>();
    while (line != null) {
      some.add(PicturePaths.path(line));
      line = isReady() ? read() : null;
    }
    return some;
  }

  /** The next line that has a name; null at the end. */
  private String read() {
    try {
      String next = reader.readLine();
      while (next != null && next.isEmpty()) {
        next = reader.readLine();
      }
      return next;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read names from standard input", e);
    }
  }

  private boolean isReady() {
    try {
      return reader.ready();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read names from standard input", e);
    }
  }
}
