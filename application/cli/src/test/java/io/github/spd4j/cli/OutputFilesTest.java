/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.SmallClassifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Outputs take the place of earlier outputs, and of nothing else. */
class OutputFilesTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();
  private Path picture;
  private Path model;

  @BeforeEach
  void makeModel() throws IOException {
    picture = folder.resolve("photos/leaf.png");
    Files.createDirectories(picture.getParent());
    Files.copy(Fixtures.dataSet("folders").resolve("leaf/1.png"), picture);
    model = folder.resolve("run/model.zip");
    OwnFolder.claim("a test", model.getParent()).own("predictions.csv");
    Files.writeString(model.resolveSibling("predictions.csv"), "file,class,leaf,sand\r\n");
    ConvolutionLayer layer = new ConvolutionLayer.Builder(3, 3).stride(2, 2).nOut(4).build();
    ModelCard card =
        ModelCard.of(
            List.of("leaf", "sand", "water"),
            16,
            Views.PLAIN,
            PixelFormat.of(PixelFormat.Order.RGB, 1));
    ImageClassifier.save(SmallClassifier.net(16, layer, 2), card, model);
    Files.writeString(folder.resolve("thesis.txt"), "years");
    Files.createSymbolicLink(folder.resolve("link"), Path.of("thesis.txt"));
    Files.createSymbolicLink(folder.resolve("nowhere"), Path.of("gone"));
    Files.writeString(folder.resolve("answers.tmp"), "somebody's");
  }

  private int run(String... words) {
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
    return spd.execute(words);
  }

  private int predict(String... options) {
    List<String> words = new ArrayList<>(List.of("predict", model.toString(), picture.toString()));
    words.addAll(List.of(options));
    return run(words.toArray(String[]::new));
  }

  private void requireRefusal(String reason, String... words) throws IOException {
    Map<String, String> before = Tree.of(folder);
    assertThat(run(words)).as(err.toString()).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains(reason).doesNotContain("Exception");
    assertThat(Tree.of(folder)).isEqualTo(before);
  }

  /** Whatever writes a file where the user says. */
  @ParameterizedTest
  @ValueSource(strings = {"predict --csv=", "predict --json=", "check --csv=", "export "})
  void nothingElseIsReplaced(String command) throws IOException {
    String set = Fixtures.dataSet("folders").toString();
    List<String> words = new ArrayList<>(List.of(command.split(" ")[0]));
    words.addAll(
        switch (words.get(0)) {
          case "predict" -> List.of(model.toString(), picture.toString());
          case "check" -> List.of(set);
          default -> List.of(model.toString());
        });
    String option = command.substring(words.get(0).length() + 1);
    for (String name :
        List.of(
            "photos/leaf.png",
            "run/model.zip",
            "run/predictions.csv",
            "run/.spd",
            "thesis.txt",
            "link",
            "nowhere",
            "answers")) {
      words.add(option + folder.resolve(name));
      requireRefusal(" would take the place of ", words.toArray(String[]::new));
      words.remove(words.size() - 1);
    }
  }

  /** Whatever writes a folder where the user says. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "predict RUN SET --explain=",
        "predict RUN SET --sort-into=",
        "check SET --labels=RUN --out=",
        "train SET --out=",
        "train SET --methods=b-cnn,kernel --out=",
        "paper folders SET --out=",
        "texture folders SET --out=",
        "fine-grained folders SET --out="
      })
  void foldersOfOthersStayAsTheyAre(String command) throws IOException {
    String set = Fixtures.dataSet("folders").toString();
    Files.createSymbolicLink(folder.resolve("run/photos"), Path.of("../photos"));
    for (String name : List.of("photos", "photos/leaf.png", "run/photos")) {
      List<String> words =
          new ArrayList<>(
              List.of(
                  (command + folder.resolve(name))
                      .replace("SET", set)
                      .replace("RUN", model.getParent().toString())
                      .split(" ")));
      if (command.contains("SET --out") || command.contains("methods")) {
        words.addAll(List.of("--backbone=random", "--size=16"));
      }
      requireRefusal("needs a folder", words.toArray(String[]::new));
    }
  }

  /** Of two that write the same file at once, the second says so. */
  @Test
  void whatAnotherProcessWritesIsLeftToIt() throws IOException {
    Path file = folder.resolve("new.csv");
    try (AtomicFile.Growing other = AtomicFile.grow(file)) {
      other.add(AnswerFormat.CSV_BEGINNING);
      requireRefusal(
          "--csv: another process writes " + file,
          "predict",
          model.toString(),
          picture.toString(),
          "--csv=" + file);
    }
    assertThat(predict("--csv=" + file)).isZero();
    assertThat(file).content().startsWith(AnswerFormat.CSV_BEGINNING);
  }

  /** Nothing is begun before all places are known to be free. */
  @Test
  void aSecondPlaceThatIsTakenLeavesNothingAtTheFirst() throws IOException {
    for (String second : List.of("--json=", "--explain=", "--sort-into=")) {
      requireRefusal(
          "thesis.txt",
          "predict",
          model.toString(),
          picture.toString(),
          "--csv=" + folder.resolve("new.csv"),
          second + folder.resolve("thesis.txt"));
    }
  }

  @Test
  void earlierAnswersAre() throws IOException {
    String csv = "--csv=" + folder.resolve("new/answers.csv");
    String json = "--json=" + folder.resolve("new/answers.json");
    String explain = "--explain=" + folder.resolve("new/explained");
    for (int i = 0; i < 2; i++) {
      assertThat(predict(csv, json, explain)).as(err.toString()).isZero();
    }
    Path empty = Files.createFile(folder.resolve("empty"));
    assertThat(predict("--csv=" + empty)).as(err.toString()).isZero();
    assertThat(empty).content().startsWith("file,class,leaf,sand,water");
    requireRefusal(
        "two files",
        "predict",
        model.toString(),
        picture.toString(),
        "--csv=" + empty,
        "--json=" + empty);
  }

  /** It begins like one of ours. */
  @Test
  void tablesOfOthersAreNotReplaced() throws IOException {
    String json = "[ {" + System.lineSeparator() + "  \"file\" : \"a.png\", ";
    for (String mine :
        List.of(
            "file,class,note\r\na.png,leaf,found in May\r\n",
            "file,class,leaf,sand\r\na.png,leaf,3,4\r\n",
            "file,class,leaf,sand\r\na.png,leaf,1,0\r\nb.png,sand,0,1,mine\r\n",
            "file,class,leaf\r\n",
            json + "\"class\" : \"leaf\", \"note\" : \"found in May\" } ]",
            json + "\"class\" : \"leaf\", \"probabilities\" : { \"leaf\" : 7 } } ]")) {
      Path file = Files.writeString(folder.resolve("mine"), mine);
      requireRefusal(
          "would take the place of ",
          "predict",
          model.toString(),
          picture.toString(),
          (mine.startsWith("[") ? "--json=" : "--csv=") + file);
    }
    Files.delete(folder.resolve("mine"));
    Path half = folder.resolve("own.csv.tmp");
    Files.writeString(half, "file,class,note\r\na.png,leaf,found in May\r\n");
    String[] words = {"predict", model + "", picture + "", "--csv=" + folder.resolve("own.csv")};
    requireRefusal("would take the place of ", words);
  }

  /** The new file is written beside what a link leads to. */
  @Test
  void nothingBesideTheTargetOfALinkIsReplaced() throws IOException {
    Path csv = folder.resolve("deep/answers.csv");
    assertThat(predict("--csv=" + csv)).as(err.toString()).isZero();
    Path link = Files.createSymbolicLink(folder.resolve("latest.csv"), csv);
    Path mine = Files.writeString(csv.resolveSibling("answers.csv.tmp"), "somebody's");
    requireRefusal(
        "would take the place of ", "predict", model + "", picture + "", "--csv=" + link);
    Files.delete(mine);
    assertThat(predict("--csv=" + link)).as(err.toString()).isZero();
    assertThat(link).isSymbolicLink();
  }

  /** A process died while it wrote them. */
  @Test
  void halfAnAnswerIsNotInTheWay() throws IOException {
    Path csv = folder.resolve("answers.csv");
    for (String half :
        List.of(
            "",
            "file,",
            "file,class,leaf,sa",
            "file,class,leaf,sand,error,doubt\na.png,leaf,0.7,0.3,,\nb.p")) {
      Files.writeString(csv.resolveSibling("answers.csv.tmp"), half);
      assertThat(predict("--csv=" + csv)).as(err.toString()).isZero();
      assertThat(folder.resolve("answers.csv.tmp")).doesNotExist();
    }
  }

  @Test
  void explanationsNeedAFolderOfTheirOwn() throws IOException {
    assertThat(predict("--explain=" + folder.resolve("explained"))).isZero();
    Path mine = Files.writeString(folder.resolve("explained/002-leaf.png"), "mine");
    assertThat(predict("--explain=" + folder.resolve("explained"))).isZero();
    assertThat(mine).hasContent("mine");
    assertThat(predict(picture.getParent().toString(), "--explain=" + folder.resolve("explained")))
        .isZero();
  }

  @Test
  void sortedPicturesNeedAFolderOfTheirOwn() throws IOException {
    assertThat(predict("--sort-into=" + folder.resolve("sorted"))).as(err.toString()).isZero();
    for (String bad : List.of("-1", "101", "NaN")) {
      requireRefusal(
          "--unsure-below needs 0 to 100 percent",
          "predict",
          model.toString(),
          picture.toString(),
          "--unsure-below=" + bad);
    }
  }

  @Test
  void tablesAsWell() throws IOException {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "b-cnn");
    settings.training.headEpochs = 1;
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    Path tables = folder.resolve("tables");
    String[] words = {"table", settings.out.toString(), "--out=" + tables};
    for (String name : List.of("table.md", "table.html", "table.md.tmp")) {
      assertThat(run(words)).as(err.toString()).isZero();
      Path mine = Files.writeString(tables.resolve(name), "<!DOCTYPE html>\n<html>my own");
      requireRefusal("would take the place of", words);
      Files.delete(mine);
    }
  }

  @Test
  void andTheQuickstart() throws IOException {
    requireRefusal("would take the place of", "quickstart", "-o", folder.resolve("link") + "");
  }
}
