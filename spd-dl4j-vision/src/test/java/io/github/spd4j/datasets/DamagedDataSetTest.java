/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every way in which a data set is no good has one line that says so. */
class DamagedDataSetTest {

  @TempDir Path root;

  @Test
  void aFolderThatIsNotThere() {
    Path missing = root.resolve("missing");
    assertRefused(() -> DataSetKind.DTD.read(missing), missing, "no such folder");
  }

  @Test
  void aFolderWithNothingInIt() {
    assertRefused(
        () -> DataSetKind.FOLDERS.read(root),
        root,
        "expected class folders, that is, a folder of images for each class");
  }

  @Test
  void noClassFolders() throws IOException {
    Files.createDirectories(root.resolve("images"));
    assertRefused(() -> DataSetKind.DTD.read(root), root, "no class folders");
  }

  @ParameterizedTest
  @CsvSource({
    "CUB, classes.txt",
    "CUB, images.txt",
    "CUB, image_class_labels.txt",
    "CUB, train_test_split.txt",
    "AIRCRAFT, data/variants.txt",
    "AIRCRAFT, data/images_variant_trainval.txt",
    "AIRCRAFT, data/images_variant_test.txt",
    "DTD_OFFICIAL, labels/train1.txt",
    "DTD_OFFICIAL, labels/val1.txt",
    "DTD_OFFICIAL, labels/test2.txt"
  })
  void aListThatIsMissing(DataSetKind kind, String list) throws IOException {
    Fixtures.copy(kind, root);
    Files.delete(root.resolve(list));
    assertRefused(() -> kind.read(root), root.resolve(list), "no such file");
  }

  @ParameterizedTest
  @CsvSource({
    "CUB, images/001.Laysan_Albatross/Laysan_Albatross_0002.jpg, images.txt line 2",
    "AIRCRAFT, data/images/0034344.jpg, data/images_variant_test.txt line 2",
    "DTD_OFFICIAL, images/banded/banded_0002.jpg, labels/train1.txt line 1"
  })
  void aListThatNamesAFileWhichIsNotThere(DataSetKind kind, String image, String line)
      throws IOException {
    Fixtures.copy(kind, root);
    Files.delete(root.resolve(image));
    assertRefused(() -> kind.read(root), root.resolve(line), root.resolve(image) + " is not");
  }

  @ParameterizedTest
  @CsvSource({
    "CUB, images.txt, 11, two words",
    "CUB, images.txt, 11 x/y.jpg, no line for '11'",
    "CUB, train_test_split.txt, 10 1, only once",
    "CUB, images.txt, 1 images/new.jpg, only once",
    "CUB, images.txt, 99 ../../elsewhere.jpg, no line for '99'",
    "CUB, classes.txt, 1 003.Dodo, only once",
    "CUB, classes.txt, 3 001.Laysan_Albatross, only once",
    "AIRCRAFT, data/images_variant_test.txt, 9934309 Concorde, a class of data/variants.txt",
    "AIRCRAFT, data/images_variant_test.txt, 0034309 Concorde, only once",
    "AIRCRAFT, data/images_variant_test.txt, ../../x Cessna 172, below",
    "AIRCRAFT, data/variants.txt, Cessna 172, only once",
    "DTD_OFFICIAL, labels/test1.txt, banded/banded_0002.jpg, only once",
    "DTD_OFFICIAL, labels/test1.txt, /etc/passwd, the place of an image below",
    "DTD_OFFICIAL, labels/test1.txt, banded/../banded/banded_0002.jpg, the place of an image",
    "DTD_OFFICIAL, labels/test1.txt, ..\\\\x.jpg, the place of an image below",
  })
  void aLineThatMakesNoSense(DataSetKind kind, String list, String line, String complaint)
      throws IOException {
    Fixtures.copy(kind, root);
    append(list, line);
    assertThatThrownBy(() -> kind.read(root))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining(complaint)
        .hasMessageContaining(root.resolve(list).toString());
  }

  @Test
  void aDivisionThatIsNeitherTrainingNorTest() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    Path list = root.resolve("train_test_split.txt");
    String text = Files.readString(list);
    Files.writeString(list, text.replaceFirst("1 1\n", "1 2\n"));
    assertRefused(
        () -> DataSetKind.CUB.read(root),
        root.resolve("train_test_split.txt line 1"),
        "got '1 2', expected 1 for an image to train on, 0 for one to test on");
    Files.writeString(list, text.replace(" 1\n", " 0\n"));
    assertRefused(() -> DataSetKind.CUB.read(root), list, "expected 1 for the images to train on");
  }

  @Test
  void anImageInTwoClasses() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    String image = new ListFile(root.resolve("images.txt")).lines().get(0).part(1);
    append("images.txt", "99 " + image);
    append("image_class_labels.txt", "99 2");
    append("train_test_split.txt", "99 1");
    assertRefused(
        () -> DataSetKind.CUB.read(root),
        root.resolve("images.txt line"),
        "only once, and it is in " + root.resolve("images.txt line 1"));
  }

  @Test
  void aByteOrderMarkIsReadPast() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    ImageDataSet set = DataSetKind.CUB.read(root);
    for (String name : List.of("classes.txt", "images.txt", "train_test_split.txt")) {
      Path list = root.resolve(name);
      Files.writeString(list, '\ufeff' + Files.readString(list).replace("\n", "\r\n"));
    }
    assertThat(DataSetKind.CUB.read(root).images()).isEqualTo(set.images());
  }

  @Test
  void longLinesAndControlCharactersAreQuotedInShort() throws IOException {
    Fixtures.copy(DataSetKind.DTD_OFFICIAL, root);
    Path list = root.resolve("labels/train1.txt");
    for (String line : List.of("x".repeat(5_000_000), "banded/\0.jpg", "\u001b[2J")) {
      Files.writeString(list, Files.readString(list).lines().findFirst().get() + "\n" + line);
      assertThatThrownBy(() -> DataSetKind.DTD_OFFICIAL.read(root))
          .isInstanceOf(DataSetException.class)
          .hasMessageStartingWith(list + " line 2: got '")
          .message()
          .hasSizeLessThan(400)
          .doesNotContain("\0", "\u001b");
    }
  }

  @Test
  void anEmptyList() throws IOException {
    Fixtures.copy(DataSetKind.AIRCRAFT, root);
    Path list = root.resolve("data/images_variant_trainval.txt");
    Files.writeString(list, "\n \n");
    assertRefused(() -> DataSetKind.AIRCRAFT.read(root), list, "got an empty list");
  }

  @Test
  void aClassThatTheListOfClassesLacks() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    Files.writeString(root.resolve("classes.txt"), "1 001.Laysan_Albatross\n");
    assertRefused(
        () -> DataSetKind.CUB.read(root), root.resolve("images.txt line 6"), "and 2 is none");
  }

  @Test
  void aListThatIsNoText() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    Files.write(root.resolve("classes.txt"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    assertRefused(
        () -> DataSetKind.CUB.read(root), root.resolve("classes.txt"), "cannot be read as a list");
  }

  @ParameterizedTest
  @CsvSource({
    "DTD, images/empty",
    "FMD, image/empty",
    "KTH_TIPS_2B, empty/sample_a",
    "KTH_TIPS, empty",
    "FOLDERS, empty"
  })
  void aClassWithoutImages(DataSetKind kind, String folder) throws IOException {
    Fixtures.copy(kind, root);
    Files.createDirectories(root.resolve(folder));
    assertRefused(() -> kind.read(root), root, "class 'empty' has no images");
  }

  @Test
  void aListedClassWithoutImages() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    append("classes.txt", "3 003.Dodo");
    assertRefused(() -> DataSetKind.CUB.read(root), root, "class '003.Dodo' has no images");
  }

  @Test
  void tooFewImagesForThirds() throws IOException {
    Fixtures.copy(DataSetKind.FOLDERS, root);
    Files.delete(root.resolve("leaf/2.png"));
    ImageDataSet set = DataSetKind.FOLDERS.read(root);
    assertRefused(
        () -> DataSetKind.FOLDERS.partitions(set, 1, 0),
        root,
        "class 'leaf' has 2 images, expected at least 3");
  }

  @Test
  void tooFewImagesForValidation() throws IOException {
    Fixtures.copy(DataSetKind.KTH_TIPS_2B, root);
    Files.delete(root.resolve("wool/sample_c/22c-scale_2_im_2_col.png"));
    ImageDataSet set = DataSetKind.KTH_TIPS_2B.read(root);
    assertThat(DataSetKind.KTH_TIPS_2B.partitions(set, 1, 0)).hasSize(4);
    assertRefused(
        () -> DataSetKind.KTH_TIPS_2B.partitions(set, 1, 0.1),
        root,
        "class 'wool' has 1 images to train on (sample_c), expected at least 2, one of them for");
  }

  @Test
  void aClassThatIsOnlyTestedOn() throws IOException {
    Files.createDirectories(root.resolve("train"));
    Fixtures.copy(DataSetKind.FOLDERS, root.resolve("test"));
    ImageDataSet set = DataSetKind.FOLDERS.read(root);
    assertRefused(
        () -> DataSetKind.FOLDERS.partitions(set, 1, 0),
        root,
        "class 'leaf' has 0 images to train on (as foldered)");
  }

  @Test
  void nothingToTestOn() throws IOException {
    Files.createDirectories(root.resolve("test"));
    Fixtures.copy(DataSetKind.FOLDERS, root.resolve("train"));
    ImageDataSet set = DataSetKind.FOLDERS.read(root);
    assertRefused(() -> DataSetKind.FOLDERS.partitions(set, 1, 0), root, "no images to test on");
  }

  @Test
  void trainWithoutTest() {
    Fixtures.copy(DataSetKind.FOLDERS, root.resolve("train"));
    assertRefused(() -> DataSetKind.FOLDERS.read(root), root, "only one of the folders");
  }

  @Test
  void anImageBothToTrainAndToTestOn() throws IOException {
    Fixtures.copy(DataSetKind.AIRCRAFT, root);
    append("data/images_variant_test.txt", "0034309 Cessna 172");
    assertRefused(
        () -> DataSetKind.AIRCRAFT.read(root),
        root.resolve("data/images_variant_test.txt line "),
        "'0034309' only once, and it is in " + root.resolve("data/images_variant_trainval.txt"));
  }

  @Test
  void tooFewScales() throws IOException {
    Fixtures.copy(DataSetKind.KTH_TIPS, root);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.collect(Collectors.toList())) {
        if (file.toString().matches(".*scale_([4-8]|10)_.*")) {
          Files.delete(file);
        }
      }
    }
    ImageDataSet set = DataSetKind.KTH_TIPS.read(root);
    assertRefused(
        () -> DataSetKind.KTH_TIPS.partitions(set, 1, 0),
        root,
        "scales [2, 3, 9], expected at least 4");
  }

  @Test
  void anImageWithoutAScale() throws IOException {
    Fixtures.copy(DataSetKind.KTH_TIPS, root);
    Path odd = root.resolve("cotton/odd.png");
    Files.copy(root.resolve("cotton/21-scale_2_im_1_col.png"), odd);
    assertRefused(() -> DataSetKind.KTH_TIPS.read(root), odd, "no scale in its name");
  }

  private void append(String list, String line) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(root.resolve(list)));
    lines.add(line);
    Files.write(root.resolve(list), lines);
  }

  private static void assertRefused(ThrowingCallable call, Path start, String complaint) {
    assertThatThrownBy(call)
        .isInstanceOf(DataSetException.class)
        .hasMessageStartingWith(start.toString())
        .hasMessageContaining(complaint)
        .message()
        .doesNotContain("\n");
  }
}
