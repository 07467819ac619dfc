/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.SmallClassifier;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.Upsampling2D;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import picocli.CommandLine;

/** Models, folders and options that no user means: they work, or the command says what to do. */
class HardCasesTest {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int SIZE = 24;
  private static final List<String> CLASSES = List.of("leaf", "sand", "water");

  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private int run(List<String> words) {
    err.getBuffer().setLength(0);
    CommandLine spd = Main.commandLine();
    spd.setOut(new PrintWriter(Writer.nullWriter())).setErr(new PrintWriter(err));
    return assertTimeoutPreemptively(
        LIMIT, () -> spd.execute(words.toArray(String[]::new)), words::toString);
  }

  private int run(String... words) {
    return run(List.of(words));
  }

  /** Ends well, or with one line that says what to do. */
  private void assertWorksOrSays(List<String> words) {
    int code = run(words);
    assertThat(code).as("%s: %s", words, err).isIn(0, Commands.USER_ERROR);
    if (code != 0) {
      assertThat(err.toString().lines()).as(words.toString()).hasSize(1);
      assertThat(err.toString()).doesNotContain("Exception").doesNotContain("\tat ");
    }
  }

  private void assertSays(String reason, String... words) {
    assertWorksOrSays(List.of(words));
    assertThat(err.toString()).contains(reason);
  }

  private static byte[] picture(int seed) {
    BufferedImage picture = new BufferedImage(40, 30, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(seed);
    for (int i = 0; i < 40 * 30; i++) {
      picture.setRGB(i % 40, i / 40, random.nextInt());
    }
    return Png.bytes(picture);
  }

  private Path pictures() throws IOException {
    Path pictures = folder.resolve("pictures");
    for (String label : List.of("a", "b")) {
      Files.createDirectories(pictures.resolve(label));
      for (int i = 0; i < 6; i++) {
        Files.write(pictures.resolve(label).resolve(i + ".png"), picture(label.hashCode() + i));
      }
    }
    return pictures;
  }

  private List<String> train(Path pictures, String out, String... others) {
    List<String> words = new ArrayList<>(List.of("train", pictures.toString()));
    words.addAll(List.of("--out=" + folder.resolve(out), "--backbone=random"));
    words.addAll(List.of(others));
    for (String usual : List.of("--size=32", "--epochs-head=1", "--batch=4")) {
      if (words.stream().noneMatch(word -> word.startsWith(usual.split("=")[0] + "="))) {
        words.add(usual);
      }
    }
    return words;
  }

  private static ComputationGraph net() {
    return SmallClassifier.net(
        SIZE,
        new ConvolutionLayer.Builder(5, 5).stride(2, 2).nOut(6).activation(Activation.RELU).build(),
        2);
  }

  private Path model(ComputationGraph net, int size) {
    Path model = folder.resolve("model.zip");
    PixelFormat pixels = PixelFormat.of(PixelFormat.Order.RGB, 1);
    ModelCard card = ModelCard.of(CLASSES, size, Views.PLAIN, pixels);
    ImageClassifier.save(net, card, model);
    return model;
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1e-38, 1e-30, 1e10, 1e20, 3e38, Double.NaN})
  void weightsOfAnySizeAreTakenOrRefused(double factor) throws IOException {
    Path picture = Files.write(folder.resolve("p.png"), picture(1));
    ComputationGraph net = net();
    net.params().muli(factor);
    Path model = model(net, SIZE);
    assertWorksOrSays(List.of("predict", model.toString(), picture.toString()));
    net.params().assign(factor);
    model(net, SIZE);
    assertWorksOrSays(List.of("predict", model.toString(), picture.toString()));
    Path set = folder.resolve("set");
    for (int i = 0; i < 2 * CLASSES.size(); i++) {
      Path label = Files.createDirectories(set.resolve(CLASSES.get(i / 2)));
      Files.write(label.resolve(i + ".png"), picture(i));
    }
    assertWorksOrSays(
        List.of("check", set.toString(), "--labels=" + model, "--out=" + folder.resolve("labels")));
    assertWorksOrSays(
        List.of(
            "predict", model.toString(), picture.toString(), "--explain=" + folder.resolve("x")));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 200})
  void cardsOfAnySizeAreTakenOrRefused(int size) throws IOException {
    Path picture = Files.write(folder.resolve("p.png"), picture(1));
    Path model = model(net(), size);
    assertWorksOrSays(
        List.of(
            "predict", model.toString(), picture.toString(), "--explain=" + folder.resolve("x")));
    if (size < 5) { // the kernel of the convolution
      assertThat(err.toString()).contains("train the model again");
    }
  }

  /** As after an averaging that takes W off, or a damage with a checksum that is right. */
  @Test
  void aModelOffTheManifoldIsRefused() throws IOException {
    ComputationGraph net =
        SpdGraft.onto(Backbone.of(net(), SmallClassifier.CUT))
            .head(Head.spdNet(3))
            .classes(CLASSES.size())
            .build();
    net.params().muli(3);
    Path picture = Files.write(folder.resolve("p.png"), picture(1));
    assertSays(
        "expected W on the Stiefel manifold",
        "predict",
        model(net, SIZE).toString(),
        picture.toString());
  }

  /** A few bytes of a file ask for more memory than there is. */
  @Test
  void layersThatEnlargeBeyondMeasureAreRefused() throws IOException {
    ComputationGraph large =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer("large", new Upsampling2D.Builder(5000).build(), "image")
                .addLayer("mean", new GlobalPoolingLayer.Builder().build(), "large")
                .addLayer("out", new OutputLayer.Builder().nOut(CLASSES.size()).build(), "mean")
                .setOutputs("out")
                .build());
    large.init();
    Path picture = Files.write(folder.resolve("p.png"), picture(1));
    assertSays(
        "expected at most 268435456 numbers of each layer",
        "predict",
        model(large, SIZE).toString(),
        picture.toString());
  }

  @Test
  void withoutACutThereIsNoExplanation() throws IOException {
    Path picture = Files.write(folder.resolve("p.png"), picture(1));
    Path model = folder.resolve("model.zip");
    PixelFormat pixels = PixelFormat.of(PixelFormat.Order.RGB, 1);
    ComputationGraph net = SmallClassifier.unmarked(net());
    ImageClassifier.save(net, ModelCard.of(CLASSES, SIZE, Views.PLAIN, pixels), model);
    assertSays(
        "leave --explain out",
        "predict",
        model.toString(),
        picture.toString(),
        "--explain=" + folder.resolve("x"));
    assertThat(run("predict", model.toString(), picture.toString())).isZero();
  }

  @Test
  void optionsThatNobodyMeansAreTakenOrRefused() throws IOException {
    Path pictures = pictures();
    assertSays(
        "--size needs at most 8192", train(pictures, "a", "--size=9000").toArray(String[]::new));
    for (String option :
        List.of("--size=1", "--size=3", "--epochs-head=0", "--batch=2000000000", "--seed=-1")) {
      assertWorksOrSays(train(pictures, "out" + option, option));
    }
    Path blank = Files.createDirectory(pictures.resolve(" "));
    for (int i = 0; i < 6; i++) {
      Files.write(blank.resolve(i + ".png"), picture(i));
    }
    assertThat(run(train(pictures, "blank"))).as(err.toString()).isZero();
    Path picture = pictures.resolve("a/0.png");
    assertThat(run("predict", folder.resolve("blank").toString(), picture.toString())).isZero();
  }

  @Test
  void aModelOfAnotherRunDoesNotAnswer() throws IOException {
    Path pictures = pictures();
    Path picture = pictures.resolve("a/0.png");
    assertThat(run(train(pictures, "one"))).as(err.toString()).isZero();
    assertThat(run(train(pictures, "two", "--seed=2"))).as(err.toString()).isZero();
    Path one = folder.resolve("one");
    assertThat(run("predict", one.toString(), picture.toString())).isZero();
    Files.copy(
        folder.resolve("two/model.zip"),
        one.resolve("model.zip"),
        StandardCopyOption.REPLACE_EXISTING);
    assertSays("of another run", "predict", one.toString(), picture.toString());
    assertSays("of another run", "predict", one + "/model.zip", picture.toString());
    String labels = "--out=" + folder.resolve("labels");
    assertSays("of another run", "check", pictures.toString(), "--labels=" + one, labels);
    assertSays("of another run", "export", one.toString(), folder.resolve("m.onnx").toString());
    Path alone = Files.createDirectory(folder.resolve("alone"));
    Files.copy(one.resolve("model.zip"), alone.resolve("model.zip"));
    assertThat(run("predict", alone.toString(), picture.toString())).isZero();
  }

  /** Edited, or of another run: the winner would be another one. */
  @Test
  void answersOfAnotherRunAreNotCompared() throws IOException {
    Path pictures = pictures();
    assertThat(run(train(pictures, "one"))).as(err.toString()).isZero();
    assertThat(run(train(pictures, "two", "--method=b-cnn"))).as(err.toString()).isZero();
    String[] compare = {
      "compare",
      folder.resolve("one").toString(),
      folder.resolve("two").toString(),
      "--out=" + folder.resolve("c.html")
    };
    assertThat(run(compare)).as(err.toString()).isZero();
    Path answers = folder.resolve("two/predictions.csv");
    Files.writeString(
        answers, Files.readString(answers).replaceAll("(?m)^(.*),b,a,", "$1,b,b,") + " ");
    assertSays("two/predictions.csv: its checksum is not that in result.json", compare);
  }

  @ParameterizedTest
  @ValueSource(strings = {"settings.json", "result.json", "model.zip", "lock", ".spd"})
  void aPipeIsNotOpened(String name) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "needs pipes");
    Path pictures = pictures();
    Path picture = pictures.resolve("a/0.png");
    assertThat(run(train(pictures, "run"))).as(err.toString()).isZero();
    Path pipe = folder.resolve("run").resolve(name);
    Files.deleteIfExists(pipe);
    new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor();
    assertWorksOrSays(train(pictures, "run"));
    assertWorksOrSays(List.of("predict", folder.resolve("run").toString(), picture.toString()));
    assertWorksOrSays(
        List.of("table", folder.resolve("run").toString(), "--out=" + folder.resolve("t")));
  }

  @Test
  void aPipeAmongPicturesIsNotOpened() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "needs pipes");
    Path pictures = pictures();
    Path pipe = pictures.resolve("a/pipe.png");
    new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor();
    assertThat(run(train(pictures, "run"))).as(err.toString()).isZero();
  }

  /** Reading that memory fails, and nobody lets one into a folder of mode 0. */
  @Test
  void whatCannotBeReadIsNamedAndTheRestGoesOn() throws IOException {
    Path memory = Path.of("/proc/self/mem");
    assumeTrue(Files.isRegularFile(memory), "needs Linux");
    Path pictures = pictures();
    Files.createSymbolicLink(pictures.resolve("a/bad.png"), memory);
    Path closed = Files.createDirectory(pictures.resolve("closed"));
    for (int i = 0; i < 6; i++) {
      Files.write(closed.resolve(i + ".png"), picture(i));
    }
    Files.setPosixFilePermissions(closed, Set.of());
    boolean root = Files.isReadable(closed);
    try {
      StringWriter said = new StringWriter();
      CommandLine spd = Main.commandLine();
      spd.setOut(new PrintWriter(said)).setErr(new PrintWriter(err));
      assertThat(spd.execute(train(pictures, "run").toArray(String[]::new)))
          .as(err.toString())
          .isZero();
      assertThat(said.toString()).contains("Left out: " + pictures.resolve("a/bad.png"));
      assertThat(root || said.toString().contains("images: closed")).as(said.toString()).isTrue();
      said.getBuffer().setLength(0);
      assertThat(spd.execute("predict", folder.resolve("run").toString(), pictures.toString()))
          .isEqualTo(Commands.USER_ERROR);
      assertThat(err.toString()).contains("Not classified: " + pictures.resolve("a/bad.png"));
      assertThat(root || err.toString().contains(closed + ": a folder that cannot be read"))
          .as(err.toString())
          .isTrue();
      assertTheRestGoesOn(closed, root);
      assertThat(err.toString())
          .contains(root ? "18 of 19 pictures classified" : "12 of 14 pictures classified");
    } finally {
      Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /** A folder that nobody may list, beside a run. */
  private void assertTheRestGoesOn(Path closed, boolean root) {
    String before = err.toString();
    for (String[] words :
        new String[][] {
          {"runs", folder.toString()},
          {"table", folder.toString(), "--out=" + folder.resolve("table")}
        }) {
      assertThat(run(words)).as(err.toString()).isEqualTo(root ? 0 : Commands.USER_ERROR);
      assertThat(root || err.toString().contains("Not read: " + closed + ": no permission"))
          .as(err.toString())
          .isTrue();
    }
    assertThat(folder.resolve("table/table.md")).exists();
    err.getBuffer().setLength(0);
    err.append(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e308", "1e-308", "1e39"})
  void scalesThatNobodyMeansAreTakenOrRefused(String scale) throws IOException {
    List<String> words = new ArrayList<>(train(pictures(), "out"));
    words.set(0, "paper");
    words.add(1, "folders");
    words.addAll(List.of("--method=spd", "--scale=" + scale, "--epochs-whole=0", "--splits=1"));
    assertWorksOrSays(words);
  }

  @Test
  void processesAreNoPictures() {
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "needs Linux");
    Path self = Path.of("/proc/self");
    assertWorksOrSays(train(self, "a"));
    assertWorksOrSays(train(self, "b", "--nested"));
  }
}
