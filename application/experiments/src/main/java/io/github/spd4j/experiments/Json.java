/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.RegularFile;
import io.github.spd4j.internal.files.Seal;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Objects as files of JSON. */
public final class Json {

  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private static final int LONGEST = 200;

  private Json() {}

  /**
   * Writes an object, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @param value what Jackson can write
   */
  public static void write(Path file, Object value) {
    try {
      AtomicFile.write(file, MAPPER.writeValueAsString(value) + "\n");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON: " + value, e);
    }
  }

  /**
   * Writes a record of a run, with a checksum.
   *
   * @param file the file, in a folder that exists
   * @param value what Jackson writes as an object
   * @param owner what the record belongs to
   */
  static void keep(Path file, Object value, String owner) {
    try {
      AtomicFile.write(file, Seal.on(MAPPER.writeValueAsString(value), owner));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON: " + value, e);
    }
  }

  /**
   * Reads a record of a run.
   *
   * @param file the file
   * @param type what is in it
   * @param owner what the record should belong to
   * @param remedy what to do if it is not sound
   */
  static <T> T kept(Path file, TypeReference<T> type, String owner, String remedy) {
    try {
      String text = Files.readString(RegularFile.require(file));
      if (!Seal.isOn(text, owner)) {
        throw new IOException("it has no checksum: it was edited, or is no record of a run");
      }
      JsonNode node = MAPPER.readTree(text);
      if (!node.isObject()) {
        throw new IOException("expected a JSON object, got something else");
      }
      ((ObjectNode) node).remove(Seal.NAME);
      return MAPPER.convertValue(node, type);
    } catch (IOException | IllegalArgumentException e) { // the latter if a field is no good
      throw new UserException("%s: %s; %s".formatted(file, reason(e), remedy), e);
    }
  }

  /** In one line that is not too long. */
  private static String reason(Exception e) {
    String text = e instanceof CharacterCodingException ? "it is no text" : e.getMessage();
    if (text == null || e instanceof FileSystemException) {
      text = "it cannot be read (" + e.getClass().getSimpleName() + ")";
    }
    String line = text.lines().findFirst().orElse("");
    return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
  }

  /** A copy of an object that Jackson can write and read. */
  static <T> T copy(T value, Class<T> type) {
    return MAPPER.convertValue(value, type);
  }

  /** The fields of an object by name, as texts. */
  static Map<String, String> texts(Object value) {
    return MAPPER.convertValue(value, new TypeReference<>() {});
  }
}
