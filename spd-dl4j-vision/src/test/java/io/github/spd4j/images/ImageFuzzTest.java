/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.bytedeco.opencv.global.opencv_core.CV_8UC3;
import static org.bytedeco.opencv.global.opencv_imgcodecs.imencode;

import io.github.spd4j.testing.Generator;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.opencv_core.Mat;
import org.junit.jupiter.api.Test;

/**
 * Pictures that are damaged at random, and those that once broke something: each gives a picture,
 * or an exception of one line.
 */
class ImageFuzzTest {

  private static final int LONGEST_LINE = 500;
  private static final int HEADER = 64;
  private static final int[] ODD = {0, -1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x10000, 20000};

  private static final Path CORPUS =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/corpus/images");

  private static List<byte[]> pictures() throws IOException {
    Random random = new Random(1);
    BufferedImage picture = new BufferedImage(40, 24, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 40 * 24; i++) {
      picture.setRGB(i % 40, i / 40, random.nextInt(1 << 24) & 0x3f3f3f | i / 40 << 10);
    }
    List<byte[]> pictures = new ArrayList<>();
    for (String format : List.of("jpg", "png", "tiff", "bmp", "gif")) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      assertThat(ImageIO.write(picture, format, out)).isTrue();
      pictures.add(out.toByteArray());
    }
    try (Mat mat = new Mat(24, 40, CV_8UC3);
        BytePointer webp = new BytePointer()) {
      byte[] bytes = new byte[3 * 40 * 24];
      random.nextBytes(bytes);
      mat.data().put(bytes);
      assertThat(imencode(".webp", mat, webp)).isTrue();
      byte[] encoded = new byte[(int) webp.limit()];
      webp.get(encoded);
      pictures.add(encoded);
    }
    return pictures;
  }

  private static List<Path> corpus() throws IOException {
    try (Stream<Path> files = Files.list(CORPUS)) {
      return files.sorted().collect(Collectors.toList());
    }
  }

  private static byte[] damaged(byte[] sound, Random random) {
    byte[] bytes = sound.clone();
    int most = random.nextBoolean() ? Math.min(HEADER, bytes.length) : bytes.length;
    int at = random.nextInt(most);
    switch (random.nextInt(5)) {
      case 0:
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        return bytes;
      case 1:
        return Arrays.copyOf(bytes, at);
      case 2:
        int place = Math.min(at, bytes.length - Integer.BYTES);
        ByteBuffer.wrap(bytes).putInt(place, ODD[random.nextInt(ODD.length)]);
        return bytes;
      case 3: // a part is gone, or there twice
        int to = random.nextInt(bytes.length);
        byte[] moved = Arrays.copyOf(bytes, bytes.length - at + to);
        System.arraycopy(bytes, at, moved, to, bytes.length - at);
        return moved;
      default:
        for (int i = random.nextInt(8); i >= 0; i--) {
          bytes[random.nextInt(most)] = (byte) random.nextInt();
        }
        return bytes;
    }
  }

  /** True if it gives a picture, false if it is refused as it should be. */
  private static boolean isRead(byte[] bytes, String what) {
    try {
      Pixels pixels = Pixels.read(new ByteArrayInputStream(bytes));
      assertThat(pixels.planes()).as(what).hasDimensions(3, pixels.height() * pixels.width());
      return true;
    } catch (IOException e) {
      assertThat(e.getMessage())
          .as(what)
          .startsWith("cannot be read as an image: ")
          .hasSizeLessThan(LONGEST_LINE)
          .doesNotContain("\n", "Exception");
      return false;
    }
  }

  @Test
  void aDamageIsToldOnce() {
    assertThatThrownBy(() -> Pixels.read(CORPUS.resolve("jpeg-half.jpg")))
        .hasMessageContaining("cannot be read as an image: damaged")
        .satisfies(e -> assertThat(e.getMessage()).containsOnlyOnce("Truncated"));
  }

  @Test
  void damagedPictures() throws IOException {
    List<byte[]> sound = pictures();
    for (Path file : corpus()) {
      sound.add(Files.readAllBytes(file));
    }
    Generator.PICTURES.each(
        0.25,
        seed -> {
          byte[] picture = sound.get((int) (seed % sound.size()));
          return !isRead(damaged(picture, new Random(seed)), "seed " + seed);
        });
  }

  @Test
  void picturesThatOnceBrokeSomething() throws IOException {
    assertThat(corpus()).isNotEmpty();
    for (Path file : corpus()) {
      String name = file.getFileName().toString();
      assertThat(isRead(Files.readAllBytes(file), name))
          .as(name)
          .isEqualTo(name.startsWith("read"));
    }
  }
}
