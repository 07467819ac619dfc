/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.engine.MapMeans;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.testing.SmallClassifier;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.imageio.ImageIO;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class ImageClassifierTest {

  private static final int SIZE = 21;
  private static final String CUT = SmallClassifier.CUT;
  private static final List<String> CLASSES = List.of("leaf", "stone", "water");
  private static final PixelFormat PIXELS =
      PixelFormat.of(PixelFormat.Order.RGB, 1).minus(0.5f, 0.4f, 0.3f).dividedBy(0.2f, 0.3f, 0.4f);

  @TempDir private Path folder;
  private Path model;
  private Path image;

  @BeforeEach
  void writeModelAndImage() throws IOException {
    model = folder.resolve("model.zip");
    ImageClassifier.save(net(), card(Views.FIVE_CROPS), model);
    image = picture(1);
  }

  private static ModelCard card(Views views) {
    return ModelCard.of(CLASSES, SIZE, views, PIXELS);
  }

  private static ComputationGraph net() {
    ConvolutionLayer maps =
        new ConvolutionLayer.Builder(3, 3).nOut(4).activation(Activation.RELU).dropOut(0.5).build();
    return SmallClassifier.net(SIZE, maps, 0.5);
  }

  /** Smooth patches with noise, larger than the network's input, and not square. */
  private Path picture(int seed) throws IOException {
    Random random = new Random(seed);
    BufferedImage picture = new BufferedImage(61, 47, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < picture.getHeight(); y++) {
      for (int x = 0; x < picture.getWidth(); x++) {
        int noise = random.nextInt(60);
        int red = (x * 3 + seed * 40) % 190 + noise;
        int green = (y * 4) % 190 + noise;
        int blue = (x + y + 20 * seed) % 190 + noise;
        picture.setRGB(x, y, red << 16 | green << 8 | blue);
      }
    }
    Path file = folder.resolve(seed + ".png");
    ImageIO.write(picture, "png", file.toFile());
    return file;
  }

  @Test
  void everyClassHasAProbability() throws IOException {
    Classification answer = ImageClassifier.load(model).classify(image);
    Map<String, Double> probabilities = answer.probabilities();
    assertThat(probabilities.keySet()).containsExactlyInAnyOrderElementsOf(CLASSES);
    assertThat(probabilities.values().stream().mapToDouble(p -> p).sum())
        .isCloseTo(1, offset(1e-6));
    assertThat(new ArrayList<>(probabilities.values()))
        .isSortedAccordingTo((a, b) -> b.compareTo(a));
    assertThat(answer.label()).isEqualTo(probabilities.keySet().iterator().next());
    assertThat(answer.probability()).isEqualTo(probabilities.get(answer.label())).isLessThan(0.999);
    assertThat(answer)
        .hasToString(String.format("%s %.1f %%", answer.label(), 100 * answer.probability()));
  }

  @Test
  void withoutAnotherEngineDl4jAnswers() throws IOException {
    assertThat(ImageClassifier.load(model).engine()).isEqualTo(Engine.DL4J);
    assertThat(ImageClassifier.load(model, Engine.AUTO).engine()).isEqualTo(Engine.DL4J);
    assertThatThrownBy(() -> ImageClassifier.load(model, Engine.ONNXRUNTIME))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("spd-dl4j-onnx and ONNX Runtime on the class path");
  }

  /** What a classifier does, from the parts of the library. */
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "MIRRORED", "FIVE_CROPS"})
  void whatTheseLinesDoByHandIsTheSame(Views kind) throws IOException {
    ImageClassifier.save(net(), card(kind), model);
    ComputationGraph net = ModelSerializer.restoreComputationGraph(model.toFile(), false);
    Acceleration.applyTo(net);
    ModelCard card = ModelCard.read(model);
    Views views = card.views();
    Pixels canvas = views.canvas(Pixels.read(image), card.size());
    INDArray[] inputs = new INDArray[views.count()];
    for (int i = 0; i < inputs.length; i++) {
      Pixels view = views.view(i, "", 0).cut(canvas, card.size(), 0, 0);
      inputs[i] = card.pixels().array(view);
    }
    double[] probabilities = net.outputSingle(Nd4j.concat(0, inputs)).mean(0).toDoubleVector();
    assertThat(numbers(ImageClassifier.load(model).classify(image))).isEqualTo(probabilities);
  }

  /** The same in plain loops, from nothing but the words of docs/serving.md. */
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "MIRRORED", "FIVE_CROPS"})
  void whatTheDocumentationSaysInWordsIsTheSame(Views kind) throws IOException {
    ImageClassifier.save(net(), card(kind), model);
    double[] probabilities =
        new PlainRecipe(PIXELS_MEAN, PIXELS_DEVIATION, SIZE)
            .probabilities(SafeModels.loadGraph(model), ImageIO.read(image.toFile()), kind);
    double[] expected = numbers(ImageClassifier.load(model).classify(image));
    for (int k = 0; k < expected.length; k++) {
      assertThat(probabilities[k]).isCloseTo(expected[k], offset(1e-4));
    }
  }

  /** Half the logarithms: what was twice as probable is √2 times as probable. */
  @Test
  void aTemperatureMakesAnswersLessSureAndTheCardSaysWhichAreUnsure() throws IOException {
    Classification raw = ImageClassifier.load(model).classify(image);
    assertThat(raw.isUnsure()).isFalse();
    ModelCard card = card(Views.FIVE_CROPS).confidence(Confidence.of(2, raw.probability()));
    ImageClassifier.save(net(), card, model);
    ImageClassifier calibrated = ImageClassifier.load(model);
    assertThat(calibrated.card().confidence()).hasToString(card.confidence().toString());
    Classification answer = calibrated.classify(image);
    List<String> order = List.copyOf(raw.probabilities().keySet());
    assertThat(answer.probabilities().keySet()).containsExactlyElementsOf(order);
    double before = raw.probability() / raw.probabilities().get(order.get(1));
    double after = answer.probability() / answer.probabilities().get(order.get(1));
    assertThat(after).isCloseTo(Math.sqrt(before), offset(1e-5));
    assertThat(answer.isUnsure()).isTrue();
    assertThat(answer.isUnsure(0)).isFalse();
    assertThat(answer.toString()).endsWith(" %, unsure");
  }

  /** The answer is the same, and its distance from what is known is that of the maps' means. */
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "FIVE_CROPS"})
  void anImageThatIsFarFromAllClassesIsNamed(Views kind) throws IOException {
    Classification plain = answer(card(kind));
    assertThat(plain.isUnlike()).isFalse();
    MapMeans means = MapMeans.in(net()).orElseThrow();
    assertThat(means.last()).isNull();
    Familiarity known = Familiarity.fit(Nd4j.rand(DataType.FLOAT, 12, 4), new int[12]);
    Confidence near = Confidence.UNKNOWN.unlike(known, 1e6);
    Confidence far = Confidence.UNKNOWN.unlike(known, 1e-6);
    assertThat(answer(card(kind).confidence(near)).isUnlike()).isFalse();
    Classification answer = answer(card(kind).confidence(far));
    assertThat(answer.isUnlike()).isTrue();
    assertThat(answer.doubt()).contains("unlike anything trained on");
    assertThat(answer.probabilities()).isEqualTo(plain.probabilities());
  }

  private Classification answer(ModelCard card) throws IOException {
    ImageClassifier.save(net(), card, model);
    return ImageClassifier.load(model).classify(image);
  }

  @Test
  void distancesOfOtherMapsAreRefused() throws IOException {
    Familiarity other = Familiarity.fit(Nd4j.rand(DataType.FLOAT, 12, 5), new int[12]);
    ModelCard card = card(Views.PLAIN).confidence(Confidence.UNKNOWN.unlike(other, 1));
    assertThatThrownBy(() -> answer(card)).hasMessageContaining("card knows, 5, got 4");
    assertThatThrownBy(() -> Confidence.UNKNOWN.unlike(other, 0))
        .hasMessageContaining("a distance above 0");
  }

  /** A file that says nothing about it is as good as before; one that says nonsense is refused. */
  @Test
  void aTemperatureOfZeroIsRefused() {
    assertThatThrownBy(() -> Confidence.of(0, 0)).hasMessageContaining("temperature above 0");
    assertThatThrownBy(() -> Confidence.of(1, 1.5)).hasMessageContaining("got \"1.5\"");
    assertThat(card(Views.PLAIN).confidence()).isSameAs(Confidence.UNKNOWN);
  }

  private static final double[] PIXELS_MEAN = {0.5, 0.4, 0.3};
  private static final double[] PIXELS_DEVIATION = {0.2, 0.3, 0.4};

  /** In the order of the network's output. */
  private static double[] numbers(Classification answer) {
    return CLASSES.stream().mapToDouble(answer.probabilities()::get).toArray();
  }

  @Test
  void manyImagesAreAnsweredLikeEachByItself() throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    List<Path> images = List.of(image, picture(2), picture(3));
    List<Classification> answers = classifier.classify(images);
    assertThat(answers).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(answers.get(i).probabilities())
          .isEqualTo(classifier.classify(images.get(i)).probabilities());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "MIRRORED", "FIVE_CROPS"})
  void imagesThatAreAskedTogetherAreAnsweredLikeEachByItself(Views kind) throws IOException {
    ImageClassifier.save(net(), card(kind), model);
    ImageClassifier classifier = ImageClassifier.load(model);
    List<Path> images = List.of(image, picture(2), picture(3));
    List<PreparedImage> prepared = new ArrayList<>();
    for (Path file : images) {
      prepared.add(prepared(classifier, file));
    }
    List<Classification> answers = classifier.classifyTogether(prepared);
    assertThat(answers).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(numbers(answers.get(i)))
          .containsExactly(numbers(classifier.classify(images.get(i))), offset(1e-6));
    }
    assertThat(classifier.classifyTogether(List.of())).isEmpty();
    ImageClassifier other = ImageClassifier.load(model);
    assertThatThrownBy(() -> other.classifyTogether(prepared))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another");
  }

  private static PreparedImage prepared(ImageClassifier classifier, Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      return classifier.prepare(stream);
    }
  }

  /**
   * z and so its slope are differences to the mean: what speaks for one class speaks against
   * others.
   */
  @Test
  void attributionsOfAllClassesAddUpToNothing() throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    PreparedImage prepared = prepared(classifier, image);
    double[][] sum = new double[SIZE - 2][SIZE - 2];
    double largest = 0;
    for (String label : CLASSES) {
      double[][] places = classifier.attribution(prepared, label);
      assertThat(places).hasDimensions(SIZE - 2, SIZE - 2);
      for (int y = 0; y < sum.length; y++) {
        for (int x = 0; x < sum.length; x++) {
          sum[y][x] += places[y][x];
          largest = Math.max(largest, Math.abs(places[y][x]));
        }
      }
    }
    assertThat(largest).isPositive();
    for (double[] row : sum) {
      assertThat(row).containsOnly(new double[] {0}, offset(1e-3 * largest));
    }
    assertThatThrownBy(() -> classifier.attribution(prepared, "sand"))
        .hasMessageContaining("sand")
        .hasMessageContaining("water");
  }

  @Test
  void aStreamAndAPictureAreAnsweredLikeTheFile() throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    Map<String, Double> expected = classifier.classify(image).probabilities();
    try (InputStream stream = Files.newInputStream(image)) {
      assertThat(classifier.classify(stream).probabilities()).isEqualTo(expected);
    }
    BufferedImage picture = ImageIO.read(image.toFile());
    assertThat(classifier.classify(picture).probabilities()).isEqualTo(expected);
    assertThat(bytes(classifier.explain(picture))).isEqualTo(bytes(classifier.explain(image)));
  }

  @Test
  void severalThreadsGetTheSameAnswers() throws Exception {
    ImageClassifier classifier = ImageClassifier.load(model);
    List<Path> images = List.of(image, picture(2), picture(3), picture(4));
    List<Classification> expected = classifier.classify(images);
    byte[] explanation = bytes(classifier.explain(image));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        int number = i % images.size();
        boolean explains = i % 5 == 0;
        calls.add(
            () ->
                explains
                    ? Arrays.equals(bytes(classifier.explain(image)), explanation)
                    : classifier
                        .classify(images.get(number))
                        .probabilities()
                        .equals(expected.get(number).probabilities()));
      }
      for (Future<Boolean> same : threads.invokeAll(calls)) {
        assertThat(same.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static byte[] bytes(BufferedImage picture) {
    return Png.bytes(picture);
  }

  @Test
  void anExplanationIsAPicture() throws IOException {
    BufferedImage explained = ImageClassifier.load(model).explain(image);
    assertThat(explained.getWidth()).isEqualTo(2 * explained.getHeight());
    ComputationGraph net = SmallClassifier.unmarked(net());
    ImageClassifier.save(net, ModelCard.of(CLASSES, SIZE, Views.PLAIN, PIXELS), model);
    ImageClassifier without = ImageClassifier.load(model);
    assertThat(without.explains()).isFalse();
    assertThatThrownBy(() -> without.explain(image)).hasMessageContaining("backbone");
  }

  @Test
  void theFolderOfARunWillDoAndACardBesideIt() throws IOException {
    ComputationGraph net = net();
    double[] expected = numbers(ImageClassifier.load(folder).classify(image));
    ModelSerializer.writeModel(net, model.toFile(), false);
    assertThatThrownBy(() -> ImageClassifier.load(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("model.json");
    Files.writeString(folder.resolve("model.json"), card(Views.FIVE_CROPS).json());
    assertThat(numbers(ImageClassifier.load(folder).classify(image))).isEqualTo(expected);
  }

  @Test
  void classesAreAsManyAsOutputs() throws IOException {
    ModelCard two = ModelCard.of(List.of("leaf", "stone"), SIZE, Views.PLAIN, PIXELS);
    assertThatThrownBy(() -> ImageClassifier.save(net(), two, model))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3")
        .hasMessageContaining("2");
    ModelSerializer.writeModel(net(), model.toFile(), false);
    Files.writeString(folder.resolve("model.json"), two.json());
    assertThatThrownBy(() -> ImageClassifier.load(model))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("outputs, 3, got 2");
  }

  @Test
  void aCardThatMakesNoSenseIsRefused() throws IOException {
    ModelSerializer.writeModel(net(), model.toFile(), false);
    String json = card(Views.PLAIN).json();
    for (String[] change :
        new String[][] {
          {"\"version\" : 1", "\"version\" : 2", "version 1"},
          {"\"leaf\"", "\"stone\"", "name"},
          {"\"leaf\"", "null", "name"},
          {"\"size\" : 21", "\"size\" : 1000000", "pixels"},
          {"PLAIN", "FIFTEEN_CROPS", "chance"},
          {"RGB", "XYZ", "expected pixels"},
          {"triangle", "lanczos", "triangle"},
          {"{", "[", "model.json"},
          {json, "null", "description"}
        }) {
      Files.writeString(folder.resolve("model.json"), json.replace(change[0], change[1]));
      assertThatThrownBy(() -> ImageClassifier.load(model))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("model.json")
          .hasMessageContaining(change[2]);
    }
  }

  @Test
  void whatIsNoImageAndNoModelIsNamed() throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    Path text = Files.writeString(folder.resolve("text.png"), "no image");
    assertThatThrownBy(() -> classifier.classify(text))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("text.png");
    assertThatThrownBy(() -> classifier.classify(folder.resolve("none.png")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none.png");
    assertThatThrownBy(() -> ImageClassifier.load(folder.resolve("none.zip")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none.zip");
  }
}
