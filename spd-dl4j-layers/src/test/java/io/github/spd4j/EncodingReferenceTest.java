/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.layers.VectorLayer;
import io.github.spd4j.testing.Networks;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Holds the encoding layers, in a real network of double precision, to values and gradients that an
 * independent script found by automatic differentiation.
 */
class EncodingReferenceTest {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A case of {@code reference/encodings.json}. */
  private static final class Case {
    private final JsonNode json;

    Case(JsonNode json) {
      this.json = json;
    }

    INDArray input() {
      return Nd4j.createFromArray(MAPPER.convertValue(json.get("input"), double[][][][].class));
    }

    INDArray inputGradient() {
      return Nd4j.createFromArray(MAPPER.convertValue(json.get("gradInput"), double[][][][].class));
    }

    /** A vector as a row, or a matrix. */
    private static INDArray matrix(JsonNode node) {
      return node.get(0).isArray()
          ? Nd4j.createFromArray(MAPPER.convertValue(node, double[][].class))
          : Nd4j.createFromArray(new double[][] {MAPPER.convertValue(node, double[].class)});
    }

    Layer layer() {
      JsonNode options = json.get("options");
      return options.get("kind").asText().equals("residual")
          ? normalised(new TextureEncodingLayer.Builder(), options)
              .words(options.get("words").asInt())
              .build()
          : normalised(new FisherVectorLayer.Builder(), options)
              .components(options.get("components").asInt())
              .dimensions(options.get("dimensions").asInt())
              .build();
    }

    private static <B extends VectorLayer.Builder<B>> B normalised(B builder, JsonNode options) {
      return builder
          .powerNormalization(options.get("power").asBoolean())
          .powerFloor(options.get("phi").asDouble())
          .l2Normalization(options.get("l2").asBoolean())
          .scale(options.get("scale").asDouble());
    }

    MultiLayerNetwork network(CNN2DFormat format) {
      long[] shape = input().shape();
      MultiLayerNetwork net =
          new MultiLayerNetwork(
              Networks.general(DataType.DOUBLE, new NoOp())
                  .list()
                  .layer(layer())
                  .setInputType(InputType.convolutional(shape[2], shape[3], shape[1], format))
                  .build());
      net.init();
      json.get("parameters")
          .fields()
          .forEachRemaining(e -> net.setParam("0_" + e.getKey(), matrix(e.getValue())));
      return net;
    }

    @Override
    public String toString() {
      return json.get("name").asText();
    }
  }

  static Stream<Arguments> casesAndFormats() throws IOException {
    List<Arguments> all = new ArrayList<>();
    try (InputStream file =
        EncodingReferenceTest.class.getResourceAsStream("/reference/encodings.json")) {
      for (JsonNode json : MAPPER.readTree(file).get("cases")) {
        for (CNN2DFormat format : CNN2DFormat.values()) {
          all.add(arguments(new Case(json), format));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("casesAndFormats")
  void valuesAndGradientsAreThoseOfTheReference(Case reference, CNN2DFormat format) {
    boolean last = format == CNN2DFormat.NHWC;
    INDArray input = reference.input();
    MultiLayerNetwork net = reference.network(format);
    net.setInput(last ? input.permute(0, 2, 3, 1).dup() : input);

    INDArray vector = net.feedForward(true, false).get(1);
    assertClose(vector, Case.matrix(reference.json.get("vector")), ROUNDING);

    INDArray r = Case.matrix(reference.json.get("R"));
    Pair<Gradient, INDArray> gradients = net.backpropGradient(r, null);
    INDArray byInput = gradients.getSecond();
    assertClose(last ? byInput.permute(0, 3, 1, 2) : byInput, reference.inputGradient(), ROUNDING);
    JsonNode learnt = reference.json.get("gradParameters");
    gradients
        .getFirst()
        .gradientForVariable()
        .forEach(
            (name, actual) -> {
              JsonNode expected = learnt.get(name.substring(2));
              if (expected == null) {
                assertThat(actual.norm2Number().doubleValue()).as(name).isZero();
              } else {
                assertClose(actual, Case.matrix(expected), ROUNDING);
              }
            });
  }
}
