/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.NetworkFiles;
import io.github.spd4j.testing.ReleasedFiles;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * Networks that every release, and this version, saved in the middle of a training: they load,
 * compute what they did, and training goes on as it did.
 */
class ReleasedNetworksTest {

  private static final List<DataType> TYPES = List.of(DataType.FLOAT, DataType.DOUBLE);

  static Stream<Arguments> networks() {
    return NetworkFiles.folders()
        .flatMap(folder -> TYPES.stream().map(type -> Arguments.of(folder, type)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void aGraphIsAsItWas(Path folder, DataType type) throws IOException {
    String name = name("graph", type);
    DataSet data = NetworkFiles.data(type);
    ComputationGraph net = ModelSerializer.restoreComputationGraph(zip(folder, name), true);
    assertThat(json(net.getConfiguration().toJson())).isEqualTo(configuration(folder, name));
    INDArray output = net.outputSingle(data.getFeatures());
    assertClose(output, numbers(folder, name, "output"), rounding(type));
    NetworkFiles.train(net, data);
    assertClose(net.params(), numbers(folder, name, "later"), rounding(type));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void aNetworkOfLayersIsAsItWas(Path folder, DataType type) throws IOException {
    assertAsItWas(folder, name("layers", type), NetworkFiles.data(type));
    assertAsItWas(folder, name("wavelets", type), NetworkFiles.largeData(type));
  }

  private static void assertAsItWas(Path folder, String name, DataSet data) throws IOException {
    double tolerance = rounding(data.getFeatures().dataType());
    MultiLayerNetwork net = ModelSerializer.restoreMultiLayerNetwork(zip(folder, name), true);
    assertThat(json(net.getLayerWiseConfigurations().toJson()))
        .isEqualTo(configuration(folder, name));
    assertClose(net.output(data.getFeatures()), numbers(folder, name, "output"), tolerance);
    NetworkFiles.train(net, data);
    assertClose(net.params(), numbers(folder, name, "later"), tolerance);
  }

  private static String name(String net, DataType type) {
    return net + "-" + type.name().toLowerCase(Locale.ROOT);
  }

  private static File zip(Path folder, String name) {
    return folder.resolve(name + ".zip").toFile();
  }

  private static INDArray numbers(Path folder, String name, String what) {
    return ReleasedFiles.numbers(folder.resolve(name + "-" + what + ".npy"));
  }

  private static JsonNode configuration(Path folder, String name) throws IOException {
    try (ZipFile file = new ZipFile(zip(folder, name));
        InputStream in = file.getInputStream(file.getEntry(ModelSerializer.CONFIGURATION_JSON))) {
      return new ObjectMapper().readTree(in);
    }
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }
}
