/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.ndarray.INDArray;

/** What holds for every kind of data set. */
class DataSetKindContractTest {

  private static final long SEED = 3;
  private static final double SHARE = 0.3;

  @ParameterizedTest
  @EnumSource
  void everyImageIsAFileOfAClassUnderItsName(DataSetKind kind) {
    ImageDataSet set = read(kind);
    assertThat(set.classes()).hasSize(2).doesNotHaveDuplicates();
    assertThat(Fixtures.names(set.images())).doesNotHaveDuplicates();
    for (ImageFile image : set.images()) {
      assertThat(image.path()).isRegularFile().isEqualTo(set.root().resolve(image.name()));
      assertThat(image.name()).doesNotContain("\\");
      assertThat(image.label()).isBetween(0, 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theFolderTellsTheKind(DataSetKind kind) {
    DataSetKind expected = kind == DataSetKind.DTD_OFFICIAL ? DataSetKind.DTD : kind;
    assertThat(DataSetKind.guess(Fixtures.of(kind))).contains(expected);
  }

  @ParameterizedTest
  @EnumSource
  void partsHaveNoImageInCommon(DataSetKind kind) {
    ImageDataSet set = read(kind);
    for (Partition partition : kind.partitions(set, SEED, SHARE)) {
      List<ImageFile> all = new ArrayList<>(partition.training());
      all.addAll(partition.validation());
      all.addAll(partition.test());
      assertThat(all).doesNotHaveDuplicates().hasSameElementsAs(set.images());
      assertThat(partition.classes()).isEqualTo(set.classes());
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyPartHasEveryClassInTheOrderOfTheSet(DataSetKind kind) {
    ImageDataSet set = read(kind);
    for (Partition partition : kind.partitions(set, SEED, SHARE)) {
      for (List<ImageFile> part :
          List.of(partition.training(), partition.validation(), partition.test())) {
        assertThat(part).extracting(ImageFile::label).contains(0, 1);
        assertThat(part).isSubsetOf(set.images());
        assertThat(part).isSortedAccordingTo((a, b) -> order(set, a) - order(set, b));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameSeedGivesTheSamePartitions(DataSetKind kind) {
    assertThat(describe(kind, SEED, SHARE)).isEqualTo(describe(kind, SEED, SHARE));
    assertThat(describe(kind, SEED, 0.5)).isNotEqualTo(describe(kind, SEED + 1, 0.5));
  }

  @ParameterizedTest
  @EnumSource
  void validationIsCutFromTrainingAlone(DataSetKind kind) {
    ImageDataSet set = read(kind);
    List<Partition> without = kind.partitions(set, SEED, 0);
    List<Partition> with = kind.partitions(set, SEED, SHARE);
    for (int i = 0; i < with.size(); i++) {
      assertThat(with.get(i).test()).isEqualTo(without.get(i).test());
      assertThat(without.get(i).validation()).isEmpty();
      assertThat(without.get(i).training()).containsAll(with.get(i).validation());
    }
  }

  @ParameterizedTest
  @EnumSource
  void imagesOfAPartitionCanBeReadAsTheTrainerWantsThem(DataSetKind kind) {
    Partition partition = kind.partitions(read(kind), SEED, SHARE).get(0);
    FileImages images =
        new FileImages(partition.training(), 2, Views.FIFTEEN_CROPS, 7, PixelFormat.CAFFE, SEED);
    assertThat(images.size()).isEqualTo(15 * partition.training().size());
    INDArray image = images.image(images.size() - 1);
    assertThat(image.shape()).containsExactly(1, 3, 7, 7);
  }

  @ParameterizedTest
  @CsvSource({
    "DTD, FMD, DTD",
    "DTD_OFFICIAL, FMD, DTD",
    "FMD, KTH_TIPS, FMD",
    "KTH_TIPS_2B, DTD, KTH-TIPS-2b",
    "KTH_TIPS, KTH_TIPS_2B, KTH-TIPS",
    "CUB, DTD, CUB-200-2011",
    "CUB, FOLDERS, CUB-200-2011",
    "AIRCRAFT, CUB, FGVC-Aircraft",
    "FOLDERS, AIRCRAFT, class folders",
    "DTD, FOLDERS, DTD",
    "FMD, FOLDERS, FMD",
    "KTH_TIPS_2B, FOLDERS, KTH-TIPS-2b",
    "AIRCRAFT, FOLDERS, FGVC-Aircraft"
  })
  void aSetOfAnotherKindIsCalledByItsName(DataSetKind is, DataSetKind taken, String title) {
    assertThatThrownBy(() -> taken.read(Fixtures.of(is)))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining("expected " + taken.title() + ", that is, ")
        .hasMessageStartingWith(Fixtures.of(is).toString());
  }

  /** FMD has an image that is cut off. */
  private static ImageDataSet read(DataSetKind kind) {
    return ImageCheck.of(kind.read(Fixtures.of(kind)), done -> {}).sound();
  }

  private static int order(ImageDataSet set, ImageFile image) {
    return set.images().indexOf(image);
  }

  private static List<List<String>> describe(DataSetKind kind, long seed, double share) {
    return kind.partitions(kind.read(Fixtures.of(kind)), seed, share).stream()
        .map(p -> Fixtures.names(p.validation()))
        .collect(Collectors.toList());
  }
}
