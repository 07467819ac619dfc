/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.offset;

import ai.onnx.proto.OnnxMl.ModelProto;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.inference.Compiled;
import io.github.spd4j.internal.inference.Inference;
import io.github.spd4j.internal.onnx.OnnxCompiler;
import io.github.spd4j.models.Confidence;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.testing.SmallClassifier;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.InMemoryImages;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.slf4j.LoggerFactory;

/** Answers by ONNX Runtime beside those of DL4J. */
class EngineTest {

  private static final Path ONNX =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/onnx/resnet.onnx");

  private static final List<String> CLASSES = List.of("a", "b", "c");
  private static final int SIZE = 32;
  private static final int MAPS = 8;

  @TempDir Path folder;

  private static ComputationGraph net() {
    return SmallClassifier.net(SIZE, new ConvolutionLayer.Builder(3, 3).nOut(MAPS).build(), 1);
  }

  private static ModelCard card(Views views) {
    return ModelCard.of(CLASSES, SIZE, views, PixelFormat.TORCH);
  }

  private Path saved(ComputationGraph net, ModelCard card) {
    Path file = folder.resolve("model.zip");
    ImageClassifier.save(net, card, file);
    return file;
  }

  private static BufferedImage picture(int seed) {
    BufferedImage picture = new BufferedImage(40, 50, BufferedImage.TYPE_INT_RGB);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      picture.setRGB(i % 40, i / 40, random.nextInt());
    }
    return picture;
  }

  private static PreparedImage prepared(ImageClassifier classifier, int seed) throws IOException {
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    ImageIO.write(picture(seed), "png", png);
    return classifier.prepare(new ByteArrayInputStream(png.toByteArray()));
  }

  private static void assertSameAnswers(Path file, Engine computing) throws IOException {
    ImageClassifier own = ImageClassifier.load(file, Engine.DL4J);
    ImageClassifier other = ImageClassifier.load(file, Engine.ONNXRUNTIME);
    assertThat(own.engine()).isEqualTo(Engine.DL4J);
    assertThat(other.engine()).isEqualTo(computing);
    assertThat(ImageClassifier.load(file).engine()).isEqualTo(computing);
    List<PreparedImage> ofOwn = new ArrayList<>();
    List<PreparedImage> ofOther = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ofOwn.add(prepared(own, i));
      ofOther.add(prepared(other, i));
      assertSame(own.classify(picture(i)), other.classify(picture(i)));
      assertThat(other.attribution(ofOther.get(i), "b"))
          .isEqualTo(own.attribution(ofOwn.get(i), "b"));
      assertThat(pixels(other.explain(picture(i)))).isEqualTo(pixels(own.explain(picture(i))));
    }
    List<Classification> expected = own.classifyTogether(ofOwn);
    List<Classification> got = other.classifyTogether(ofOther);
    for (int i = 0; i < 3; i++) {
      assertSame(expected.get(i), got.get(i));
    }
  }

  private static int[] pixels(BufferedImage picture) {
    return picture.getRGB(0, 0, picture.getWidth(), picture.getHeight(), null, 0, 1 << 10);
  }

  private static void assertSame(Classification expected, Classification got) {
    assertThat(got.probabilities().keySet())
        .containsExactlyElementsOf(expected.probabilities().keySet());
    got.probabilities()
        .forEach((k, p) -> assertThat(p).isCloseTo(expected.probabilities().get(k), offset(1e-5)));
    assertThat(got.isUnsure()).isEqualTo(expected.isUnsure());
    assertThat(got.doubt()).isEqualTo(expected.doubt());
  }

  @Tag("once")
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "MIRRORED", "FIVE_CROPS"})
  void answersAreTheSame(Views views) throws IOException {
    assertSameAnswers(saved(net(), card(views)), Engine.ONNXRUNTIME);
  }

  /** Everything that {@code ./spd train} writes into a card; some pictures are unlike, some not. */
  @Tag("once")
  @ParameterizedTest
  @EnumSource(names = {"PLAIN", "FIVE_CROPS"})
  void doubtsAreTheSame(Views views) throws IOException {
    Nd4j.getRandom().setSeed(4);
    Familiarity known = Familiarity.fit(Nd4j.randn(DataType.FLOAT, 40, MAPS), new int[40]);
    List<Boolean> unlike = new ArrayList<>();
    for (double limit : new double[] {1e-6, 1e6}) {
      Confidence all = Confidence.of(2, 0.6).unlike(known, limit);
      Path file = saved(net(), card(views).confidence(all));
      assertSameAnswers(file, Engine.ONNXRUNTIME);
      unlike.add(ImageClassifier.load(file).classify(picture(0)).isUnlike());
    }
    assertThat(unlike).containsExactly(true, false);
  }

  /** What cannot be written as ONNX for any number of images stays with DL4J. */
  @ParameterizedTest
  @EnumSource(names = {"ONNXRUNTIME", "DL4J"})
  void aNetworkThatIsOnnxIsComputedWhole(Engine engine) throws IOException {
    Path file = ONNX;
    if (engine == Engine.DL4J) {
      ModelProto.Builder one = ModelProto.parseFrom(Files.readAllBytes(ONNX)).toBuilder();
      one.getGraphBuilder()
          .getInputBuilder(0)
          .getTypeBuilder()
          .getTensorTypeBuilder()
          .getShapeBuilder()
          .getDimBuilder(0)
          .setDimValue(1);
      file = Files.write(folder.resolve("one.onnx"), one.build().toByteArray());
    }
    Backbone backbone = OnnxBackbone.load(file).withPixels(PixelFormat.TORCH);
    ComputationGraph net =
        SpdGraft.onto(backbone).head(Head.spdRoot(8).convolution(16)).classes(3).seed(1).build();
    assertSameAnswers(saved(net, backbone.card(CLASSES)), engine);
  }

  private static ComputationGraph with(ComputationGraph net, Consumer<ComputationGraph> change) {
    change.accept(net);
    return net;
  }

  /** Whatever a model that is no good is asked, the message does not depend on the engine. */
  @Tag("once")
  @Test
  void refusalsAreTheSame() {
    Familiarity other = Familiarity.fit(Nd4j.rand(DataType.FLOAT, 12, MAPS + 1), new int[12]);
    ModelCard plain = card(Views.PLAIN);
    for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, 3e38f}) {
      assertThat(outcome(with(net(), net -> net.params().assign(bad)), plain)).contains("inite");
      outcome(with(net(), net -> net.getLayers()[0].getParam("W").putScalar(0, bad)), plain);
      outcome(with(net(), net -> net.getOutputLayer(0).getParam("W").putScalar(0, bad)), plain);
    }
    assertThat(outcome(net(), ModelCard.of(CLASSES, 2, Views.PLAIN, PixelFormat.TORCH)))
        .contains("Exception");
    assertThat(outcome(net(), plain.confidence(Confidence.UNKNOWN.unlike(other, 1))))
        .contains("card knows, 9, got 8");
  }

  /** The same for each engine: the refusal, or the class. */
  private String outcome(ComputationGraph net, ModelCard card) {
    Path model = saved(net, card);
    List<String> outcomes = new ArrayList<>();
    for (Engine engine : Engine.values()) {
      String[] label = new String[1];
      Throwable refusal =
          catchThrowable(
              () -> label[0] = ImageClassifier.load(model, engine).classify(picture(1)).label());
      outcomes.add(refusal == null ? label[0] : refusal.toString());
    }
    assertThat(outcomes).containsOnly(outcomes.get(0));
    return outcomes.get(0);
  }

  @Tag("once")
  @Test
  void badPicturesAreRefusedAlike() throws IOException {
    Path model = saved(net(), card(Views.PLAIN));
    for (Engine engine : Engine.values()) {
      ImageClassifier classifier = ImageClassifier.load(model, engine);
      assertThat(catchThrowable(() -> classifier.prepare(new ByteArrayInputStream(new byte[9]))))
          .isInstanceOf(IOException.class);
      assertThat(classifier.classify(picture(1)).probabilities()).hasSize(3);
    }
  }

  @Test
  void theLogSaysOnceWhichEngineComputesAndWhy() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Inference.class);
    logger.setLevel(Level.INFO);
    log.start();
    logger.addAppender(log);
    try {
      ComputationGraph backbone = net();
      ComputationGraph eigen =
          SpdGraft.onto(Backbone.of(backbone, SmallClassifier.CUT))
              .head(Head.logEuclidean())
              .classes(3)
              .build();
      for (Engine engine : new Engine[] {Engine.AUTO, Engine.AUTO, Engine.ONNXRUNTIME}) {
        assertThat(compiled(net(), engine)).isTrue();
        assertThat(compiled(eigen, engine)).isFalse();
        assertThat(compiled(eigen, Engine.DL4J)).isFalse();
      }
    } finally {
      logger.detachAppender(log);
      logger.setLevel(null);
    }
    assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).hasSize(2);
    assertThat(log.list.get(0).getFormattedMessage()).isEqualTo("ONNX Runtime computes this test");
    assertThat(log.list.get(1).getFormattedMessage())
        .startsWith(
            "DL4J computes this test: LogEigLayer 'spd-function' cannot be written as ONNX");
  }

  private static boolean compiled(ComputationGraph net, Engine engine) {
    return new Inference(engine, "this test")
        .compiled(
            net,
            net.getConfiguration().getNetworkOutputs(),
            outputs -> outputs,
            images -> List.of(net.outputSingle(images)),
            () -> Nd4j.rand(DataType.FLOAT, 1, 3, SIZE, SIZE))
        .isPresent();
  }

  /** Views, and batches of any size; images that are no batch are refused. */
  @Tag("once")
  @Test
  void anyArrayWillDo() {
    ComputationGraph net = net();
    List<String> outputs = List.of(Backbone.MAPS, SpdGraft.CLASSIFIER);
    try (Compiled compiled =
        new OnnxCompiler().compile(net, InputType.convolutional(SIZE, SIZE, 3), outputs)) {
      INDArray all = Nd4j.rand(DataType.FLOAT, SIZE, SIZE, 3, 5).permute(3, 2, 0, 1);
      for (INDArray images :
          List.of(all, all.dup('c'), all.get(NDArrayIndex.interval(1, 3)), all.dup('f'))) {
        List<INDArray> actual = compiled.run(images);
        Map<String, INDArray> expected = net.feedForward(images.dup('c'), false);
        for (int i = 0; i < 2; i++) {
          INDArray own = expected.get(outputs.get(i));
          assertThat(actual.get(i).shape()).isEqualTo(own.shape());
          assertThat(actual.get(i).sub(own).amaxNumber().doubleValue()).isLessThan(1e-5);
        }
      }
      assertThatThrownBy(() -> compiled.run(Nd4j.zeros(DataType.FLOAT, 3, SIZE, SIZE)))
          .hasMessageContaining("ONNX Runtime cannot compute images of [3, 32, 32]");
    }
  }

  /** In one folder: each engine continues its own features, and whole ones serve both. */
  @Test
  void featuresOfEnginesAreKeptApart() throws IOException {
    ComputationGraph net = net();
    LabelledImages images =
        new InMemoryImages(Nd4j.rand(DataType.FLOAT, 5, 3, SIZE, SIZE), new int[5], 1);
    FeatureCache cache = FeatureCache.inFolder(folder.resolve("cache"));
    float[] other = features(cache, net, images, new TrainingProgress() {});
    assertThat(files()).hasSize(1);
    assertThat(features(FeatureCache.inMemory(), net, images, new TrainingProgress() {}))
        .isEqualTo(other);
    float[] own = features(cache.computedBy(Engine.DL4J), net, images, new TrainingProgress() {});
    assertThat(files()).hasSize(2);
    assertThat(own).isNotEqualTo(other).containsExactly(other, offset(1e-5f));
    for (Engine engine : Engine.values()) { // nothing is computed any more
      TrainingProgress whole =
          new TrainingProgress() {
            @Override
            public void featuresDone(int done, int total) {
              assertThat(done).isEqualTo(total);
            }
          };
      assertThat(features(cache.computedBy(engine), net, images, whole))
          .isEqualTo(engine == Engine.DL4J ? own : other);
    }
  }

  /** An interrupted computation ends with the same bits, whichever engine went on meanwhile. */
  @Test
  void resumedFeaturesAreThoseOfOneEngine() throws IOException {
    ComputationGraph net = net();
    LabelledImages images =
        new InMemoryImages(Nd4j.rand(DataType.FLOAT, 5, 3, SIZE, SIZE), new int[5], 1);
    float[] whole = features(FeatureCache.inMemory(), net, images, new TrainingProgress() {});
    FeatureCache cache = FeatureCache.inFolder(folder.resolve("cache"));
    TrainingProgress interrupting =
        new TrainingProgress() {
          @Override
          public void featuresDone(int done, int total) {
            if (done == 2) {
              throw new IllegalStateException("enough");
            }
          }
        };
    for (Engine engine : new Engine[] {Engine.ONNXRUNTIME, Engine.DL4J}) {
      assertThatThrownBy(() -> features(cache.computedBy(engine), net, images, interrupting))
          .hasMessage("enough");
    }
    assertThat(files()).hasSize(2);
    assertThat(features(cache, net, images, new TrainingProgress() {})).isEqualTo(whole);
    assertThat(features(cache.computedBy(Engine.DL4J), net, images, new TrainingProgress() {}))
        .isNotEqualTo(whole);
  }

  private static float[] features(
      FeatureCache cache, ComputationGraph net, LabelledImages images, TrainingProgress progress) {
    try (Features features = cache.features(net, images, 2, progress)) {
      return features.batch(0, 1, 2, 3, 4).ravel().toFloatVector();
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
      return files.map(Path::toString).filter(file -> file.endsWith(".bin")).toList();
    }
  }

  @Tag("once")
  @Test
  void withoutItsJarThereIsNoOnnxRuntime() throws ReflectiveOperationException, IOException {
    assertThat(new OnnxCompiler().isPossible()).isTrue();
    URL[] others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(place -> !place.contains("onnxruntime"))
            .map(EngineTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader without =
        new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
      Class<?> compiler = without.loadClass(OnnxCompiler.class.getName());
      Object made = compiler.getConstructor().newInstance();
      assertThat(compiler.getMethod("isPossible").invoke(made)).isEqualTo(false);
    }
  }

  private static URL url(String place) {
    try {
      return Path.of(place).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }
}
