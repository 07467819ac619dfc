/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.internal.models.ModelArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Reads networks that {@link ModelSerializer} wrote, from files that one does not trust.
 *
 * <pre>{@code
 * Model net = SafeModels.load(file);
 * ComputationGraph graph = SafeModels.loadGraph(file);
 * Model own = SafeModels.allowing("com.example.").read(file);
 * }</pre>
 *
 * <p>DL4J's own reader runs code that a file brings along: it deserialises the entry {@code
 * preprocessor.bin}, and initialises every class that the configuration names. Here
 *
 * <ul>
 *   <li>a file has the entries of a model, or is refused; nothing is read by Java's serialisation;
 *   <li>the configuration may only name configurations of DL4J, ND4J and this library, and what is
 *       {@linkplain #allowing allowed}; its length and nesting are bounded;
 *   <li>there are as many parameters as the configuration says, all finite, and the memory for them
 *       is bounded by the size of the file;
 *   <li>each entry that is read is as long as it should be and has the right checksum.
 * </ul>
 *
 * <p>A normaliser and objects that a user added to the file are not read.
 */
public final class SafeModels {

  /** Entries of this kind belong to whoever wrote them; a network does not need them. */
  private static final List<String> OTHERS = List.of("training/", "spd4j/", "objects/");

  private static final Set<String> EXPECTED =
      Set.of(
          ModelSerializer.CONFIGURATION_JSON,
          ModelSerializer.COEFFICIENTS_BIN,
          ModelSerializer.UPDATER_BIN,
          ModelSerializer.NO_PARAMS_MARKER,
          ModelSerializer.NORMALIZER_BIN);

  /** No updater of DL4J or of this library keeps more than this for each parameter. */
  private static final int LARGEST_STATE = 8;

  private final List<String> allowed;
  private final boolean withUpdater;

  private SafeModels(List<String> allowed, boolean withUpdater) {
    this.allowed = allowed;
    this.withUpdater = withUpdater;
  }

  /**
   * Reads a network, with the state of its updaters if the file has it.
   *
   * @param file a model file
   * @return a {@link ComputationGraph} or a {@link MultiLayerNetwork}
   * @throws IOException if it is damaged, or not safe to read
   */
  public static Model load(Path file) throws IOException {
    return allowing().withUpdater().read(file);
  }

  /**
   * Reads a graph, without the state of its updaters.
   *
   * @param file a model file
   * @return the graph
   * @throws IOException if it is damaged, not safe to read, or no graph
   */
  public static ComputationGraph loadGraph(Path file) throws IOException {
    return allowing().readGraph(file);
  }

  /**
   * Allows a configuration to name further classes, which reading it initialises.
   *
   * @param names of classes; a name that ends with a dot stands for a package and all below it
   * @return a reader that leaves the state of updaters alone
   */
  public static SafeModels allowing(String... names) {
    Objects.requireNonNull(names, "names");
    for (String name : names) {
      if (!name.matches("([\\w$]+\\.)*[\\w$]+\\.?")) {
        throw new IllegalArgumentException(
            "expected the name of a class, or of a package with a dot at its end, got " + name);
      }
    }
    return new SafeModels(List.of(names), false);
  }

  /**
   * Asks for the state of the updaters, to go on with a training.
   *
   * @return a reader that restores it if the file has it
   */
  public SafeModels withUpdater() {
    return new SafeModels(allowed, true);
  }

  /**
   * Reads a graph.
   *
   * @param file a model file
   * @return the graph
   * @throws IOException if it is damaged, not safe to read, or no graph
   */
  public ComputationGraph readGraph(Path file) throws IOException {
    Model model = read(file);
    if (!(model instanceof ComputationGraph)) {
      throw new IOException(file + ": expected a ComputationGraph, got a MultiLayerNetwork");
    }
    return (ComputationGraph) model;
  }

  /**
   * Reads a network.
   *
   * @param file a model file
   * @return a {@link ComputationGraph} or a {@link MultiLayerNetwork}
   * @throws IOException if it is damaged, or not safe to read
   */
  public Model read(Path file) throws IOException {
    try (ModelArchive archive = ModelArchive.open(file)) {
      requireExpected(archive);
      String json = archive.text(ModelSerializer.CONFIGURATION_JSON);
      Set<String> fields = fields(archive, json);
      if (fields.contains("vertices")) {
        return graph(archive, json);
      }
      if (fields.contains("confs")) {
        return layers(archive, json);
      }
      throw archive.refused("expected the configuration of a network, got other JSON");
    } catch (RuntimeException e) { // DL4J has no checked exceptions for what makes no sense
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IOException(
          file + ": expected a network that DL4J saved: " + ModelArchive.quoted(reason), e);
    }
  }

  private static void requireExpected(ModelArchive archive) throws IOException {
    for (String name : archive.names()) {
      if (name.equals(ModelSerializer.PREPROCESSOR_BIN)) {
        throw archive.refused(
            name
                + " is an object of Java's serialisation, which can run code;"
                + " if you trust the file, read it with ModelSerializer and save it again");
      }
      if (!EXPECTED.contains(name) && OTHERS.stream().noneMatch(name::startsWith)) {
        throw archive.refused("expected the entries of a model, got " + ModelArchive.quoted(name));
      }
    }
  }

  private Set<String> fields(ModelArchive archive, String json) throws IOException {
    try {
      return new ConfigurationCheck(allowed).fields(json);
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IOException(
          archive
              .refused(ModelSerializer.CONFIGURATION_JSON + " is no good: " + reason)
              .getMessage(),
          e);
    }
  }

  private ComputationGraph graph(ModelArchive archive, String json) throws IOException {
    ComputationGraphConfiguration configuration = ComputationGraphConfiguration.fromJson(json);
    try {
      GraphOrder.check(configuration);
    } catch (IOException e) {
      throw archive.refused(e.getMessage());
    }
    for (GraphVertex vertex : configuration.getVertices().values()) {
      if (vertex instanceof LayerVertex) {
        attachFile(archive, ((LayerVertex) vertex).getLayerConf().getLayer());
      }
    }
    long length = 0;
    for (GraphVertex vertex : configuration.getVertices().values()) {
      length = Math.addExact(length, vertex.numParams(true));
    }
    INDArray parameters = parameters(archive, length);
    if (parameters != null) { // before 1.0 a configuration did not say its type
      configuration.setDataType(parameters.dataType());
    }
    ComputationGraph net = new ComputationGraph(configuration);
    net.init(parameters, false);
    if (restoresUpdater(archive)) {
      net.getUpdater().setStateViewArray(updaterState(archive, length));
    }
    return net;
  }

  private MultiLayerNetwork layers(ModelArchive archive, String json) throws IOException {
    MultiLayerConfiguration configuration = MultiLayerConfiguration.fromJson(json);
    long length = 0;
    for (int i = 0; i < configuration.getConfs().size(); i++) {
      attachFile(archive, configuration.getConf(i).getLayer());
      length =
          Math.addExact(
              length,
              configuration
                  .getConf(i)
                  .getLayer()
                  .initializer()
                  .numParams(configuration.getConf(i)));
    }
    INDArray parameters = parameters(archive, length);
    if (parameters != null) {
      configuration.setDataType(parameters.dataType());
    }
    MultiLayerNetwork net = new MultiLayerNetwork(configuration);
    net.init(parameters, false);
    if (restoresUpdater(archive)) {
      net.getUpdater().setStateViewArray(net, updaterState(archive, length), false);
    }
    return net;
  }

  private static void attachFile(ModelArchive archive, Layer layer) throws IOException {
    Layer inner = WrappedLayers.unwrapped(layer);
    if (inner instanceof FileLayer) {
      String entry = entry((FileLayer) inner);
      byte[] file = archive.bytes(entry);
      try {
        ((FileLayer) inner).attach(file);
      } catch (IOException e) {
        throw new IOException(archive.refused(entry + ": " + e.getMessage()).getMessage(), e);
      }
    }
  }

  /** The entry of a layer's own file. */
  static String entry(FileLayer layer) {
    return "spd4j/files/" + layer.digest();
  }

  /** Null if the network has none. */
  private static INDArray parameters(ModelArchive archive, long length) throws IOException {
    return length == 0 && archive.names().contains(ModelSerializer.NO_PARAMS_MARKER)
        ? null
        : archive.vector(ModelSerializer.COEFFICIENTS_BIN, length, length);
  }

  private boolean restoresUpdater(ModelArchive archive) {
    return withUpdater && archive.names().contains(ModelSerializer.UPDATER_BIN);
  }

  private static INDArray updaterState(ModelArchive archive, long length) throws IOException {
    return archive.vector(
        ModelSerializer.UPDATER_BIN, 1, Math.multiplyExact(length, LARGEST_STATE));
  }
}
