/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.backbones.Backbone;
import java.util.Optional;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.graph.vertex.impl.MergeVertex;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Stands in for the mark at the end of a network's backbone, and remembers the mean of each map
 * that passes through it: no second pass is needed to know them beside the network's answers.
 */
@SuppressWarnings("overrides") // of DL4J, whose setInputs has an array and dots
public final class MapMeans extends MergeVertex {

  private static final long serialVersionUID = 1L;

  private static final int RANK = 4;

  private transient INDArray last;

  private MapMeans(ComputationGraph net, GraphVertex mark, DataType type) {
    super(
        net,
        mark.getVertexName(),
        mark.getVertexIndex(),
        mark.getInputVertices(),
        mark.getOutputVertices(),
        type,
        1);
  }

  /**
   * Puts itself in the place of a network's mark.
   *
   * @param net the network, which computes the same
   * @return nothing if the network has no such mark
   */
  public static Optional<MapMeans> in(ComputationGraph net) {
    if (!net.getConfiguration().getVertices().containsKey(Backbone.MAPS)) {
      return Optional.empty();
    }
    GraphVertex mark = net.getVertex(Backbone.MAPS);
    if (mark.getClass() != MergeVertex.class || mark.getInputVertices().length != 1) {
      return Optional.empty();
    }
    MapMeans means = new MapMeans(net, mark, net.getConfiguration().getDataType());
    net.getVertices()[mark.getVertexIndex()] = means;
    return Optional.of(means);
  }

  @Override
  public INDArray doForward(boolean training, LayerWorkspaceMgr workspaces) {
    INDArray maps = super.doForward(training, workspaces);
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      last = of(maps);
    }
    return maps;
  }

  /**
   * The mean of each map.
   *
   * @param maps [N, C, H, W], or [N, C] of what has no places
   * @return a new FLOAT array [N, C]
   */
  public static INDArray of(INDArray maps) {
    return (maps.rank() == RANK ? maps.mean(2, 3) : maps.dup()).castTo(DataType.FLOAT);
  }

  /**
   * The means of the maps of the last pass.
   *
   * @return [N, C]
   */
  public INDArray last() {
    return last;
  }
}
