/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kinds of TIFF: each is read with the colours that it stores, or refused by its name. */
class TiffTest {

  private static final int WIDTH = 9;
  private static final int HEIGHT = 5;
  private static final Offset<Float> ROUNDING = Offset.offset(1.01f);

  private static final int BITS = 0x102;
  private static final int COMPRESSION = 0x103;
  private static final int COLOURS = 0x106;
  private static final int STRIPS = 0x111;
  private static final int SAMPLES = 0x115;
  private static final int STRIP_LENGTHS = 0x117;
  private static final int PLANES = 0x11c;
  private static final int INKS = 0x14c;
  private static final int NUMBERS = 0x153;
  private static final int SUBSAMPLING = 0x212;

  /** A TIFF file without compression, with one strip. */
  private static final class Writer {

    private final ByteOrder order;
    private final Map<Integer, int[]> entries = new TreeMap<>();
    private boolean longPlaces = true;

    Writer(ByteOrder order, int colours, int bits, int samples) {
      this.order = order;
      set(0x100, WIDTH).set(0x101, HEIGHT).set(COMPRESSION, 1).set(COLOURS, colours);
      set(SAMPLES, samples).set(0x116, HEIGHT).set(PLANES, 1);
      int[] each = new int[samples];
      Arrays.fill(each, bits);
      set(BITS, each);
    }

    Writer set(int tag, int... values) {
      entries.put(tag, values);
      return this;
    }

    /** All pixels have the same samples. */
    byte[] bytes(long... samples) {
      int bits = entries.get(BITS)[0];
      ByteBuffer data = ByteBuffer.allocate(1 << 14).order(order);
      boolean planes = entries.get(PLANES)[0] == 2;
      int count = samples.length;
      if (bits < 8) { // one sample in the highest bits, each row in whole bytes
        int row = (WIDTH * bits + 7) / 8;
        for (int i = 0; i < HEIGHT * row; i++) {
          int all = 0;
          for (int at = 0; at < 8; at += bits) {
            all = all << bits | (int) samples[0];
          }
          data.put((byte) all);
        }
      } else {
        for (int i = 0; i < WIDTH * HEIGHT * count; i++) {
          put(data, bits, samples[planes ? i / (WIDTH * HEIGHT) : i % count]);
        }
      }
      return file(data.flip());
    }

    private static void put(ByteBuffer data, int bits, long sample) {
      switch (bits) {
        case 8 -> data.put((byte) sample);
        case 16 -> data.putShort((short) sample);
        case 32 -> data.putInt((int) sample);
        default -> data.putLong(sample);
      }
    }

    private byte[] file(ByteBuffer picture) {
      ByteBuffer file = ByteBuffer.allocate(1 << 15).order(order);
      file.put(new byte[] {(byte) (order == ByteOrder.BIG_ENDIAN ? 'M' : 'I')}).put(file.get(0));
      int length = picture.remaining();
      boolean planes = entries.get(PLANES)[0] == 2;
      int strips = planes ? entries.get(SAMPLES)[0] : 1;
      int[] starts = new int[strips];
      int[] lengths = new int[strips];
      for (int i = 0; i < strips; i++) {
        starts[i] = 8 + i * length / strips;
        lengths[i] = length / strips;
      }
      set(STRIPS, starts).set(STRIP_LENGTHS, lengths);
      int directory = (8 + length + 1) / 2 * 2;
      file.putShort((short) 42).putInt(directory).put(picture);
      file.position(directory).putShort((short) entries.size());
      int more = directory + 2 + 12 * entries.size() + 4;
      for (Map.Entry<Integer, int[]> entry : entries.entrySet()) {
        int[] values = entry.getValue();
        boolean places = longPlaces && entry.getKey() == STRIPS;
        int type = places ? 4 : 3;
        file.putShort(entry.getKey().shortValue()).putShort((short) type).putInt(values.length);
        int next = file.position() + 4;
        int bytes = places ? 4 : 2;
        if (values.length > 4 / bytes) {
          file.putInt(more).position(more);
          more += bytes * values.length;
        }
        for (int value : values) {
          if (places) {
            file.putInt(value);
          } else {
            file.putShort((short) value);
          }
        }
        file.position(next);
      }
      file.putInt(0);
      return Arrays.copyOf(file.array(), more);
    }
  }

  private static void assertColour(byte[] file, int red, int green, int blue) throws IOException {
    Pixels pixels = Pixels.read(new ByteArrayInputStream(file));
    assertThat(pixels.width()).isEqualTo(WIDTH);
    assertThat(pixels.height()).isEqualTo(HEIGHT);
    int[] expected = {blue, green, red};
    for (int c = 0; c < 3; c++) {
      for (float value : pixels.planes()[c]) {
        assertThat(value).isCloseTo(expected[c], ROUNDING);
      }
    }
  }

  private static ByteOrder order(String letter) {
    return letter.equals("M") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
  }

  private static void assertRefused(byte[] file, String name) {
    assertThatThrownBy(() -> Pixels.read(new ByteArrayInputStream(file)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(name);
  }

  @ParameterizedTest
  @CsvSource({
    "I, 1, 8, 128, 128",
    "M, 1, 8, 77, 77",
    "I, 0, 8, 55, 200",
    "I, 1, 16, 32896, 128",
    "M, 1, 16, 5140, 20",
    "M, 0, 16, 60395, 20",
    "I, 1, 4, 5, 85",
    "I, 0, 4, 5, 170",
    "I, 1, 1, 1, 255",
    "I, 0, 1, 1, 0"
  })
  void greyIsTakenAsItIsStored(String order, int colours, int bits, long stored, int expected)
      throws IOException {
    byte[] file = new Writer(order(order), colours, bits, 1).bytes(stored);
    assertColour(file, expected, expected, expected);
  }

  @ParameterizedTest
  @CsvSource({"I, 1", "M, 1", "I, 2", "M, 2"})
  void coloursAreTakenAsTheyAreStored(String order, int planes) throws IOException {
    assertColour(
        new Writer(order(order), 2, 8, 3).set(PLANES, planes).bytes(200, 100, 50), 200, 100, 50);
    assertColour(
        new Writer(order(order), 2, 16, 3).set(PLANES, planes).bytes(51400, 25700, 12850),
        200,
        100,
        50);
  }

  /** Java's decoders expect long places there, and OpenCV takes one plane for all. */
  @Test
  void planesThatNoDecoderKnowsAreRefused() {
    Writer writer = new Writer(ByteOrder.LITTLE_ENDIAN, 2, 8, 3).set(PLANES, 2);
    writer.longPlaces = false;
    assertRefused(writer.bytes(200, 100, 50), "damaged or truncated");
  }

  /** Red is what neither cyan nor black takes away. */
  @ParameterizedTest
  @CsvSource({
    "I, 0, 0, 0, 127, 128, 128, 128",
    "M, 127, 127, 127, 0, 128, 128, 128",
    "M, 255, 0, 0, 0, 0, 255, 255",
    "I, 0, 255, 0, 0, 255, 0, 255",
    "I, 51, 0, 255, 102, 122, 153, 0"
  })
  void cmykHasItsColours(String order, int c, int m, int y, int k, int red, int green, int blue)
      throws IOException {
    assertColour(new Writer(order(order), 5, 8, 4).bytes(c, m, y, k), red, green, blue);
    assertColour(
        new Writer(order(order), 5, 8, 4).set(INKS, 1).bytes(c, m, y, k), red, green, blue);
    assertColour(
        new Writer(order(order), 5, 16, 4).bytes(257 * c, 257 * m, 257 * y, 257 * k),
        red,
        green,
        blue);
  }

  @Test
  void brightnessAndColourDifferencesAreUnderstood() throws IOException {
    Writer writer = new Writer(ByteOrder.LITTLE_ENDIAN, 6, 8, 3).set(SUBSAMPLING, 1, 1);
    assertColour(writer.bytes(128, 128, 128), 128, 128, 128);
    assertColour(writer.bytes(76, 85, 255), 254, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 3"})
  void otherNumbersAreRefusedByName(int colours, int samples) {
    long[] floats = new long[samples];
    Arrays.fill(floats, Float.floatToIntBits(0.5f));
    for (float value : new float[] {0.5f, 128, Float.NaN, Float.POSITIVE_INFINITY}) {
      Arrays.fill(floats, Float.floatToIntBits(value));
      Writer writer = new Writer(ByteOrder.LITTLE_ENDIAN, colours, 32, samples);
      assertRefused(writer.set(NUMBERS, all(3, samples)).bytes(floats), "floating point");
    }
    Writer doubles = new Writer(ByteOrder.LITTLE_ENDIAN, colours, 64, samples);
    assertRefused(doubles.set(NUMBERS, all(3, samples)).bytes(floats), "floating point");
    Writer signed = new Writer(ByteOrder.BIG_ENDIAN, colours, 16, samples);
    assertRefused(signed.set(NUMBERS, all(2, samples)).bytes(new long[samples]), "signed");
    Writer complex = new Writer(ByteOrder.BIG_ENDIAN, colours, 32, samples);
    assertRefused(complex.set(NUMBERS, all(6, samples)).bytes(new long[samples]), "complex");
    Writer wide = new Writer(ByteOrder.BIG_ENDIAN, colours, 32, samples);
    assertRefused(wide.bytes(new long[samples]), "32 bits");
  }

  private static int[] all(int value, int count) {
    int[] values = new int[count];
    Arrays.fill(values, value);
    return values;
  }

  @ParameterizedTest
  @CsvSource({
    "8, 3, L*a*b*",
    "9, 3, L*a*b*",
    "10, 3, L*a*b*",
    "32803, 1, colour filter array",
    "34892, 3, linear raw",
    "32844, 1, LogL",
    "32845, 3, LogLuv",
    "77, 3, 77"
  })
  void otherColoursAreRefusedByName(int colours, int samples, String name) {
    long[] values = new long[samples];
    Arrays.fill(values, 128);
    assertRefused(new Writer(ByteOrder.LITTLE_ENDIAN, colours, 8, samples).bytes(values), name);
  }

  @Test
  void otherInksAreRefusedByName() {
    Writer writer = new Writer(ByteOrder.LITTLE_ENDIAN, 5, 8, 4).set(INKS, 2);
    assertRefused(writer.bytes(1, 2, 3, 4), "inks");
    Writer few = new Writer(ByteOrder.LITTLE_ENDIAN, 5, 8, 3);
    assertRefused(few.bytes(1, 2, 3), "inks");
  }
}
