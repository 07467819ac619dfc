/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.bytedeco.opencv.opencv_core.Mat;

/**
 * An image as three planes, blue, green and red, each row by row, with values from 0 to 255.
 *
 * <p>The methods that give another image leave this one as it is.
 *
 * <p>Files may be JPEG, PNG, WebP, TIFF, BMP or GIF (the first picture), by their content, whatever
 * they are called; in colour, grey, CMYK or with a palette, with 8 or 16 bits. Grey values are
 * taken as they are stored. The orientation that a camera notes down is applied; transparency and
 * colour profiles are ignored. A damaged or truncated file is an error, and so is TIFF of other
 * kinds, such as L*a*b* or with floating-point numbers.
 *
 * <p>A picture of more than four million pixels is reduced by a whole number while it is read; one
 * of more than 150 million is refused.
 */
public final class Pixels {

  private static final int CHANNELS = 3;
  private static final float WHITE = 255;

  /** How a file may store colours so that its pixels are not what a viewer shows. */
  public enum Oddity {
    /** Cyan, magenta, yellow and black, for a printer; the pixels are what these roughly give. */
    INKS,
    /** Parts are transparent; the pixels are the colours below. */
    TRANSPARENT,
    /** 16 bits a colour; the pixels are the upper 8. */
    DEEP
  }

  private final float[][] planes;
  private final int height;
  private final int width;

  /**
   * An image of given values.
   *
   * @param planes the values of each channel: 0 blue, 1 green, 2 red; not copied
   * @param height the number of rows
   * @param width the number of columns
   */
  public Pixels(float[][] planes, int height, int width) {
    this.planes = planes;
    this.height = height;
    this.width = width;
  }

  /**
   * The values.
   *
   * @return those of each channel: 0 blue, 1 green, 2 red; not a copy
   */
  public float[][] planes() {
    return planes;
  }

  /**
   * The height.
   *
   * @return the number of rows
   */
  public int height() {
    return height;
  }

  /**
   * The width.
   *
   * @return the number of columns
   */
  public int width() {
    return width;
  }

  /**
   * Decodes an image file.
   *
   * @param file the file
   * @return its pixels
   * @throws IOException if the file is missing or no sound image; the message names it
   */
  public static Pixels read(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    return ImageDecoder.decode(file, Pixels::of);
  }

  /**
   * Decodes an image.
   *
   * @param stream the content of an image file; it is not closed
   * @return its pixels
   * @throws IOException if it is no sound image
   */
  public static Pixels read(InputStream stream) throws IOException {
    Objects.requireNonNull(stream, "stream");
    return ImageDecoder.decode(stream, Pixels::of);
  }

  /**
   * Whether a file begins as an image does that can be read. What follows may still be damaged.
   *
   * @param file the file
   * @return true if its first bytes are those of a known format
   */
  public static boolean isImage(Path file) {
    Objects.requireNonNull(file, "file");
    if (!Files.isRegularFile(file)) {
      return false; // a pipe would have to be waited for
    }
    try (InputStream stream = Files.newInputStream(file)) {
      return isImage(stream.readNBytes(12));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether bytes begin as an image does that can be read. What follows may still be damaged.
   *
   * @param image the content of a file, or its first 12 bytes
   * @return true if its first bytes are those of a known format
   */
  public static boolean isImage(byte[] image) {
    Objects.requireNonNull(image, "image");
    return ImageHeader.format(image) != null;
  }

  /**
   * How many pixels an image has, by what its first bytes say. Nothing is decoded: what follows may
   * still be damaged.
   *
   * @param image the content of an image file
   * @return height times width, before it is reduced
   * @throws IOException if it does not begin as an image does that can be read
   */
  public static long count(byte[] image) throws IOException {
    try {
      return ImageHeader.of(image).pixels();
    } catch (RuntimeException e) { // the readers answer damaged files with exceptions of many kinds
      throw new IOException("damaged or truncated", e);
    }
  }

  /**
   * Decodes an image file, and forgets it.
   *
   * @param file the file
   * @throws IOException if the file is missing or no sound image; the message names it
   */
  public static void check(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    ImageDecoder.decode(file, Mat::empty);
  }

  /**
   * What is unusual about the colours of an image file.
   *
   * @param file a file that {@link #read(Path)} can read
   * @return nothing for most files
   * @throws IOException if the file is missing or no sound image; the message names it
   */
  public static Set<Oddity> oddities(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    return ImageDecoder.use(file, Oddities::of);
  }

  /**
   * The pixels of a picture in memory. Transparency is ignored.
   *
   * @param picture the picture; not changed
   * @return its pixels
   */
  public static Pixels of(BufferedImage picture) {
    Objects.requireNonNull(picture, "picture");
    int height = picture.getHeight();
    int width = picture.getWidth();
    ColorModel model = picture.getColorModel();
    if (model.getNumColorComponents() == 1 && !(model instanceof IndexColorModel)) {
      // getRGB takes grey values for linear light and would brighten them.
      float[] grey = picture.getRaster().getSamples(0, 0, width, height, 0, (float[]) null);
      float scale = WHITE / ((1 << model.getComponentSize(0)) - 1);
      for (int i = 0; i < grey.length; i++) {
        grey[i] *= scale;
      }
      return new Pixels(new float[][] {grey, grey, grey}, height, width);
    }
    int[] argb = picture.getRGB(0, 0, width, height, null, 0, width);
    float[][] planes = new float[CHANNELS][argb.length];
    for (int c = 0; c < CHANNELS; c++) {
      for (int i = 0; i < argb.length; i++) {
        planes[c][i] = (argb[i] >> (8 * c)) & 0xff; // blue is lowest
      }
    }
    return new Pixels(planes, height, width);
  }

  /** The pixels of an image of OpenCV, of 8 bits and any number of channels. */
  static Pixels of(Mat image) {
    int channels = image.channels();
    int width = image.cols();
    float[][] planes = new float[channels][image.rows() * width];
    byte[] row = new byte[channels * width];
    for (int y = 0; y < image.rows(); y++) {
      image.ptr(y).get(row);
      for (int c = 0; c < channels; c++) {
        for (int x = 0; x < width; x++) {
          planes[c][y * width + x] = row[x * channels + c] & 0xff;
        }
      }
    }
    return new Pixels(planes, image.rows(), width);
  }

  /**
   * The same image in another size, without regard to its proportions. The pixels that a smaller
   * image merges are averaged, so that fine textures fade instead of turning into other patterns.
   *
   * @param newHeight the new height
   * @param newWidth the new width
   * @return the resized image
   */
  public Pixels resize(int newHeight, int newWidth) {
    Resampling rows = new Resampling(height, newHeight);
    Resampling columns = new Resampling(width, newWidth);
    float[][] resized = new float[planes.length][];
    for (int c = 0; c < planes.length; c++) {
      // Along the rows first, then along the columns of what that gives.
      float[] transposed = columns.alongRowsTransposed(planes[c], height);
      resized[c] = rows.alongRowsTransposed(transposed, newWidth);
    }
    return new Pixels(resized, newHeight, newWidth);
  }

  /**
   * A part of the image.
   *
   * @param top the first row
   * @param left the first column
   * @param newHeight the number of rows
   * @param newWidth the number of columns
   * @return the part
   */
  public Pixels crop(int top, int left, int newHeight, int newWidth) {
    float[][] part = new float[planes.length][newHeight * newWidth];
    for (int c = 0; c < planes.length; c++) {
      for (int row = 0; row < newHeight; row++) {
        int start = (top + row) * width + left;
        System.arraycopy(planes[c], start, part[c], row * newWidth, newWidth);
      }
    }
    return new Pixels(part, newHeight, newWidth);
  }

  /**
   * The image with left and right exchanged.
   *
   * @return the mirrored image
   */
  public Pixels mirrored() {
    float[][] mirrored = new float[planes.length][];
    Arrays.setAll(mirrored, c -> mirrored(planes[c]));
    return new Pixels(mirrored, height, width);
  }

  private float[] mirrored(float[] plane) {
    float[] result = new float[plane.length];
    for (int i = 0; i < plane.length; i++) {
      int column = i % width;
      result[i] = plane[i - column + width - 1 - column];
    }
    return result;
  }
}
