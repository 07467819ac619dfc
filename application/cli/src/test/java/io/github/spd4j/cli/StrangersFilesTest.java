/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.internal.files.OwnFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Nobody's files are changed, whatever their names are. */
class StrangersFilesTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int train() {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
    return spd.execute(
        "train",
        Fixtures.dataSet("foldered").toString(),
        "--out=" + folder.resolve("out"),
        "--backbone=random",
        "--size=32",
        "--epochs-head=1",
        "--batch=4");
  }

  private int runs(Path place, String... options) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
    return spd.execute(
        Stream.concat(Stream.of("runs", place.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  private Path file(String name) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "of " + name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "features/thesis.txt", "thesis.txt", "lock", "search.json", "clock.json", "settings.json",
        "result.json", "model.zip", "model.zip.tmp", "model.json", "report.html", ".spd"
      })
  void aFolderWithSomethingElseIsRefused(String name) throws IOException {
    file("out/" + name);
    requireRefusal();
  }

  @ParameterizedTest
  @ValueSource(strings = {"features", "lock", "model.zip", ".spd"})
  void aFolderWithALinkIsRefused(String name) throws IOException {
    file("photos/cat.jpg");
    Files.createDirectories(folder.resolve("out"));
    String target = name.equals("features") ? "../photos" : "../photos/cat.jpg";
    Files.createSymbolicLink(folder.resolve("out").resolve(name), Path.of(target));
    requireRefusal();
  }

  /** Also files with the names of what a run needs while it goes on, and lock. */
  @Test
  void inAFinishedRunTheFilesOfOthersStay() throws IOException {
    assertThat(train()).as(err.toString()).isZero();
    for (String name :
        List.of("settings.json", "search.json", "clock.json", "lock", "model.zip.tmp")) {
      file("out/" + name);
    }
    Map<String, String> before = Tree.of(folder);
    assertThat(train()).as(err.toString()).isZero();
    assertThat(Tree.of(folder)).isEqualTo(before);
  }

  private void requireRefusal() throws IOException {
    Map<String, String> before = Tree.of(folder);
    assertThat(train()).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("--out needs a folder that is empty or was made by spd");
    assertThat(Tree.of(folder)).isEqualTo(before);
  }

  @Test
  void inAFolderOfOursTheFilesOfOthersStay() throws IOException {
    OwnFolder.claim("a test", folder.resolve("out"));
    file("photos/cat.jpg");
    file("out/thesis.txt");
    file("out/old.tmp");
    OwnFolder features = OwnFolder.claim("a test", folder.resolve("out/features"));
    Files.createSymbolicLink(features.path().resolve("photos"), Path.of("../../photos"));
    file("out/features/notes.txt");
    features.own("leaf.png"); // by another command, such as predict --explain
    file("out/features/leaf.png");
    assertThat(train()).as(err.toString()).isZero();
    Map<String, String> after = Tree.of(folder.resolve("photos"));
    assertThat(after).isEqualTo(Map.of("", "folder", "cat.jpg", "of photos/cat.jpg"));
    Path out = folder.resolve("out");
    assertThat(out.resolve("thesis.txt")).hasContent("of out/thesis.txt");
    assertThat(out.resolve("old.tmp")).hasContent("of out/old.tmp");
    assertThat(out.resolve("features/notes.txt")).hasContent("of out/features/notes.txt");
    assertThat(out.resolve("features/photos")).isSymbolicLink();
    assertThat(out.resolve("features").toFile().list())
        .containsExactlyInAnyOrder(OwnFolder.MARK, "leaf.png", "notes.txt", "photos");
  }

  /** Whatever has such a name in a run that is over; a listing changes nothing at all. */
  @Test
  void runsLeavesWhatIsNoRunAndNoCache() throws IOException {
    Path run = folder.resolve("run");
    OwnFolder.claim("a test", run).own("result.json", "model.zip");
    for (String name : List.of("result.json", "lock", "settings.json", "checkpoint.zip")) {
      file("run/" + name);
    }
    OwnFolder.claim("a test", folder.resolve("features")).own("result.json", "model.zip");
    file("features/result.json");
    file("features/model.zip");
    OwnFolder.claim("a test", folder.resolve("x/features")).own("leaf.png");
    file("x/features/leaf.png");
    file("x/features/result.json");
    Map<String, String> before = Tree.of(folder);
    assertThat(runs(folder)).as(err.toString()).isZero();
    assertThat(Tree.of(folder)).isEqualTo(before);
    assertThat(runs(folder, "--delete-features")).as(err.toString()).isZero();
    assertThat(Tree.of(folder)).isEqualTo(before);
    assertThat(runs(folder.resolve("x/features"), "--delete")).isEqualTo(Commands.USER_ERROR);
    assertThat(Tree.of(folder)).isEqualTo(before);
    assertThat(runs(run, "--delete")).as(err.toString()).isZero();
    assertThat(run.toFile().list())
        .containsExactlyInAnyOrder(OwnFolder.MARK, "lock", "settings.json", "checkpoint.zip");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock", "search.json", "model.zip", "model.zip.tmp", "report.html"})
  void aNameThatIsTakenInAFolderOfOursIsRefused(String name) throws IOException {
    OwnFolder.claim("a test", folder.resolve("out"));
    file("out/" + name);
    Map<String, String> before = Tree.of(folder);
    assertThat(train()).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains(name + " was not made by spd");
    assertThat(Tree.of(folder)).isEqualTo(before);
  }

  @Test
  void aLinkInAFolderOfOursIsNotFollowed() throws IOException {
    OwnFolder.claim("a test", folder.resolve("out"));
    Files.createDirectories(folder.resolve("photos"));
    Files.createSymbolicLink(folder.resolve("out/features"), Path.of("../photos"));
    assertThat(train()).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("features (it is not a folder)");
    assertThat(folder.resolve("photos")).isEmptyDirectory();
  }
}
