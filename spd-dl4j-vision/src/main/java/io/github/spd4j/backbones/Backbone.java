/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.internal.dl4j.Subgraph;
import io.github.spd4j.models.FileLayer;
import io.github.spd4j.models.ModelCard;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;

/**
 * A network whose beginning makes the feature maps for a head, and what one must know to use it.
 *
 * <pre>{@code
 * Backbone vgg = Vgg16.pretrained();
 * Backbone mine = Backbone.of(net, "conv2").withPixels(PixelFormat.TORCH).withSize(64);
 * }</pre>
 *
 * @param title the name to report it by, such as VGG-16
 * @param net an initialised network with one input, not to be changed
 * @param cut the last vertex (mostly a layer) that is kept, whose output is feature maps
 * @param pixels how the colours of an image become the numbers that it takes; null if it takes no
 *     colours, or nobody said it
 * @param size height and width of the images; 0 if nobody said it
 */
public record Backbone(
    String title, ComputationGraph net, String cut, PixelFormat pixels, int size) {

  /**
   * The name of the vertex whose output is the feature maps in a network that has a head: there its
   * backbone ends. It changes nothing, and DL4J writes and reads it like any other. Its name is
   * stored in model files.
   */
  public static final String MAPS = "spd-maps";

  /**
   * A backbone that has such a vertex.
   *
   * @param title the name to report it by
   * @param net an initialised network
   * @param cut the last vertex that is kept
   * @param pixels how colours become numbers, or null
   * @param size height and width of the images, or 0
   * @throws IllegalArgumentException if it has not, or takes images of another size only
   */
  public Backbone {
    Objects.requireNonNull(title, "title");
    if (net == null || net.getVertices() == null) {
      throw new IllegalArgumentException(
          "expected an initialised backbone, got " + (net == null ? "null" : "one without init"));
    }
    Set<String> layers = new GraphView(net).names();
    if (!layers.contains(cut)) {
      throw new IllegalArgumentException(
          "expected the name of a layer of the backbone, one of " + layers + ", got " + cut);
    }
    if (size < 0) {
      throw new IllegalArgumentException("expected images of at least 1 pixel, got " + size);
    }
    for (FileLayer layer : FileLayer.in(net)) {
      if (size > 0 && layer.size() > 0 && size != layer.size()) {
        throw new IllegalArgumentException(
            String.format(
                "expected images of %d pixels, which the backbone's file takes, got %d",
                layer.size(), size));
      }
    }
  }

  /**
   * Any network.
   *
   * @param net an initialised network with one input, not to be changed
   * @param cut the last vertex that is kept
   * @return a backbone of which neither pixels nor size are known
   */
  public static Backbone of(ComputationGraph net, String cut) {
    return new Backbone("network", net, cut, null, 0);
  }

  /**
   * Any network of layers.
   *
   * @param net an initialised network, which is copied
   * @param cut the last layer that is kept: its name, or its number from 0
   * @return a backbone of which neither pixels nor size are known, whose layers have numbers for
   *     names
   */
  public static Backbone of(MultiLayerNetwork net, String cut) {
    if (net == null || net.getLayers() == null) {
      throw new IllegalArgumentException(
          "expected an initialised backbone, got " + (net == null ? "null" : "one without init"));
    }
    String[] names = net.getLayerNames().toArray(String[]::new);
    int number = Arrays.asList(names).indexOf(cut);
    return of(net.toComputationGraph(), number < 0 ? cut : String.valueOf(number));
  }

  /**
   * The same network with another end.
   *
   * @param vertex the last vertex that is kept
   * @return another backbone
   */
  public Backbone cutAfter(String vertex) {
    return new Backbone(title, net, vertex, pixels, size);
  }

  /**
   * The same network for other numbers.
   *
   * @param format how the colours of an image become the numbers that it takes
   * @return another backbone
   */
  public Backbone withPixels(PixelFormat format) {
    return new Backbone(title, net, cut, format, size);
  }

  /**
   * The same network for images of another size.
   *
   * @param pixelsPerSide height and width
   * @return another backbone
   */
  public Backbone withSize(int pixelsPerSide) {
    return new Backbone(title, net, cut, pixels, pixelsPerSide);
  }

  /**
   * The card of a network that was grafted onto this backbone.
   *
   * @param classes their names, in the order of the network's output
   * @param views what is seen of an image
   * @return a card with the backbone's title, size and pixels
   * @throws IllegalArgumentException if the backbone does not say its pixels or its size
   */
  public ModelCard card(List<String> classes, Views views) {
    if (pixels == null || size == 0) {
      throw new IllegalArgumentException(
          "expected a backbone with pixels and size, got pixels " + pixels + " and size " + size);
    }
    return ModelCard.of(classes, size, views, pixels).backbone(title);
  }

  /**
   * The card of a network that was grafted onto this backbone and sees the whole of each image.
   *
   * @param classes their names, in the order of the network's output
   * @return a card with the backbone's title, size and pixels, and {@link Views#PLAIN}
   * @throws IllegalArgumentException if the backbone does not say its pixels or its size
   */
  public ModelCard card(List<String> classes) {
    return card(classes, Views.PLAIN);
  }

  /**
   * A copy of the network to be trained in two stages as it is, without a head by {@code SpdGraft}:
   * the output of the cut goes through a vertex {@link #MAPS} to wherever it is needed.
   *
   * @return a network with copies of configurations and parameters
   */
  public ComputationGraph marked() {
    List<String> outputs = net.getConfiguration().getNetworkOutputs();
    if (outputs.contains(cut)) {
      throw new IllegalArgumentException(
          "expected a cut before the output " + outputs + ", got '" + cut + "'");
    }
    return Subgraph.marked(net, cut, MAPS);
  }
}
