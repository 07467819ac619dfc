/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.SmallBackbone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deeplearning4j.common.resources.DL4JResources;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The zoo's own network, which takes time, is in {@link EncodingHeadTest}. */
class Resnet50Test {

  @TempDir Path directory;

  @Test
  void aFileThatIsNoResNetIsRefused() throws IOException {
    Path other = directory.resolve("other.zip");
    ModelSerializer.writeModel(SmallBackbone.create(), other.toFile(), false);
    Path text = Files.writeString(directory.resolve("text.zip"), "no network");
    refuses(other, "expected a ResNet50 in " + other + ": expected a network that ends in a sum");
    refuses(text, "expected a network that DL4J saved, got " + text);
    refuses(directory, "expected a file that can be read, got " + directory);
  }

  private static void refuses(Path file, String message) {
    assertThatThrownBy(() -> Resnet50.fromZip(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void withoutAConnectionPretrainedTellsWhatToDo() {
    String url = DL4JResources.getBaseDownloadURL();
    DL4JResources.setBaseDirectory(directory.toFile());
    DL4JResources.setBaseDownloadURL(directory.toUri() + "nothing/");
    System.setProperty(KerasStore.PROPERTY, directory.toUri() + "neither/");
    try {
      assertThatThrownBy(Resnet50::pretrained)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("neither/resnet/resnet50_weights")
          .hasMessageContaining(" cannot be downloaded (")
          .hasMessageNotContainingAny("Exception", "from");
    } finally {
      System.clearProperty(KerasStore.PROPERTY);
      DL4JResources.setBaseDownloadURL(url);
      DL4JResources.resetBaseDirectoryLocation();
    }
  }
}
