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
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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

  @Tag("both")
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

  @Tag("both")
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
    assertThat(out.toString()).hasLineCount(2).doesNotContain("classified");
    assertThat(err.toString())
        .hasLineCount(2)
        .contains("Not classified", "broken.png", "2 of 3 pictures classified, ", " a second");
    assertThat(csv)
        .content()
        .startsWith("file,class,leaf,stone,error,doubt\n")
        .doesNotContain("\r");
    List<String> lines = Files.readAllLines(csv);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(3)).startsWith(pictures.resolve("broken.png") + ",,,,");
    String[] cells = lines.get(2).split(",");
    assertThat(cells[0]).isEqualTo(pictures.resolve("below/b.png").toString());
    assertThat(Double.parseDouble(cells[2]) + Double.parseDouble(cells[3]))
        .isCloseTo(1, within(1e-5));
    JsonNode answers = new ObjectMapper().readTree(json.toFile());
    assertThat(answers).hasSize(3);
    assertThat(answers.get(2).get("error").asText()).contains("broken.png");
    assertThat(answers.get(2).has("class")).isFalse();
    assertThat(answers.get(1).get("class").asText()).isEqualTo(cells[1]);
    assertThat(answers.get(1).get("probabilities").get("leaf").asText()).isEqualTo(cells[2]);

    assertThat(run(model, pictures + "/*.png", pictures + "/**/b.png")).isEqualTo(2);
    assertThat(err.toString()).contains("2 of 3 pictures classified");
    assertThat(run(model, pictures + "/a.*")).isZero();
    assertThat(err.toString()).contains("1 of 1 pictures classified");
    assertThat(run(model, pictures + "/*.jpg")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("*.jpg: expected pictures, got none");
  }

  private int from(String names, Path model, String... args) {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(names.getBytes(StandardCharsets.UTF_8)));
    try {
      return run(model, args);
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void standardInputAndOutputAreFiles() throws IOException {
    Path model = model();
    Path csv = folder.resolve("answers.csv");
    Path json = folder.resolve("answers.json");
    assertThat(from(IMAGE + "\n\nnone.png", model, "-", "--csv=" + csv, "--json", "-"))
        .isEqualTo(Commands.USER_ERROR);
    String list = out.toString();
    assertThat(new ObjectMapper().readTree(list)).hasSize(2);
    assertThat(list).startsWith(AnswerFormat.JSON_BEGINNING).endsWith(" ]\n");
    assertThat(csv).content().contains(IMAGE + ",", "none.png,,,,none.png");

    out.getBuffer().setLength(0);
    assertThat(from(IMAGE, model, "-", "--csv", "-", "--json=" + json)).isZero();
    assertThat(out.toString()).hasLineCount(2).startsWith("file,class,leaf,stone,error,doubt\n");
    assertThat(json).content().startsWith(AnswerFormat.JSON_BEGINNING);

    out.getBuffer().setLength(0);
    assertThat(run(model, IMAGE, "--json=-", "--csv=-")).isEqualTo(Commands.USER_ERROR);
    assertThat(from("", model, "-", "--json=-")).isZero();
    assertThat(out.toString()).isEqualTo("[ ]\n");
  }

  /** Whoever ends it after an hour has the answers of an hour. */
  @Test
  void answersAreInTheFileBeforeTheNextPictureIsNamed() {
    Path model = model();
    Path csv = folder.resolve("answers.csv");
    List<String> between = new ArrayList<>();
    InputStream before = System.in;
    System.setIn(
        new InputStream() {
          @Override
          public int read() {
            throw new UnsupportedOperationException();
          }

          @Override
          public int read(byte[] bytes, int start, int length) throws IOException {
            if (Files.exists(csv.resolveSibling("answers.csv.tmp"))) {
              between.add(Files.readString(csv.resolveSibling("answers.csv.tmp")));
            }
            byte[] line = (IMAGE + "\n").getBytes(StandardCharsets.UTF_8);
            System.arraycopy(line, 0, bytes, start, line.length);
            return between.size() > 2 ? -1 : line.length;
          }
        });
    try {
      assertThat(run(model, "-", "--csv=" + csv)).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(between.get(between.size() - 1)).contains(IMAGE + ",");
    assertThat(csv).content().startsWith(between.get(between.size() - 1));
    assertThat(csv.resolveSibling("answers.csv.tmp")).doesNotExist();
  }

  /** Who writes one name waits for its answer before the next. */
  @Test
  void aNameIsAnsweredBeforeTheNextIsThere() {
    Iterator<List<Path>> names =
        new PictureNames(
            List.of("-", "given.png"),
            new InputStream() {
              private int lines;

              @Override
              public int read() {
                throw new UnsupportedOperationException();
              }

              @Override
              public int read(byte[] bytes, int start, int length) {
                bytes[start] = (byte) ('a' + lines);
                bytes[start + 1] = '\n';
                return ++lines > 2 ? -1 : 2;
              }
            });
    assertThat(names.next()).containsExactly(Path.of("given.png"));
    assertThat(names.next()).containsExactly(Path.of("a"));
    assertThat(names.next()).containsExactly(Path.of("b"));
    assertThat(names.hasNext()).isFalse();
  }

  @Test
  void numbersHaveNoExponent() {
    assertThat(AnswerFormat.decimal(1e-12).toPlainString()).isEqualTo("0.000000000001");
    assertThat(AnswerFormat.decimal(0.3784257471561432).toPlainString()).isEqualTo("0.3784257");
    assertThat(AnswerFormat.decimal(1)).isEqualTo(BigDecimal.ONE);
    assertThat(AnswerFormat.decimal(0)).isEqualTo(BigDecimal.ZERO);
  }

  @Test
  void picturesAreSortedAndNothingIsReplaced() throws IOException {
    Path model = model();
    Path pictures = Files.createDirectories(folder.resolve("pictures/below")).getParent();
    Files.copy(Path.of(IMAGE), pictures.resolve("a.png"));
    Files.copy(Fixtures.dataSet("folders/leaf/2.png"), pictures.resolve("below/a.png"));
    Files.writeString(pictures.resolve("broken.png"), "no picture");
    Path sorted = folder.resolve("sorted");
    for (int i = 0; i < 2; i++) { // the second time, equal copies are there
      assertThat(run(model, pictures.toString(), "--sort-into=" + sorted, "--unsure-below=100"))
          .isEqualTo(Commands.USER_ERROR);
      Map<String, String> unsure = Tree.of(sorted.resolve("unsure"));
      assertThat(unsure).containsOnlyKeys("", OwnFolder.MARK, "a.png", "a-2.png");
      assertThat(unsure.get("a.png")).isEqualTo(Tree.of(pictures).get("a.png"));
      assertThat(unsure.get("a-2.png")).isEqualTo(Tree.of(pictures).get("below/a.png"));
    }
    assertThat(run(model, IMAGE, "--sort-into=" + sorted, "--unsure-below=0")).isZero();
    String label = out.toString().lines().reduce((a, b) -> b).orElse("").replaceAll(".*: | .*", "");
    assertThat(sorted.resolve(label).resolve("1.png")).hasSameBinaryContentAs(Path.of(IMAGE));

    Path mine = folder.resolve("mine");
    OwnFolder.claim("a test", mine);
    Files.writeString(Files.createDirectory(mine.resolve("leaf")).resolve("thesis.txt"), "years");
    Map<String, String> before = Tree.of(mine);
    assertThat(run(model, IMAGE, "--sort-into=" + mine)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("--sort-into needs a folder that is empty or was made");
    assertThat(Tree.of(mine)).isEqualTo(before);
  }

  /** A model may come from anywhere, and so may the names of its classes. */
  @Test
  void classesAreNoPaths() throws IOException {
    SortedPictures sorted =
        new SortedPictures(
            "--sort-into",
            folder.resolve("s"),
            List.of("../x", "unsure", "a/b", "a:b", ".spd", ""));
    for (String label : List.of("../x", "unsure", "a/b", "a:b", ".spd", "")) {
      sorted.add(Path.of(IMAGE), label);
    }
    assertThat(folder.resolve("s").toFile().list())
        .containsExactlyInAnyOrder(OwnFolder.MARK, "_._x", "unsure-2", "a_b", "a_b-2", "_spd", "_");
    assertThat(folder.resolve("x")).doesNotExist();
  }

  /** Whoever classifies for hours shall not learn at the end that the answers have no place. */
  @Test
  void whereToWriteIsCheckedFirst() throws IOException {
    Path model = model();
    Path file = Files.createFile(folder.resolve("file"));
    for (String option : List.of("--csv", "--json", "--explain", "--sort-into")) {
      Path wrong = List.of("--csv", "--json").contains(option) ? folder : file;
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
    ImageClassifier classifier = ImageClassifier.load(run, Engine.DL4J);
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
          ImageClassifier.load(model, Engine.DL4J).classify(Path.of(IMAGE)).probabilities();
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
