/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** From an image file to its pixels, or to an exception that names the file. */
final class ImageDecoder {

  private static final int CHANNELS = 3;
  private static final float WHITE = 255;

  private ImageDecoder() {}

  static Pixels decode(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(file.toString(), null, "no such image file");
    }
    BufferedImage image;
    try (InputStream bytes = Files.newInputStream(file);
        ImageInputStream stream = new MemoryCacheImageInputStream(bytes)) {
      image = decode(stream);
    } catch (IOException | RuntimeException e) {
      // The decoders answer damaged files with exceptions of many kinds.
      String reason = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new IOException(file + ": cannot be read as an image: " + reason, e);
    }
    return isGrey(image) ? greyPixels(image) : colourPixels(image);
  }

  private static BufferedImage decode(ImageInputStream stream) throws IOException {
    Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
    if (!readers.hasNext()) {
      throw new IOException("no known image format");
    }
    ImageReader reader = readers.next();
    List<String> damages = new ArrayList<>();
    reader.addIIOReadWarningListener(
        (source, warning) -> {
          if (isDamage(warning)) {
            damages.add(warning);
          }
        });
    try {
      reader.setInput(stream, true, true);
      BufferedImage image = reader.read(0);
      if (!damages.isEmpty()) {
        throw new IOException("damaged: " + String.join("; ", damages));
      }
      return image;
    } finally {
      reader.dispose();
    }
  }

  /** The JPEG decoder makes up what is missing of a picture and only warns. */
  private static boolean isDamage(String warning) {
    String text = warning.toLowerCase(Locale.ROOT);
    boolean harmless = text.contains("extraneous bytes");
    return !harmless && (text.contains("truncated") || text.contains("corrupt"));
  }

  private static boolean isGrey(BufferedImage image) {
    ColorModel model = image.getColorModel();
    return model.getNumColorComponents() == 1 && !(model instanceof IndexColorModel);
  }

  /**
   * The stored values of a grey image. {@link BufferedImage#getRGB} takes them for linear light and
   * would brighten them.
   */
  private static Pixels greyPixels(BufferedImage image) {
    Raster raster = image.getRaster();
    int width = image.getWidth();
    int height = image.getHeight();
    float[] grey = raster.getSamples(0, 0, width, height, 0, (float[]) null);
    int bits = image.getColorModel().getComponentSize(0);
    float scale = WHITE / ((1 << bits) - 1);
    for (int i = 0; i < grey.length; i++) {
      grey[i] *= scale;
    }
    return new Pixels(new float[][] {grey, grey, grey}, height, width);
  }

  private static Pixels colourPixels(BufferedImage image) {
    int width = image.getWidth();
    int height = image.getHeight();
    int[] argb = image.getRGB(0, 0, width, height, null, 0, width);
    float[][] planes = new float[CHANNELS][argb.length];
    for (int c = 0; c < CHANNELS; c++) {
      for (int i = 0; i < argb.length; i++) {
        planes[c][i] = (argb[i] >> (8 * c)) & 0xff; // blue is lowest
      }
    }
    return new Pixels(planes, height, width);
  }
}
