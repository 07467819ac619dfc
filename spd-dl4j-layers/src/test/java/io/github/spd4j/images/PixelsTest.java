/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

class PixelsTest {

  private static final float[] MEAN = {104, 117, 123};

  private static final double ROUNDING = 1e-3;

  /** What JPEG's rounding may change. */
  private static final double JPEG_LOSS = 2;

  @TempDir Path folder;

  @Test
  void channelsAreBlueGreenRedMinusTheirMeans() throws IOException {
    Path file = write(plain(BufferedImage.TYPE_INT_RGB, 0x3060f0), "png");
    INDArray image = read(4, 6, file);
    assertThat(image.dataType()).isEqualTo(DataType.FLOAT);
    assertThat(image.shape()).containsExactly(1, 3, 4, 6);
    assertColour(image, 0xf0, 0x60, 0x30, ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(ints = {BufferedImage.TYPE_INT_ARGB, BufferedImage.TYPE_BYTE_INDEXED})
  void transparentAndPalettedImagesHaveTheirColours(int type) throws IOException {
    Path file = write(plain(type, 0xff3366cc), "png");
    assertColour(read(5, 5, file), 0xcc, 0x66, 0x33, ROUNDING);
  }

  @ParameterizedTest
  @CsvSource({"png, 10, 90, 90", "png, 11, 23130, 90", "jpg, 10, 90, 90"})
  void greyValuesAreTakenAsTheyAreStored(String format, int type, int stored, int expected)
      throws IOException {
    BufferedImage image = new BufferedImage(20, 10, type);
    fill(image.getRaster(), 0, stored);
    INDArray read = read(7, 7, write(image, format));
    assertColour(read, expected, expected, expected, JPEG_LOSS);
  }

  @Test
  void aPhotographInColour() throws IOException {
    Path file = write(plain(BufferedImage.TYPE_INT_RGB, 0x3060f0), "jpg");
    assertColour(read(9, 9, file), 0xf0, 0x60, 0x30, JPEG_LOSS);
  }

  @Test
  void heightAndWidthAreNotMixedUp() throws IOException {
    BufferedImage image = new BufferedImage(6, 4, BufferedImage.TYPE_INT_RGB);
    image.setRGB(5, 0, 0x0000ff);
    INDArray read = read(4, 6, write(image, "png"));
    assertThat(read.getFloat(0, 0, 0, 5)).isEqualTo(255 - MEAN[0]);
    assertThat(read.sumNumber().doubleValue())
        .isCloseTo(255 - 24 * (104 + 117 + 123), within(1e-2));
  }

  @Test
  void aCmykPhotographHasItsColours() throws IOException {
    Path file = folder.resolve("cmyk.jpg");
    Files.write(file, withAdobeMarker(fourBands(0, 255, 255, 255))); // stored inverted: cyan
    assertColour(read(8, 8, file), 255, 255, 0, JPEG_LOSS);
  }

  @ParameterizedTest
  @CsvSource({"jpg, 0.01", "jpg, 0.5", "jpg, 0.98", "png, 0.01", "png, 0.5", "png, 0.98"})
  void aTruncatedFileIsAnErrorThatNamesIt(String format, double kept) throws IOException {
    Path file = write(noise(), format);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, (int) (kept * bytes.length)));
    assertUnreadable(file, "cannot be read as an image");
  }

  @Test
  void whatIsNoImageIsAnErrorThatNamesIt() throws IOException {
    assertUnreadable(Files.writeString(folder.resolve("text.jpg"), "no image"), "no known image");
    assertUnreadable(Files.createFile(folder.resolve("empty.png")), "no known image format");
    assertUnreadable(folder.resolve("missing.jpg"), "no such image file");
    assertUnreadable(folder, "no such image file");
  }

  private static INDArray read(int height, int width, Path file) throws IOException {
    return PixelFormat.CAFFE.array(Pixels.read(file).resize(height, width));
  }

  private static void assertUnreadable(Path file, String reason) {
    assertThatThrownBy(() -> read(8, 8, file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(reason);
  }

  private static void assertColour(
      INDArray image, double blue, double green, double red, double tolerance) {
    double[] expected = {blue, green, red};
    long pixels = image.length() / 3;
    INDArray planes = image.reshape(3, pixels);
    for (int c = 0; c < 3; c++) {
      for (int i = 0; i < pixels; i++) {
        assertThat(planes.getDouble(c, i) + MEAN[c]).isCloseTo(expected[c], within(tolerance));
      }
    }
  }

  private Path write(BufferedImage image, String format) throws IOException {
    Path file = Files.createTempFile(folder, "image", "." + format);
    assertThat(ImageIO.write(image, format, file.toFile())).isTrue();
    return file;
  }

  private static BufferedImage plain(int type, int argb) {
    BufferedImage image = new BufferedImage(20, 10, type);
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        image.setRGB(x, y, argb);
      }
    }
    return image;
  }

  private static byte[] fourBands(int... pixel) throws IOException {
    WritableRaster raster = Raster.createInterleavedRaster(DataBuffer.TYPE_BYTE, 16, 16, 4, null);
    for (int band = 0; band < pixel.length; band++) {
      fill(raster, band, pixel[band]);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
    try (ImageOutputStream stream = ImageIO.createImageOutputStream(bytes)) {
      writer.setOutput(stream);
      writer.write(new IIOImage(raster, null, null));
    } finally {
      writer.dispose();
    }
    return bytes.toByteArray();
  }

  /** The segment that says of four channels that they are CMYK, right after the first marker. */
  private static byte[] withAdobeMarker(byte[] jpeg) {
    int start = 2;
    byte[] segment = {
      (byte) 0xff, (byte) 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0
    };
    ByteBuffer result = ByteBuffer.allocate(jpeg.length + segment.length);
    result.put(jpeg, 0, start).put(segment).put(jpeg, start, jpeg.length - start);
    return result.array();
  }

  private static BufferedImage noise() {
    BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(1);
    for (int i = 0; i < 64 * 64; i++) {
      image.setRGB(i % 64, i / 64, random.nextInt());
    }
    return image;
  }

  private static void fill(WritableRaster raster, int band, int value) {
    int[] samples = new int[raster.getWidth() * raster.getHeight()];
    Arrays.fill(samples, value);
    raster.setSamples(0, 0, raster.getWidth(), raster.getHeight(), band, samples);
  }
}
