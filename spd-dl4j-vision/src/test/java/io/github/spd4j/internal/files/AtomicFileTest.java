/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

  @Test
  void linksAreFollowed() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "before");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file.getFileName());
    AtomicFile.write(link, "after");
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("after");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a.txt", "link");
  }

  @Test
  void linksInAFolderOfOursAreNotFollowed() throws Exception {
    Path thesis = Files.writeString(folder.resolve("thesis.txt"), "before");
    Path own = OwnFolder.claim("a test", folder.resolve("own")).path();
    Files.createSymbolicLink(own.resolve("link"), Path.of("../thesis.txt"));
    Files.createSymbolicLink(own.resolve("file.tmp"), Path.of("../thesis.txt"));
    assertThatThrownBy(() -> AtomicFile.write(own.resolve("link"), "after"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot write " + own);
    AtomicFile.write(own.resolve("file"), "after");
    assertThat(own.resolve("link")).isSymbolicLink();
    assertThat(own.resolve("file.tmp")).isSymbolicLink();
    assertThat(thesis).hasContent("before");
  }

  /** Nobody's file is lost, and what a process left in a folder of ours is not kept. */
  @Test
  void theTemporaryFileIsNobodyElses() throws Exception {
    Path thesis = Files.writeString(folder.resolve("thesis.tmp"), "years");
    AtomicFile.write(folder.resolve("thesis"), "short");
    assertThat(thesis).hasContent("years");
    assertThat(folder.resolve("thesis")).hasContent("short");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("thesis", "thesis.tmp");
    OwnFolder own = OwnFolder.claim("a test", folder.resolve("own"));
    own.own("file");
    Files.writeString(own.path().resolve("file.tmp"), "half");
    AtomicFile.write(own.path().resolve("file"), "whole");
    assertThat(own.path().toFile().list()).containsExactlyInAnyOrder("file", OwnFolder.MARK);
  }

  /** Of two that write the same file at once, each has its own until it is whole. */
  @Test
  void twoAtOnceDoNotWriteIntoOneFile() throws Exception {
    Path file = folder.resolve("a.txt");
    try (AtomicFile.Growing first = AtomicFile.grow(file);
        AtomicFile.Growing second = AtomicFile.grow(file)) {
      assertThat(AtomicFile.isBeingWritten(first.soFar())).isTrue();
      first.add("first, and long");
      second.add("second");
      second.finish();
      assertThat(file).hasContent("second");
      first.finish();
      assertThat(file).hasContent("first, and long");
    }
    assertThat(folder.toFile().list()).containsExactly("a.txt");
  }

  /** Who gives up lets go of it, and keeps what is there. */
  @Test
  void whatIsClosedIsNotBeingWritten() throws Exception {
    AtomicFile.Growing growing = AtomicFile.grow(folder.resolve("a.txt"));
    growing.add("half");
    growing.close();
    assertThat(growing.soFar()).hasContent("half");
    assertThat(AtomicFile.isBeingWritten(growing.soFar())).isFalse();
  }

  @Test
  void whatIsHalfWrittenGoes() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "before");
    AtomicFile.Content full =
        out -> {
          out.write(new byte[100_000]);
          throw new IOException("No space left on device");
        };
    assertThatThrownBy(() -> AtomicFile.write(file, full))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("what was there before is untouched")
        .hasMessageContaining("a disk that is not full")
        .hasRootCauseMessage("No space left on device");
    assertThat(file).hasContent("before");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
  }

  /** A device would be lost if a file took its place. */
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void whatIsNoFileIsLeftAlone() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> AtomicFile.write(pipe, "x"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("cannot write %s: it is no ordinary file; choose another name", pipe);
    assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther()).isTrue();
    assertThat(folder.toFile().list()).containsExactly("pipe");
  }

  /** Whatever happens, all that was added is there, and what was there before until the end. */
  @Test
  void aFileThatGrowsTakesItsPlaceInTheEnd() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "before");
    AtomicFile.Growing growing = AtomicFile.grow(file);
    growing.add("one\n");
    growing.add("zwölf\n");
    assertThat(growing.soFar()).hasParent(folder).hasContent("one\nzwölf\n");
    assertThat(file).hasContent("before");
    growing.finish();
    assertThat(file).hasContent("one\nzwölf\n");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
    assertThatThrownBy(() -> growing.add("more"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot write " + file);
  }

  @Test
  void whatIsLookedAtAndRefusedLeavesNothing() throws Exception {
    Path file = Files.writeString(folder.resolve("a.txt"), "before");
    AtomicFile.Content content = out -> out.write("after".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(
            () ->
                AtomicFile.write(
                    file,
                    content,
                    written -> {
                      assertThat(written).hasContent("after");
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(file).hasContent("before");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    assertThat(AtomicFile.beside(link)).isEqualTo(file.toRealPath().resolveSibling("a.txt.tmp"));
  }
}
