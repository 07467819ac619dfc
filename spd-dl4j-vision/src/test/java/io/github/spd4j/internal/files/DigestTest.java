/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
class DigestTest {

  /** Its SHA-256 begins with zeros, by {@code sha256sum}. */
  private static final String TEXT = "286";

  @TempDir Path folder;

  @Test
  void aTextItsBytesAndItsFileHaveTheSame() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), TEXT);
    assertThat(Digest.of(TEXT)).hasSize(64).startsWith("00328ce57bbc14b3");
    assertThat(Digest.of(TEXT.getBytes(UTF_8))).isEqualTo(Digest.of(TEXT));
    assertThat(Digest.of(file)).isEqualTo(Digest.of(TEXT));
    assertThatThrownBy(() -> Digest.of(folder)).hasMessageContaining("is no file");
  }
}
