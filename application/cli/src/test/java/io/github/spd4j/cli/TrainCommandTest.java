/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.awt.image.BufferedImage.TYPE_INT_RGB;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.experiments.Fixtures;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.ImageClassifier;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TrainCommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path pictures;
  private Path run;

  @BeforeEach
  void copyPictures() throws IOException {
    pictures = copy("foldered", folder.resolve("pictures"));
    run = folder.resolve("run");
  }

  private static Path copy(String dataSet, Path target) throws IOException {
    Path source = Fixtures.dataSet(dataSet);
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(source.relativize(file).toString()));
      }
    }
    return target;
  }

  private int train(Path pictures, String... options) {
    return execute(
        Stream.concat(
            Stream.of(
                "train", pictures.toString(), "--out=" + run, "--backbone=random", "--batch=4"),
            Stream.of(options)));
  }

  private int execute(Stream<String> words) {
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return spd.execute(words.toArray(String[]::new));
  }

  private List<String> files() {
    return List.of(run.toFile().list());
  }

  @Tag("both")
  @Test
  void aFolderOfPicturesBecomesAModelThatClassifies() {
    assertThat(train(pictures, "--epochs-head=2")).as(err.toString()).isZero();
    assertThat(files())
        .containsExactlyInAnyOrder(
            ".spd",
            "result.json",
            "predictions.csv",
            "pictures.csv",
            "model.zip",
            "model.json",
            "report.html");
    RunResult result = RunResult.read(run.resolve("result.json"));
    assertThat(result.settings())
        .containsEntry("method", "spd-root")
        .containsEntry("epochsWhole", "0")
        .containsEntry("trainingViews", "PLAIN");
    assertThat(out.toString())
        .contains("This will take about 10 seconds")
        .contains("Note: only 2 validation images", "Note: only 6 test images")
        .containsPattern("[0-9.]+ % of 6 test images right \\(95 % confidence: .* to .* %\\)")
        .contains("Report:   " + run.resolve("report.html"))
        .contains("Model:    " + run.resolve("model.zip"))
        .contains("Classify: ./spd predict " + run + " PICTURES");
    assertThat(run.resolve("report.html")).content().contains("95 % confidence");
    String picture = pictures.resolve("test/leaf/1.png").toString();
    assertThat(execute(Stream.of("predict", run.toString(), picture))).isZero();
    assertThat(execute(Stream.of("predict", run.toString(), picture, "--engine=onnxruntime")))
        .as(err.toString())
        .isZero();

    assertThat(train(pictures, "--epochs-head=2")).isZero();
    assertThat(RunResult.read(run.resolve("result.json")).execution().finished())
        .isEqualTo(result.execution().finished());
  }

  @Tag("both")
  @Test
  void aNetworkOfPyTorchIsABackbone() {
    String onnx = "--backbone=onnx:" + Fixtures.dataSet("../onnx/vit.onnx");
    String[] words = {"train", pictures.toString(), "--out=" + run, "--batch=4", onnx};
    assertThat(execute(Stream.of(words))).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("expected --pixels").contains("torch");
    assertThat(refusal(words, "--pixels=torch", "--cut=nothing"))
        .contains("vit.onnx: expected a value of the graph", "\"maps\" [N, 17, 16]; got nothing");
    assertThat(refusal(words, "--pixels=torch", "--size=48"))
        .contains("--size: expected images of 32 pixels, which the backbone's file takes, got 48");
    assertThat(refusal(words, "--pixels=torch", "--epochs-whole=1"))
        .contains("--epochs-whole needs 0 with --backbone onnx:", "no backward pass; got 1");
    assertThat(run).doesNotExist();

    assertThat(execute(Stream.concat(Stream.of(words), Stream.of("--pixels=torch"))))
        .as(err.toString())
        .isZero();
    String picture = pictures.resolve("test/leaf/1.png").toString();
    Path why = folder.resolve("why");
    assertThat(execute(Stream.of("predict", run.toString(), picture, "--explain=" + why)))
        .as(err.toString())
        .isZero();
    assertThat(why).isNotEmptyDirectory();
  }

  private String refusal(String[] words, String... more) {
    err.getBuffer().setLength(0);
    assertThat(execute(Stream.concat(Stream.of(words), Stream.of(more))))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1);
    return err.toString();
  }

  /** Pictures of few pixels have fewer features than the mixture of Fisher vectors has parts. */
  @Test
  void aTrainingThatGivesUpIsNoSuccess() {
    assertThat(train(pictures, "--epochs-head=1", "--method=fv-cnn", "--size=8"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains(" failed: ");
    assertThat(run.resolve("model.zip")).doesNotExist();
  }

  @Test
  void allPicturesTrainAModelWithoutATest() {
    assertThat(train(pictures, "--all", "--epochs-head=1")).as(err.toString()).isZero();
    RunResult result = RunResult.read(run.resolve("result.json"));
    assertThat(result.test().accuracy()).isNaN();
    assertThat(result.images().training()).isEqualTo(12);
    assertThat(result.images().test()).isZero();
    assertThat(out.toString()).contains("Trained on all 12 images").doesNotContain("confidence");
    assertThat(run.resolve("report.html")).content().contains("Trained on all 12 images");
    assertThat(execute(Stream.of("table", run.toString()))).isEqualTo(Commands.USER_ERROR);
  }

  /** Bright and dark pictures; there are too few for validation, and without a test none. */
  @Test
  void aModelOfFewPicturesKnowsHowSureItMayBe() throws IOException {
    Path few = pictures(folder.resolve("few"), 45);
    for (List<String> options : List.of(List.of("--all"), List.<String>of())) {
      run = folder.resolve("run" + options.size());
      String[] words =
          Stream.concat(options.stream(), Stream.of("--epochs-head=1")).toArray(String[]::new);
      assertThat(train(few, words)).as(err.toString()).isZero();
      Confidence confidence = ModelCard.read(run.resolve("model.zip")).confidence();
      assertThat(confidence.temperature()).isNotEqualTo(1);
      assertThat(confidence.familiarity()).isPresent();
      String said =
          options.isEmpty() ? "6 validation images and 54 training images" : "90 training images";
      assertThat(run.resolve("report.html"))
          .content()
          .contains(said, "How sure must an answer be?");
    }
    Path stripes = picture(folder.resolve("stripes.png"), (x, y) -> x % 2 * 0xffffff);
    ImageClassifier classifier = ImageClassifier.load(run);
    List<Path> known = new ArrayList<>();
    for (int i = 0; i < 45; i++) {
      known.add(few.resolve("dark/" + i + ".png"));
    }
    assertThat(classifier.classify(known).stream().filter(Classification::isUnlike))
        .hasSizeLessThan(45 / 4);
    assertThat(classifier.classify(stripes).isUnlike()).isTrue();
  }

  /** More pictures of two classes, and a third one. */
  @Test
  void aRunGoesOnWithMorePicturesAndAClassMore() throws IOException {
    Path few = pictures(folder.resolve("few"), 9);
    Path first = run;
    assertThat(train(few, "--epochs-head=2", "--method=b-cnn", "--keep-features"))
        .as(err.toString())
        .isZero();
    run = folder.resolve("second");
    String[] goOn = {"--continue=" + first, "--epochs-head=2"};
    assertThat(train(few, goOn)).isEqualTo(Commands.USER_ERROR);
    Map<String, String> before = Tree.of(first);
    pictures(few, 15);
    for (int i = 0; i < 6; i++) {
      Files.createDirectories(few.resolve("stripes"));
      int pale = i;
      picture(few.resolve("stripes/" + i + ".png"), (x, y) -> x % 2 * 0xfff0f0 + pale);
    }
    assertThat(train(few, "--continue=" + first, "--method=spd")).isEqualTo(Commands.USER_ERROR);
    assertThat(train(few, "--continue=" + first, "--methods=spd,b-cnn"))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(train(few, "--continue=" + first, "--size=40")).isEqualTo(Commands.USER_ERROR);
    assertThat(train(few, "--continue=" + few)).isEqualTo(Commands.USER_ERROR);
    run = first;
    assertThat(train(few, "--continue=" + first)).isEqualTo(Commands.USER_ERROR);
    run = folder.resolve("second");
    assertThat(err.toString().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("expected new pictures, or labels"),
            line -> assertThat(line).contains("--method of " + first + ", b-cnn, got spd"),
            line -> assertThat(line).contains("--continue goes on with one head"),
            line -> assertThat(line).contains("--size of " + first, "got 40"),
            line -> assertThat(line).contains("expected the folder of a finished run"),
            line -> assertThat(line).contains("--out needs another folder"));
    assertThat(train(few, goOn)).as(err.toString()).isZero();
    assertThat(Tree.of(first)).isEqualTo(before);
    List<String> known = Files.readAllLines(first.resolve("pictures.csv"));
    assertThat(known).hasSize(1 + 18);
    assertThat(Files.readAllLines(run.resolve("pictures.csv")))
        .hasSize(1 + 36)
        .containsAll(known)
        .filteredOn(line -> line.contains(",stripes,TEST,"))
        .hasSize(2);
    assertThat(RunResult.read(run.resolve("result.json")).settings())
        .containsEntry("method", "b-cnn")
        .containsKey("continues");
    assertThat(run.resolve("report.html"))
        .content()
        .contains("What changed for the earlier test images", "Of 6 test images of the");
    assertThat(ImageClassifier.load(run).classes()).containsExactly("bright", "dark", "stripes");

    Path kept = first.resolve("kept-features");
    assertThat(kept.toFile().list()).hasSize(18 + 1);
    Path again = run.resolve("predictions.csv");
    run = folder.resolve("computed");
    Files.move(kept, folder.resolve("gone"));
    assertThat(train(few, goOn)).as(err.toString()).isZero();
    assertThat(run.resolve("predictions.csv")).hasSameTextualContentAs(again);
    Files.move(folder.resolve("gone"), kept);
    for (File file : kept.toFile().listFiles((place, name) -> name.endsWith(".bin"))) {
      Files.write(file.toPath(), new byte[] {1}, StandardOpenOption.APPEND);
    }
    run = folder.resolve("damaged");
    assertThat(train(few, goOn)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("has another length than it says); delete it");

    Files.move(few.resolve("dark"), folder.resolve("dark"));
    run = folder.resolve("third");
    assertThat(train(few, goOn)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("got none called dark; put it back");
    assertThat(run).doesNotExist();
  }

  /** Some pictures are gone, a class is new; then the final model, of all; then more of them. */
  @Test
  @Tag("once")
  void aRunGoesOnWithoutSomePicturesAndWithAll() throws IOException {
    Path few = pictures(folder.resolve("few"), 9);
    assertThat(train(few, "--epochs-head=1", "--method=b-cnn")).as(err.toString()).isZero();
    Path first = run;
    List<String> gone = List.of("bright/2.png", "dark/0.png", "dark/7.png");
    for (String name : gone) {
      Files.delete(few.resolve(name));
    }
    List<String> kept = lines(first);
    kept.removeIf(line -> gone.stream().anyMatch(name -> line.startsWith(name + ",")));
    assertThat(kept).hasSize(18 - 3);
    String[] goOn = {"--continue=" + first, "--epochs-head=1"};
    run = folder.resolve("refused");
    assertThat(train(few, goOn)).isEqualTo(Commands.USER_ERROR); // nothing is new
    for (int i = 0; i < 6; i++) {
      Files.createDirectories(few.resolve("stripes"));
      int pale = i;
      picture(few.resolve("stripes/" + i + ".png"), (x, y) -> x % 2 * 0xfff0f0 + pale);
    }
    run = folder.resolve("second");
    assertThat(train(few, goOn)).as(err.toString()).isZero();
    assertThat(lines(run))
        .hasSize(15 + 6)
        .containsAll(kept)
        .noneMatch(line -> gone.stream().anyMatch(name -> line.startsWith(name + ",")));
    long tests = kept.stream().filter(line -> line.contains(",TEST,")).count();
    assertThat(run.resolve("report.html"))
        .content()
        .contains("Of %d test images of the earlier run".formatted(tests));

    run = folder.resolve("all");
    assertThat(train(few, "--all", "--continue=" + first, "--epochs-head=1"))
        .as(err.toString())
        .isZero();
    assertThat(lines(run)).hasSize(15 + 6).allMatch(line -> line.contains(",TRAINING,"));
    assertThat(out.toString()).contains("Trained on all 21 images");
    Path all = run;
    run = folder.resolve("more");
    pictures(few, 12);
    assertThat(train(few, "--continue=" + all, "--epochs-head=1")).as(err.toString()).isZero();
    assertThat(lines(run)).containsAll(lines(all)).hasSize(21 + 3 + 6); // the three are back
    assertThat(run.resolve("report.html"))
        .content()
        .contains("No test image is one of the earlier run");
  }

  /** Without the first. */
  private static List<String> lines(Path run) throws IOException {
    List<String> lines = Files.readAllLines(run.resolve("pictures.csv"));
    return new ArrayList<>(lines.subList(1, lines.size()));
  }

  /** Eight times as many reddish pictures as greenish ones, and many that may be either. */
  @Test
  @Tag("once")
  void aSmallClassIsFoundMoreOftenIfItCountsAsMuch() throws IOException {
    Path unequal = folder.resolve("unequal");
    hues(unequal.resolve("train/red"), 40, 12);
    hues(unequal.resolve("train/green"), 5, -12);
    hues(unequal.resolve("test/red"), 15, 12);
    hues(unequal.resolve("test/green"), 15, -12);
    double[] found = new double[2];
    for (int balanced = 0; balanced < 2; balanced++) {
      run = folder.resolve("run" + balanced);
      String[] options = {"--epochs-head=2", "--method=b-cnn", "--balance"};
      assertThat(train(unequal, Arrays.copyOf(options, 2 + balanced))).as(err.toString()).isZero();
      RunResult result = RunResult.read(run.resolve("result.json"));
      found[balanced] = result.test().classes().get("green").recall();
    }
    assertThat(found[1]).isGreaterThan(found[0] + 0.25);
  }

  private static void hues(Path place, int count, int mean) throws IOException {
    Files.createDirectories(place);
    Random random = new Random(100 * count + mean);
    for (int i = 0; i < count; i++) {
      int hue = mean + (int) Math.round(12 * random.nextGaussian());
      picture(
          place.resolve(i + ".png"),
          (x, y) -> {
            int noise = random.nextInt(30);
            return (128 + hue + noise) << 16 | (128 - hue + noise) << 8 | 96 + noise;
          });
    }
  }

  private static Path pictures(Path target, int each) throws IOException {
    for (String label : List.of("bright", "dark")) {
      Path place = Files.createDirectories(target.resolve(label));
      for (int i = 0; i < each; i++) {
        int grey = label.equals("dark") ? 0x202020 : 0xc0c0c0;
        Random random = new Random(grey + i);
        picture(place.resolve(i + ".png"), (x, y) -> grey + random.nextInt(12));
      }
    }
    return target;
  }

  private static Path picture(Path file, IntBinaryOperator colour) throws IOException {
    BufferedImage pixels = new BufferedImage(24, 24, TYPE_INT_RGB);
    for (int i = 0; i < 24 * 24; i++) {
      pixels.setRGB(i % 24, i / 24, colour.applyAsInt(i % 24, i / 24));
    }
    ImageIO.write(pixels, "png", file.toFile());
    return file;
  }

  @Test
  void mirrorImagesAreLearntFromAndAskedIfWanted() throws IOException {
    assertThat(train(pictures, "--mirrored", "--epochs-head=1")).as(err.toString()).isZero();
    RunResult result = RunResult.read(run.resolve("result.json"));
    assertThat(result.settings())
        .containsEntry("trainingViews", "MIRRORED")
        .containsEntry("testViews", "MIRRORED");
    assertThat(result.images().test()).isEqualTo(6);
    Path picture = pictures.resolve("test/leaf/1.png");
    Path mirrored = folder.resolve("mirrored.png");
    BufferedImage pixels = ImageIO.read(picture.toFile());
    BufferedImage other = new BufferedImage(pixels.getWidth(), pixels.getHeight(), TYPE_INT_RGB);
    other
        .createGraphics()
        .drawImage(pixels, pixels.getWidth(), 0, -pixels.getWidth(), pixels.getHeight(), null);
    ImageIO.write(other, "png", mirrored.toFile());
    ImageClassifier classifier = ImageClassifier.load(run);
    Map<String, Double> expected = classifier.classify(picture).probabilities();
    classifier
        .classify(mirrored)
        .probabilities()
        .forEach((name, p) -> assertThat(p).isCloseTo(expected.get(name), offset(1e-6)));
  }

  @Test
  void nestedFoldersAreTakenIfAskedFor() throws IOException {
    Path nested = copy("folders-nested", folder.resolve("nested"));
    assertThat(train(nested, "--epochs-head=1")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).contains("looks like class folders with folders in them");
    assertThat(err.toString()).contains("--nested").hasLineCount(1);
    assertThat(train(nested, "--epochs-head=1", "--nested")).isZero();
    assertThat(RunResult.read(run.resolve("result.json")).images().all()).isEqualTo(6);
  }

  @Test
  void otherPicturesInTheSameFolderAreRefusedAndNothingIsLost() throws IOException {
    train(pictures, "--epochs-head=1");
    byte[] model = Files.readAllBytes(run.resolve("model.zip"));
    Path others = copy("folders", folder.resolve("others"));
    assertThat(train(others, "--epochs-head=1")).isEqualTo(Commands.USER_ERROR);
    assertThat(train(pictures, "--epochs-head=2")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(2).contains("choose another --out");
    assertThat(run.resolve("model.zip")).hasBinaryContent(model);
  }

  @Test
  void aChangedPictureUnderItsOldNameIsRefused() throws IOException {
    train(pictures, "--epochs-head=1");
    Path changed = pictures.resolve("train/leaf/1.png");
    byte[] bytes = Files.readAllBytes(pictures.resolve("train/leaf/2.png"));
    assertThat(Files.size(changed)).isEqualTo(bytes.length); // only the content tells
    Files.write(changed, bytes);
    assertThat(train(pictures, "--epochs-head=1")).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("holds a run with images of these names whose content was another");
    assertThat(run.resolve("model.zip")).exists();
  }

  private Path compare(String method, String place) {
    Path runs = folder.resolve(place);
    Stream<String> words =
        Stream.of("paper", "folders", "" + pictures, "--method=" + method, "--backbone=random");
    Stream<String> quick =
        Stream.of(
            "--epochs-head=1", "--epochs-whole=0", "--batch=4", "--engine=dl4j", "--out=" + runs);
    assertThat(execute(Stream.concat(words, quick))).as(err.toString()).isZero();
    return runs.resolve("folders_as-foldered_split1_" + method + "_seed1/predictions.csv");
  }

  @Test
  void cachedFeaturesOfAPictureThatChangedAreNotUsed() throws IOException {
    compare("b-cnn", "runs");
    byte[] bytes = Files.readAllBytes(pictures.resolve("train/leaf/2.png"));
    Files.write(pictures.resolve("train/leaf/1.png"), bytes); // of the same length
    Files.write(pictures.resolve("test/leaf/1.png"), bytes);
    assertThat(compare("spd", "runs")).hasSameTextualContentAs(compare("spd", "fresh"));
  }

  @Test
  void aFolderThatAnotherProcessWorksOnIsRefused() throws IOException {
    try (FileChannel lock = lock(run)) {
      assertThat(lock.isOpen()).isTrue();
      assertThat(train(pictures, "--epochs-head=1")).isEqualTo(Commands.USER_ERROR);
    }
    assertThat(err.toString())
        .hasLineCount(1)
        .contains("another process works on the run in", run + " (process 7 since noon)");
  }

  @Test
  void aRunOfSeveralThatAnotherProcessWorksOnIsLeftToIt() throws IOException {
    String name = "folders_as-foldered_split1_%s_seed1";
    Path taken = folder.resolve("runs").resolve(name.formatted("spd"));
    OwnFolder.claim("a test", folder.resolve("runs"));
    try (FileChannel lock = lock(taken)) {
      assertThat(lock.isOpen()).isTrue();
      compare("spd,b-cnn", "runs");
    }
    assertThat(out.toString())
        .contains("Other processes are working on " + name.formatted("spd") + ". The same");
    assertThat(taken.resolve("result.json")).doesNotExist();
    assertThat(taken.resolveSibling(name.formatted("b-cnn")).resolve("result.json")).exists();
    compare("spd,b-cnn", "runs");
    assertThat(taken.resolve("result.json")).exists();
  }

  /** As another process holds it, until it is closed. */
  private static FileChannel lock(Path run) throws IOException {
    OwnFolder.claim("a test", run).own("lock");
    FileChannel channel =
        FileChannel.open(run.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    channel.lock();
    channel.write(UTF_8.encode("process 7 since noon"));
    return channel;
  }

  @Test
  void aPictureThatTrainsAndTestsIsNamed() throws IOException {
    Files.copy(pictures.resolve("train/leaf/1.png"), pictures.resolve("test/leaf/new.png"));
    assertThat(train(pictures, "--epochs-head=1")).isZero();
    assertThat(out.toString())
        .contains(
            "copies of 1 test image are among the images to train on; test/leaf/new.png is the")
        .contains("train/leaf/1.png");
  }

  @Test
  void mistakesGetOneLineAndLeaveNothing() throws IOException {
    Path one = folder.resolve("one");
    Files.createDirectories(one);
    copy("folders/leaf", one.resolve("leaf"));
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(train(one)).isEqualTo(Commands.USER_ERROR);
    assertThat(train(folder.resolve("nowhere"))).isEqualTo(Commands.USER_ERROR);
    assertThat(train(pictures, "--method=spd-rot")).isEqualTo(Commands.USER_ERROR);
    assertThat(train(pictures, "--methods=spd,b-cnn", "--keep-features"))
        .isEqualTo(Commands.USER_ERROR);
    Stream<String> inside = Stream.of("train", "" + pictures, "--out=" + pictures.resolve("run"));
    assertThat(execute(inside)).isEqualTo(Commands.USER_ERROR);
    assertThat(execute(Stream.of("train", "" + pictures, "--out=" + file)))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines())
        .hasSize(6)
        .anyMatch(line -> line.contains("--keep-features is for a run of one head"))
        .anyMatch(line -> line.contains("two or more classes, got the one class 'leaf'"))
        .anyMatch(line -> line.contains("did you mean spd-root?"))
        .anyMatch(line -> line.contains("outside that of the pictures"));
    assertThat(run).doesNotExist();
    assertThat(pictures.resolve("run")).doesNotExist();
  }

  @Test
  void imagesTooSmallForTheBackboneGetOneLine() {
    assertThat(
            execute(
                Stream.of(
                    "train", "" + pictures, "--out=" + run, "--backbone=scattering", "--size=8")))
        .isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString()).hasLineCount(1).contains("feature maps", "h=8");
  }

  @Test
  void theCommandToResumeIsTheOneThatWasTyped() {
    CommandLine spd = Main.commandLine();
    spd.parseArgs("train", "my pictures", "--out=it's");
    assertThat(Interruption.command(spd.getSubcommands().get("train")))
        .isEqualTo("./spd train 'my pictures' '--out=it'\\''s'");
  }
}
