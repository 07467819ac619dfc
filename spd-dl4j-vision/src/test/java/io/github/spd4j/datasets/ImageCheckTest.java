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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageCheckTest {

  private static final String DAMAGED = "image/water/water_object_004_new.jpg";

  @TempDir Path root;

  @Test
  void aTruncatedImageIsSkippedCountedAndNamed() {
    ImageDataSet set = DataSetKind.FMD.read(Fixtures.of(DataSetKind.FMD));
    ImageCheck check = ImageCheck.of(set, done -> {});
    assertThat(check.skipped()).extracting(Problem::image).containsExactly(DAMAGED);
    assertThat(check.skipped().get(0).reason())
        .startsWith(set.root().resolve(DAMAGED).toString())
        .contains("cannot be read as an image")
        .doesNotContain("\n");
    assertThat(Fixtures.names(check.sound().images())).hasSize(6).doesNotContain(DAMAGED);
    assertThat(check.sound().classes()).isEqualTo(set.classes());
  }

  @Test
  void progressCountsEveryImage() {
    ImageDataSet set = DataSetKind.CUB.read(Fixtures.of(DataSetKind.CUB));
    List<Integer> counts = new ArrayList<>();
    ImageCheck check = ImageCheck.of(set, counts::add);
    assertThat(counts).isEqualTo(IntStream.rangeClosed(1, 10).boxed().collect(Collectors.toList()));
    assertThat(check.skipped()).isEmpty();
  }

  @Test
  void whatWasSkippedIsMissingFromOfficialPartitionsToo() throws IOException {
    Fixtures.copy(DataSetKind.CUB, root);
    Path empty = root.resolve("images/001.Laysan_Albatross/Laysan_Albatross_0002.jpg");
    Files.write(empty, new byte[0]);
    ImageDataSet sound = ImageCheck.of(DataSetKind.CUB.read(root), done -> {}).sound();
    Partition partition = DataSetKind.CUB.partitions(sound, 1, 0).get(0);
    assertThat(partition.training()).hasSize(6);
    assertThat(partition.test()).hasSize(3);
  }

  @Test
  void aLinkThatLeadsNowhereIsSkippedAndNamed() throws IOException {
    Fixtures.copy(DataSetKind.FOLDERS, root);
    Files.createSymbolicLink(root.resolve("leaf/9.png"), root.resolve("nowhere.png"));
    ImageCheck check = ImageCheck.of(DataSetKind.FOLDERS.read(root), done -> {});
    assertThat(check.skipped()).extracting(Problem::image).containsExactly("leaf/9.png");
  }

  @Test
  void aClassOfDamagedImagesAloneIsAnError() throws IOException {
    Fixtures.copy(DataSetKind.FOLDERS, root);
    for (int i = 1; i <= 3; i++) {
      Files.writeString(root.resolve("stone/" + i + ".jpg"), "no image");
    }
    ImageCheck check = ImageCheck.of(DataSetKind.FOLDERS.read(root), done -> {});
    assertThat(check.skipped()).hasSize(3);
    assertThatThrownBy(check::sound)
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining("class 'stone' has no images");
  }
}
