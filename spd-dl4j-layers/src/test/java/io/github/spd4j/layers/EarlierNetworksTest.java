/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.EarlierFiles;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.ZipFile;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Networks that an earlier revision saved in the middle of a training: they load, compute what they
 * did, and training goes on as it did. The graph has every layer, kernel, kind of bandwidth and
 * updater; the network of layers has the usual head.
 */
class EarlierNetworksTest {

  private static final int IMAGES = 6;
  private static final int STEPS = 3;

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void aGraphIsAsItWas(DataType type) throws IOException {
    DataSet data = data(type);
    ComputationGraph net = ModelSerializer.restoreComputationGraph(zip("graph", type), true);
    assertThat(json(net.getConfiguration().toJson())).isEqualTo(configuration("graph", type));
    INDArray output = net.outputSingle(data.getFeatures());
    assertClose(output, numbers("graph", type, "output"), rounding(type));
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
    assertClose(net.params(), numbers("graph", type, "later"), rounding(type));
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void aNetworkOfLayersIsAsItWas(DataType type) throws IOException {
    DataSet data = data(type);
    MultiLayerNetwork net = ModelSerializer.restoreMultiLayerNetwork(zip("layers", type), true);
    assertThat(json(net.getLayerWiseConfigurations().toJson()))
        .isEqualTo(configuration("layers", type));
    INDArray output = net.output(data.getFeatures());
    assertClose(output, numbers("layers", type, "output"), rounding(type));
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
    assertClose(net.params(), numbers("layers", type, "later"), rounding(type));
  }

  private static String name(String net, DataType type) {
    return EarlierFiles.own("networks/" + net + "-" + type.name().toLowerCase(Locale.ROOT));
  }

  private static File zip(String net, DataType type) {
    return EarlierFiles.path(name(net, type) + ".zip").toFile();
  }

  private static INDArray numbers(String net, DataType type, String what) {
    return EarlierFiles.numbers(name(net, type) + "-" + what + ".npy");
  }

  private static JsonNode configuration(String net, DataType type) throws IOException {
    try (ZipFile file = new ZipFile(zip(net, type));
        InputStream in = file.getInputStream(file.getEntry(ModelSerializer.CONFIGURATION_JSON))) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  private static DataSet data(DataType type) {
    INDArray images = EarlierFiles.numbers("images.npy").get(NDArrayIndex.interval(0, IMAGES));
    INDArray labels = Nd4j.zeros(type, IMAGES, EarlierFiles.CLASSES);
    for (int i = 0; i < IMAGES; i++) {
      labels.putScalar(i, i % EarlierFiles.CLASSES, 1);
    }
    return new DataSet(images.castTo(type), labels);
  }
}
