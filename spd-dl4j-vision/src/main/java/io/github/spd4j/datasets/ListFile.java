/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.internal.files.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A list that comes with a data set: one entry on each line, in UTF-8. Blank lines do not count. It
 * has at least one entry.
 */
final class ListFile {

  /** A longer list is none of a data set of images. */
  private static final int MOST_BYTES = 1 << 26;

  private static final int LONGEST_LINE = 1000;
  private static final int LONGEST_QUOTE = 80;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private final Path file;
  private final List<Line> lines = new ArrayList<>();
  private Map<String, Line> byKey;

  ListFile(Path file) {
    this.file = file;
    byte[] bytes = read(file);
    boolean marked = Arrays.equals(Arrays.copyOf(bytes, BYTE_ORDER_MARK.length), BYTE_ORDER_MARK);
    int start = marked ? BYTE_ORDER_MARK.length : 0;
    for (int number = 1; start < bytes.length; number++) {
      int end = start;
      while (end < bytes.length && bytes[end] != '\n') {
        end++;
      }
      Line line = line(number, ByteBuffer.wrap(bytes, start, end - start));
      if (!line.text.isEmpty()) {
        lines.add(line);
      }
      start = end + 1;
    }
    if (lines.isEmpty()) {
      throw new DataSetException(file + ": expected at least one entry, got an empty list");
    }
  }

  private static byte[] read(Path file) {
    try (InputStream in = Files.newInputStream(RegularFile.require(file))) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new DataSetException(
            file + ": expected a list of at most " + MOST_BYTES + " bytes, got more");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new DataSetException(file + ": no such file, expected the list of the data set", e);
    } catch (IOException e) {
      throw new DataSetException(file + ": cannot be read as a list: " + e.getMessage(), e);
    }
  }

  private Line line(int number, ByteBuffer bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().strip();
      Line line = new Line(file, number, text);
      if (text.length() > LONGEST_LINE) {
        throw line.wrong("at most %d characters, not %d".formatted(LONGEST_LINE, text.length()));
      }
      if (text.chars().anyMatch(c -> Character.isISOControl(c) && c != '\t')) {
        throw line.wrong("plain text, without control characters");
      }
      return line;
    } catch (CharacterCodingException e) {
      throw new DataSetException(
          "%s line %d: cannot be read as a list, expected text in UTF-8".formatted(file, number),
          e);
    }
  }

  List<Line> lines() {
    return lines;
  }

  /** Of lines with two parts, the second of the line that has the same first one as another. */
  String value(Line key) {
    return line(key).part(1);
  }

  /** Of lines with two parts, that which has the same first one as another. */
  Line line(Line key) {
    Line line = byKey().get(key.part(0));
    if (line == null) {
      throw new DataSetException(
          file + ": no line for '" + key.part(0) + "', expected one because of " + key.where());
    }
    return line;
  }

  private Map<String, Line> byKey() {
    if (byKey == null) {
      byKey = new HashMap<>();
      for (Line line : lines) {
        line.requireFirst(line.part(0), byKey);
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

    /** Fails if another line has the same entry. */
    void requireFirst(String entry, Map<String, Line> known) {
      Line first = known.putIfAbsent(entry, this);
      if (first != null) {
        throw wrong("'" + entry + "' only once, and it is in " + first.where() + " too");
      }
    }

    /** The file that the line names, below a folder. */
    Path file(Path folder, String name) {
      for (String part : name.split("[/\\\\]", -1)) {
        if (part.isEmpty() || part.equals("..") || part.equals(".") || part.endsWith(":")) {
          throw wrong("the place of an image below " + folder);
        }
      }
      Path path;
      try {
        path = folder.resolve(name);
      } catch (InvalidPathException e) {
        throw wrong("a name that the locale can have; " + Folders.ENCODING_REMEDY);
      }
      if (!Files.isRegularFile(path)) {
        throw wrong("an image that is there, and " + path + " is not");
      }
      return path;
    }

    String where() {
      return list + " line " + number;
    }

    DataSetException wrong(String expected) {
      String plain = text.replaceAll("\\p{Cntrl}", "?");
      String shown =
          plain.length() > LONGEST_QUOTE ? plain.substring(0, LONGEST_QUOTE) + "…" : plain;
      return new DataSetException(where() + ": got '" + shown + "', expected " + expected);
    }
  }
}
