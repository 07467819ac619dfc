/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.layers.ScatteringLayer;
import java.util.Objects;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * A backbone that needs no weights: a wavelet scattering network, for textures where no pretrained
 * network can be had.
 *
 * <pre>{@code
 * ComputationGraph net =
 *     SpdGraft.onto(Scattering.backbone())
 *         .head(Head.averagePooling())
 *         .classes(10)
 *         .build();
 * }</pre>
 *
 * <p>Images [N, 3, H, W] have values from about −2 to 2, as {@link #PIXELS} gives them. Larger
 * images show finer structures. There is nothing to learn in the network, frozen or not. {@link
 * ScatteringLayer} has the formula and the papers.
 */
public final class Scattering {

  /** The name of the layer that makes the feature maps, after which the network is cut. */
  public static final String CUT = "scattering";

  /** Height and width of images for which the default number of scales is meant. */
  public static final int SIZE = 128;

  /** The numbers for colours, in any order, because their mean is taken. */
  public static final PixelFormat PIXELS =
      PixelFormat.of(PixelFormat.Order.RGB, 255).minus(128, 128, 128).dividedBy(64, 64, 64);

  private static final int COLOURS = 3;

  private Scattering() {}

  /**
   * The network with four scales and eight directions.
   *
   * @return a network of one layer, with 417 feature maps, a sixteenth of the image's size
   */
  public static Backbone backbone() {
    return backbone(new ScatteringLayer.Builder().build());
  }

  /**
   * The network with other settings.
   *
   * @param layer its one layer; it is not changed
   * @return a network of this layer for images of three colours
   */
  public static Backbone backbone(ScatteringLayer layer) {
    Objects.requireNonNull(layer, "layer");
    ComputationGraph graph =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1) // nothing here is random, but a head grafted onto it has the same seed
                .dataType(DataType.FLOAT)
                .graphBuilder()
                .addInputs("image")
                .addLayer(CUT, layer.clone(), "image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, COLOURS))
                .setOutputs(CUT)
                .build());
    graph.init();
    return new Backbone("scattering", graph, CUT, PIXELS, SIZE);
  }
}
