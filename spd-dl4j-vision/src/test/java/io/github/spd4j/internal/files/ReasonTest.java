/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user reads why, not the name of a class or a file alone. */
@Tag("once")
class ReasonTest {

  @Test
  void systemsThatTellNoMoreThanANameAreHelped() {
    assertThat(Reason.of(new FileSystemException("a", null, "Is a directory")))
        .isEqualTo("Is a directory");
    assertThat(Reason.of(new AccessDeniedException("a"))).isEqualTo("no permission");
    assertThat(Reason.of(new AccessDeniedException("a", null, "busy"))).isEqualTo("busy");
    assertThat(Reason.of(new NoSuchFileException("a"))).isEqualTo("it is not there");
    assertThat(Reason.of(new FileSystemException("a"))).isEqualTo("a");
    assertThat(Reason.of(new IOException("disk full"))).isEqualTo("disk full");
  }
}
