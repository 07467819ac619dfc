/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.engine.MapMeans;
import io.github.spd4j.internal.inference.Compiled;
import io.github.spd4j.internal.inference.Inference;
import io.github.spd4j.models.Engine;
import io.github.spd4j.models.ModelCard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** What a network makes of images: probabilities, and the means of its maps where they matter. */
final class NetworkOutputs {

  private static final int COLOURS = 3;

  private final Optional<MapMeans> means;
  private final Function<INDArray, List<INDArray>> outputs;
  private final Engine engine;

  NetworkOutputs(ComputationGraph net, ModelCard card, Engine engine) {
    this.means = card.confidence().familiarity().isPresent() ? MapMeans.in(net) : Optional.empty();
    Function<INDArray, List<INDArray>> own =
        images -> {
          INDArray output = net.outputSingle(false, images).castTo(DataType.FLOAT);
          return means.map(MapMeans::last).map(m -> List.of(output, m)).orElse(List.of(output));
        };
    List<String> vertices = new ArrayList<>(net.getConfiguration().getNetworkOutputs());
    means.ifPresent(any -> vertices.add(Backbone.MAPS));
    Optional<Compiled> other =
        new Inference(engine, "the answers")
            .compiled(
                net,
                vertices,
                all -> means.isEmpty() ? all : List.of(all.get(0), MapMeans.of(all.get(1))),
                own,
                () -> unlikeAny(card.size()));
    this.outputs = other.<Function<INDArray, List<INDArray>>>map(o -> o::run).orElse(own);
    this.engine = other.isPresent() ? Engine.ONNXRUNTIME : Engine.DL4J;
  }

  /** An image the like of which the classifier may never have seen. */
  private static INDArray unlikeAny(int size) {
    INDArray numbers = Nd4j.arange(COLOURS * size * size).castTo(DataType.FLOAT).divi(10);
    return Transforms.sin(numbers).reshape(1, COLOURS, size, size);
  }

  /** What computes them. */
  Engine engine() {
    return engine;
  }

  /**
   * The probabilities [N, classes] for images, and, where the card knows what is like its images,
   * the mean of each map at the end of the backbone [N, maps]; FLOAT.
   */
  List<INDArray> of(INDArray images) {
    return outputs.apply(images);
  }
}
