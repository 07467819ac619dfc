/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.layers.SpdOutputLayer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * How much each place of an image had to do with the answer: positive where the answer would be
 * less sure if the place were fainter, negative where it would be surer.
 *
 * <p>Let x be the feature maps that the head aggregates, x<sub>i</sub>(p) map i at place p, and z
 * the logit of the answer minus the mean of all logits (what is added to all of them changes no
 * probability). The attribution of a place is
 *
 * <blockquote>
 *
 * a(p) = Σ<sub>i</sub> x<sub>i</sub>(p) · ∂z/∂x<sub>i</sub>(p)
 *
 * </blockquote>
 *
 * <p>For a radial kernel the distances between maps are sums over places. A place gets its part of
 * each distance, times what a small change of that distance would do to z. K<sub>ij</sub> depends
 * on the maps only through their squared distance D<sub>ij</sub> = Σ<sub>p</sub> (x<sub>i</sub>(p)
 * − x<sub>j</sub>(p))², a sum over places, and as each term is quadratic in x, Euler's theorem
 * gives, summed over all i and j,
 *
 * <blockquote>
 *
 * a(p) = 2 Σ<sub>ij</sub> ∂z/∂K<sub>ij</sub> · ∂K<sub>ij</sub>/∂D<sub>ij</sub> · (x<sub>i</sub>(p)
 * − x<sub>j</sub>(p))²
 *
 * </blockquote>
 *
 * <p>with σ as the backward pass takes it: a constant unless it is differentiated. For bilinear
 * pooling it is 2 Σ<sub>ij</sub> ∂z/∂B<sub>ij</sub> · x<sub>i</sub>(p) x<sub>j</sub>(p) / P, and
 * for average pooling the class activation map, whose sum is z without the biases. For fully
 * connected layers, which do not aggregate, it is the gradient times the maps at the cut. Of a head
 * that joins its vector with another it is the share of its own.
 *
 * <p>It is of first order: what follows K (transform, normalisation) is taken at its slope. Each
 * place of a map sees a larger part of the image than the square that it is drawn on.
 */
public final class Attribution {

  private static final LayerWorkspaceMgr MEMORY = LayerWorkspaceMgr.noWorkspaces();

  private final ComputationGraph net;
  private final String source;

  /**
   * Attribution for the answers of a network.
   *
   * @param net a network made by {@link SpdGraft}, without dropout
   */
  public Attribution(ComputationGraph net) {
    Set<String> vertices =
        Objects.requireNonNull(net, "net").getConfiguration().getVertices().keySet();
    if (!vertices.containsAll(List.of(Backbone.MAPS, SpdGraft.CLASSIFIER))) {
      throw new IllegalArgumentException(
          "net: expected a network of SpdGraft, with the vertices '"
              + Backbone.MAPS
              + "' and '"
              + SpdGraft.CLASSIFIER
              + "', got one with "
              + vertices);
    }
    this.net = net;
    this.source = source();
    net.initGradientsView();
  }

  /** The vertex whose output is aggregated. */
  private String source() {
    for (String layer : List.of(SpdGraft.AGGREGATION, SpdGraft.VECTOR)) {
      if (net.getConfiguration().getVertices().containsKey(layer)) {
        return inputOf(layer);
      }
    }
    return Backbone.MAPS;
  }

  private String inputOf(String vertex) {
    return net.getConfiguration().getVertexInputs().get(vertex).get(0);
  }

  /**
   * The attribution of each place.
   *
   * @param image [1, channels, height, width]
   * @param answer the number of the class
   * @return [height, width] of the feature maps
   */
  public INDArray of(INDArray image, int answer) {
    Map<String, INDArray> activations = net.feedForward(image, false);
    String last = inputOf(SpdGraft.CLASSIFIER);
    INDArray gradient = backward(last, slope(answer, activations.get(last)), activations);
    INDArray maps = activations.get(source);
    return maps.mul(gradient.reshape(maps.shape())).sum(1).slice(0);
  }

  /** ∂z/∂v for the vector or the matrix v that the classifier sees. */
  private INDArray slope(int answer, INDArray input) {
    Layer classifier = net.getLayer(SpdGraft.CLASSIFIER);
    INDArray weights = classifier.getParam("W");
    INDArray slope = weights.getColumn(answer).sub(weights.mean(1)).reshape(1, weights.size(0));
    return classifier.conf().getLayer() instanceof SpdOutputLayer
        ? ((SpdOutputLayer) classifier.conf().getLayer()).backward(input, slope)
        : slope;
  }

  /** The gradient by the source, of the gradient by the output of a vertex after it. */
  private INDArray backward(String vertex, INDArray gradient, Map<String, INDArray> activations) {
    if (vertex.equals(source)) {
      return gradient;
    }
    if (vertex.equals(SpdGraft.SUM)) {
      return net.getConfiguration().getVertexInputs().get(vertex).stream()
          .map(input -> backward(input, gradient, activations))
          .reduce(INDArray::add)
          .orElseThrow();
    }
    INDArray input = activations.get(inputOf(vertex));
    INDArray before =
        vertex.equals(SpdGraft.JOINED)
            ? gradient.get(NDArrayIndex.all(), NDArrayIndex.interval(0, input.size(1)))
            : backprop(vertex, input, gradient);
    return backward(inputOf(vertex), before, activations);
  }

  private INDArray backprop(String name, INDArray input, INDArray gradient) {
    LayerVertex vertex = (LayerVertex) net.getConfiguration().getVertices().get(name);
    InputPreProcessor reshaping = vertex.getPreProcessor();
    Layer layer = net.getLayer(name);
    layer.setInput(reshaping == null ? input : reshaping.preProcess(input, 1, MEMORY), MEMORY);
    INDArray before = layer.backpropGradient(gradient, MEMORY).getSecond();
    layer.clear();
    return reshaping == null ? before : reshaping.backprop(before, 1, MEMORY);
  }
}
