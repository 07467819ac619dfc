/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.images.BgrImageReader;
import io.github.spd4j.images.Png;
import java.awt.image.BufferedImage;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {

  @TempDir Path folder;

  @Test
  void replacesWhatWasThere() {
    Path file = folder.resolve("a.txt");
    OutputFile.write(file, "a long text");
    OutputFile.write(file, "ä");
    assertThat(file).hasContent("ä");
    assertThat(folder.toFile().list()).containsExactly("a.txt");
  }

  @Test
  void whatCannotBeWrittenLeavesNothing() throws Exception {
    Path taken = Files.createDirectories(folder.resolve("taken/inside")).getParent();
    for (Path file : new Path[] {taken, folder.resolve("nowhere/a.txt")}) {
      assertThatThrownBy(() -> OutputFile.write(file, "x"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("cannot write " + file);
    }
    assertThat(folder.toFile().list()).containsExactly("taken");
  }

  @Test
  void photographsComeBackAsTheyWere() throws Exception {
    BufferedImage colours = new BufferedImage(2, 2, BufferedImage.TYPE_INT_RGB);
    int[] rgb = {0x102030, 0xFF0000, 0x00FF00, 0xFFFFFF};
    colours.setRGB(0, 0, 2, 2, rgb, 0, 2);
    Path file = folder.resolve("colours.png");
    OutputFile.write(file, Png.bytes(colours));
    BufferedImage back = BgrImageReader.picture(new BgrImageReader(2, 2).read(file));
    for (int i = 0; i < rgb.length; i++) {
      assertThat(back.getRGB(i % 2, i / 2) & 0xFFFFFF).isEqualTo(rgb[i]);
    }
  }
}
