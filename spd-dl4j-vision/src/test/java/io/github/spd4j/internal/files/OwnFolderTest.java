/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnFolderTest {

  @TempDir Path place;

  private Path folder;
  private Path thesis;
  private OwnFolder own;

  @BeforeEach
  void claim() throws IOException {
    folder = place.resolve("inner/own");
    own = OwnFolder.claim("a test", folder);
    own.own("ours");
    Files.writeString(folder.resolve("ours"), "ours");
    thesis = Files.writeString(place.resolve("thesis.txt"), "years");
  }

  private void append(String lines) throws IOException {
    Files.writeString(folder.resolve(OwnFolder.MARK), lines, StandardOpenOption.APPEND);
  }

  /** A folder may come from somebody else, and so may its mark. */
  @ParameterizedTest
  @ValueSource(
      strings = {"../../thesis.txt", "x/../../../thesis.txt", "ABSOLUTE", "../inner", ".."})
  void noNameLeadsOut(String name) throws IOException {
    append(name.replace("ABSOLUTE", thesis.toString()) + "\n");
    own.delete(name);
    own.deleteAll();
    assertThat(thesis).hasContent("years");
    assertThat(folder).doesNotExist();
    assertThat(folder.getParent()).isEmptyDirectory();
  }

  /**
   * The power may fail when the length of the mark has reached the disk, and its bytes have not.
   */
  @ParameterizedTest
  @ValueSource(strings = {"\0\0\0\0", "more\n\0\0", "\0\n\0", "\0\0\0\n", "mo", "."})
  void aDamagedMarkKeepsItsOtherNames(String end) throws IOException {
    append(end);
    own.own("later");
    Files.writeString(folder.resolve("later"), "later");
    assertThat(own.owns("ours")).isTrue();
    assertThat(own.owns("later")).isTrue();
    assertThat(own.owns("mo")).isFalse();
    own.deleteAll();
    assertThat(folder).doesNotExist();
  }

  /** Also one that a process wrote half, and one that is made ours again. */
  @Test
  void whatIsReleasedIsSomebodyElsesFromThenOn() throws IOException {
    own.delete("ours");
    own.release("ours", "other");
    assertThat(own.owns("ours")).isFalse();
    Path file = Files.writeString(folder.resolve("ours"), "a stranger's");
    own.delete("ours");
    own.deleteAll();
    assertThat(file).hasContent("a stranger's");
    assertThatThrownBy(() -> own.own("ours")).hasMessageContaining("was not made by spd");
    Files.delete(file);
    Files.writeString(folder.resolve(OwnFolder.MARK), "half", StandardOpenOption.APPEND); // torn
    own.own("ours");
    Files.writeString(file, "ours");
    own.release("ours"); // it is there
    assertThat(own.owns("ours")).isTrue();
    own.delete("ours");
    assertThat(file).doesNotExist();
  }

  @Test
  void whatItDoesNotNameStays() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "a stranger's");
    own.delete("ours", "other");
    own.deleteAll();
    assertThat(other).hasContent("a stranger's");
    assertThat(folder.resolve("ours")).doesNotExist();
  }
}
