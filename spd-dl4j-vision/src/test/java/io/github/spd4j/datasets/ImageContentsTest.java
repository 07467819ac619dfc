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
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageContentsTest {

  @TempDir Path folder;

  private ImageFile image(String name, String content) throws IOException {
    return new ImageFile(Files.writeString(folder.resolve(name), content), name, 0);
  }

  @Test
  void theSameContentIsFoundUnderAnotherName() throws IOException {
    ImageFile a = image("a", "one");
    ImageFile b = image("b", "two");
    ImageFile c = image("c", "one");
    ImageContents contents = ImageContents.of(List.of(a, b, c));
    assertThat(contents.of(a)).isEqualTo(contents.of(c)).isNotEqualTo(contents.of(b));
    assertThat(contents.twins(List.of(b, c), List.of(a)).entrySet())
        .singleElement()
        .hasToString("c=a");
  }

  @Test
  void aFileThatIsGoneIsNamed() {
    ImageFile gone = new ImageFile(folder.resolve("gone"), "gone", 0);
    assertThatThrownBy(() -> ImageContents.of(List.of(gone)))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining(gone.path().toString());
  }
}
