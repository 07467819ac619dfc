/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.common.resources.DL4JResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Downloads from a server of its own. */
class KerasStoreTest {

  private static final byte[] CONTENT = "weights".getBytes(StandardCharsets.UTF_8);
  private static final String MD5 = "63f4f1e9b725370f459720575cd5f953"; // md5sum of the word

  @TempDir Path folder;

  private final List<String> asked = new ArrayList<>();
  private final String dl4jUrl = DL4JResources.getBaseDownloadURL();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().getPath());
          boolean known = exchange.getRequestURI().getPath().startsWith("/keras/vgg/");
          exchange.sendResponseHeaders(known ? 200 : 404, known ? CONTENT.length : -1);
          if (known) {
            exchange.getResponseBody().write(CONTENT);
          }
          exchange.close();
        });
    server.start();
    String root = "http://localhost:" + server.getAddress().getPort();
    System.setProperty(KerasStore.PROPERTY, root + "/keras/");
    DL4JResources.setBaseDirectory(folder.toFile());
    DL4JResources.setBaseDownloadURL(root + "/dl4j/");
  }

  @AfterEach
  void stop() {
    server.stop(0);
    System.clearProperty(KerasStore.PROPERTY);
    DL4JResources.setBaseDownloadURL(dl4jUrl);
    DL4JResources.resetBaseDirectoryLocation();
  }

  @Test
  void aFileIsDownloadedOnceAndChecked() throws IOException {
    KerasStore file = new KerasStore("vgg/notop.h5", MD5);
    assertThat(file.file()).hasBinaryContent(CONTENT).hasFileName("notop.h5");
    assertThat(file.file()).hasBinaryContent(CONTENT);
    assertThat(asked).containsExactly("/keras/vgg/notop.h5");
  }

  @Test
  void anotherFileThanTheOnePublishedIsRefusedAndNotKept() {
    KerasStore file = new KerasStore("vgg/notop.h5", "0".repeat(32));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(file::file)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("with the MD5 " + "0".repeat(32) + ", got " + MD5);
    }
    assertThat(asked).hasSize(2);
  }

  /** Whoever has put it there. */
  @Test
  void anotherFileThatIsThereStays() throws IOException {
    Path there = new KerasStore("vgg/notop.h5", MD5).file();
    Files.writeString(there, "others");
    assertThatThrownBy(() -> new KerasStore("vgg/notop.h5", MD5).file())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(there + ", which you may delete");
    assertThat(there).hasContent("others");
  }

  @Test
  void bothStoresAreAskedAndTheLastIsNamed() {
    assertThatThrownBy(Resnet50::pretrained)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("/keras/resnet/resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5")
        .hasMessageContaining("MB");
    assertThat(asked).anyMatch(path -> path.startsWith("/dl4j/models/resnet50"));
    assertThat(asked).last().asString().startsWith("/keras/resnet/");
  }
}
