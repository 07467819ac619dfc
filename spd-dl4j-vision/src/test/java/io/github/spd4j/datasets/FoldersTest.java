/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.spd4j.images.Pixels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoldersTest {

  @TempDir Path root;

  @Test
  void hiddenFilesAndWhatIsNoImageDoNotCount() throws IOException {
    for (String name :
        new String[] {
          "b.JPG", "a.png", "c.jpeg", ".DS_Store", "._a.png", "Thumbs.db", "x", "jpg"
        }) {
      Files.createFile(root.resolve(name));
    }
    Files.createDirectory(root.resolve("folder.png"));
    Files.createDirectory(root.resolve(".hidden"));
    assertThat(Folders.imagesIn(root)).containsExactly("a.png", "b.JPG", "c.jpeg");
    assertThat(Folders.in(root)).containsExactly("folder.png");
  }

  @Test
  void imagesAreKnownByTheirContentToo() throws IOException {
    Path source = Fixtures.of(DataSetKind.FOLDERS).resolve("leaf/1.png");
    Files.copy(source, root.resolve("nameless"));
    Files.copy(source, root.resolve("old.dat"));
    Files.writeString(root.resolve("notes.txt"), "no image");
    assertThat(Folders.imagesIn(root)).containsExactly("nameless", "old.dat");
  }

  /** Who reads a pipe waits for whoever writes to it. */
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void pipesAreNoImages() throws Exception {
    Path pipe = root.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertThat(Pixels.isImage(pipe)).isFalse());
    assertThat(Folders.imagesIn(root)).isEmpty();
  }

  @Test
  void whatIsNotReadIsCountedAndNamed() throws IOException {
    Path set = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("set"));
    ImageDataSet read = DataSetKind.FOLDERS.read(set);
    assertThat(ImageCheck.of(read, done -> {}).unread()).isEmpty();
    Files.writeString(set.resolve("leaf/phone.heic"), "....ftypheic....");
    Files.createDirectory(set.resolve("leaf/nested"));
    for (int i = 0; i < 6; i++) {
      Files.writeString(set.resolve("stone/" + i + ".txt"), "no image");
    }
    read = DataSetKind.FOLDERS.read(set);
    assertThat(ImageCheck.of(read, done -> {}).unread())
        .contains(
            "8 in the folders of the images: leaf/nested, leaf/phone.heic, stone/0.txt,"
                + " stone/1.txt, stone/2.txt and 3 more");
  }

  @Test
  void whatMayHaveBeenAClassIsNamed() throws IOException {
    Path set = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("set"));
    Files.createSymbolicLink(set.resolve("sand"), Path.of("nowhere"));
    Files.createSymbolicLink(set.resolve("leaf/lost"), Path.of("nowhere"));
    Files.createDirectory(set.resolve(".water"));
    Files.copy(set.resolve("leaf/1.png"), set.resolve(".water/1.png"));
    Files.createDirectory(set.resolve(".git"));
    Files.writeString(set.resolve(".git/config"), "no image");
    ImageDataSet read = DataSetKind.FOLDERS.read(set);
    assertThat(read.classes()).containsExactly("leaf", "stone");
    assertThat(ImageCheck.of(read, done -> {}).unread())
        .contains("3 in the folders of the images: leaf/lost, .water, sand");
  }

  @Test
  void linksToImagesAndFoldersAreFollowed() throws IOException {
    Path source = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("source"));
    Path set = Files.createDirectory(root.resolve("set"));
    Files.createSymbolicLink(set.resolve("leaf"), source.resolve("leaf"));
    Files.createDirectory(set.resolve("stone"));
    Files.createSymbolicLink(set.resolve("stone/1.jpg"), source.resolve("stone/2.jpg"));
    ImageDataSet read = DataSetKind.FOLDERS.read(set);
    assertThat(Fixtures.names(read.images()))
        .containsExactly("leaf/1.png", "leaf/2.png", "leaf/3.png", "stone/1.jpg");
    assertThat(ImageCheck.of(read, done -> {}).skipped()).isEmpty();
  }

  @Test
  void whatCannotBeReadIsToldInWords() {
    assertThatThrownBy(() -> Folders.real(root.resolve("gone")))
        .isInstanceOf(DataSetException.class)
        .hasMessage(root.resolve("gone") + ": cannot be read: it is not there");
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "leaf", "leaf/inner", "leaf/inner/deep"})
  void loopsOfLinksAreRefused(String target) throws IOException {
    Path set = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("set"));
    Path inner = Files.createDirectories(set.resolve("leaf/inner/deep"));
    Files.createSymbolicLink(inner.resolve("loop"), set.resolve(target).toAbsolutePath());
    assertThatThrownBy(() -> new PlainFolders(true).read("", set))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining("deep/loop: leads to " + set.resolve(target).toRealPath())
        .hasMessageContaining("remove the link");
  }

  @Test
  void aFolderThatIsLinkedTwiceIsRefused() throws IOException {
    Path source = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("source"));
    Path set = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("set"));
    Files.createSymbolicLink(set.resolve("leaf/a"), source.resolve("leaf"));
    assertThat(Fixtures.names(new PlainFolders(true).read("", set).images()))
        .contains("leaf/a/1.png");
    Files.createSymbolicLink(set.resolve("leaf/b"), source.resolve("leaf"));
    assertThatThrownBy(() -> new PlainFolders(true).read("", set))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining("leaf/b: leads to");
  }

  /** From one class to another, to a part of it, or a whole class by another name. */
  @ParameterizedTest
  @ValueSource(
      strings = {"leaf/x ../stone", "leaf/x ../stone/inner", "zebra stone", "stone/x ../leaf"})
  void classesDoNotMix(String link) throws IOException {
    Path set = Fixtures.copy(DataSetKind.FOLDERS, root.resolve("set"));
    Path inner = Files.createDirectory(set.resolve("stone/inner"));
    Files.copy(set.resolve("stone/1.jpg"), inner.resolve("1.jpg"));
    assertThat(new PlainFolders(true).read("", set).images()).hasSize(7);
    String[] words = link.split(" ");
    Files.createSymbolicLink(set.resolve(words[0]), Path.of(words[1]));
    assertThatThrownBy(() -> new PlainFolders(true).read("", set))
        .isInstanceOf(DataSetException.class)
        .hasMessageContaining(" leads to " + set.toRealPath())
        .hasMessageContaining(set.resolve(words[0]).toString())
        .hasMessageContaining("remove the link");
    if (words[0].equals("zebra")) {
      assertThatThrownBy(() -> new PlainFolders(false).read("", set))
          .hasMessageContaining("zebra: leads to");
    }
  }
}
