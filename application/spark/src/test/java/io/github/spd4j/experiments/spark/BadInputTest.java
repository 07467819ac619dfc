/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.ExperimentCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the user can put right: one line and exit code 2. */
class BadInputTest {

  private static final String DATA =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets/fmd")
          .toUri()
          .toString();

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void withoutPages() {
    System.setProperty("spark.ui.enabled", "false");
  }

  private void refuses(String master, String data, String... words) {
    refuses(List.of("fmd", data, "--spark=" + master), words);
  }

  private void refuses(List<String> arguments, String... words) {
    CommandLine texture = Commands.line(ExperimentCommand.texture());
    texture.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(arguments);
    all.addAll(List.of("--backbone=random", "--out=" + folder.resolve("r")));
    int code = texture.execute(all.toArray(new String[0]));
    assertThat(err.toString()).hasLineCount(1).contains(words);
    assertThat(code).isEqualTo(Commands.USER_ERROR);
  }

  @Test
  void anUnreachableMaster() {
    refuses("spark://localhost:1", DATA, "cannot reach the Spark master spark://localhost:1");
  }

  @Test
  void somethingThatIsNoMaster() {
    refuses("sparkle", DATA, "expected a Spark master", "sparkle");
  }

  @Test
  void aFileSystemThatIsNotThere() {
    refuses("local[1]", "hdfs://nowhere.invalid:8020/fmd", "hdfs://nowhere.invalid", "cannot be");
  }

  @Test
  void aFolderThatIsNotThere() {
    refuses("local[1]", "file:///nowhere/fmd", "file:///nowhere/fmd");
  }

  /** A URI escapes the space in a name; what is missing is the images, not the folder. */
  @Test
  void anEmptyFolderWhoseNameIsEscaped() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("no images"));
    refuses("local[1]", empty.toUri().toString(), "no images");
    assertThat(err.toString()).doesNotContain("all machines have", "%20");
  }

  @Test
  void aFolderForFeaturesThatCannotBeMade() throws IOException {
    String place = Files.createFile(folder.resolve("file")).toUri() + "/features";
    refuses(
        List.of("fmd", DATA, "--spark=local[1]", "--spark-folder=" + place),
        "expected a folder for features",
        place);
  }

  @Test
  void executorsWithoutTheNativeLibrary() {
    String setting = "spark.executor.extraJavaOptions";
    System.setProperty(setting, "-Dorg.bytedeco.javacpp.platform=plan9-vax");
    try {
      refuses("local-cluster[1,1,1024]", DATA, "executors of", "native library");
    } finally {
      System.clearProperty(setting);
    }
  }
}
