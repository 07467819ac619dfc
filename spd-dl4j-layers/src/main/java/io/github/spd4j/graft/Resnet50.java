/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.dl4j.GraphView;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.zoo.model.ResNet50;

/**
 * ResNet50, the backbone of Deep-TEN: pretrained on ImageNet, downloaded or from a file.
 *
 * <p>The zoo's weights are those of Keras. Like {@link Vgg16}'s they expect images in BGR order
 * with the means of ImageNet subtracted, and not scaled.
 *
 * <p>A new network and the pretrained one have different names. {@link #lastActivation} answers in
 * the names of the network at hand.
 */
public final class Resnet50 {

  private Resnet50() {}

  /**
   * The zoo's network with ImageNet weights. DL4J downloads them once (about 100 MB) and keeps them
   * in its directory of models, by default below {@code ~/.deeplearning4j}.
   *
   * @return the network with all its layers
   * @throws UncheckedIOException if they cannot be downloaded
   */
  public static ComputationGraph pretrained() {
    return ModelFiles.pretrained(ResNet50.builder().build(), "ResNet50", "fromZip");
  }

  /**
   * A network as DL4J saves it, such as the zoo's {@code resnet50_dl4j_inference.v3.zip}.
   *
   * @param file the zip
   * @return the network with all its layers
   * @throws IllegalArgumentException if there is no such file or it holds no ResNet
   */
  public static ComputationGraph fromZip(Path file) {
    return ModelFiles.read(file, "ResNet50", Resnet50::lastActivation);
  }

  /**
   * Where Deep-TEN cuts: the rectified sum of the last block, which the network's last pooling
   * takes. It has 2048 feature maps, a thirty-second of the image's size.
   *
   * @param resnet50 a ResNet50, or another network that ends in such a way
   * @return the layer's name, such as {@code res5c_branch}
   * @throws IllegalArgumentException if the network ends otherwise
   */
  public static String lastActivation(ComputationGraph resnet50) {
    GraphView backbone = new GraphView(resnet50);
    String name = backbone.configuration().getNetworkOutputs().get(0);
    while (!isPooling(backbone.layer(name)) && backbone.inputsOf(name).size() == 1) {
      name = backbone.inputsOf(name).get(0);
    }
    Validate.isTrue(
        isPooling(backbone.layer(name)) && isRectifiedSum(backbone, backbone.inputsOf(name).get(0)),
        "expected a network that ends in a sum, its activation, a pooling and a classifier, got one"
            + " of %s",
        backbone.names());
    return backbone.inputsOf(name).get(0);
  }

  private static boolean isPooling(Layer layer) {
    return layer instanceof SubsamplingLayer || layer instanceof GlobalPoolingLayer;
  }

  private static boolean isRectifiedSum(GraphView backbone, String name) {
    return backbone.layer(name) instanceof ActivationLayer
        && backbone.configuration().getVertices().get(backbone.inputsOf(name).get(0))
            instanceof ElementWiseVertex;
  }
}
