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
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipFile;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;
import org.nd4j.shade.jackson.databind.node.ObjectNode;

/**
 * Networks that earlier revisions saved in the middle of a training: they load, compute what they
 * did, and training goes on as it did. The graphs have every layer, kernel, kind of bandwidth and
 * updater; the first network of layers has the usual head, that of 0.1.0 wavelets and an output on
 * the manifold.
 */
class EarlierNetworksTest {

  private static final int IMAGES = 6;
  private static final int STEPS = 3;

  @ParameterizedTest
  @CsvSource({"networks, FLOAT", "networks, DOUBLE", "0.1.0/networks, DOUBLE"})
  void aGraphIsAsItWas(String folder, DataType type) throws IOException {
    String name = name(folder, "graph", type);
    DataSet data = data(type);
    ComputationGraph net = ModelSerializer.restoreComputationGraph(zip(name), true);
    assertThat(json(net.getConfiguration().toJson())).isEqualTo(configuration(name));
    INDArray output = net.outputSingle(data.getFeatures());
    assertClose(output, numbers(name, "output"), rounding(type));
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
    assertClose(net.params(), numbers(name, "later"), rounding(type));
  }

  @ParameterizedTest
  @CsvSource({"networks, FLOAT", "networks, DOUBLE", "0.1.0/networks, FLOAT"})
  void aNetworkOfLayersIsAsItWas(String folder, DataType type) throws IOException {
    String name = name(folder, "layers", type);
    DataSet data = folder.startsWith("0.1.0") ? largerData(type) : data(type);
    MultiLayerNetwork net = ModelSerializer.restoreMultiLayerNetwork(zip(name), true);
    assertThat(json(net.getLayerWiseConfigurations().toJson())).isEqualTo(configuration(name));
    INDArray output = net.output(data.getFeatures());
    assertClose(output, numbers(name, "output"), rounding(type));
    for (int i = 0; i < STEPS; i++) {
      net.fit(data);
    }
    assertClose(net.params(), numbers(name, "later"), rounding(type));
  }

  private static String name(String folder, String net, DataType type) {
    return EarlierFiles.own(folder + "/" + net + "-" + type.name().toLowerCase(Locale.ROOT));
  }

  private static File zip(String name) {
    return EarlierFiles.path(name + ".zip").toFile();
  }

  private static INDArray numbers(String name, String what) {
    return EarlierFiles.numbers(name + "-" + what + ".npy");
  }

  private static JsonNode configuration(String name) throws IOException {
    try (ZipFile file = new ZipFile(zip(name));
        InputStream in = file.getInputStream(file.getEntry(ModelSerializer.CONFIGURATION_JSON))) {
      JsonNode tree = new ObjectMapper().readTree(in);
      for (String gone : List.of("weightInit", "paramWeightInit")) { // always the same
        tree.findParents(gone).forEach(layer -> ((ObjectNode) layer).remove(gone));
      }
      return tree;
    }
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  private static DataSet data(DataType type) {
    return labelled(EarlierFiles.numbers("images.npy").get(NDArrayIndex.interval(0, IMAGES)), type);
  }

  /** Large enough for wavelets. */
  private static DataSet largerData(DataType type) {
    return labelled(EarlierFiles.numbers("images.npy").reshape(IMAGES, 2, 12, 12), type);
  }

  private static DataSet labelled(INDArray images, DataType type) {
    INDArray labels = Nd4j.zeros(type, IMAGES, EarlierFiles.CLASSES);
    for (int i = 0; i < IMAGES; i++) {
      labels.putScalar(i, i % EarlierFiles.CLASSES, 1);
    }
    return new DataSet(images.castTo(type), labels);
  }
}
