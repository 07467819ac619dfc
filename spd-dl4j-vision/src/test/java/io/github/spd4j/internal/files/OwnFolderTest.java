/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
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

  /** A process died when it had made the folder, or was about to write the mark. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Files named below"})
  void aMarkThatWasBegunIsFinished(String begun) throws IOException {
    Path begins = Files.createDirectory(place.resolve("begins"));
    Files.writeString(begins.resolve(OwnFolder.MARK), begun);
    assertThat(OwnFolder.find(begins)).isEmpty();
    OwnFolder.claim("a test", begins).own("file");
    assertThat(OwnFolder.find(begins).orElseThrow().owns("file")).isTrue();
  }

  @Test
  void aStrangersFolderIsRefused() throws IOException {
    Path theirs = Files.createDirectory(place.resolve("theirs"));
    Path mark = Files.writeString(theirs.resolve(OwnFolder.MARK), "another program's");
    requireRefused(theirs, "it holds .spd");
    Files.writeString(mark, "Files"); // as ours begins, but something lies beside it
    Files.writeString(theirs.resolve("years.txt"), "years");
    requireRefused(theirs, "it holds .spd");
    Files.delete(mark);
    requireRefused(theirs, "it holds years.txt");
    requireRefused(thesis, "it is not a folder");
    assertThat(theirs.toFile().list()).containsExactly("years.txt");
  }

  private static void requireRefused(Path folder, String reason) {
    assertThatThrownBy(() -> OwnFolder.claim("a test", folder))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageStartingWith("a test needs a folder that is empty or was made by spd")
        .hasMessageContaining(reason);
  }

  /** The path of a folder may have links; one in a folder of ours was made by somebody else. */
  @Test
  void aLinkInsideIsNotFollowed() throws IOException {
    Path outside = Files.createSymbolicLink(place.resolve("link"), folder);
    assertThat(OwnFolder.find(outside)).isPresent();
    assertThat(OwnFolder.claim("a test", outside).owns("ours")).isTrue();
    Path other = OwnFolder.claim("a test", place.resolve("other")).path();
    Path inside = Files.createSymbolicLink(folder.resolve("link"), other);
    assertThat(OwnFolder.find(inside)).isEmpty();
    assertThatThrownBy(() -> OwnFolder.claim("a test", inside))
        .hasMessageContaining("it is not a folder");
  }

  @Test
  void whatIsHalfWrittenGoesIfItIsOurs() throws IOException {
    Path half = Files.writeString(folder.resolve("ours.tmp"), "half");
    Path theirs = Files.writeString(folder.resolve("theirs.tmp"), "a stranger's");
    own.deleteTemporary("ours", "theirs");
    assertThat(half).doesNotExist();
    assertThat(folder.resolve("ours")).exists();
    Files.writeString(half, "half");
    own.delete("ours", "theirs");
    assertThat(half).doesNotExist();
    assertThat(theirs).hasContent("a stranger's");
    assertThatThrownBy(() -> own.own("theirs")).hasMessageContaining("theirs.tmp was not made");
  }

  @Test
  void ofOneKindTheOthersStay() throws IOException {
    own.own("features-1.bin");
    Files.writeString(folder.resolve("features-1.bin"), "features");
    assertThat(own.ownsAny(name -> name.startsWith("features-"))).isTrue();
    own.deleteAll(name -> name.startsWith("features-"));
    assertThat(own.ownsAny(name -> name.startsWith("features-"))).isFalse();
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("ours", OwnFolder.MARK);
    Path later = Files.writeString(folder.resolve("features-1.bin"), "a stranger's");
    own.deleteAll();
    assertThat(later).hasContent("a stranger's");
  }
}
