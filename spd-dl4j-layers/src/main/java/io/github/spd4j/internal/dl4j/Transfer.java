/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.nd4j.linalg.learning.config.IUpdater;

/**
 * A network to be built upon by DL4J's transfer learning. Unlike DL4J's own start it keeps the axis
 * of merges, the data type, the seed and the workspaces, and does not freeze a frozen layer twice.
 */
public final class Transfer {

  private Transfer() {}

  /**
   * Begins transfer learning.
   *
   * @param net the network, which is not changed
   * @param fineTune what changes for its layers; it is not changed
   * @param seed the seed of new parameters, or null for that of the fine-tune configuration, or
   *     else the network's
   * @param updater that of new layers for which nothing else is said
   * @return a builder of a network in which nothing is frozen
   */
  public static TransferLearning.GraphBuilder from(
      ComputationGraph net, FineTuneConfiguration fineTune, Long seed, IUpdater updater) {
    GraphView view = new GraphView(net);
    ComputationGraphConfiguration copy = Subgraph.copyOf(net.getConfiguration());
    ComputationGraph source = net;
    if (thaw(copy)) {
      source = new ComputationGraph(copy);
      source.init(net.params(), true);
    }
    TransferLearning.GraphBuilder graph =
        new TransferLearning.GraphBuilder(source)
            .fineTuneConfiguration(
                new CompleteFineTune(fineTune, seed, updater, view.configuration()));
    for (String name : view.names()) {
      GraphVertex vertex = copy.getVertices().get(name);
      if (hasOwnAxis(vertex)) {
        graph
            .removeVertexKeepConnections(name)
            .addVertex(name, vertex, view.inputsOf(name).toArray(new String[0]));
      }
    }
    return graph;
  }

  /** Whether a vertex merges along another axis than DL4J's default, as it does for NHWC. */
  private static boolean hasOwnAxis(GraphVertex vertex) {
    return vertex instanceof MergeVertex
        && ((MergeVertex) vertex).getMergeAxis() != MergeVertex.DEFAULT_MERGE_DIM;
  }

  /**
   * Thaws what is frozen: DL4J would wrap the configuration of a frozen layer twice when it freezes
   * it again. Returns whether there was anything.
   */
  private static boolean thaw(ComputationGraphConfiguration configuration) {
    boolean frozen = false;
    for (Map.Entry<String, GraphVertex> entry : configuration.getVertices().entrySet()) {
      GraphVertex vertex = WrappedLayers.thawed(entry.getValue());
      frozen |= vertex != entry.getValue();
      entry.setValue(vertex);
      if (vertex instanceof LayerVertex) {
        NeuralNetConfiguration conf = ((LayerVertex) vertex).getLayerConf();
        Layer layer = WrappedLayers.thawed(conf.getLayer());
        frozen |= layer != conf.getLayer();
        conf.setLayer(layer);
      }
    }
    return frozen;
  }

  /**
   * A fine-tune configuration, completed by what DL4J would otherwise forget: transfer learning
   * makes a network of type FLOAT with default workspaces, and with the time of day as its seed and
   * Sgd(0.001) for new layers unless the configuration has others.
   *
   * <p>It delegates instead of changing the configuration, which is the caller's and cannot be
   * copied: its JSON loses its optional fields.
   */
  private static final class CompleteFineTune extends FineTuneConfiguration {

    private final FineTuneConfiguration given;
    private final ComputationGraphConfiguration network;
    private final long usedSeed;
    private final IUpdater newLayers;

    CompleteFineTune(
        FineTuneConfiguration given,
        Long seed,
        IUpdater updater,
        ComputationGraphConfiguration network) {
      this.given = given;
      this.newLayers = updater;
      this.network = network;
      Long otherwise = given.getSeed();
      this.usedSeed =
          seed != null
              ? seed
              : otherwise != null ? otherwise : network.getDefaultConfiguration().getSeed();
    }

    @Override
    public NeuralNetConfiguration.Builder appliedNeuralNetConfigurationBuilder() {
      NeuralNetConfiguration.Builder builder =
          given
              .appliedNeuralNetConfigurationBuilder()
              .seed(usedSeed)
              .dataType(network.getDataType());
      if (given.getUpdater() == null) {
        builder.updater(newLayers);
      }
      if (given.getTrainingWorkspaceMode() == null) {
        builder.trainingWorkspaceMode(network.getTrainingWorkspaceMode());
      }
      if (given.getInferenceWorkspaceMode() == null) {
        builder.inferenceWorkspaceMode(network.getInferenceWorkspaceMode());
      }
      return builder;
    }

    @Override
    public void applyToNeuralNetConfiguration(NeuralNetConfiguration layer) {
      given.applyToNeuralNetConfiguration(layer);
      layer.setSeed(usedSeed);
    }
  }
}
