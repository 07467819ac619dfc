/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.imageio.ImageReadParam;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadProgressListener;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** Java's own decoders, which tell damage from complaints, and can be interrupted. */
final class JavaDecoder {

  /** Java's decoders by their packages, the one that reads most of a format first. */
  private static final List<String> DECODERS =
      List.of("com.sun.imageio.plugins.tiff.", "com.twelvemonkeys.", "com.sun.");

  private JavaDecoder() {}

  /**
   * Decodes a picture.
   *
   * @param reduction the step from one pixel or row that is kept to the next
   */
  static BufferedImage decode(byte[] bytes, int reduction) throws IOException {
    try (ImageInputStream stream =
        new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      ImageReader reader = reader(stream);
      Set<String> damages = new LinkedHashSet<>(); // each is told again and again
      reader.addIIOReadWarningListener((source, warning) -> damages.add(warning));
      reader.addIIOReadProgressListener(new Interruption());
      try {
        reader.setInput(stream, true, true);
        ImageReadParam part = reader.getDefaultReadParam();
        part.setSourceSubsampling(reduction, reduction, 0, 0);
        BufferedImage image = reader.read(0, part);
        ImageDecoder.requireNotInterrupted();
        damages.removeIf(warning -> !isDamage(warning));
        if (!damages.isEmpty()) {
          throw new IOException("damaged: " + String.join("; ", damages));
        }
        return image;
      } finally {
        reader.dispose();
      }
    }
  }

  private static boolean isDamage(String warning) {
    String text = warning.toLowerCase(Locale.ROOT);
    boolean harmless = text.contains("extraneous bytes");
    return !harmless && (text.contains("truncated") || text.contains("corrupt"));
  }

  /**
   * The decoder to take: in which order Java knows several of them is not the same in every
   * process.
   */
  private static ImageReader reader(ImageInputStream stream) throws IOException {
    Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
    ImageReader best = null;
    while (readers.hasNext()) {
      ImageReader next = readers.next();
      if (best == null || rank(next) < rank(best)) {
        best = next;
      }
    }
    if (best == null) {
      throw new IOException("no known image format");
    }
    return best;
  }

  private static int rank(ImageReader reader) {
    String name = reader.getClass().getName();
    int rank = 0;
    while (rank < DECODERS.size() && !name.startsWith(DECODERS.get(rank))) {
      rank++;
    }
    return rank;
  }

  /** Ends the decoding of a thread that is interrupted. */
  private static final class Interruption implements IIOReadProgressListener {

    @Override
    public void imageProgress(ImageReader source, float percentageDone) {
      if (Thread.currentThread().isInterrupted()) {
        source.abort();
      }
    }

    @Override
    public void sequenceStarted(ImageReader source, int minIndex) {}

    @Override
    public void sequenceComplete(ImageReader source) {}

    @Override
    public void imageStarted(ImageReader source, int imageIndex) {}

    @Override
    public void imageComplete(ImageReader source) {}

    @Override
    public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

    @Override
    public void thumbnailProgress(ImageReader source, float percentageDone) {}

    @Override
    public void thumbnailComplete(ImageReader source) {}

    @Override
    public void readAborted(ImageReader source) {}
  }
}
