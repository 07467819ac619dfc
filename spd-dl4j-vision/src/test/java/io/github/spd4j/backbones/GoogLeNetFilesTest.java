/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link GoogLeNet} says of folders that something is wrong with. */
class GoogLeNetFilesTest {

  /** The first vertex: it needs two files only. */
  private static final String FIRST = "conv1/7x7_s2";

  private static final String LINE =
      "conv1/7x7_s2\tCONVOLUTION\t64x3x7x7\tstride=2\tpad=3\tconv1.W.bin\tconv1.b.bin\n";

  @TempDir Path folder;

  @BeforeEach
  void writeTheFirstLayer() throws IOException {
    manifest(LINE);
    Files.write(folder.resolve("conv1.W.bin"), new byte[37_632]);
    Files.write(folder.resolve("conv1.b.bin"), new byte[256]);
  }

  @Test
  void onlyTheFilesOfWhatIsAskedForAreRead() throws IOException {
    assertThat(GoogLeNet.load(folder, FIRST).net().numParams()).isEqualTo(64 * 3 * 7 * 7 + 64);
  }

  @Test
  void theSubfolderOfTheLayoutIsFound() throws IOException {
    Path parent = Files.createDirectory(folder.resolve("parent"));
    Path inner = Files.createDirectory(parent.resolve("oihw"));
    for (String name : new String[] {"manifest.tsv", "conv1.W.bin", "conv1.b.bin"}) {
      Files.move(folder.resolve(name), inner.resolve(name));
    }
    assertThat(GoogLeNet.load(parent, FIRST).net().numParams()).isPositive();
  }

  @Test
  void aMissingManifest() throws IOException {
    Files.delete(folder.resolve("manifest.tsv"));
    assertFails()
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(folder.resolve("manifest.tsv").toString());
  }

  @Test
  void aMissingFile() throws IOException {
    Files.delete(folder.resolve("conv1.b.bin"));
    assertFails()
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(folder.resolve("conv1.b.bin").toString())
        .hasMessageContaining("expected 256 bytes");
  }

  @Test
  void aFileOfTheWrongLength() throws IOException {
    Files.write(folder.resolve("conv1.W.bin"), new byte[37_628]);
    assertFails()
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder.resolve("conv1.W.bin").toString())
        .hasMessageContaining("expected 37632 bytes, float32 64x3x7x7, got 37628 bytes");
  }

  @Test
  void aLayerThatTheManifestDoesNotList() throws IOException {
    manifest("\n");
    assertFails().hasMessageContaining("manifest.tsv lists no layer conv1/7x7_s2");
  }

  @Test
  void aLineWithTooFewColumns() throws IOException {
    manifest("\nconv1/7x7_s2\tCONVOLUTION\n");
    assertFails().hasMessageContaining("manifest.tsv, line 2: expected 7 columns");
  }

  @Test
  void aLineThatHasNoNumberWhereOneBelongs() throws IOException {
    manifest(LINE.replace("64x3x7x7", "64x3x7xx"));
    assertFails().isInstanceOf(IOException.class).hasMessageContaining("manifest.tsv, line 1");
    manifest(LINE.replace("stride=2", "step=2"));
    assertFails().hasMessageContaining("line 1: expected stride=<number>, got step=2");
  }

  @Test
  void aShapeThatDoesNotFitTheGraph() throws IOException {
    manifest(LINE.replace("64x3x7x7", "64x147"));
    assertFails().hasMessageContaining("conv1/7x7_s2 needs 4 dimensions, got 64x147");
    manifest(LINE.replace("64x3x7x7", "64x1x7x7"));
    assertFails().hasMessageContaining("conv1/7x7_s2 needs 64x3x7x7, got 64x1x7x7");
  }

  @Test
  void anUnknownVertexIsAnsweredWithTheListOfThem() {
    assertThatThrownBy(() -> GoogLeNet.load(folder, "inception-4f/output"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("inception-4f/output")
        .hasMessageContaining("inception-4e/output");
  }

  private void manifest(String text) throws IOException {
    Files.writeString(folder.resolve("manifest.tsv"), text);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertFails() {
    return assertThatThrownBy(() -> GoogLeNet.load(folder, FIRST));
  }
}
