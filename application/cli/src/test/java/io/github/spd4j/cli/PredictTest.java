/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("both")
class PredictTest {

  private static final String IMAGE = Fixtures.dataSet("folders/leaf/1.png").toString();

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Path model, String... args) {
    CommandLine predict = Commands.line(new PredictCommand());
    predict.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return predict.execute(
        Stream.concat(Stream.of(model.toString()), Stream.of(args)).toArray(String[]::new));
  }

  private Path model() {
    ExperimentSettings settings = Fixtures.settings(folder.resolve("runs"), "spd");
    settings.training.wholeEpochs = 0;
    Fixtures.run(settings);
    return settings.out.resolve("folders_as-foldered_split1_spd_seed1");
  }

  @Test
  void aRunAnswersAndExplains() {
    Path explained = folder.resolve("explained");
    Path model = model();
    assertThat(run(model, IMAGE, "--top", "2", "--explain", explained.toString())).isZero();
    assertThat(out.toString().lines().findFirst().orElse("")).matches(".*1.png: .* %, .* %");
    assertThat(explained.resolve("001-1.png")).isNotEmptyFile();
    assertThat(explained.resolve("index.html")).content().contains("data:image/png");

    assertThat(run(model.resolve("model.zip"), IMAGE)).isZero();
  }

  @Test
  void foldersAndPatternsAreClassifiedPastWhatCannotBeRead() throws Exception {
    Path model = model();
    Path pictures = Files.createDirectories(folder.resolve("pictures/below")).getParent();
    Files.copy(Path.of(IMAGE), pictures.resolve("a.png"));
    Files.copy(Path.of(IMAGE), pictures.resolve("below/b.png"));
    Files.writeString(pictures.resolve("broken.png"), "no picture");
    Files.writeString(pictures.resolve("notes.txt"), "no picture, and not called one");
    Path csv = folder.resolve("answers.csv");
    Path json = folder.resolve("answers.json");
    assertThat(run(model, pictures.toString(), "--csv=" + csv, "--json=" + json))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("Not classified", "broken.png");
    assertThat(out.toString()).contains("2 of 3 pictures classified, ").contains(" a second");
    assertThat(csv).content().startsWith("file,class,leaf,stone\r\n").hasLineCount(3);
    String[] cells = Files.readAllLines(csv).get(2).split(",");
    assertThat(cells[0]).isEqualTo(pictures.resolve("below/b.png").toString());
    assertThat(Double.parseDouble(cells[2]) + Double.parseDouble(cells[3]))
        .isCloseTo(1, within(1e-5));
    JsonNode answers = new ObjectMapper().readTree(json.toFile());
    assertThat(answers).hasSize(2);
    assertThat(answers.get(1).get("class").asText()).isEqualTo(cells[1]);
    assertThat(answers.get(1).get("probabilities").get("leaf").asText()).isEqualTo(cells[2]);

    assertThat(run(model, pictures + "/*.png", pictures + "/**/b.png")).isEqualTo(2);
    assertThat(out.toString()).contains("2 of 3 pictures classified");
    assertThat(run(model, pictures + "/a.*")).isZero();
    assertThat(out.toString()).contains("1 of 1 pictures classified");
    assertThat(run(model, pictures + "/*.jpg")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("*.jpg: expected pictures, got none");
  }

  /** Whoever classifies for hours shall not learn at the end that the answers have no place. */
  @Test
  void whereToWriteIsCheckedFirst() throws IOException {
    Path model = model();
    Path file = Files.createFile(folder.resolve("file"));
    for (String option : List.of("--csv", "--json", "--explain")) {
      Path wrong = option.equals("--explain") ? file : folder;
      for (Path place : List.of(wrong, file.resolve("below"))) {
        err.getBuffer().setLength(0);
        assertThat(run(model, IMAGE, option + "=" + place)).isEqualTo(Commands.USER_ERROR);
        assertThat(err.toString()).hasLineCount(1).startsWith(option + " needs a ");
      }
    }
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void answersThatCannotBePrintedAreMissed() {
    Path model = model();
    PrintStream before = System.out;
    PrintStream full = new PrintStream(OutputStream.nullOutputStream());
    full.close(); // what is printed then is lost, as on a full disk
    System.setOut(full);
    try {
      CommandLine predict = Commands.line(new PredictCommand()).setErr(new PrintWriter(err));
      assertThat(predict.execute(model.toString(), IMAGE)).isEqualTo(Commands.USER_ERROR);
    } finally {
      System.setOut(before);
    }
    assertThat(err.toString()).hasLineCount(1).contains("cannot be printed", "--csv");
  }

  @Test
  void theFolderOfManyRunsIsAMistakeThatNamesOne() {
    Path model = model();
    assertThat(run(model.getParent(), IMAGE)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("such as " + model);
  }

  @Test
  void answersAreThoseOfTheReadersInTraining() throws IOException {
    Path run = model();
    ComputationGraph net =
        ModelSerializer.restoreComputationGraph(run.resolve("model.zip").toFile(), false);
    Acceleration.applyTo(net);
    ImageClassifier classifier = ImageClassifier.load(run);
    for (Views views : List.of(Views.PLAIN, Views.MIRRORED, Views.FIVE_CROPS)) {
      Path model = folder.resolve(views + ".zip");
      ModelCard card = classifier.card();
      ImageClassifier.save(
          net, ModelCard.of(card.classes(), card.size(), views, card.pixels()), model);
      FileImages images =
          new FileImages(
              List.of(new ImageFile(Path.of(IMAGE), IMAGE, 0)),
              2,
              views,
              card.size(),
              card.pixels(),
              1);
      double[] expected =
          Probabilities.ofImages(net, images, views.count(), new TrainingProgress() {})
              .mean(0)
              .toDoubleVector();
      Map<String, Double> answer =
          ImageClassifier.load(model).classify(Path.of(IMAGE)).probabilities();
      assertThat(new double[] {answer.get("leaf"), answer.get("stone")}).isEqualTo(expected);
      if (views == card.views()) {
        assertThat(classifier.classify(Path.of(IMAGE)).probabilities()).isEqualTo(answer);
      }
    }
  }

  @Test
  void whatIsNoModelIsAMistakeInOneLine() {
    assertThat(run(folder, IMAGE)).isEqualTo(Commands.USER_ERROR);
    assertThat(run(Path.of(IMAGE), IMAGE)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines()).hasSize(2).allMatch(line -> line.startsWith("expected"));
  }
}
