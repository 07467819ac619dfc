/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_FLOAT;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.deeplearning4j.common.resources.DL4JResources;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

class Vgg16Test {

  private static final int SIZE = 32;

  /** As many filters as keep a file small. */
  private static final int[] NARROW = {2, 3, 4, 5, 6};

  private static final int[] CONVOLUTIONS = {2, 2, 3, 3, 3};

  private static Backbone vgg16;
  private static ComputationGraph random;

  @TempDir Path directory;

  @BeforeAll
  static void once() {
    vgg16 = Vgg16.random(1, SIZE);
    random = vgg16.net();
  }

  @AfterAll
  static void release() {
    vgg16 = null;
    random = null;
  }

  @Test
  void namesOfTheZooAreResolved() {
    assertThat(Vgg16.convolution(random, 1, 1)).isEqualTo("0");
    assertThat(Vgg16.convolution(random, 2, 2)).isEqualTo("4");
    assertThat(Vgg16.convolution(random, 3, 3)).isEqualTo("8");
    assertThat(Vgg16.convolution(random, 4, 1)).isEqualTo("10");
    assertThat(Vgg16.convolution(random, 5, 3)).isEqualTo("16");
  }

  @Test
  void randomNetworkWithTheHeadTrains() {
    ComputationGraph net =
        SpdGraft.onto(vgg16)
            .head(Head.spd(8).convolution(16).scale(10))
            .classes(Networks.CLASSES)
            .seed(1)
            .fineTune(new FineTuneConfiguration.Builder().updater(new Nesterovs(0.01, 0.9)).build())
            .build();
    DataSet data = Networks.images(DataType.FLOAT, 1, 2, 3, SIZE, SIZE);
    INDArray first = net.getLayer("0").params().dup();
    net.fit(data);
    net.fit(data);
    assertThat(net.outputSingle(data.getFeatures()).shape()).containsExactly(2, 3);
    assertThat(net.getParam(SpdGraft.CONVOLUTION + "_W").shape()).containsExactly(16, 512, 1, 1);
    assertSmall(
        Stiefel.distanceFromManifold(net.getParam(SpdGraft.transform(0) + "_W")),
        ON_MANIFOLD_FLOAT);
    assertThat(net.getLayer("0").params()).isNotEqualTo(first);
  }

  /** FV-FC-CNN with the zoo's fully connected layers, and Deep-TEN: only sizes are looked at. */
  @Tag("once")
  @Test
  void encodingsHaveTheirSizes() {
    SpdGraft graft = SpdGraft.onto(vgg16).classes(Networks.CLASSES);
    ComputationGraph deepTen = graft.head(Head.deepTen().convolution(16)).build();
    assertThat(deepTen.getParam(SpdGraft.VECTOR + "_codewords").shape()).containsExactly(32, 16);
    deepTen.fit(Networks.images(DataType.FLOAT, 1, 1, 3, SIZE, SIZE));
    Head fisher =
        Head.fisherVectors()
            .with(FisherVectorLayer.Builder.class, vector -> vector.components(4))
            .withFullyConnected();
    ComputationGraph joined = graft.head(fisher).build();
    assertThat(joined.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(2 * 4 * 512 + 4096, 3);
    assertThat(joined.getParam("18_W")).isEqualTo(random.getParam("18_W"));
  }

  @Tag("once")
  @Test
  void fullyConnectedKeepsTheZoosLayers() {
    ComputationGraph net =
        SpdGraft.onto(vgg16)
            .head(Head.fullyConnected())
            .classes(Networks.CLASSES)
            .frozenBackbone()
            .build();
    assertThat(net.getParam("19_W").shape()).containsExactly(4096, 4096);
    assertThat(net.getParam("18_W")).isEqualTo(random.getParam("18_W"));
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(4096, 3);
    INDArray images = Networks.images(DataType.FLOAT, 1, 1, 3, SIZE, SIZE).getFeatures();
    assertThat(net.outputSingle(images).shape()).containsExactly(1, 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31})
  void refusesSmallImages(int size) {
    assertThatThrownBy(() -> Vgg16.random(1, size))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected images of at least 32 by 32 pixels, got " + size);
  }

  @Test
  void refusesLayersThatVgg16HasNot() {
    assertThatThrownBy(() -> Vgg16.convolution(random, 1, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected one of the convolutions 1-1 to 5-3 of VGG16, got 1-3");
    assertThatThrownBy(() -> Vgg16.convolution(SmallBackbone.create(), 5, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected a convolution named one of [block5_conv3, 16], got a network of [conv1, norm,"
                + " pool, left, right, merge, last, fc, out]");
  }

  /** The ways in which versions of Keras lay out their files. */
  enum Layout {
    KERAS_1 {
      @Override
      String[] path(String layer, boolean kernel) {
        return new String[] {layer, layer + (kernel ? "_W_1:0" : "_b_1:0")};
      }
    },
    KERAS_2 {
      @Override
      String[] path(String layer, boolean kernel) {
        return new String[] {layer, layer, kernel ? "kernel:0" : "bias:0"};
      }
    },
    WHOLE_MODEL {
      @Override
      String[] path(String layer, boolean kernel) {
        return new String[] {"model_weights", layer, layer, kernel ? "kernel:0" : "bias:0"};
      }
    };

    abstract String[] path(String layer, boolean kernel);
  }

  /** Writes a narrow VGG16 whose weights are those of a random generator, layer after layer. */
  private static void write(Path file, Layout layout, int... filters) {
    Random random = new Random(1);
    try (KerasFile keras = new KerasFile(file)) {
      long channels = 3;
      for (int block = 1; block <= filters.length; block++) {
        for (int index = 1; index <= CONVOLUTIONS[block - 1]; index++) {
          String layer = "block" + block + "_conv" + index;
          long out = filters[block - 1];
          keras.write(
              numbers(random, 9 * channels * out),
              new long[] {3, 3, channels, out},
              layout.path(layer, true));
          keras.write(numbers(random, out), new long[] {out}, layout.path(layer, false));
          channels = out;
        }
      }
    }
  }

  private static float[] numbers(Random random, long count) {
    float[] numbers = new float[(int) count];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = (float) random.nextGaussian();
    }
    return numbers;
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void kernelsOfKerasAreReadInDl4jsOrder(Layout layout) {
    Path file = directory.resolve("vgg16_notop.h5");
    write(file, layout, NARROW);
    ComputationGraph net = Vgg16.fromKeras(file, NARROW).net();
    assertThat(Vgg16.convolution(net, 5, 3)).isEqualTo("block5_conv3");
    Random random = new Random(1);
    for (String layer : new String[] {"block1_conv1", "block1_conv2", "block2_conv1"}) {
      INDArray w = net.getParam(layer + "_W");
      float[] kernel = numbers(random, w.length());
      int i = 0;
      for (int y = 0; y < 3; y++) {
        for (int x = 0; x < 3; x++) {
          for (int in = 0; in < w.size(1); in++) {
            for (int out = 0; out < w.size(0); out++) {
              assertThat(w.getFloat(out, in, y, x)).isEqualTo(kernel[i++]);
            }
          }
        }
      }
      float[] bias = numbers(random, w.size(0));
      assertThat(net.getParam(layer + "_b").reshape(w.size(0)).toFloatVector()).isEqualTo(bias);
    }
  }

  /** Keras does not flip kernels, and pads with zeros: so must we. */
  @Test
  void convolvesAsKerasDoes() {
    Path file = directory.resolve("vgg16_notop.h5");
    write(file, Layout.KERAS_2, NARROW);
    ComputationGraph net = Vgg16.fromKeras(file, NARROW).net();
    Nd4j.getRandom().setSeed(2);
    INDArray image = Nd4j.randn(DataType.FLOAT, 1, 3, SIZE, SIZE);
    INDArray maps = net.feedForward(image, false).get("block1_conv1");
    INDArray w = net.getParam("block1_conv1_W");
    double corner = net.getParam("block1_conv1_b").getDouble(1);
    for (int y = 1; y < 3; y++) {
      for (int x = 1; x < 3; x++) {
        for (int in = 0; in < 3; in++) {
          corner += w.getDouble(1, in, y, x) * image.getDouble(0, in, y - 1, x - 1);
        }
      }
    }
    assertSmall(maps.getDouble(0, 1, 0, 0) - Math.max(0, corner), 1e-5);
    assertThat(maps.shape()).containsExactly(1, 2, SIZE, SIZE);
    assertThat(net.outputSingle(image).shape()).containsExactly(1, 6, 1, 1);
  }

  @Test
  void kerasNetworkWithTheHeadTrainsOnImagesOfAnySize() {
    Path file = directory.resolve("vgg16_notop.h5");
    write(file, Layout.KERAS_1, NARROW);
    ComputationGraph net =
        SpdGraft.onto(Vgg16.fromKeras(file, NARROW))
            .head(Head.spd(4))
            .classes(Networks.CLASSES)
            .frozenBackbone()
            .build();
    net.fit(Networks.images(DataType.FLOAT, 1, 2, 3, 48, 64));
    net.fit(Networks.images(DataType.FLOAT, 2, 2, 3, 32, 32));
    assertThat(net.getConfiguration().getVertices()).doesNotContainKey("block5_pool");
  }

  @Test
  void refusesOtherFilesForKeras() throws IOException {
    Path missing = directory.resolve("missing.h5");
    refuses(() -> Vgg16.fromKeras(missing), "expected a file that can be read, got " + missing);
    refuses(() -> Vgg16.fromKeras(directory), "expected a file that can be read, got " + directory);
    Path text = Files.writeString(directory.resolve("text.h5"), "no weights here");
    refuses(() -> Vgg16.fromKeras(text), "expected an HDF5 file, got " + text);
    Path narrow = directory.resolve("narrow.h5");
    write(narrow, Layout.KERAS_1, NARROW);
    refuses(
        () -> Vgg16.fromKeras(narrow),
        "expected a kernel of shape [64, 3, 3, 3] for block1_conv1 in "
            + narrow
            + ", got [2, 3, 3, 3]");
    Path shallow = directory.resolve("shallow.h5");
    write(shallow, Layout.KERAS_1, 2, 3);
    refuses(
        () -> Vgg16.fromKeras(shallow, NARROW),
        "expected the weights of block3_conv1 in " + shallow + ", got those of [block1_conv1,");
  }

  /** The signature is there, but not the rest. */
  @Test
  void refusesADamagedFileForKeras() throws IOException {
    Path file = directory.resolve("damaged.h5");
    write(file, Layout.KERAS_1, NARROW);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, 200));
    refuses(
        () -> Vgg16.fromKeras(file, NARROW), "expected an HDF5 file that can be read, got " + file);
  }

  @Test
  void aZipIsReadAndRecognised() throws IOException {
    Path weights = directory.resolve("vgg16_notop.h5");
    write(weights, Layout.KERAS_1, NARROW);
    ComputationGraph net = Vgg16.fromKeras(weights, NARROW).net();
    Path zip = directory.resolve("vgg16.zip");
    ModelSerializer.writeModel(net, zip.toFile(), false);
    assertThat(Vgg16.fromZip(zip).net().params()).isEqualTo(net.params());

    Path other = directory.resolve("other.zip");
    ModelSerializer.writeModel(SmallBackbone.create(), other.toFile(), false);
    refuses(() -> Vgg16.fromZip(other), "expected a VGG16 in " + other);
    Path text = Files.writeString(directory.resolve("text.zip"), "no network here");
    refuses(() -> Vgg16.fromZip(text), "expected a network that DL4J saved, got " + text);
    Path missing = directory.resolve("missing.zip");
    refuses(() -> Vgg16.fromZip(missing), "expected a file that can be read, got " + missing);
  }

  @Test
  void withoutAConnectionPretrainedTellsWhatToDo() {
    String url = DL4JResources.getBaseDownloadURL();
    DL4JResources.setBaseDirectory(directory.toFile());
    DL4JResources.setBaseDownloadURL(directory.toUri() + "nothing/");
    System.setProperty(KerasStore.PROPERTY, directory.toUri() + "neither/");
    try {
      assertThatThrownBy(Vgg16::pretrained)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("neither/vgg16/vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5")
          .hasMessageContaining("(59 MB)")
          .hasMessageContaining(" cannot be downloaded (")
          .hasMessageNotContainingAny("Exception", "from");
    } finally {
      System.clearProperty(KerasStore.PROPERTY);
      DL4JResources.setBaseDownloadURL(url);
      DL4JResources.resetBaseDirectoryLocation();
    }
  }

  private static void refuses(Runnable attempt, String message) {
    assertThatThrownBy(attempt::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
