/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.github.spd4j.files.AtomicFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Objects as files of JSON. */
public final class Json {

  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  static {
    for (Class<?> type : List.of(Map.class, List.class)) { // an earlier version may have had none
      MAPPER.configOverride(type).setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
    }
  }

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

  static <T> T read(Path file, Class<T> type) {
    try {
      return MAPPER.readValue(file.toFile(), type);
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new UserException(file + ": expected a file that a run has left, got " + reason, e);
    }
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
