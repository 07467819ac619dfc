/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * What the first directory of a TIFF structure says, and the colours that its samples stand for.
 * Decoders guess at kinds that they do not know, so that these are refused here.
 */
final class Tiff {

  /** Entries, by their numbers. */
  private static final int BITS = 0x102;

  private static final int COLOURS = 0x106;
  private static final int STRIP_STARTS = 0x111;
  private static final int ORIENTATION = 0x112;
  private static final int STRIP_LENGTHS = 0x117;
  private static final int PLANES = 0x11c;
  private static final int TILE_STARTS = 0x144;
  private static final int TILE_LENGTHS = 0x145;
  private static final int INKS = 0x14c;
  private static final int NUMBERS = 0x153;

  /** Ways to store colours. */
  private static final int RGB = 2;

  private static final int PALETTE = 3;
  private static final int INK = 5;
  private static final int YCBCR = 6;

  private static final Map<Integer, String> OTHER_COLOURS =
      Map.of(
          4, "a mask",
          8, "L*a*b*",
          9, "L*a*b*",
          10, "L*a*b*",
          32803, "a colour filter array",
          34892, "linear raw",
          32844, "LogL",
          32845, "LogLuv");

  private static final Map<Integer, String> OTHER_NUMBERS =
      Map.of(2, "signed", 3, "floating point", 5, "complex", 6, "complex");

  private static final int CYAN_TO_BLACK = 1;
  private static final int SEPARATE = 2;
  private static final int MOST_BITS = 16;

  private static final int CHANNELS = 3;
  private static final float WHITE = 255;

  private Tiff() {}

  /** How a camera was held; upright if it is not said. */
  static int orientation(ByteBuffer tiff) {
    long[] values = values(tiff, ORIENTATION);
    boolean known = values.length == 1 && values[0] >= 1 && values[0] <= 8;
    return known ? (int) values[0] : ImageHeader.UPRIGHT;
  }

  /** Checks that the colours are of a kind whose decoding is known to be right. */
  static void requireKnown(byte[] bytes) throws IOException {
    ByteBuffer tiff = ByteBuffer.wrap(bytes);
    int colours = first(tiff, COLOURS, RGB);
    if (colours > PALETTE && colours != INK && colours != YCBCR) {
      throw new IOException(
          "expected grey, RGB, CMYK, YCbCr or a palette, got "
              + OTHER_COLOURS.getOrDefault(colours, "colours of the kind " + colours));
    }
    int bits = bits(bytes);
    String numbers = OTHER_NUMBERS.get(first(tiff, NUMBERS, 1));
    if (numbers != null || bits > MOST_BITS) {
      throw new IOException(
          "expected whole numbers of at most 16 bits, got "
              + (numbers == null ? bits + " bits" : numbers + " numbers"));
    }
    boolean four = samples(bytes) >= 4;
    if (colours == INK && (!four || first(tiff, INKS, CYAN_TO_BLACK) != CYAN_TO_BLACK)) {
      throw new IOException("expected CMYK, got other inks");
    }
  }

  /** How many bits a sample has. */
  static int bits(byte[] bytes) {
    return first(ByteBuffer.wrap(bytes), BITS, 1);
  }

  /** How many samples a pixel has. */
  static int samples(byte[] bytes) {
    return values(ByteBuffer.wrap(bytes), BITS).length;
  }

  /** Whether the samples are cyan, magenta, yellow and black. */
  static boolean isInk(byte[] bytes) {
    return first(ByteBuffer.wrap(bytes), COLOURS, RGB) == INK;
  }

  /** Whether each colour is stored by itself. */
  static boolean hasPlanes(byte[] bytes) {
    ByteBuffer tiff = ByteBuffer.wrap(bytes);
    return first(tiff, PLANES, 1) == SEPARATE && samples(bytes) > 1;
  }

  private static int first(ByteBuffer tiff, int tag, int otherwise) {
    long[] values = values(tiff, tag);
    return values.length == 0 ? otherwise : (int) values[0];
  }

  /**
   * The colours of rows of a decoded picture. Samples are taken as they are stored: what a decoder
   * believes about their light and inks is not asked for.
   *
   * @param bytes the file
   * @param picture what a decoder made of it
   */
  static Pixels pixels(byte[] bytes, BufferedImage picture) {
    int colours = first(ByteBuffer.wrap(bytes), COLOURS, RGB);
    Raster raster = picture.getRaster();
    boolean inks = isInk(bytes);
    if (!inks && colours != RGB && colours != YCBCR || raster.getNumBands() < CHANNELS) {
      return Pixels.of(picture);
    }
    int height = picture.getHeight();
    int width = picture.getWidth();
    float[][] planes = new float[CHANNELS][];
    for (int c = 0; c < CHANNELS; c++) {
      planes[CHANNELS - 1 - c] = samples(raster, c);
    }
    if (inks) {
      float[] black = samples(raster, CHANNELS);
      for (float[] plane : planes) {
        for (int i = 0; i < plane.length; i++) {
          plane[i] = (WHITE - plane[i]) * (WHITE - black[i]) / WHITE;
        }
      }
    }
    return new Pixels(planes, height, width);
  }

  /** From 0 to 255. */
  private static float[] samples(Raster raster, int band) {
    int width = raster.getWidth();
    int height = raster.getHeight();
    float[] samples =
        raster.getSamples(raster.getMinX(), raster.getMinY(), width, height, band, (float[]) null);
    float scale = WHITE / ((1 << raster.getSampleModel().getSampleSize(band)) - 1);
    for (int i = 0; i < samples.length; i++) {
      samples[i] *= scale;
    }
    return samples;
  }

  /** A TIFF file that says it is upright: some decoders turn it, others do not. */
  static byte[] asUpright(byte[] bytes) {
    byte[] copy = bytes.clone();
    ByteBuffer tiff = ByteBuffer.wrap(copy);
    int entry = entry(tiff, ORIENTATION);
    tiff.putShort(entry + 8, (short) ImageHeader.UPRIGHT);
    return copy;
  }

  /** Checks that the strips or tiles that a TIFF file names lie within it. */
  static void requireWhole(byte[] bytes) throws IOException {
    try {
      ByteBuffer data = ByteBuffer.wrap(bytes);
      long[] starts = values(data, STRIP_STARTS);
      long[] lengths = values(data, STRIP_LENGTHS);
      if (starts.length == 0) {
        starts = values(data, TILE_STARTS);
        lengths = values(data, TILE_LENGTHS);
      }
      for (int i = 0; i < starts.length; i++) {
        if (starts[i] + lengths[i] > bytes.length) {
          throw new IOException("truncated");
        }
      }
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("damaged or truncated", e);
    }
  }

  /** Where an entry of the first directory of a TIFF structure begins; negative without it. */
  private static int entry(ByteBuffer tiff, int tag) {
    tiff.order(tiff.get(0) == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    int directory = tiff.getInt(4);
    int entries = tiff.getShort(directory) & 0xffff;
    for (int entry = directory + 2; entries > 0; entry += 12, entries--) {
      if ((tiff.getShort(entry) & 0xffff) == tag) {
        return entry;
      }
    }
    return -1;
  }

  /** The whole numbers of an entry in the first directory of a TIFF structure; none without it. */
  private static long[] values(ByteBuffer tiff, int tag) {
    int entry = entry(tiff, tag);
    if (entry < 0) {
      return new long[0];
    }
    int bytes = tiff.getShort(entry + 2) == 3 ? Short.BYTES : Integer.BYTES;
    int count = tiff.getInt(entry + 4);
    boolean inside = count <= Integer.BYTES / bytes; // of the entry itself
    int place = inside ? entry + 8 : tiff.getInt(entry + 8);
    if (count < 0 || count > tiff.limit()) {
      throw new IndexOutOfBoundsException("values of entry " + tag);
    }
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] =
          bytes == Short.BYTES
              ? tiff.getShort(place + 2 * i) & 0xffffL
              : tiff.getInt(place + 4 * i) & 0xffffffffL;
    }
    return values;
  }
}
