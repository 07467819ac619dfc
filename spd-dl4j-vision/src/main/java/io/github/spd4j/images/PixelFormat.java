/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import java.awt.image.BufferedImage;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonValue;

/**
 * How the colours of an image become the numbers that a network takes: the order of the channels,
 * the range of the values, and for each channel a mean to subtract and a deviation to divide by.
 * Every pretrained network was trained with one such format and needs the same.
 *
 * <p>A format is written as one line, in JSON too: {@code BGR, 0 to 255, minus (104, 117, 123)} or
 * {@code RGB, 0 to 1, minus (0.485, 0.456, 0.406), divided by (0.229, 0.224, 0.225)}. Mean and
 * deviation stand in the order of the channels and in the unit of the range; either may be left
 * out.
 */
public final class PixelFormat implements Serializable {

  /** The order of the channels. */
  public enum Order {
    /** Blue, green, red. */
    BGR,
    /** Red, green, blue. */
    RGB
  }

  /** As Caffe's ImageNet models take images: BGR, 0 to 255, minus the mean colour. */
  public static final PixelFormat CAFFE =
      of(Order.BGR, 255).minus(104, 117, 123); // also those of Keras and of DL4J

  /** As PyTorch's ImageNet models take images: RGB, 0 to 1, minus the mean, over the deviation. */
  public static final PixelFormat TORCH =
      of(Order.RGB, 1).minus(0.485f, 0.456f, 0.406f).dividedBy(0.229f, 0.224f, 0.225f);

  private static final long serialVersionUID = 1L;

  private static final int CHANNELS = 3;
  private static final float WHITE = 255;

  private static final String NUMBERS = "\\(([^(),]+),([^(),]+),([^(),]+)\\)";
  private static final Pattern TEXT =
      Pattern.compile(
          "(BGR|RGB),0TO(255|1)(?:,MINUS" + NUMBERS + ")?(?:,DIVIDEDBY" + NUMBERS + ")?");

  private final Order order;
  private final int white;
  private final float[] mean;
  private final float[] deviation;

  private PixelFormat(Order order, int white, float[] mean, float[] deviation) {
    this.order = order;
    this.white = white;
    this.mean = mean;
    this.deviation = deviation;
  }

  /**
   * A format without a mean and a deviation.
   *
   * @param order the order of the channels
   * @param white the largest value, 255 or 1; the smallest is 0
   * @return the format
   */
  public static PixelFormat of(Order order, int white) {
    if (white != 1 && white != WHITE) {
      throw new IllegalArgumentException("expected values from 0 to 1 or 255, got 0 to " + white);
    }
    return new PixelFormat(order, white, new float[CHANNELS], new float[] {1, 1, 1});
  }

  /**
   * The format that a line describes, see above. Upper and lower case and spaces do not matter.
   *
   * @param text the line
   * @return the format
   * @throws IllegalArgumentException if it is no such line
   */
  @JsonCreator
  public static PixelFormat valueOf(String text) {
    Objects.requireNonNull(text, "text");
    Matcher parts = TEXT.matcher(text.replaceAll("\\s", "").toUpperCase(Locale.ROOT));
    try {
      if (parts.matches()) {
        PixelFormat format = of(Order.valueOf(parts.group(1)), Integer.parseInt(parts.group(2)));
        float[] mean = numbers(parts, 3, format.mean);
        float[] deviation = numbers(parts, 6, format.deviation);
        return format
            .minus(mean[0], mean[1], mean[2])
            .dividedBy(deviation[0], deviation[1], deviation[2]);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(expected(text), e);
    }
    throw new IllegalArgumentException(expected(text));
  }

  private static String expected(String text) {
    return "expected pixels such as '"
        + CAFFE
        + "' or 'RGB, 0 to 1, minus (0.5, 0.5, 0.5), divided by (0.2, 0.2, 0.2)', got '"
        + text
        + "'";
  }

  private static float[] numbers(Matcher parts, int first, float[] otherwise) {
    if (parts.group(first) == null) {
      return otherwise;
    }
    float[] numbers = new float[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
      numbers[c] = Float.parseFloat(parts.group(first + c));
    }
    return numbers;
  }

  /**
   * The same format with a mean.
   *
   * @param first what is subtracted from the first channel, in the unit of the range
   * @param second the same for the second channel
   * @param third the same for the third channel
   * @return a new format
   */
  public PixelFormat minus(float first, float second, float third) {
    return new PixelFormat(order, white, finite(first, second, third), deviation);
  }

  /**
   * The same format with a deviation.
   *
   * @param first what the first channel is divided by, after the mean was subtracted
   * @param second the same for the second channel
   * @param third the same for the third channel
   * @return a new format
   */
  public PixelFormat dividedBy(float first, float second, float third) {
    float[] divisors = finite(first, second, third);
    for (float divisor : divisors) {
      if (!(divisor > 0)) {
        throw new IllegalArgumentException("expected deviations above 0, got " + divisor);
      }
    }
    return new PixelFormat(order, white, mean, divisors);
  }

  private static float[] finite(float... numbers) {
    for (float number : numbers) {
      if (!Float.isFinite(number)) {
        throw new IllegalArgumentException("expected finite numbers, got " + number);
      }
    }
    return numbers;
  }

  /**
   * An image as an array.
   *
   * @param pixels the image
   * @return a new array [1, 3, height, width], FLOAT
   */
  public INDArray array(Pixels pixels) {
    float[] values = new float[CHANNELS * pixels.height() * pixels.width()];
    float scale = white / WHITE;
    int position = 0;
    for (int c = 0; c < CHANNELS; c++) {
      for (float value : pixels.planes()[plane(c)]) {
        values[position++] = (value * scale - mean[c]) / deviation[c];
      }
    }
    return Nd4j.createFromArray(values).reshape(1, CHANNELS, pixels.height(), pixels.width());
  }

  /**
   * An array as a picture: {@link #array} undone.
   *
   * @param image [1, 3, height, width] in this format
   * @return the picture, of the same size
   */
  public BufferedImage picture(INDArray image) {
    int height = (int) image.size(2);
    int width = (int) image.size(3);
    float[] values = image.castTo(DataType.FLOAT).dup('c').data().asFloat();
    float scale = white / WHITE;
    BufferedImage picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < height * width; i++) {
      int rgb = 0;
      for (int c = 0; c < CHANNELS; c++) {
        float value = (values[c * height * width + i] * deviation[c] + mean[c]) / scale;
        int level = Math.round(Math.max(0, Math.min(WHITE, value)));
        rgb |= level << (8 * plane(c)); // blue is lowest
      }
      picture.setRGB(i % width, i / width, rgb);
    }
    return picture;
  }

  /** Which plane of {@link Pixels} is a channel: 0 is blue there. */
  private int plane(int channel) {
    return order == Order.BGR ? channel : CHANNELS - 1 - channel;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PixelFormat && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** The line that {@link #valueOf} reads. */
  @Override
  @JsonValue
  public String toString() {
    PixelFormat plain = of(order, white);
    return order
        + ", 0 to "
        + white
        + (Arrays.equals(mean, plain.mean) ? "" : ", minus " + text(mean))
        + (Arrays.equals(deviation, plain.deviation) ? "" : ", divided by " + text(deviation));
  }

  private static String text(float[] numbers) {
    String text = Arrays.toString(numbers).replaceAll("\\.0(?=[,\\]])", "");
    return "(" + text.substring(1, text.length() - 1) + ")";
  }
}
