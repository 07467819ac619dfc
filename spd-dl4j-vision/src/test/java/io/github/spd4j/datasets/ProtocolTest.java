/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolTest {

  /** What every machine has to draw: published figures depend on it. */
  @Test
  void dtdIsDividedInThirdsByTheSeed() {
    Partition partition = only(DataSetKind.DTD, 1, 0.25);
    assertThat(partition.name()).isEqualTo("seed 1");
    assertThat(Fixtures.names(partition.test()))
        .containsExactly(
            "images/banded/banded_0001.jpg",
            "images/banded/banded_0005.jpg",
            "images/zigzagged/zigzagged_0003.jpg",
            "images/zigzagged/zigzagged_0006.jpg");
    assertThat(Fixtures.names(partition.validation()))
        .containsExactly("images/banded/banded_0002.jpg", "images/zigzagged/zigzagged_0001.jpg");
    assertThat(partition.training()).hasSize(6);
    assertThat(only(DataSetKind.DTD, 2, 0).test()).hasSize(4);
  }

  @Test
  void dtdHasItsOfficialSplitsToo() {
    List<Partition> partitions = partitions(DataSetKind.DTD_OFFICIAL, 1, 0);
    assertThat(partitions).extracting(Partition::name).containsExactly("split 1", "split 2");
    assertThat(Fixtures.names(partitions.get(0).test()))
        .containsExactly(
            "images/banded/banded_0001.jpg",
            "images/banded/banded_0004.jpg",
            "images/zigzagged/zigzagged_0001.jpg",
            "images/zigzagged/zigzagged_0004.jpg");
    assertThat(partitions.get(0).training()).hasSize(8);
  }

  @Test
  void oneSampleTrainsAndThreeTestInTurn() {
    List<Partition> partitions = partitions(DataSetKind.KTH_TIPS_2B, 1, 0);
    assertThat(partitions)
        .extracting(Partition::name)
        .containsExactly("sample_a", "sample_b", "sample_c", "sample_d");
    for (Partition partition : partitions) {
      assertThat(partition.training()).hasSize(4);
      assertThat(Fixtures.names(partition.training()))
          .allMatch(name -> name.contains("/" + partition.name() + "/"));
      assertThat(partition.test()).hasSize(12);
    }
  }

  @Test
  void threeScalesTrain() {
    List<Partition> partitions = partitions(DataSetKind.KTH_TIPS, 1, 0);
    assertThat(partitions)
        .extracting(Partition::name)
        .containsExactly("scales 2-4", "scales 8-10", "scales 5-7");
    assertThat(Fixtures.names(partitions.get(1).training()))
        .allMatch(name -> name.matches(".*scale_(8|9|10)_im_1_col.png"))
        .hasSize(6);
    assertThat(partitions).allMatch(partition -> partition.test().size() == 12);
  }

  /** What every machine has to draw: what is chosen depends on it. */
  @Test
  void foldsLeaveEachTrainingImageOutOnce() {
    Partition partition = only(DataSetKind.DTD, 1, 0.25);
    List<Partition> folds = DataSetKind.DTD.folds(partition, 3, 1);
    assertThat(folds).hasSize(3);
    assertThat(folds.stream().flatMap(fold -> fold.test().stream()))
        .containsExactlyInAnyOrderElementsOf(partition.training());
    for (Partition fold : folds) {
      assertThat(fold.test()).extracting(ImageFile::label).containsExactly(0, 1);
      assertThat(fold.training()).hasSize(4).doesNotContainAnyElementsOf(fold.test());
      assertThat(fold.validation()).isEqualTo(partition.validation());
    }
    assertThat(Fixtures.names(folds.get(0).test()))
        .isEqualTo(Fixtures.names(DataSetKind.DTD.folds(partition, 3, 1).get(0).test()))
        .containsExactly("images/banded/banded_0006.jpg", "images/zigzagged/zigzagged_0002.jpg");
    assertThat(DataSetKind.DTD.folds(partition, 9, 1)).hasSize(3);
  }

  @Test
  void aFoldOfScalesIsAScale() {
    Partition partition = partitions(DataSetKind.KTH_TIPS, 1, 0).get(1);
    List<Partition> folds = DataSetKind.KTH_TIPS.folds(partition, 2, 1);
    assertThat(folds).hasSize(3);
    assertThat(Fixtures.names(folds.get(2).test()))
        .allMatch(name -> name.contains("scale_10_"))
        .hasSize(2);
  }

  @Test
  void foldsWantTwoImagesOfEachClass() {
    Partition partition = only(DataSetKind.DTD, 1, 0.9);
    assertThatThrownBy(() -> DataSetKind.DTD.folds(partition, 3, 1))
        .isInstanceOf(DataSetException.class)
        .hasMessage(
            "class 'banded' has 1 images to train on (seed 1), expected at least 2 for folds");
  }

  @ParameterizedTest
  @CsvSource({"CUB, 6, 4", "AIRCRAFT, 8, 4"})
  void officialDivisionsAreTakenFromTheirLists(DataSetKind kind, int training, int test) {
    Partition partition = only(kind, 1, 0);
    assertThat(partition.name()).isEqualTo("official");
    assertThat(partition.training()).hasSize(training);
    assertThat(partition.test()).hasSize(test);
  }

  @Test
  void birdsAreNumberedAsTheListsSay() {
    ImageDataSet set = DataSetKind.CUB.read(Fixtures.of(DataSetKind.CUB));
    assertThat(set.name()).isEqualTo("CUB-200-2011");
    assertThat(set.classes()).containsExactly("001.Laysan_Albatross", "002.Crested_Auklet");
    assertThat(set.images().get(5).name())
        .isEqualTo("images/002.Crested_Auklet/Crested_Auklet_0001.jpg");
    assertThat(set.images().get(5).label()).isEqualTo(1);
  }

  @Test
  void variantsOfAircraftMayHaveBlanksAndSlashes() {
    ImageDataSet set = DataSetKind.AIRCRAFT.read(Fixtures.of(DataSetKind.AIRCRAFT));
    assertThat(set.classes()).containsExactly("Cessna 172", "F-16A/B");
    assertThat(set.images()).hasSize(12).allMatch(image -> image.banner() == 20);
  }

  @Test
  void foldersAreDividedAsTheyAreOrInThirds() {
    Path divided = Fixtures.of("foldered");
    ImageDataSet set = DataSetKind.FOLDERS.read(divided);
    Partition asFoldered = DataSetKind.FOLDERS.partitions(set, 1, 0).get(0);
    assertThat(set.name()).isEqualTo("foldered");
    assertThat(asFoldered.name()).isEqualTo("as foldered");
    assertThat(Fixtures.names(asFoldered.training())).allMatch(name -> name.startsWith("train/"));
    assertThat(Fixtures.names(asFoldered.test())).allMatch(name -> name.startsWith("test/"));

    Partition thirds = only(DataSetKind.FOLDERS, 5, 0);
    assertThat(thirds.name()).isEqualTo("seed 5");
    assertThat(thirds.training()).hasSize(4);
    assertThat(thirds.test()).hasSize(2);
  }

  /** DTD has 120 images of each class, FMD 100; a tenth is for validation. */
  @ParameterizedTest
  @CsvSource({"120, 72, 8, 40", "100, 60, 7, 33", "3, 1, 1, 1"})
  void thirdsOfEveryClassInFullSize(int perClass, int training, int validation, int test) {
    List<ImageFile> images = new ArrayList<>();
    for (int i = 0; i < 4 * perClass; i++) {
      images.add(new ImageFile(Path.of("i" + i), "i" + i, i % 4));
    }
    ImageDataSet set =
        new ImageDataSet("made up", Path.of("."), List.of("a", "b", "c", "d"), images);
    Partition partition = DataSetKind.DTD.partitions(set, 1, 0.1).get(0);
    assertThat(perClass(partition.training()))
        .containsExactly(training, training, training, training);
    assertThat(perClass(partition.validation())).containsOnly(validation).hasSize(4);
    assertThat(perClass(partition.test())).containsOnly(test).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1, Double.NaN})
  void aShareThatIsNoneIsRefused(double share) {
    assertThatThrownBy(() -> only(DataSetKind.DTD, 1, share))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got " + share);
  }

  private static List<Integer> perClass(List<ImageFile> images) {
    return images.stream()
        .collect(Collectors.groupingBy(ImageFile::label, Collectors.summingInt(image -> 1)))
        .values()
        .stream()
        .collect(Collectors.toList());
  }

  private static List<Partition> partitions(DataSetKind kind, long seed, double share) {
    return kind.partitions(kind.read(Fixtures.of(kind)), seed, share);
  }

  private static Partition only(DataSetKind kind, long seed, double share) {
    List<Partition> partitions = partitions(kind, seed, share);
    assertThat(partitions).hasSize(1);
    return partitions.get(0);
  }
}
