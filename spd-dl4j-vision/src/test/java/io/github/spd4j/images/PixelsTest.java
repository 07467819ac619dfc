/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.bytedeco.opencv.global.opencv_core.CV_16UC3;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC3;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC4;
import static org.bytedeco.opencv.global.opencv_imgcodecs.IMWRITE_WEBP_QUALITY;
import static org.bytedeco.opencv.global.opencv_imgcodecs.imwrite;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.apache.commons.lang3.ArrayUtils;
import org.bytedeco.opencv.opencv_core.Mat;
import org.bytedeco.opencv.opencv_core.Scalar;
import org.datavec.image.loader.NativeImageLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

@Tag("once")
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
  @ValueSource(strings = {"png", "webp", "tiff", "bmp", "gif"})
  void formatsWithoutLossGiveTheColoursBack(String format) throws IOException {
    BufferedImage picture = quarters();
    Path file = format.equals("webp") ? webp(picture) : write(picture, format);
    assertThat(colours(Pixels.read(file))).isEqualTo(colours(Pixels.of(picture)));
    Path nameless = Files.move(file, folder.resolve("nameless"));
    assertThat(colours(Pixels.read(nameless))).isEqualTo(colours(Pixels.of(picture)));
  }

  @Test
  void aStreamIsReadAsItsFile() throws IOException {
    Path file = write(noise(), "jpg");
    try (InputStream stream = Files.newInputStream(file)) {
      assertThat(colours(Pixels.read(stream))).isEqualTo(colours(Pixels.read(file)));
    }
  }

  /** What {@code results.md} was measured with; the decoders are DataVec's. */
  @Test
  void aPhotographHasTheColoursOfJavasOwnDecoder() throws IOException {
    Path file = write(noise(), "jpg");
    Pixels expected = Pixels.of(ImageIO.read(file.toFile()));
    assertThat(colours(Pixels.read(file))).isEqualTo(colours(expected));
  }

  @ParameterizedTest
  @ValueSource(strings = {"png", "tiff"})
  void sixteenBitsBecomeEight(String format) throws IOException {
    try (Mat picture = new Mat(5, 7, CV_16UC3, new Scalar(257 * 200, 257 * 100, 257 * 50, 0))) {
      Path file = folder.resolve("deep." + format);
      assertThat(imwrite(file.toString(), picture)).isTrue();
      assertColour(read(3, 3, file), 200, 100, 50, ROUNDING);
    }
  }

  @Test
  void transparencyIsIgnored() throws IOException {
    Path file = write(plain(BufferedImage.TYPE_INT_ARGB, 0x103366cc), "png");
    assertColour(read(5, 5, file), 0xcc, 0x66, 0x33, ROUNDING);
  }

  @ParameterizedTest
  @CsvSource({"webp, 254, TRANSPARENT", "webp, 255,", "tiff, 9, TRANSPARENT", "png, 255,"})
  void whatIsNotOpaqueIsNamed(String format, int alpha, Pixels.Oddity expected) throws IOException {
    try (Mat picture = new Mat(5, 7, CV_8UC4, new Scalar(200, 100, 50, alpha))) {
      Path file = folder.resolve("clear." + format);
      assertThat(imwrite(file.toString(), picture)).isTrue();
      assertThat(Pixels.oddities(file)).isEqualTo(expected == null ? Set.of() : Set.of(expected));
    }
  }

  private static Stream<Arguments> held() {
    return Stream.of("jpg", "png", "webp", "webp with Exif", "tiff")
        .flatMap(format -> IntStream.rangeClosed(1, 8).mapToObj(o -> Arguments.of(format, o)));
  }

  @ParameterizedTest
  @MethodSource("held")
  void aPictureIsTurnedAsTheCameraWasHeld(String format, int orientation) throws IOException {
    BufferedImage picture = quarters();
    Path plain = format.startsWith("webp") ? webp(picture) : write(picture, format);
    Path held = folder.resolve("held." + format);
    Files.write(held, held(Files.readAllBytes(plain), format, orientation));
    Pixels upright = Pixels.read(plain);
    Pixels turned = Pixels.read(held);
    boolean swapped = orientation > 4;
    assertThat(turned.height()).isEqualTo(swapped ? 20 : 10);
    // Where the stored top left pixel and the one at its right are shown, by the EXIF standard.
    String shown = List.of("TL", "TR", "BR", "BL", "TL", "TR", "BR", "BL").get(orientation - 1);
    int y = shown.startsWith("T") ? 0 : turned.height() - 1;
    int x = shown.endsWith("L") ? 0 : turned.width() - 1;
    int stepY = swapped ? (y == 0 ? 1 : -1) : 0;
    int stepX = swapped ? 0 : (x == 0 ? 1 : -1);
    for (int i = 0; i < 20; i++) {
      for (int c = 0; c < 3; c++) {
        assertThat(turned.planes()[c][(y + i * stepY) * turned.width() + x + i * stepX])
            .isEqualTo(upright.planes()[c][i]);
      }
    }
  }

  @Test
  void aLargePhotographIsReduced() throws IOException {
    BufferedImage large = new BufferedImage(4000, 3000, BufferedImage.TYPE_BYTE_GRAY);
    fill(large.getRaster(), 0, 77);
    Pixels pixels = Pixels.read(write(large, "jpg"));
    assertThat(pixels.width()).isEqualTo(2000);
    assertThat(pixels.height()).isEqualTo(1500);
    assertThat(pixels.planes()[0][1234567]).isEqualTo(77);
  }

  @ParameterizedTest
  @CsvSource({"png, 10000, 5, 2000", "gif, 2400, 2, 1200"})
  void whatIsLargeIsAveraged(String format, int size, int factor, int reduced) throws IOException {
    BufferedImage stripes = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_BINARY);
    byte[] eight = ((DataBufferByte) stripes.getRaster().getDataBuffer()).getData();
    Arrays.fill(eight, (byte) 0b10110111);
    Pixels pixels = Pixels.read(write(stripes, format));
    assertThat(pixels.width()).isEqualTo(reduced);
    assertThat(pixels.height()).isEqualTo(reduced);
    float white = factor == 5 ? 3 : 1;
    assertThat(pixels.planes()[2][0]).isCloseTo(white / factor * 255, within(0.5f));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jpg", "png", "webp", "tiff", "bmp", "gif"})
  void aPictureThatClaimsToBeHugeIsRefused(String format) throws IOException {
    Path file = format.equals("webp") ? webp(quarters()) : write(quarters(), format);
    Files.write(file, claiming(Files.readAllBytes(file), format));
    assertUnreadable(file, "pixels are too many, at most 150 million");
    assertUnreadable(file, format.equals("webp") ? "16000 × 16000" : "20000 × 20000");
    long expected = format.equals("webp") ? 256_000_000 : 400_000_000;
    assertThat(Pixels.count(Files.readAllBytes(file))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "jpg, 0.01", "jpg, 0.5", "jpg, 0.98", "png, 0.01", "png, 0.5", "png, 0.98", "webp, 0.01",
    "webp, 0.5", "webp, 0.98", "tiff, 0.01", "tiff, 0.5", "tiff, 0.98", "bmp, 0.01", "bmp, 0.5",
    "bmp, 0.98", "gif, 0.01", "gif, 0.5", "gif, 0.98"
  })
  void aTruncatedFileIsAnErrorThatNamesIt(String format, double kept) throws IOException {
    Path file = format.equals("webp") ? webp(noise()) : write(noise(), format);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, (int) (kept * bytes.length)));
    assertUnreadable(file, "cannot be read as an image");
    assertThatThrownBy(() -> Pixels.count(Arrays.copyOf(bytes, 13))) // not even a size
        .isInstanceOf(IOException.class);
  }

  /** OpenCV, which DataVec reads photographs with, makes up what is missing. */
  @Test
  void dataVecAloneTakesATruncatedPhotographForWhole() throws IOException {
    Path file = write(noise(), "jpg");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(new NativeImageLoader().asMatrix(file.toFile()).shape())
        .containsExactly(1, 3, 64, 64);
    assertUnreadable(file, "cannot be read as an image");
  }

  @Test
  void aDamagedPhotographIsRefusedAsByJavasOwnDecoder() throws IOException {
    int refused = 0;
    for (byte[] bytes : damaged(Files.readAllBytes(write(noise(), "jpg")), 100)) {
      boolean expected = fails(() -> JavaDecoder.decode(bytes, 1));
      assertThat(fails(() -> Pixels.read(new ByteArrayInputStream(bytes)))).isEqualTo(expected);
      refused += expected ? 1 : 0;
    }
    assertThat(refused).isGreaterThan(5);
  }

  /** Three writers of TIFF are on the class path, and where damage shows depends on the writer. */
  @ParameterizedTest
  @CsvSource({"png, 40, 30", "webp, 40, 1", "tiff, 200, 2", "bmp, 40, 0", "gif, 40, 0"})
  void damageGivesAnIoExceptionOrAPicture(String format, int copies, int atLeast)
      throws IOException {
    Path file = format.equals("webp") ? webp(noise()) : write(noise(), format);
    int refused = 0;
    for (byte[] bytes : damaged(Files.readAllBytes(file), copies)) {
      refused += fails(() -> Pixels.read(new ByteArrayInputStream(bytes))) ? 1 : 0;
    }
    assertThat(refused).isGreaterThanOrEqualTo(atLeast);
  }

  private interface Reading {
    Object run() throws IOException;
  }

  private static boolean fails(Reading reading) {
    try {
      reading.run();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Copies with three wrong bytes each. */
  private static List<byte[]> damaged(byte[] sound, int copies) {
    Random random = new Random(7);
    List<byte[]> damaged = new ArrayList<>();
    for (int i = 0; i < copies; i++) {
      byte[] bytes = sound.clone();
      for (int k = 0; k < 3; k++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      damaged.add(bytes);
    }
    return damaged;
  }

  @Test
  void whatIsNoImageIsAnErrorThatNamesIt() throws IOException {
    assertUnreadable(Files.writeString(folder.resolve("text.jpg"), "no image"), "no known image");
    assertUnreadable(Files.createFile(folder.resolve("empty.png")), "no known image format");
    assertUnreadable(folder.resolve("missing.jpg"), "no such image file");
    assertUnreadable(folder, "no such image file");
  }

  /** A scan costs as much time as the picture has pixels, and a few bytes. */
  @Test
  void aJpegOfManyScansIsRefused() throws IOException {
    byte[] sound = Files.readAllBytes(write(quarters(), "jpg"));
    Path file = folder.resolve("scans.jpg");
    for (int scans : new int[] {100, 199, 200, 30_000}) {
      byte[] empty = ByteBuffer.allocate(2 * scans).array();
      for (int i = 0; i < scans; i++) {
        empty[2 * i] = (byte) 0xff;
        empty[2 * i + 1] = (byte) 0xda;
      }
      byte[] comment =
          ByteBuffer.allocate(4 + empty.length)
              .putShort((short) 0xfffe)
              .putShort((short) (2 + empty.length))
              .put(empty)
              .array();
      Files.write(file, after(2, sound, comment));
      if (scans < 200) {
        assertThat(Pixels.read(file).width()).isEqualTo(20);
      } else {
        assertUnreadable(file, "at most 200 scans");
      }
    }
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

  /** Four colours, so that no two turns of it are alike. */
  private static BufferedImage quarters() {
    BufferedImage image = new BufferedImage(20, 10, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 200; i++) {
      int x = i % 20;
      int y = i / 20;
      image.setRGB(x, y, (x < 10 ? 0xff0000 : 0x003300) | (y < 5 ? 0xff : 0x11));
    }
    return image;
  }

  private Path webp(BufferedImage picture) {
    Path file = folder.resolve("picture.webp");
    int rows = picture.getHeight();
    int columns = picture.getWidth();
    try (Mat mat = new Mat(rows, columns, CV_8UC3)) {
      for (int y = 0; y < rows; y++) {
        byte[] row = new byte[3 * columns];
        for (int i = 0; i < row.length; i++) {
          row[i] = (byte) (picture.getRGB(i / 3, y) >> 8 * (i % 3));
        }
        mat.ptr(y).put(row);
      }
      assertThat(imwrite(file.toString(), mat, new int[] {IMWRITE_WEBP_QUALITY, 101})).isTrue();
    }
    return file;
  }

  private static List<List<Float>> colours(Pixels pixels) {
    return Arrays.stream(pixels.planes())
        .map(plane -> List.of(ArrayUtils.toObject(plane)))
        .collect(Collectors.toList());
  }

  /** A segment of a photograph that says how the camera was held. */
  private static byte[] exif(int orientation) {
    ByteBuffer segment = ByteBuffer.allocate(2 + 2 + 6 + 8 + 2 + 12 + 4);
    segment.putShort((short) 0xffe1).putShort((short) (segment.capacity() - 2));
    segment.put("Exif\0\0MM\0*".getBytes(StandardCharsets.ISO_8859_1)).putInt(8);
    segment.putShort((short) 1).putShort((short) 0x112).putShort((short) 3).putInt(1);
    return segment.putShort((short) orientation).array();
  }

  /** The same file with a note on how the camera was held. */
  private static byte[] held(byte[] bytes, String format, int orientation) {
    byte[] segment = exif(orientation);
    byte[] tiff = Arrays.copyOfRange(segment, 10, segment.length);
    switch (format) {
      case "jpg":
        return after(2, bytes, segment);
      case "png":
        byte[] chunk = ByteBuffer.allocate(4 + tiff.length).putInt(0x65584966).put(tiff).array();
        CRC32 sum = new CRC32();
        sum.update(chunk);
        ByteBuffer whole = ByteBuffer.allocate(chunk.length + 8).putInt(tiff.length).put(chunk);
        return after(33, bytes, whole.putInt((int) sum.getValue()).array());
      case "webp": // in a container of the extended kind, which has 20 × 10 pixels
      case "webp with Exif": // as some programs copy it from a photograph
        if (!format.equals("webp")) {
          tiff = Arrays.copyOfRange(segment, 4, segment.length);
        }
        ByteBuffer webp = ByteBuffer.allocate(18 + bytes.length + 8 + tiff.length);
        webp.order(ByteOrder.LITTLE_ENDIAN).put(bytes, 0, 12);
        webp.put("VP8X".getBytes(StandardCharsets.ISO_8859_1)).putInt(10).putInt(8);
        webp.put(new byte[] {19, 0, 0, 9, 0, 0}).put(bytes, 12, bytes.length - 12);
        webp.put("EXIF".getBytes(StandardCharsets.ISO_8859_1)).putInt(tiff.length).put(tiff);
        return webp.putInt(4, webp.capacity() - 8).array();
      default:
        return tiff(bytes, orientation);
    }
  }

  /** With another directory at the end, which has one entry more. */
  private static byte[] tiff(byte[] bytes, int orientation) {
    int end = bytes.length + bytes.length % 2;
    ByteBuffer data = ByteBuffer.wrap(Arrays.copyOf(bytes, end + 1000));
    data.order(bytes[0] == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    int directory = data.getInt(4);
    int entries = data.getShort(directory);
    data.putInt(4, end).position(end).putShort((short) (entries + 1));
    boolean noted = false;
    for (int entry = directory + 2; entries > 0; entry += 12, entries--) {
      if (!noted && data.getShort(entry) > 0x112) { // they are sorted
        noted = true;
        data.putShort((short) 0x112).putShort((short) 3).putInt(1);
        data.putShort((short) orientation).putShort((short) 0);
      }
      data.put(data.array(), entry, 12);
    }
    return data.array();
  }

  private static byte[] after(int position, byte[] bytes, byte[] inserted) {
    return ByteBuffer.allocate(bytes.length + inserted.length)
        .put(bytes, 0, position)
        .put(inserted)
        .put(bytes, position, bytes.length - position)
        .array();
  }

  /** The same file with a size of 20,000 × 20,000 in its header; WebP can say 16,000. */
  private static byte[] claiming(byte[] bytes, String format) {
    ByteBuffer data = ByteBuffer.wrap(bytes);
    short size = 20000;
    switch (format) {
      case "jpg":
        for (int i = 2; i < bytes.length; i++) {
          if (data.getShort(i) == (short) 0xffc0) {
            data.putShort(i + 5, size).putShort(i + 7, size);
            break;
          }
        }
        break;
      case "png":
        data.putInt(16, size).putInt(20, size);
        CRC32 sum = new CRC32();
        sum.update(bytes, 12, 17);
        data.putInt(29, (int) sum.getValue());
        break;
      case "webp":
        data.order(ByteOrder.LITTLE_ENDIAN).putInt(21, 15999 | 15999 << 14);
        break;
      case "bmp":
        data.order(ByteOrder.LITTLE_ENDIAN).putInt(18, size).putInt(22, size);
        break;
      case "gif":
        int picture = 13 + 3 * (2 << (bytes[10] & 7)); // after the colours
        while (bytes[picture] != ',') {
          picture += 8; // the transparent colour
        }
        data.order(ByteOrder.LITTLE_ENDIAN).putShort(picture + 5, size).putShort(picture + 7, size);
        break;
      default:
        data.order(bytes[0] == 'I' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int directory = data.getInt(4);
        for (int i = 0; i < data.getShort(directory); i++) {
          int entry = directory + 2 + 12 * i;
          if (data.getShort(entry) == 0x100 || data.getShort(entry) == 0x101) {
            boolean isShort = data.getShort(entry + 2) == 3;
            data.putInt(entry + 8, 0);
            if (isShort) {
              data.putShort(entry + 8, size);
            } else {
              data.putInt(entry + 8, size);
            }
          }
        }
    }
    return bytes;
  }

  /** The segment that says of four channels that they are CMYK, right after the first marker. */
  private static byte[] withAdobeMarker(byte[] jpeg) {
    byte[] segment = {
      (byte) 0xff, (byte) 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0
    };
    return after(2, jpeg, segment);
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
