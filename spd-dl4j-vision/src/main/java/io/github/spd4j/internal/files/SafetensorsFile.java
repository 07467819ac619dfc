/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.core.JsonFactory;
import org.nd4j.shade.jackson.core.JsonParser;
import org.nd4j.shade.jackson.core.JsonToken;

/**
 * The arrays of a {@code .safetensors} file, float32: a length, a header in JSON, then the numbers.
 * What the header says is compared with the length of the file before anything is allocated.
 *
 * @see <a href="https://huggingface.co/docs/safetensors">the format</a>
 */
public final class SafetensorsFile {

  private static final int LONGEST_HEADER = 16 << 20;
  private static final String METADATA = "__metadata__";

  /** Of a file that is written, filled up with spaces. */
  private static final int HEADER = 1 << 14;

  private final Path file;
  private final Map<String, Place> places;

  private SafetensorsFile(Path file, Map<String, Place> places) {
    this.file = file;
    this.places = places;
  }

  /** Where an array lies in the file. */
  private record Place(String type, long[] shape, long begin, long end) {}

  /**
   * Reads the header of a file.
   *
   * @param file the file
   * @return its arrays
   * @throws IOException if there is no such file, or its header does not fit it
   */
  public static SafetensorsFile open(Path file) throws IOException {
    try (FileChannel in = FileChannel.open(RegularFile.require(file))) {
      long length = read(in, 0, Long.BYTES).getLong();
      long most = Math.min(LONGEST_HEADER, in.size() - Long.BYTES);
      require(
          length > 0 && length <= most,
          "expected a header of at most %s bytes, got %s: no file of safetensors",
          most,
          length);
      long numbers = Long.BYTES + length;
      byte[] header = read(in, Long.BYTES, (int) length).array();
      return new SafetensorsFile(file, places(header, numbers, in.size()));
    } catch (IOException | ArithmeticException e) {
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IOException(file + ": " + reason, e);
    }
  }

  private static Map<String, Place> places(byte[] header, long numbers, long size)
      throws IOException {
    Map<String, Place> places = new LinkedHashMap<>();
    try (JsonParser json = new JsonFactory().createParser(header)) {
      requireToken(json, JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.getCurrentName();
        requireToken(json, JsonToken.START_OBJECT);
        if (name.equals(METADATA)) {
          json.skipChildren();
        } else {
          Place place = place(json, numbers, size);
          require(places.put(name, place) == null, "expected each array once, got two of a name");
        }
      }
    }
    return places;
  }

  private static Place place(JsonParser json, long numbers, long size) throws IOException {
    String type = null;
    long[] shape = null;
    long[] offsets = null;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.getCurrentName();
      if (field.equals("dtype")) {
        requireToken(json, JsonToken.VALUE_STRING);
        type = json.getText();
      } else if (field.equals("shape")) {
        shape = integers(json);
      } else if (field.equals("data_offsets")) {
        offsets = integers(json);
      } else {
        throw new IOException("expected dtype, shape and data_offsets of an array, got another");
      }
    }
    require(
        type != null && shape != null && offsets != null && offsets.length == 2,
        "expected dtype, shape and two data_offsets of an array, got fewer");
    require(
        offsets[0] <= offsets[1] && offsets[1] <= size - numbers,
        "expected an array within the file, of %s bytes after the header, got one from %s to %s",
        size - numbers,
        offsets[0],
        offsets[1]);
    return new Place(type, shape, numbers + offsets[0], numbers + offsets[1]);
  }

  private static long[] integers(JsonParser json) throws IOException {
    requireToken(json, JsonToken.START_ARRAY);
    List<Long> integers = new ArrayList<>();
    while (json.nextToken() == JsonToken.VALUE_NUMBER_INT && integers.size() < 32) {
      require(json.getTextLength() < 19, "expected sizes, got a number too large");
      integers.add(json.getLongValue());
    }
    require(
        json.currentToken() == JsonToken.END_ARRAY && integers.stream().allMatch(x -> x >= 0),
        "expected an array of sizes in the header, got something else");
    return integers.stream().mapToLong(Long::longValue).toArray();
  }

  private static void requireToken(JsonParser json, JsonToken token) throws IOException {
    require(json.nextToken() == token, "expected a header of safetensors, got other JSON");
  }

  /**
   * Whether there is an array.
   *
   * @param name its name
   * @return false if there is none of that name
   */
  public boolean has(String name) {
    return places.containsKey(name);
  }

  /**
   * The first size of an array.
   *
   * @param name its name
   * @param most the largest that it may have
   * @return from 1 to most
   * @throws IOException if there is none, or its first size is another
   */
  public int width(String name, int most) throws IOException {
    Place place = places.get(name);
    if (place == null) {
      throw new IOException(file + ": expected an array " + name + ", got none");
    }
    if (place.shape.length == 0 || place.shape[0] < 1 || place.shape[0] > most) {
      throw new IOException(
          String.format(
              "%s: %s: expected 1 to %d maps, got %s",
              file, name, most, Arrays.toString(place.shape)));
    }
    return (int) place.shape[0];
  }

  /**
   * Reads an array.
   *
   * @param name its name
   * @param shape the shape that it must have
   * @return the array, FLOAT
   * @throws IOException if there is none, or it has another shape or type
   */
  public INDArray array(String name, long... shape) throws IOException {
    Place place = places.get(name);
    try (FileChannel in = FileChannel.open(file)) {
      require(place != null, "expected an array %s, got none", name);
      require(
          place.type.equals("F32") && Arrays.equals(place.shape, shape),
          "%s: expected F32 %s, got %s %s",
          name,
          Arrays.toString(shape),
          place.type.replaceAll("\\W", "?"),
          Arrays.toString(place.shape));
      int count = Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
      int bytes = Math.multiplyExact(count, Float.BYTES);
      require(
          bytes == place.end - place.begin,
          "%s: expected %s bytes, got %s",
          name,
          bytes,
          place.end - place.begin);
      float[] values = new float[count];
      read(in, place.begin, bytes).asFloatBuffer().get(values);
      return Nd4j.createFromArray(values).reshape(shape);
    } catch (IOException | ArithmeticException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * What all files begin with that a writer writes.
   *
   * @param writer who writes it, for the metadata
   * @return the length of the header, and its first entry
   */
  public static String beginning(String writer) {
    byte[] length = buffer(Long.BYTES).putLong(HEADER).array();
    return new String(length, UTF_8)
        + "{\"__metadata__\":{\"format\":\"pt\",\"writer\":\""
        + writer
        + "\"}";
  }

  /**
   * Writes arrays as float32.
   *
   * @param out where to; stays open
   * @param writer who writes it, for the metadata
   * @param arrays by their names
   * @throws IOException if that fails, or a name has quotes, backslashes or control characters
   */
  public static void write(OutputStream out, String writer, Map<String, INDArray> arrays)
      throws IOException {
    StringBuilder header = new StringBuilder(beginning(writer));
    long end = 0;
    for (Map.Entry<String, INDArray> entry : arrays.entrySet()) {
      require(
          entry.getKey().chars().noneMatch(c -> c < ' ' || c == '"' || c == '\\'),
          "expected names without quotes, backslashes and control characters, got %s",
          entry.getKey());
      long begin = end;
      end = Math.addExact(begin, Math.multiplyExact(entry.getValue().length(), Float.BYTES));
      header.append(
          String.format(
              Locale.ROOT,
              ",\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[%d,%d]}",
              entry.getKey(),
              Arrays.toString(entry.getValue().shape()),
              begin,
              end));
    }
    byte[] text = header.append('}').substring(Long.BYTES).getBytes(UTF_8);
    require(text.length <= HEADER, "expected fewer arrays, got %s", arrays.size());
    byte[] padded = Arrays.copyOf(text, HEADER);
    Arrays.fill(padded, text.length, HEADER, (byte) ' ');
    out.write(buffer(Long.BYTES).putLong(HEADER).array());
    out.write(padded);
    for (INDArray array : arrays.values()) {
      float[] values = array.castTo(DataType.FLOAT).dup('c').data().asFloat();
      ByteBuffer bytes = buffer(Math.multiplyExact(values.length, Float.BYTES));
      bytes.asFloatBuffer().put(values);
      out.write(bytes.array());
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer read(FileChannel in, long from, int length) throws IOException {
    ByteBuffer bytes = buffer(length);
    while (bytes.hasRemaining()) {
      if (in.read(bytes, from + bytes.position()) < 0) {
        throw new EOFException("expected a file of safetensors, got one that ends too early");
      }
    }
    return bytes.flip();
  }

  private static void require(boolean holds, String format, Object... values) throws IOException {
    if (!holds) {
      throw new IOException(String.format(format, values));
    }
  }
}
