/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesBelowTest {

  @TempDir Path folder;

  /** It would look empty. */
  @Test
  void aLinkToAFolderIsNamed() throws Exception {
    Path runs = Files.createDirectory(folder.resolve("runs"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), runs);
    assertThatThrownBy(() -> FilesBelow.of(link))
        .isInstanceOf(UserException.class)
        .hasMessage(
            "%s: expected a folder with runs, got a link to one; name %s", link, runs.toRealPath());
  }
}
