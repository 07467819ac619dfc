/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.statistics.Temperature;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.core.JsonProcessingException;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** A network for images of classes, with what is known about it, as an ONNX graph. */
public final class ExportedGraph {

  /** What the input is called. */
  public static final String IMAGES = "images";

  /** What the output is called. */
  public static final String PROBABILITIES = "probabilities";

  private static final int CHANNELS = 3;
  private static final float WHITE = 255;

  /** Less than any probability that tells anything. */
  private static final double LEAST = 1e-30;

  private final OnnxGraph graph;
  private final Message model;

  /**
   * A graph.
   *
   * @param net a network with one input, for images, and one output, for classes
   * @param card what is known about it
   * @param fromPixels whether it takes bytes [N, H, W, 3], RGB, rather than [N, 3, H, W] in the
   *     card's format
   * @throws UnsupportedOperationException if ONNX cannot compute a layer; the message names it
   */
  public ExportedGraph(ComputationGraph net, ModelCard card, boolean fromPixels) {
    graph = OnnxWriter.graphFor(net);
    int size = card.size();
    String numbers =
        fromPixels
            ? numbers(graph.input(IMAGES, Tensor.BYTES, size, size, CHANNELS), card.pixels())
            : graph.input(IMAGES, Tensor.FLOAT, CHANNELS, size, size);
    List<String> outputs = net.getConfiguration().getNetworkOutputs();
    InputType images = InputType.convolutional(size, size, CHANNELS);
    OnnxWriter writer = OnnxWriter.translate(net, graph, numbers, images, outputs);
    String probabilities = writer.value(outputs.get(0));
    graph.output(
        PROBABILITIES,
        isCalibrated(card) ? calibrated(probabilities, card) : probabilities,
        writer.shape(outputs.get(0)));
    graph.describe("classes", json(card.classes()));
    graph.describe("pixels", fromPixels ? "RGB bytes" : card.pixels().toString());
    graph.describe("size", String.valueOf(size));
    graph.describe("card", card.json());
    model = graph.model();
  }

  /**
   * Whether the output is calibrated: that of one view is, of several their mean would be.
   *
   * @param card what is known about a network
   * @return whether the output is that of {@link Temperature#apply}
   */
  public static boolean isCalibrated(ModelCard card) {
    return card.views().count() == 1 && card.confidence().temperature() != 1;
  }

  private String calibrated(String probabilities, ModelCard card) {
    String logarithms = graph.node("Log", graph.node("Max", probabilities, graph.constant(LEAST)));
    return graph.node("Softmax", graph.multiply(logarithms, 1 / card.confidence().temperature()));
  }

  /** What the card's format makes of bytes: a weighted sum of the colours, and a constant. */
  private String numbers(String bytes, PixelFormat format) {
    INDArray black = of(format, -1);
    INDArray weights = Nd4j.create(DataType.FLOAT, CHANNELS, CHANNELS, 1, 1);
    for (int plane = 0; plane < CHANNELS; plane++) {
      INDArray change = of(format, plane).sub(black).div(WHITE);
      for (int channel = 0; channel < CHANNELS; channel++) {
        weights.putScalar(new int[] {channel, plane, 0, 0}, change.getDouble(channel));
      }
    }
    String planes =
        graph.transpose(graph.node("Cast", Map.of("to", (long) Tensor.FLOAT), bytes), 0, 3, 1, 2);
    return graph.node("Conv", planes, graph.constant(weights), graph.constant(black));
  }

  /**
   * The numbers of a pixel that is black but for one colour: 0 for red, 1 green, 2 blue, −1 none.
   */
  private static INDArray of(PixelFormat format, int colour) {
    float[][] planes = new float[CHANNELS][1];
    if (colour >= 0) {
      planes[colour][0] = WHITE;
    }
    return format.array(new Pixels(planes, 1, 1)).reshape(CHANNELS);
  }

  private static String json(List<String> classes) {
    try {
      return new ObjectMapper().writeValueAsString(classes);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // not of strings
    }
  }

  /**
   * Writes the file.
   *
   * @param out where to; not closed
   * @throws IOException if that fails
   */
  public void writeTo(OutputStream out) throws IOException {
    model.writeTo(out);
  }
}
