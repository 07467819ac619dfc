/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A list that comes with a data set: one entry on each line. Blank lines do not count. */
final class ListFile {

  private final Path file;
  private final List<Line> lines = new ArrayList<>();
  private Map<String, Line> byKey;

  ListFile(Path file) {
    this.file = file;
    int number = 0;
    for (String text : read(file)) {
      number++;
      if (!text.isBlank()) {
        lines.add(new Line(file, number, text.strip()));
      }
    }
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new DataSetException(file + ": no such file, expected the list of the data set", e);
    } catch (IOException e) {
      throw new DataSetException(file + ": cannot be read as a list: " + e, e);
    }
  }

  List<Line> lines() {
    return lines;
  }

  /** Of lines with two parts, the second of the line that has the same first one as another. */
  String value(Line key) {
    Line line = byKey().get(key.part(0));
    if (line == null) {
      throw new DataSetException(
          file + ": no line for '" + key.part(0) + "', expected one because of " + key.where());
    }
    return line.part(1);
  }

  private Map<String, Line> byKey() {
    if (byKey == null) {
      byKey = new HashMap<>();
      for (Line line : lines) {
        if (byKey.put(line.part(0), line) != null) {
          throw line.wrong("'" + line.part(0) + "' only once");
        }
      }
    }
    return byKey;
  }

  /** A line, which knows where it stands. */
  record Line(Path list, int number, String text) {

    String part(int index) {
      String[] parts = text.split("\\s+", 2);
      if (parts.length < 2) {
        throw wrong("two words");
      }
      return parts[index];
    }

    /** The file that the line names, below a folder. */
    Path file(Path folder, String name) {
      Path path = folder.resolve(name);
      if (!Files.isRegularFile(path)) {
        throw wrong("an image that is there, and " + path + " is not");
      }
      return path;
    }

    String where() {
      return list + " line " + number;
    }

    DataSetException wrong(String expected) {
      return new DataSetException(where() + ": got '" + text + "', expected " + expected);
    }
  }
}
