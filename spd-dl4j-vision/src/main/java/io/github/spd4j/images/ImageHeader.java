/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** What the first bytes of an image file say: its format, its size, and how it was held. */
final class ImageHeader {

  /** The formats that can be read. */
  enum Format {
    JPEG,
    PNG,
    WEBP,
    TIFF,
    BMP,
    GIF
  }

  /** As EXIF counts. */
  static final int UPRIGHT = 1;

  /** The letters Exif and two zeros, before a TIFF structure. */
  private static final int EXIF_START = 6;

  final Format format;
  final int width;
  final int height;

  /** As EXIF counts: 1 is upright, 8 the last. */
  final int orientation;

  private ImageHeader(Format format, int width, int height, int orientation) {
    this.format = format;
    this.width = width;
    this.height = height;
    this.orientation = orientation;
  }

  static ImageHeader of(byte[] bytes) throws IOException {
    Format format = format(bytes);
    if (format == null) {
      String kind = isHeic(bytes) ? ", got HEIC or AVIF: convert it" : "";
      throw new IOException(
          "no known image format; expected JPEG, PNG, WebP, TIFF, BMP or GIF" + kind);
    }
    if (format == Format.WEBP) {
      return webp(bytes);
    }
    int orientation = orientation(format, bytes);
    try (ImageInputStream stream =
        new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReadersByFormatName(format.name());
      ImageReader reader = readers.next();
      try {
        reader.setInput(stream, true, true);
        return new ImageHeader(format, reader.getWidth(0), reader.getHeight(0), orientation);
      } finally {
        reader.dispose();
      }
    }
  }

  long pixels() {
    return (long) width * height;
  }

  /** The format by the first bytes, or null if there is none. */
  static Format format(byte[] bytes) {
    // One character for each byte.
    int length = Math.min(bytes.length, 12);
    String start = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    if (start.startsWith("\u00ff\u00d8\u00ff")) {
      return Format.JPEG;
    }
    if (start.startsWith("\u0089PNG")) {
      return Format.PNG;
    }
    if (start.startsWith("GIF8")) {
      return Format.GIF;
    }
    if (start.startsWith("BM")) {
      return Format.BMP;
    }
    if (start.startsWith("II*\0") || start.startsWith("MM\0*")) {
      return Format.TIFF;
    }
    return start.startsWith("RIFF") && start.endsWith("WEBP") ? Format.WEBP : null;
  }

  private static boolean isHeic(byte[] bytes) {
    return bytes.length > 12
        && new String(bytes, 4, 8, StandardCharsets.ISO_8859_1)
            .matches("ftyp(heic|heix|mif1|msf1|avif)");
  }

  /** The three kinds of WebP: lossy, lossless, and with more than a picture. */
  private static ImageHeader webp(byte[] bytes) throws IOException {
    ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      int kind = data.getInt(12);
      int width;
      int height;
      if (kind == fourLetters("VP8 ")) {
        width = data.getShort(26) & 0x3fff;
        height = data.getShort(28) & 0x3fff;
      } else if (kind == fourLetters("VP8L")) {
        int sizes = data.getInt(21);
        width = 1 + (sizes & 0x3fff);
        height = 1 + (sizes >>> 14 & 0x3fff);
      } else {
        width = 1 + (data.getInt(24) & 0xffffff);
        height = 1 + (data.getInt(26) >>> 8);
      }
      return new ImageHeader(Format.WEBP, width, height, orientation(Format.WEBP, bytes));
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("truncated", e);
    }
  }

  private static int fourLetters(String letters) {
    return ByteBuffer.wrap(letters.getBytes(StandardCharsets.ISO_8859_1))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt();
  }

  /** How a camera was held, if the file says so; upright if it does not, or is damaged there. */
  private static int orientation(Format format, byte[] bytes) {
    try {
      switch (format) {
        case JPEG:
          return orientationOfJpeg(ByteBuffer.wrap(bytes).position(2));
        case PNG:
          return orientationInChunks(ByteBuffer.wrap(bytes).position(8), "eXIf");
        case WEBP:
          ByteBuffer data = ByteBuffer.wrap(bytes).position(12);
          return orientationInChunks(data.order(ByteOrder.LITTLE_ENDIAN), "EXIF");
        case TIFF:
          return Tiff.orientation(ByteBuffer.wrap(bytes));
        default:
          return UPRIGHT;
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
      return UPRIGHT;
    }
  }

  private static int orientationOfJpeg(ByteBuffer data) {
    while (true) {
      int marker = data.getShort() & 0xffff;
      int length = data.getShort() & 0xffff;
      if (marker < 0xff01 || marker == 0xffda || length < 2) {
        return UPRIGHT; // the picture itself begins
      }
      ByteBuffer segment = data.slice();
      segment.limit(length - 2);
      if (marker == 0xffe1 && length > 8 && startsWithExif(segment)) {
        return Tiff.orientation(segment.position(EXIF_START).slice());
      }
      data.position(data.position() + length - 2);
    }
  }

  private static boolean startsWithExif(ByteBuffer data) {
    return data.order(ByteOrder.BIG_ENDIAN).getInt(0) == 0x45786966;
  }

  /** How many scans a JPEG file may have: those of pictures within it count too. */
  static int scans(byte[] bytes) {
    int scans = 0;
    for (int i = 1; i < bytes.length; i++) {
      if (bytes[i] == (byte) 0xda && bytes[i - 1] == (byte) 0xff) {
        scans++;
      }
    }
    return scans;
  }

  /** The chunks of PNG have their lengths before their names, those of WebP after them. */
  private static int orientationInChunks(ByteBuffer data, String name) {
    boolean webp = data.order() == ByteOrder.LITTLE_ENDIAN;
    byte[] letters = new byte[4];
    while (true) {
      int before = data.getInt();
      data.get(letters);
      int length = webp ? ByteBuffer.wrap(letters).order(data.order()).getInt() : before;
      if (webp) {
        ByteBuffer.wrap(letters).order(data.order()).putInt(before);
      }
      if (new String(letters, StandardCharsets.ISO_8859_1).equals(name)) {
        ByteBuffer exif = data.slice();
        exif.limit(length);
        // Some WebP files have what photographs have before it.
        return Tiff.orientation(startsWithExif(exif) ? exif.position(EXIF_START).slice() : exif);
      }
      int after = webp ? length & 1 : Integer.BYTES; // to an even place, or a checksum
      data.position(Math.addExact(data.position(), Math.addExact(length, after)));
    }
  }
}
