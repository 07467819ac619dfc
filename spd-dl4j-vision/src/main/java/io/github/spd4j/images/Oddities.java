/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.bytedeco.opencv.global.opencv_core.extractChannel;
import static org.bytedeco.opencv.global.opencv_core.minMaxLoc;
import static org.bytedeco.opencv.global.opencv_imgcodecs.IMREAD_UNCHANGED;

import io.github.spd4j.images.Pixels.Oddity;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.opencv.opencv_core.Mat;

/** How a sound image file stores colours, where most do otherwise. */
final class Oddities {

  private static final int DEEP = 16;
  private static final int OPAQUE = 0xff;

  /** Of PNG, within what follows its name: bits of a sample. */
  private static final int PNG_BITS = 24;

  /** What begins JPEG's description of its samples has one of these numbers. */
  private static final int FIRST_FRAME = 0xffc0;

  private static final int LAST_FRAME = 0xffcf;

  private Oddities() {}

  static Set<Oddity> of(byte[] bytes, ImageHeader header) throws IOException {
    Set<Oddity> found = EnumSet.noneOf(Oddity.class);
    switch (header.format) {
      case JPEG:
        if (channels(ByteBuffer.wrap(bytes)) == 4) {
          found.add(Oddity.INKS);
        }
        break;
      case TIFF:
        if (Tiff.isInk(bytes)) {
          found.add(Oddity.INKS);
        } else if (Tiff.samples(bytes) == 4 && isTransparentTiff(bytes)) {
          found.add(Oddity.TRANSPARENT);
        }
        if (Tiff.bits(bytes) == DEEP) {
          found.add(Oddity.DEEP);
        }
        break;
      case PNG:
        if (bytes[PNG_BITS] == DEEP) {
          found.add(Oddity.DEEP);
        }
        if (isTransparent(bytes)) {
          found.add(Oddity.TRANSPARENT);
        }
        break;
      case WEBP:
        if (isTransparent(bytes)) {
          found.add(Oddity.TRANSPARENT);
        }
        break;
      case GIF:
        if (isTransparent(JavaDecoder.decode(bytes, 1))) {
          found.add(Oddity.TRANSPARENT);
        }
        break;
      default:
        break;
    }
    return found;
  }

  /** Of a JPEG file: 1 is grey, 3 are colours, 4 inks. */
  private static int channels(ByteBuffer data) {
    data.order(ByteOrder.BIG_ENDIAN).position(2);
    while (data.remaining() > 9) {
      int place = data.position();
      int marker = data.getShort(place) & 0xffff;
      boolean isFrame = marker >= FIRST_FRAME && marker <= LAST_FRAME;
      if (isFrame && marker != 0xffc4 && marker != 0xffc8 && marker != 0xffcc) { // these are tables
        return data.get(place + 9);
      }
      boolean isFill = marker == 0xffff;
      int next = place + (isFill ? 1 : 2 + (data.getShort(place + 2) & 0xffff));
      data.position(Math.min(next, data.limit()));
    }
    return 0;
  }

  /** By the decoder that has read it. */
  private static boolean isTransparentTiff(byte[] bytes) throws IOException {
    try {
      return isTransparent(JavaDecoder.decode(bytes, 1));
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return isTransparent(bytes);
    }
  }

  private static boolean isTransparent(BufferedImage image) {
    int width = image.getWidth();
    return image.getColorModel().hasAlpha()
        && IntStream.range(0, image.getHeight())
            .mapToObj(y -> image.getRGB(0, y, width, 1, null, 0, width))
            .flatMapToInt(IntStream::of)
            .anyMatch(argb -> argb >>> 24 < OPAQUE);
  }

  private static boolean isTransparent(byte[] bytes) throws IOException {
    try (Mat image = ImageDecoder.openCv(bytes, IMREAD_UNCHANGED);
        Mat alpha = new Mat();
        DoublePointer least = new DoublePointer(1L);
        DoublePointer most = new DoublePointer(1L)) {
      if (image.channels() < 4) {
        return false;
      }
      extractChannel(image, alpha, 3);
      minMaxLoc(alpha, least, most, null, null, null);
      return least.get() < (alpha.elemSize() == 1 ? OPAQUE : 0xffff);
    }
  }
}
