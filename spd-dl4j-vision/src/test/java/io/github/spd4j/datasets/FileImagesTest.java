/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Crops of 28 are cut from a short side of 32, which the image has already: 32 high, 50 wide. */
class FileImagesTest {

  private static final int SIZE = 28;
  private static final int HEIGHT = 32;
  private static final int WIDTH = 50;
  private static final long SEED = 4;

  @TempDir Path folder;

  private ImageFile file;

  /** Blue says in which row a pixel lies, green in which column. */
  @BeforeEach
  void draw() throws IOException {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
      image.setRGB(k % WIDTH, k / WIDTH, (k % WIDTH) << 8 | k / WIDTH);
    }
    Path path = folder.resolve("image.png");
    ImageIO.write(image, "png", path.toFile());
    file = new ImageFile(path, "class/image.png", 1);
  }

  @Test
  void plainIsWhatTheReaderGives() throws IOException {
    INDArray expected = PixelFormat.CAFFE.array(Pixels.read(file.path()).resize(SIZE, SIZE));
    assertThat(images(Views.PLAIN, SEED).image(0)).isEqualTo(expected);
  }

  @Test
  void anotherFormatGivesOtherNumbersAndNames() throws IOException {
    PixelFormat rgb = PixelFormat.of(PixelFormat.Order.RGB, 1);
    FileImages images = new FileImages(List.of(file), 2, Views.PLAIN, SIZE, rgb, SEED);
    Pixels pixels = Pixels.read(file.path()).resize(SIZE, SIZE);
    assertThat(images.image(0)).isEqualTo(rgb.array(pixels));
    assertThat(images.name(0)).isEqualTo(images(Views.PLAIN, SEED).name(0) + ", RGB, 0 to 1");
  }

  @Test
  void mirroredIsTheWholeAndItsMirrorImage() {
    FileImages images = images(Views.MIRRORED, SEED);
    FileImages plain = images(Views.PLAIN, SEED);
    assertThat(images.size()).isEqualTo(2);
    assertThat(images.image(0)).isEqualTo(plain.image(0));
    assertThat(images.name(0)).isEqualTo(plain.name(0));
    for (int column = 0; column < SIZE; column++) {
      assertThat(column(images.image(1), column))
          .isEqualTo(column(plain.image(0), SIZE - 1 - column));
    }
  }

  private static INDArray column(INDArray image, int number) {
    return image.get(
        NDArrayIndex.all(), NDArrayIndex.all(), NDArrayIndex.all(), NDArrayIndex.point(number));
  }

  @Test
  void theViewsOfAFileAreOnePicture() {
    for (Views views : Views.values()) {
      FileImages images =
          new FileImages(List.of(file, other()), 2, views, SIZE, PixelFormat.CAFFE, SEED);
      int count = views.count();
      for (int i = 0; i < 2 * count; i++) {
        assertThat(images.picture(i)).isEqualTo(i / count);
        assertThat(images.subset(0, i).picture(1)).isEqualTo(i / count);
      }
    }
  }

  @Test
  void fiveCropsAreTheCentreAndTheCorners() {
    FileImages images = images(Views.FIVE_CROPS, SEED);
    int[][] places = {{2, 11}, {0, 0}, {0, 22}, {4, 0}, {4, 22}};
    for (int i = 0; i < places.length; i++) {
      assertThat(place(images.image(i))).containsExactly(places[i]);
    }
  }

  @Test
  void fifteenCropsAreTenAtRandomAndThoseFive() {
    FileImages fifteen = images(Views.FIFTEEN_CROPS, SEED);
    Set<List<Integer>> places = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      int[] place = place(fifteen.image(i));
      assertThat(place[0]).isBetween(0, HEIGHT - SIZE);
      assertThat(place[1]).isBetween(0, WIDTH - SIZE);
      places.add(List.of(place[0], place[1]));
    }
    assertThat(places).hasSizeGreaterThan(6);
    FileImages five = images(Views.FIVE_CROPS, SEED);
    for (int i = 0; i < 5; i++) {
      assertThat(fifteen.image(10 + i)).isEqualTo(five.image(i));
      assertThat(fifteen.name(10 + i)).isEqualTo(five.name(i));
    }
  }

  @Test
  void randomCropsDependOnTheSeedAndNotOnTheList() {
    FileImages alone = images(Views.FIFTEEN_CROPS, SEED);
    FileImages second =
        new FileImages(
            List.of(other(), file), 2, Views.FIFTEEN_CROPS, SIZE, PixelFormat.CAFFE, SEED);
    assertThat(second.image(15 + 3)).isEqualTo(alone.image(3));
    assertThat(second.name(15 + 3)).isEqualTo(alone.name(3));
    assertThat(images(Views.FIFTEEN_CROPS, SEED + 1).name(3)).isNotEqualTo(alone.name(3));
    assertThat(images(Views.FIFTEEN_CROPS, SEED + 1).image(3)).isNotEqualTo(alone.image(3));
  }

  @Test
  void entriesFollowEachOtherFileByFile() {
    FileImages images =
        new FileImages(List.of(other(), file), 7, Views.FIVE_CROPS, SIZE, PixelFormat.CAFFE, SEED);
    assertThat(images.size()).isEqualTo(10);
    assertThat(images.classes()).isEqualTo(7);
    assertThat(images.file(4).name()).isEqualTo("class/other.png");
    assertThat(images.file(5)).isSameAs(file);
    assertThat(images.label(4)).isZero();
    assertThat(images.label(9)).isEqualTo(1);
  }

  @Test
  void namesTellViewsSizesAndContentsApart() throws IOException {
    Set<String> names = new HashSet<>();
    for (Views views : Views.values()) {
      for (int size : new int[] {SIZE, 14}) {
        FileImages images = new FileImages(List.of(file), 2, views, size, PixelFormat.CAFFE, SEED);
        for (int i = 0; i < images.size(); i++) {
          names.add(images.name(i));
        }
      }
    }
    assertThat(names)
        .hasSize(2 * (1 + 1 + 15))
        .allMatch(name -> name.startsWith("class/image.png, "));
    String before = images(Views.PLAIN, SEED).name(0);
    Files.write(file.path(), new byte[11]);
    assertThat(images(Views.PLAIN, SEED).name(0)).isNotEqualTo(before);
  }

  @Test
  void theViewsOfAFileDecodeItOnce() throws IOException {
    FileImages images = images(Views.FIFTEEN_CROPS, SEED);
    images.image(0);
    Files.delete(file.path());
    for (int i = 0; i < 15; i++) {
      assertThat(images.image(i).shape()).containsExactly(1, 3, SIZE, SIZE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVariantComesFromItsSeedAlone(Views views) {
    FileImages images = images(views, SEED);
    Set<INDArray> variants = new HashSet<>();
    for (long seed = 0; seed < 20; seed++) {
      INDArray variant = images.variant(0, seed);
      assertThat(variant.shape()).containsExactly(1, 3, SIZE, SIZE);
      assertThat(images(views, SEED).variant(0, seed)).isEqualTo(variant);
      variants.add(variant);
    }
    assertThat(variants).hasSizeGreaterThan(10);
  }

  @Test
  void variantsOfAWholeImageAreLargePartsOfItAndNeverFlipped() {
    FileImages images = images(Views.PLAIN, SEED);
    float[] whole = {WIDTH, 0};
    for (long seed = 0; seed < 200; seed++) {
      INDArray variant = images.variant(0, seed);
      float left = variant.getFloat(0, 1, 0, 0) + 117;
      float right = variant.getFloat(0, 1, 0, SIZE - 1) + 117;
      float top = variant.getFloat(0, 0, 0, 0) + 104;
      float bottom = variant.getFloat(0, 0, SIZE - 1, 0) + 104;
      // From the centre of the first pixel to that of the last.
      float pixels = (SIZE - 1f) / SIZE;
      assertThat(right - left).isBetween(0.65f * WIDTH * pixels, WIDTH * pixels);
      assertThat(bottom - top).isBetween(0.6f * HEIGHT * pixels, HEIGHT * pixels);
      assertThat(left).isBetween(0f, 0.35f * WIDTH + 1);
      whole[0] = Math.min(whole[0], right - left);
      whole[1] = Math.max(whole[1], right - left);
    }
    assertThat(whole[0]).isLessThan(0.75f * WIDTH);
    assertThat(whole[1]).isGreaterThan(0.9f * WIDTH * (SIZE - 1) / SIZE);
  }

  @Test
  void variantsMoveACropALittleAndFlipHalfOfThem() {
    FileImages images = images(Views.FIVE_CROPS, SEED);
    int flipped = 0;
    for (long seed = 0; seed < 200; seed++) {
      INDArray variant = images.variant(0, seed);
      int left = place(variant)[1];
      int right = Math.round(variant.getFloat(0, 1, 0, SIZE - 1) + 117);
      flipped += left > right ? 1 : 0;
      assertThat(Math.min(left, right)).isBetween(9, 13);
      assertThat(place(variant)[0]).isBetween(0, 4);
    }
    assertThat(flipped).isBetween(70, 130);
  }

  @Test
  void withoutVariantsEachImageIsItsOwn() {
    FileImages images = images(Views.PLAIN, SEED).withoutVariants();
    assertThat(images.variant(0, 1)).isEqualTo(images.image(0));
    assertThat(images.name(0)).isEqualTo(images(Views.PLAIN, SEED).name(0));
  }

  @Test
  void aBannerIsCutOff() {
    ImageFile bannered = new ImageFile(file.path(), "image", 0, 4);
    FileImages images =
        new FileImages(List.of(bannered), 1, Views.PLAIN, SIZE, PixelFormat.CAFFE, SEED);
    assertThat(images.image(0).getFloat(0, 0, SIZE - 1, 0) + 104).isEqualTo(HEIGHT - 4 - 1);
  }

  @Test
  void aDamagedFileIsNamed() throws IOException {
    Files.writeString(file.path(), "no image");
    assertThatThrownBy(() -> images(Views.PLAIN, SEED).image(0))
        .isInstanceOf(DataSetException.class)
        .hasMessageStartingWith(file.path().toString());
    Files.delete(file.path());
    assertThatThrownBy(() -> images(Views.PLAIN, SEED).name(0))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining("no such image file");
  }

  @Test
  void aSizeOfNothingIsRefused() {
    assertThatThrownBy(() -> new FileImages(List.of(), 1, Views.PLAIN, 0, PixelFormat.CAFFE, SEED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 0");
  }

  private FileImages images(Views views, long seed) {
    return new FileImages(List.of(file), 2, views, SIZE, PixelFormat.CAFFE, seed);
  }

  private ImageFile other() {
    return new ImageFile(file.path(), "class/other.png", 0);
  }

  /** Row and column of the upper left pixel. */
  private static int[] place(INDArray image) {
    int row = Math.round(image.getFloat(0, 0, 0, 0) + 104);
    return new int[] {row, Math.round(image.getFloat(0, 1, 0, 0) + 117)};
  }
}
