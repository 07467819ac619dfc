/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Reads image files as Caffe's ImageNet models take them: channels blue, green, red, values 0 to
 * 255 minus the mean colour (104, 117, 123).
 *
 * <p>Every image is brought to one size without regard to its proportions. The pixels that a
 * smaller image merges are averaged, so that fine textures fade instead of turning into other
 * patterns.
 *
 * <p>JPEG, PNG and whatever else {@link javax.imageio.ImageIO} knows will do, in colour, grey or
 * CMYK. Transparency and the orientation that a camera notes down are ignored. A damaged or
 * truncated file is an error.
 */
public final class BgrImageReader {

  private static final float[] MEAN_BGR = {104, 117, 123};
  private static final int WHITE = 255;

  private final int height;
  private final int width;

  /**
   * A reader that gives images of one size.
   *
   * @param height the height in pixels
   * @param width the width in pixels
   */
  public BgrImageReader(int height, int width) {
    if (height < 1 || width < 1) {
      throw new IllegalArgumentException(
          "expected a height and a width of at least 1, got " + height + " and " + width);
    }
    this.height = height;
    this.width = width;
  }

  /**
   * Reads one image.
   *
   * @param file the file
   * @return the image [1, 3, height, width], FLOAT
   * @throws IOException if the file is missing or no sound image; the message names it
   */
  public INDArray read(Path file) throws IOException {
    return read(List.of(file));
  }

  /**
   * Reads images into one batch.
   *
   * @param files the files, at least one
   * @return the images [N, 3, height, width] in the order of the files, FLOAT
   * @throws IOException if a file is missing or no sound image; the message names it
   */
  public INDArray read(List<Path> files) throws IOException {
    INDArray[] images = new INDArray[files.size()];
    for (int i = 0; i < images.length; i++) {
      images[i] = array(Pixels.read(files.get(i)).resize(height, width));
    }
    return Nd4j.concat(0, images);
  }

  /**
   * An image as an array, minus the mean colour.
   *
   * @param pixels the image
   * @return a new array [1, 3, height, width], FLOAT
   */
  public static INDArray array(Pixels pixels) {
    int channels = MEAN_BGR.length;
    float[] values = new float[channels * pixels.height() * pixels.width()];
    int position = 0;
    for (int c = 0; c < channels; c++) {
      for (float value : pixels.planes()[c]) {
        values[position++] = value - MEAN_BGR[c];
      }
    }
    return Nd4j.createFromArray(values).reshape(1, channels, pixels.height(), pixels.width());
  }

  /**
   * An image as a picture: {@link #array} undone.
   *
   * @param image [1, 3, height, width], blue, green, red, minus the mean colour
   * @return the picture, of the same size
   */
  public static BufferedImage picture(INDArray image) {
    int height = (int) image.size(2);
    int width = (int) image.size(3);
    float[] values = image.castTo(DataType.FLOAT).dup('c').data().asFloat();
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < height * width; i++) {
      int rgb = 0;
      for (int c = 0; c < MEAN_BGR.length; c++) {
        float value = values[c * height * width + i] + MEAN_BGR[c];
        rgb |= Math.round(Math.max(0, Math.min(WHITE, value))) << (8 * c); // blue is lowest
      }
      picture.setRGB(i % width, i / width, rgb);
    }
    return picture;
  }
}
