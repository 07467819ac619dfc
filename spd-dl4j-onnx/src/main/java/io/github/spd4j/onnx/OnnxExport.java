/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.onnx;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.onnx.CheckedGraph;
import io.github.spd4j.internal.onnx.ExportedGraph;
import io.github.spd4j.internal.onnx.Rehearsal;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.statistics.Temperature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Writes trained networks as ONNX files, which run without this library, in ONNX Runtime for
 * example.
 *
 * <pre>{@code
 * OnnxExport.of(net, card).withPixels().write(Path.of("model.onnx"));
 * }</pre>
 *
 * <p>The file has one input, {@code images}, for batches of any size: [N, 3, size, size] in the
 * {@link ModelCard#pixels} of the card, or, {@linkplain #withPixels with pixels}, bytes [N, size,
 * size, 3]. Its output is {@code probabilities} [N, classes]. Its metadata tell {@code classes} (a
 * list in JSON), {@code pixels}, {@code size}, and {@code card}, the whole {@link ModelCard}. It
 * has standard operators alone, of version 17, or of the version of the {@linkplain OnnxBackbone
 * ONNX file} that is its backbone and becomes a part of it, and computes in single precision.
 *
 * <p>If the card's views are one, probabilities are {@linkplain Temperature calibrated}; of several
 * views, the file answers for one, which is neither averaged nor calibrated.
 *
 * <p>When not to use it: for layers that need eigenvalues or Cholesky factors, which ONNX does not
 * have. They are refused by name.
 */
public final class OnnxExport {

  /** The largest difference of a probability. */
  public static final double TOLERANCE = 1e-5;

  /** What all files begin with: the version of the format, and who wrote them. */
  public static final String BEGINNING = "\b\b\u0012\rspd-dl4j-onnx";

  private static final int IMAGES = 3;
  private static final int CHANNELS = 3;
  private static final int COLOURS = 256;

  private final ComputationGraph net;
  private final ModelCard card;
  private final boolean fromPixels;

  private OnnxExport(ComputationGraph net, ModelCard card, boolean fromPixels) {
    this.net = net;
    this.card = card;
    this.fromPixels = fromPixels;
  }

  /**
   * The export of a network.
   *
   * @param net a network with one input, for images, and one output, for classes; not changed
   * @param card what is known about it
   * @return the export
   * @throws IllegalArgumentException if there are not as many classes as outputs
   */
  public static OnnxExport of(ComputationGraph net, ModelCard card) {
    Objects.requireNonNull(net, "net");
    Objects.requireNonNull(card, "card");
    Layer last = net.getOutputLayer(0).conf().getLayer();
    long classes = last instanceof FeedForwardLayer units ? units.getNOut() : 0;
    if (classes != card.classes().size()) {
      throw new IllegalArgumentException(
          String.format(
              "expected as many classes as the network has outputs, %d, got %d",
              classes, card.classes().size()));
    }
    return new OnnxExport(net, card, false);
  }

  /**
   * The same with what makes numbers of pixels inside: the file takes bytes [N, size, size, 3],
   * red, green and blue, as image files have them once they are resized.
   *
   * @return a new export
   */
  public OnnxExport withPixels() {
    return new OnnxExport(net, card, true);
  }

  /**
   * Whether {@link #write} compares answers: where ONNX Runtime is on the class path.
   *
   * @return false if it writes what was not run
   */
  public static boolean isChecked() {
    return Rehearsal.isPossible();
  }

  /**
   * Writes the file, in place of what was there. It must keep to the rules that files of others are
   * held to. Where ONNX Runtime is on the class path, it first answers for some images, within
   * {@link #TOLERANCE} of the network's probabilities.
   *
   * @param file the file, in a folder that exists
   * @throws UnsupportedOperationException if ONNX cannot compute a layer, whose name and remedy the
   *     message has, or the file answers otherwise than the network; nothing is written then
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public void write(Path file) {
    Objects.requireNonNull(file, "file");
    ExportedGraph graph = new ExportedGraph(net, card, fromPixels);
    AtomicFile.write(file, graph::writeTo, this::requireSound);
  }

  private void requireSound(Path written) {
    try {
      CheckedGraph.requireRules(written);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requireSameAnswers(written);
  }

  private void requireSameAnswers(Path written) {
    if (!isChecked()) {
      return;
    }
    Random random = new Random(1);
    INDArray[] numbers = new INDArray[IMAGES];
    INDArray bytes = Nd4j.create(DataType.FLOAT, IMAGES, card.size(), card.size(), CHANNELS);
    for (int i = 0; i < IMAGES; i++) {
      float[][] planes = image(random);
      INDArray colours = Nd4j.createFromArray(planes);
      bytes.slice(i).assign(colours.reshape(CHANNELS, card.size(), card.size()).permute(1, 2, 0));
      numbers[i] = card.pixels().array(new Pixels(planes, card.size(), card.size()));
    }
    INDArray input = Nd4j.concat(0, numbers);
    INDArray expected = net.outputSingle(false, input.castTo(net.getConfiguration().getDataType()));
    INDArray actual = Rehearsal.run(written, fromPixels ? bytes : input, fromPixels);
    if (ExportedGraph.isCalibrated(card)) {
      double temperature = card.confidence().temperature();
      for (int i = 0; i < IMAGES; i++) {
        double[] calibrated = Temperature.apply(temperature, expected.slice(i).toDoubleVector());
        expected.putRow(i, Nd4j.createFromArray(calibrated).castTo(expected.dataType()));
      }
    }
    INDArray differences = expected.castTo(DataType.DOUBLE).sub(actual.castTo(DataType.DOUBLE));
    double difference = differences.amaxNumber().doubleValue();
    if (!(difference <= TOLERANCE)) {
      throw new UnsupportedOperationException(
          String.format(
              "ONNX Runtime has other answers than the network: expected differences of at most"
                  + " %s, got %s",
              TOLERANCE, difference));
    }
  }

  /**
   * A line for people: what the file takes and gives, and whether it was compared.
   *
   * @return the line
   */
  public String describe() {
    String takes =
        fromPixels
            ? String.format("bytes [N, %1$d, %1$d, 3], red, green and blue", card.size())
            : String.format("[N, 3, %1$d, %1$d], %2$s", card.size(), card.pixels());
    String views =
        card.views().count() == 1
            ? ""
            : "; it answers for one view of an image, the model for the mean of "
                + card.views().count();
    String checked =
        isChecked()
            ? "answers compared in ONNX Runtime"
            : "not compared, as ONNX Runtime is not on the class path";
    return String.format("%d classes, from %s; %s%s", card.classes().size(), takes, checked, views);
  }

  /** Stripes and noise in all colours: whole numbers from 0 to 255. */
  private float[][] image(Random random) {
    int size = card.size();
    float[][] planes = new float[CHANNELS][size * size];
    for (float[] plane : planes) {
      double across = random.nextDouble();
      double down = random.nextDouble();
      for (int i = 0; i < plane.length; i++) {
        double wave = Math.sin(across * (i % size) + down * (i / size));
        plane[i] = (float) Math.floor((wave + 1) / 2 * (COLOURS / 2) + random.nextInt(COLOURS / 2));
      }
    }
    return planes;
  }
}
