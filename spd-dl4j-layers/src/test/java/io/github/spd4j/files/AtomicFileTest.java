/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {

  @TempDir Path folder;

  @Test
  void replacesWhatWasThere() {
    Path file = folder.resolve("a.txt");
    AtomicFile.write(file, "a long text");
    AtomicFile.write(file, "ä");
    assertThat(file).hasContent("ä");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
  }

  @Test
  void whatCannotBeWrittenLeavesNothing() throws Exception {
    Path taken = Files.createDirectories(folder.resolve("taken/inside")).getParent();
    for (Path file : new Path[] {taken, folder.resolve("nowhere/a.txt")}) {
      assertThatThrownBy(() -> AtomicFile.write(file, "x"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("cannot write " + file);
    }
    assertThat(folder.toFile().list()).containsExactly("taken");
  }
}
