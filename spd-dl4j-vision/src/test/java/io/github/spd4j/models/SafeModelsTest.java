/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import static io.github.spd4j.models.Archives.bytes;
import static io.github.spd4j.models.Archives.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ScatteringLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.testing.NetworkFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.distribution.NormalDistribution;
import org.deeplearning4j.nn.conf.dropout.GaussianNoise;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.weightnoise.DropConnect;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.preprocessor.NormalizerStandardize;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;
import org.nd4j.shade.jackson.databind.node.ArrayNode;
import org.nd4j.shade.jackson.databind.node.ObjectNode;

class SafeModelsTest {

  private static final String CONFIGURATION = "configuration.json";
  private static final String COEFFICIENTS = "coefficients.bin";
  private static final String UPDATER = "updaterState.bin";

  @TempDir private Path folder;

  @BeforeEach
  @AfterEach
  void wipeTheTrace() {
    System.clearProperty(Gadget.TRACE);
  }

  // What is sound

  @ParameterizedTest
  @ValueSource(strings = {"graph-float", "graph-double"})
  void aGraphIsReadAsDl4jReadsIt(String name) throws IOException {
    Path file = NetworkFiles.file(name);
    ComputationGraph expected = ModelSerializer.restoreComputationGraph(file.toFile(), true);
    ComputationGraph graph = (ComputationGraph) SafeModels.load(file);
    assertThat(graph.getConfiguration().toJson()).isEqualTo(expected.getConfiguration().toJson());
    assertThat(graph.params()).isEqualTo(expected.params());
    assertThat(graph.getUpdater().getStateViewArray())
        .isEqualTo(expected.getUpdater().getStateViewArray());
    assertThat(graph.getIterationCount()).isEqualTo(expected.getIterationCount());
  }

  @ParameterizedTest
  @ValueSource(strings = {"layers-float", "layers-double"})
  void aNetworkOfLayersIsReadAsDl4jReadsIt(String name) throws IOException {
    Path file = NetworkFiles.file(name);
    MultiLayerNetwork expected = ModelSerializer.restoreMultiLayerNetwork(file.toFile(), true);
    MultiLayerNetwork net = (MultiLayerNetwork) SafeModels.load(file);
    assertThat(net.getLayerWiseConfigurations()).isEqualTo(expected.getLayerWiseConfigurations());
    assertThat(net.params()).isEqualTo(expected.params());
    assertThat(net.getUpdater().getStateViewArray())
        .isEqualTo(expected.getUpdater().getStateViewArray());
  }

  @Test
  void configurationsOfDl4jAreAllowed() throws IOException {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .updater(new Adam(new ExponentialSchedule(ScheduleType.EPOCH, 0.1, 0.9)))
                .l2(1e-4)
                .weightNoise(new DropConnect(0.9))
                .weightInit(new NormalDistribution(0, 0.1))
                .constrainWeights(new MaxNormConstraint(2, 1))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(6, 6, 1))
                .addLayer(
                    "frozen",
                    new FrozenLayer(
                        new ConvolutionLayer.Builder(3, 3)
                            .nOut(2)
                            .activation(new ActivationLReLU(0.1))
                            .build()),
                    "in")
                .addLayer("norm", new BatchNormalization.Builder().build(), "frozen")
                .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "norm", "frozen")
                .addLayer("dense", new DenseLayer.Builder().nOut(3).build(), "sum")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(2).dropOut(new GaussianNoise(0.1)).build(),
                    "dense")
                .setOutputs("out")
                .build());
    net.init();
    Path file = folder.resolve("net.zip");
    ModelSerializer.writeModel(net, file.toFile(), true);
    ComputationGraph expected = ModelSerializer.restoreComputationGraph(file.toFile(), false);
    assertThat(SafeModels.loadGraph(file).getConfiguration().toJson())
        .isEqualTo(expected.getConfiguration().toJson());
  }

  @Test
  void whatUsersAddedIsNotRead() throws IOException {
    Path file = Archives.write(folder.resolve("net.zip"), sound());
    ModelSerializer.addNormalizerToModel(file.toFile(), normalizer());
    ModelSerializer.addObjectToFile(file.toFile(), "labels", new Gadget());
    assertThat(SafeModels.loadGraph(file).params()).isEqualTo(parameters());
    assertThat(System.getProperty(Gadget.TRACE)).isNull();
  }

  @Test
  void classesOfAUserAreAllowedByName() throws IOException {
    String own = OwnLayer.class.getName();
    Path file = Archives.write(folder.resolve("own.zip"), withClass(own));
    assertThatThrownBy(() -> SafeModels.load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(own);
    for (String name : List.of(own, "io.github.spd4j.models.")) {
      assertThat(SafeModels.allowing(name).readGraph(file).params()).isEqualTo(parameters());
    }
    assertThatThrownBy(() -> SafeModels.allowing("io.github.spd4j.models").read(file))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> SafeModels.allowing("*")).hasMessageContaining("*");
  }

  /** A user's layer, here one of DL4J under another name. */
  public static final class OwnLayer extends ConvolutionLayer {
    private static final long serialVersionUID = 1L;

    /** For Jackson. */
    public OwnLayer() {}
  }

  // Java's serialisation

  @Test
  void anObjectInTheFileIsNotDeserialised() throws IOException {
    assertThatRefused("preprocessor.bin", Gadget.serialised(new Gadget()))
        .hasMessageContaining("preprocessor.bin");
    assertThat(System.getProperty(Gadget.TRACE)).isNull();
    assertThatCode(() -> ModelSerializer.restoreComputationGraph(forged().toFile()))
        .isInstanceOf(ClassCastException.class);
    assertThat(System.getProperty(Gadget.TRACE)).as("the attack works").isEqualTo("deserialised");
  }

  @Tag("once")
  @Test
  void nestedSetsCostNoTime() throws IOException {
    assertThatRefused("preprocessor.bin", Gadget.serialised(Gadget.nestedSets()))
        .hasMessageContaining("preprocessor.bin");
  }

  @Tag("once")
  @Test
  void aSerialisedArrayOfForgedLengthCostsNoMemory() throws IOException {
    byte[] bytes = Gadget.serialised(new long[] {1});
    Arrays.fill(bytes, bytes.length - 12, bytes.length - 8, (byte) 0x7F);
    assertThatRefused("preprocessor.bin", bytes).hasMessageContaining("preprocessor.bin");
  }

  // Classes

  @ParameterizedTest
  @ValueSource(strings = {"@class", "type"})
  void aForeignClassIsNotInitialised(String field) throws IOException {
    String gadget = Gadget.class.getName() + "$Quiet";
    String layer = "org.deeplearning4j.nn.conf.layers.ConvolutionLayer";
    for (String name :
        List.of(
            gadget,
            "java.util.ArrayList<" + gadget + ">",
            layer + "<" + gadget + ">",
            "[L" + gadget + ";",
            " " + gadget,
            gadget.replace("i", "\\u0069"))) {
      String json = text(sound().get(CONFIGURATION));
      String forgedJson =
          String.format("{\"%s\" : \"%s\",", field, name) + json.substring(json.indexOf('{') + 1);
      assertThatRefused(CONFIGURATION, bytes(forgedJson)).hasMessageContaining("the class");
    }
    assertThat(System.getProperty(Gadget.TRACE)).isNull();
  }

  /** A vertex may have any name: what lies below it is read all the same. */
  @ParameterizedTest
  @ValueSource(strings = {"digest", "layerName", "vertexInputs", "networkInputs"})
  void aForeignClassBelowAnyNameIsNotInitialised(String vertex) throws IOException {
    String json = text(sound().get(CONFIGURATION));
    String forgedJson =
        String.format("{\"%s\" : {\"@class\" : \"%s$Quiet\"},", vertex, Gadget.class.getName())
            + json.substring(json.indexOf('{') + 1);
    assertThatRefused(CONFIGURATION, bytes(forgedJson)).hasMessageContaining("the class");
    assertThat(System.getProperty(Gadget.TRACE)).isNull();
  }

  @Test
  void aForeignLayerIsNotInitialised() throws IOException {
    Map<String, byte[]> entries = withClass(Gadget.class.getName() + "$Quiet");
    Path file = Archives.write(folder.resolve("forged.zip"), entries);
    assertThatThrownBy(() -> SafeModels.load(file)).hasMessageContaining("$Quiet");
    assertThat(System.getProperty(Gadget.TRACE)).isNull();
    assertThatThrownBy(() -> ModelSerializer.restoreComputationGraph(file.toFile()))
        .isInstanceOf(RuntimeException.class);
    assertThat(System.getProperty(Gadget.TRACE)).as("the attack works").isEqualTo("initialised");
  }

  // Sizes

  @Tag("once")
  @Test
  void deepNestingIsRefused() throws IOException {
    String deep = "{\"vertices\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThatRefused(CONFIGURATION, bytes(deep)).hasMessageContaining("levels");
  }

  @Tag("once")
  @Test
  void longNumbersAndTextsAreRefused() throws IOException {
    String digits = "7".repeat(1 << 20);
    assertThatRefused(CONFIGURATION, bytes("{\"vertices\":" + digits + "}"))
        .hasMessageContaining("characters");
    assertThatRefused(CONFIGURATION, bytes("{\"vertices\":\"" + digits + "\"}"))
        .hasMessageContaining("characters");
    assertThatRefused(CONFIGURATION, new byte[20 << 20]).hasMessageContaining("longer");
  }

  /** Each whole number of a network with sizes of many kinds is replaced in turn. */
  @Tag("once")
  @Test
  void numbersThatSizeMemoryOrWorkAreBounded() throws IOException {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(16, 16, 1))
                .addLayer("maps", new ScatteringLayer.Builder().scales(2).build(), "in")
                .addLayer(
                    "kernel",
                    new KernelAggregationLayer.Builder()
                        .kernel(PolynomialKernel.degree(2).offset(1))
                        .build(),
                    "maps")
                .addLayer("root", new MatrixSquareRootLayer.Builder().build(), "kernel")
                .addLayer("inverse", new SparseInverseLayer.Builder().build(), "root")
                .addLayer("vector", new SpdVectorizationLayer.Builder().build(), "inverse")
                .addLayer("out", new OutputLayer.Builder().nOut(2).build(), "vector")
                .setOutputs("out")
                .build());
    net.init();
    Path file = folder.resolve("sizes.zip");
    ModelSerializer.writeModel(net, file.toFile(), false);
    assertThatCode(() -> SafeModels.load(file)).doesNotThrowAnyException();
    String json = text(Archives.read(file).get(CONFIGURATION));
    Set<String> replaced = new HashSet<>();
    for (String large :
        List.of(
            "2147483647", "-2147483648", "2.147483647E9", "1e308", "-1e308", "\"2147483647\"")) {
      Matcher number = Pattern.compile("\"(\\w+)\" : (-?\\d[-+.\\dE]*)").matcher(json);
      while (number.find()) {
        String forged = json.substring(0, number.start(2)) + large + json.substring(number.end(2));
        String field = number.group(1);
        if (!Set.of("seed", "iterationCount", "epochCount").contains(field)) {
          assertThatRefused(CONFIGURATION, bytes(forged))
              .hasMessageContaining(
                  large.startsWith("\"")
                      ? "expected no text as \"" + field
                      : "\"" + field + "\" of at most");
          replaced.add(field);
        }
      }
    }
    assertThat(replaced).contains("iterations", "steps", "degree", "scales", "directions", "nin");
    assertThat(replaced).contains("ridge", "rate", "sparsity", "contrast", "offset");
    requireRefusal(json, "iterations", "-1", "at least 1 iteration");
    requireRefusal(json, "rate", "0", "a finite rate greater than 0");
    requireRefusal(json, "steps", "-1", "steps that are not negative");
    requireRefusal(json, "sparsity", "-1", "a finite sparsity");
    requireRefusal(json, "sparsity", "\"NaN\"", "a finite sparsity");
    requireRefusal(json, "ridge", "-1", "a finite ridge");
    requireRefusal(json, "contrast", "-1", "a finite contrast");
    requireRefusal(json, "directions", "0", "at least one scale");
    requireRefusal(json, "directions", "255", "at most 65536 maps", "scales", "16");
  }

  /** What a builder would not take is not taken from a file. */
  private void requireRefusal(String json, String field, String value, String why, String... more)
      throws IOException {
    String forged = json.replaceAll("(\"" + field + "\" : )[-.\\dE]+", "$1" + value);
    if (more.length > 0) {
      forged = forged.replaceAll("(\"" + more[0] + "\" : )[-.\\dE]+", "$1" + more[1]);
    }
    assertThat(forged).isNotEqualTo(json);
    Map<String, byte[]> entries = Archives.read(folder.resolve("sizes.zip"));
    entries.put(CONFIGURATION, bytes(forged));
    Path file = Archives.write(forged(), entries);
    assertThatThrownBy(() -> SafeModels.load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  /** A layer may be called like a number, or like a field that is one. */
  @Test
  void namesMayBeDigits() throws IOException {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .graphBuilder()
                .addInputs("1234567890")
                .addLayer("steps", new DenseLayer.Builder().nIn(2).nOut(2).build(), "1234567890")
                .addLayer("2e9", new OutputLayer.Builder().nIn(2).nOut(2).build(), "steps")
                .setOutputs("2e9")
                .build());
    net.init();
    Path file = folder.resolve("names.zip");
    ModelSerializer.writeModel(net, file.toFile(), false);
    assertThat(SafeModels.loadGraph(file).params()).isEqualTo(net.params());
  }

  /** In two of the branches, the input of every vertex is replaced by every vertex in turn. */
  @Tag("once")
  @Test
  void graphsThatLeadBackOrNowhereAreRefused() throws IOException {
    JsonNode json = new ObjectMapper().readTree(text(sound().get(CONFIGURATION)));
    ObjectNode inputs = (ObjectNode) json.get("vertexInputs");
    List<String> names = new ArrayList<>();
    inputs.fieldNames().forEachRemaining(names::add);
    names.removeIf(name -> !name.matches("conv|(mean|differentiated)\\d|merge|out"));
    int refused = 0;
    for (String vertex : names) {
      JsonNode before = inputs.get(vertex);
      for (String from : names) {
        if (leadsTo(inputs, from, vertex)) {
          inputs.putArray(vertex).add(from);
          assertThatRefused(CONFIGURATION, bytes(json.toString()));
          refused++;
          inputs.set(vertex, before);
        }
      }
      inputs.putArray(vertex).add("nowhere");
      assertThatRefused(CONFIGURATION, bytes(json.toString()));
      inputs.set(vertex, before);
    }
    assertThat(refused).isGreaterThan(20);
    for (String order : List.of("topologicalOrder", "topologicalOrderStr")) {
      ArrayNode forged = (ArrayNode) json.get(order);
      forged.insert(0, forged.remove(forged.size() - 1));
      assertThatRefused(CONFIGURATION, bytes(json.toString())).hasMessageContaining("an order");
      forged.add(forged.remove(0));
    }
  }

  private static boolean leadsTo(JsonNode inputs, String from, String vertex) {
    boolean found = from.equals(vertex);
    for (JsonNode input : inputs.path(from)) {
      found |= leadsTo(inputs, input.asText(), vertex);
    }
    return found;
  }

  @Tag("once")
  @ParameterizedTest
  @ValueSource(strings = {CONFIGURATION, COEFFICIENTS, "spd4j/bomb"})
  void aSmallFileDoesNotInflateToMuch(String name) throws IOException {
    Map<String, byte[]> entries = sound();
    byte[] head = entries.remove(name);
    Path file = folder.resolve("bomb.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
      zip.putNextEntry(new ZipEntry(name));
      zip.write(head == null ? new byte[0] : head);
      zeros(zip, 40 << 20);
    }
    assertThat(Files.size(file)).isLessThan(1 << 20);
    if (head == null) {
      SafeModels.load(file); // nobody asks for it
    } else {
      assertThatThrownBy(() -> SafeModels.load(file)).hasMessageContaining(name);
    }
  }

  /** A configuration that promises as many zeros as the file has. */
  @Tag("once")
  @Test
  void zerosAreNoWeights() throws IOException {
    int width = 1 << 13;
    Path file = folder.resolve("zeros.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.putNextEntry(new ZipEntry(CONFIGURATION));
      zip.write(bytes(dense(width).toJson()));
      zip.putNextEntry(new ZipEntry(COEFFICIENTS));
      byte[] small = bytes(Nd4j.zeros(DataType.FLOAT, 1, 3));
      long length = (long) width * width + width + 2L * width + 2;
      zip.write(withLength(small, 3, length), 0, small.length - 12);
      zeros(zip, 4 * length);
    }
    assertThat(Files.size(file)).isLessThan(2 << 20);
    assertThatThrownBy(() -> SafeModels.load(file)).hasMessageContaining("expected weights");
  }

  private static void zeros(OutputStream out, long length) throws IOException {
    byte[] block = new byte[1 << 20];
    for (long left = length; left > 0; left -= block.length) {
      out.write(block, 0, (int) Math.min(left, block.length));
    }
  }

  private static ComputationGraphConfiguration dense(int width) {
    return new NeuralNetConfiguration.Builder()
        .graphBuilder()
        .addInputs("in")
        .addLayer("dense", new DenseLayer.Builder().nIn(width).nOut(width).build(), "in")
        .addLayer("out", new OutputLayer.Builder().nIn(width).nOut(2).build(), "dense")
        .setOutputs("out")
        .build();
  }

  @Tag("once")
  @ParameterizedTest
  @ValueSource(strings = {COEFFICIENTS, UPDATER})
  void aForgedLengthCostsNoMemory(String name) throws IOException {
    byte[] bytes = sound().get(name);
    long length = name.equals(UPDATER) ? state().length() : parameters().length();
    for (long forged :
        new long[] {Long.MAX_VALUE, 1L << 40, Integer.MAX_VALUE, length + 1, length - 1, 0, -1}) {
      assertThatRefused(name, withLength(bytes, length, forged)).hasMessageContaining(name);
    }
  }

  /** Puts another number wherever an array says how long it is. */
  private static byte[] withLength(byte[] array, long length, long forged) {
    byte[] bytes = array.clone();
    for (int i = 0; i + 8 <= Math.min(bytes.length, 200); i++) {
      if (ByteBuffer.wrap(bytes).getLong(i) == length) {
        ByteBuffer.wrap(bytes).putLong(i, forged);
      }
    }
    return bytes;
  }

  // What is not as it should be

  @Test
  void parametersAreFinite() throws IOException {
    for (double number : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      INDArray parameters = parameters().dup();
      parameters.putScalar(3, number);
      assertThatRefused(COEFFICIENTS, bytes(parameters)).hasMessageContaining("finite");
    }
  }

  @Test
  void parametersAreAVectorOfThePromisedLength() throws IOException {
    INDArray parameters = parameters();
    INDArray shorter = Nd4j.create(DataType.FLOAT, 1, parameters.length() - 1);
    assertThatRefused(COEFFICIENTS, bytes(shorter)).hasMessageContaining("numbers");
    INDArray column = parameters.reshape(parameters.length(), 1);
    assertThatRefused(COEFFICIENTS, bytes(column)).hasMessageContaining("vector");
    INDArray integers = parameters.castTo(DataType.INT32);
    assertThatRefused(COEFFICIENTS, bytes(integers)).hasMessageContaining("floating-point");
    assertThatRefused(UPDATER, bytes(shorter)).hasMessageContaining("forged.zip");
  }

  @Test
  void entriesAreTheOnesOfAModel() throws IOException {
    assertThatRefused("evil.sh", bytes("#!/bin/sh")).hasMessageContaining("evil.sh");
    assertThatRefused("../up.bin", bytes("")).hasMessageContaining("../up.bin");
    for (String missing : List.of(CONFIGURATION, COEFFICIENTS)) {
      Map<String, byte[]> entries = sound();
      entries.remove(missing);
      Path file = Archives.write(forged(), entries);
      assertThatThrownBy(() -> SafeModels.load(file)).hasMessageContaining(missing);
    }
    assertThatRefused(CONFIGURATION, bytes("{}")).hasMessageContaining("configuration");
    assertThatRefused(CONFIGURATION, bytes("{\"vertices\" : 3}")).hasMessageContaining("DL4J");
    assertThatRefused(CONFIGURATION, bytes("no JSON")).hasMessageContaining(CONFIGURATION);
  }

  @Test
  void noFolderAndNoOtherFile() throws IOException {
    assertThatThrownBy(() -> SafeModels.load(folder)).isInstanceOf(IOException.class);
    Path file = Files.write(folder.resolve("text.zip"), bytes("no zip at all"));
    assertThatThrownBy(() -> SafeModels.load(file)).hasMessageContaining("zip file");
  }

  @Tag("once")
  @Test
  void aTruncatedFileIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(NetworkFiles.file("graph-float"));
    Path file = folder.resolve("part.zip");
    for (int length = 0; length < whole.length; length += 1 + whole.length / 50) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> SafeModels.load(file)).isInstanceOf(IOException.class);
    }
  }

  /** Damage is noticed, or lies where it changes nothing, such as in the time of an entry. */
  @Tag("once")
  @Test
  void noFlippedBitChangesANetwork() throws IOException {
    byte[] whole = Files.readAllBytes(NetworkFiles.file("layers-float"));
    MultiLayerNetwork sound =
        (MultiLayerNetwork) SafeModels.load(NetworkFiles.file("layers-float"));
    Path file = folder.resolve("damaged.zip");
    Random random = new Random(1);
    int refused = 0;
    for (int i = 0; i < 200; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, damaged);
      try {
        MultiLayerNetwork net = (MultiLayerNetwork) SafeModels.load(file);
        assertThat(net.params()).isEqualTo(sound.params());
        assertThat(net.getLayerWiseConfigurations()).isEqualTo(sound.getLayerWiseConfigurations());
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("damaged.zip");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(130);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertThatRefused(
      String name, byte[] content) throws IOException {
    Map<String, byte[]> entries = sound();
    entries.put(name, content);
    Path file = Archives.write(forged(), entries);
    return assertThatThrownBy(() -> SafeModels.load(file)).isInstanceOf(IOException.class);
  }

  private Path forged() {
    return folder.resolve("forged.zip");
  }

  private static Map<String, byte[]> sound() throws IOException {
    return Archives.read(NetworkFiles.file("graph-float"));
  }

  /** The sound network with another class in place of its convolution's. */
  private static Map<String, byte[]> withClass(String name) throws IOException {
    Map<String, byte[]> entries = sound();
    String json = text(entries.get(CONFIGURATION));
    String layer = "org.deeplearning4j.nn.conf.layers.ConvolutionLayer";
    assertThat(json).contains(layer);
    entries.put(CONFIGURATION, bytes(json.replace(layer, name)));
    return entries;
  }

  private static INDArray parameters() throws IOException {
    return ModelSerializer.restoreComputationGraph(NetworkFiles.file("graph-float").toFile())
        .params();
  }

  private static INDArray state() throws IOException {
    return ModelSerializer.restoreComputationGraph(NetworkFiles.file("graph-float").toFile(), true)
        .getUpdater()
        .getStateViewArray();
  }

  private static NormalizerStandardize normalizer() {
    return new NormalizerStandardize(Nd4j.zeros(1, 2), Nd4j.ones(1, 2));
  }
}
