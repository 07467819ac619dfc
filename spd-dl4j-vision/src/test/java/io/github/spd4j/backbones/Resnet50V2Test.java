/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.images.Pixels;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * The network against PyTorch. The file has narrow layers with random weights, images, and what
 * PyTorch makes of them; {@code make_resnet50v2.py} wrote it. The environment variable {@code
 * SPD4J_RESNET50V2} names another file that this script wrote, from real weights and photographs.
 */
class Resnet50V2Test {

  private static final String FILE = "src-test-resources/reference/resnet50v2.npz";

  /** Relative to the largest value. */
  private static final double TOLERANCE = 1e-4;

  private static Path narrow;
  private static INDArray images;
  private static INDArray expected;
  private static ComputationGraph network;

  @TempDir Path folder;

  @BeforeAll
  static void read() throws IOException {
    String other = System.getenv("SPD4J_RESNET50V2");
    narrow = Path.of(System.getProperty("spd4j.root"), FILE);
    Path file = other == null ? narrow : Path.of(other);
    try (NpzFile arrays = NpzFile.open(file)) {
      images = images(arrays.array("pixels", NpzFile.ANY, NpzFile.ANY, NpzFile.ANY, 3));
      expected = arrays.array("maps", NpzFile.ANY, NpzFile.ANY, NpzFile.ANY, NpzFile.ANY);
    }
    network = Resnet50V2.load(file).net();
  }

  /**
   * From [N, H, W, 3], red first, as pictures, which {@link Resnet50V2#PIXELS} turns into numbers.
   */
  private static INDArray images(INDArray pixels) {
    INDArray[] images = new INDArray[(int) pixels.size(0)];
    for (int i = 0; i < images.length; i++) {
      INDArray rgb = pixels.get(NDArrayIndex.point(i));
      BufferedImage picture =
          new BufferedImage((int) rgb.size(1), (int) rgb.size(0), BufferedImage.TYPE_INT_RGB);
      for (int y = 0; y < picture.getHeight(); y++) {
        for (int x = 0; x < picture.getWidth(); x++) {
          int colour = 0;
          for (int c = 0; c < 3; c++) {
            colour = colour << 8 | rgb.getInt(y, x, c);
          }
          picture.setRGB(x, y, colour);
        }
      }
      images[i] = Resnet50V2.PIXELS.array(Pixels.of(picture));
    }
    return Nd4j.concat(0, images);
  }

  @Test
  void itComputesWhatPyTorchComputes() {
    assertClose(network.outputSingle(images));
  }

  @Test
  void soItDoesAccelerated() {
    ComputationGraph accelerated = network.clone();
    Acceleration.applyTo(accelerated);
    assertClose(accelerated.outputSingle(images));
  }

  private static void assertClose(INDArray maps) {
    assertThat(maps.dataType()).isEqualTo(DataType.FLOAT);
    assertThat(maps.shape()).isEqualTo(expected.shape());
    double off = Nd4j.math.abs(maps.sub(expected)).maxNumber().doubleValue();
    double largest = expected.maxNumber().doubleValue();
    assertThat(off / largest).as("error relative to " + largest).isLessThan(TOLERANCE);
    assertThat(expected.gt(0).castTo(DataType.FLOAT).meanNumber().doubleValue())
        .as("share of values that a ReLU let through")
        .isBetween(0.05, 0.95);
  }

  @Test
  void statisticsAreConstantsInTrainingToo() {
    INDArray training = network.feedForward(images, true).get(Resnet50V2.CUT);
    assertClose(training);
  }

  @Test
  void gradientsGoThroughAllOfIt() {
    ComputationGraph graph =
        new TransferLearning.GraphBuilder(network.clone())
            .fineTuneConfiguration(
                new FineTuneConfiguration.Builder().updater(new NoOp()).seed(1).build())
            .addLayer(
                "mean", new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), Resnet50V2.CUT)
            .addLayer(
                "classes",
                new OutputLayer.Builder()
                    .nIn(expected.size(1))
                    .nOut(2)
                    .activation(Activation.SOFTMAX)
                    .build(),
                "mean")
            .setOutputs("classes")
            .build();
    graph = graph.convertDataType(DataType.DOUBLE);
    INDArray two = images.get(NDArrayIndex.interval(0, 2)).castTo(DataType.DOUBLE);
    DataSet data = new DataSet(two, Nd4j.eye(2).castTo(DataType.DOUBLE));
    graph.setInput(0, two);
    graph.setLabels(data.getLabels());
    graph.computeGradientAndScore();
    for (String name :
        List.of("batchnorm0_shift", "conv0_W", "stage2-batchnorm0_scale", "stage3-conv2_W")) {
      INDArray gradient = graph.gradient().getGradientFor(name).div(2); // images, not yet averaged
      assertThat(slope(graph, data, name, gradient))
          .as(name)
          .isCloseTo(gradient.norm2Number().doubleValue(), withinPercentage(0.1));
    }
  }

  /** The derivative of the score with respect to a parameter in a direction, by differences. */
  private static double slope(
      ComputationGraph graph, DataSet data, String parameter, INDArray direction) {
    INDArray unit = direction.div(direction.norm2Number());
    INDArray value = graph.getParam(parameter);
    double step = 1e-8; // with longer ones, some ReLUs of a real network change sides
    value.addi(unit.mul(step));
    double after = graph.score(data, false);
    value.subi(unit.mul(2 * step));
    double before = graph.score(data, false);
    value.addi(unit.mul(step));
    return (after - before) / (2 * step);
  }

  @Test
  void noNameHoldsTheSeparatorOfParameterKeys() {
    assertThat(network.getConfiguration().getVertices().keySet())
        .contains("stage1-unit1", "stage3-unit6", Resnet50V2.CUT)
        .noneMatch(name -> name.contains("_"));
  }

  @Test
  void whatIsWrongWithAFileIsSaid() throws IOException {
    assertFails(folder.resolve("gone.npz")).hasMessageContaining("gone.npz");
    assertFails(Files.writeString(folder.resolve("text.npz"), "no zip"))
        .hasMessageContaining("expected an .npz file of NumPy");
    assertFails(changed("stage2_conv3_weight", bytes -> null))
        .hasMessageContaining("expected an array stage2_conv3_weight, got none");
    assertFails(changed("stage2_conv3_weight", bytes -> replaced(bytes, "<f4", "<f8")))
        .hasMessageContaining("stage2_conv3_weight: expected little-endian float32");
    assertFails(changed("stage2_conv3_weight", bytes -> replaced(bytes, "(7,", "(1,")))
        .hasMessageContaining("bytes of numbers, got fewer or more");
    assertFails(changed("stage2_conv2_weight", bytes -> replaced(bytes, "(7,", "(9,")))
        .hasMessageContaining("stage2_conv2_weight: expected the shape [7, 3, 1, 1], got [9,");
    assertFails(changed("conv0_weight", bytes -> new byte[] {1, 2, 3}))
        .hasMessageContaining("conv0_weight: expected an array of NumPy");
    assertFails(changed("batchnorm1_running_var", bytes -> negated(bytes)))
        .hasMessageContaining("variances that are not negative");
  }

  @Test
  void aFlippedBitIsNoticed() throws IOException {
    byte[] bytes = Files.readAllBytes(narrow);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.indexOf("conv0_weight.npy") + 300] ^= 1; // after the header
    assertFails(Files.write(folder.resolve("flipped.npz"), bytes))
        .hasMessageContaining("conv0_weight");
  }

  private static byte[] replaced(byte[] bytes, String from, String to) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    assertThat(text).contains(from);
    return text.replaceFirst(Pattern.quote(from), to).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Sets the sign of the last number. */
  private static byte[] negated(byte[] bytes) {
    byte[] changed = bytes.clone();
    changed[bytes.length - 1] |= (byte) 0x80;
    changed[bytes.length - 2] |= 0x70; // far below −ε
    return changed;
  }

  /**
   * The file of narrow layers with another content of one array, or without it where the content is
   * null.
   */
  private Path changed(String array, UnaryOperator<byte[]> change) throws IOException {
    Path copy = folder.resolve("changed.npz");
    try (ZipFile from = new ZipFile(narrow.toFile());
        OutputStream out = Files.newOutputStream(copy);
        ZipOutputStream to = new ZipOutputStream(out)) {
      for (ZipEntry entry : Collections.list(from.entries())) {
        byte[] bytes = from.getInputStream(entry).readAllBytes();
        if (entry.getName().equals(array + ".npy")) {
          bytes = change.apply(bytes);
        }
        if (bytes != null) {
          to.putNextEntry(new ZipEntry(entry.getName()));
          to.write(bytes);
        }
      }
    }
    return copy;
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(Path file) {
    return assertThatThrownBy(() -> Resnet50V2.load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }
}
