/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.internal.dl4j.GraphView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.zoo.model.ResNet50;

/**
 * ResNet50, the backbone of Deep-TEN: pretrained on ImageNet, downloaded or from a file. It is cut
 * where Deep-TEN cuts, see {@link #lastActivation}.
 *
 * <p>The zoo's weights are those of Keras, which took the images of Caffe. They expect them as
 * {@link #PIXELS} gives them.
 *
 * <p>A new network and the pretrained one have different names. {@link #lastActivation} answers in
 * the names of the network at hand.
 */
public final class Resnet50 {

  /** The numbers that pretrained weights take for colours. */
  public static final PixelFormat PIXELS = PixelFormat.CAFFE;

  /** Height and width of the images that pretrained weights were made for. */
  public static final int SIZE = 224;

  private static final KerasStore KERAS =
      new KerasStore(
          "resnet/resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5",
          "4d473c1dd8becc155b73f8504c6f6626");

  private Resnet50() {}

  /**
   * The zoo's network with ImageNet weights. DL4J downloads them once (about 100 MB) and keeps them
   * in its directory of models, by default below {@code ~/.deeplearning4j}. Where DL4J's store does
   * not answer, they come from Keras' store (95 MB).
   *
   * @return the network with all its layers, or from Keras' store as {@link #fromKeras} gives it
   * @throws UncheckedIOException if they cannot be downloaded
   */
  public static Backbone pretrained() {
    return ModelFiles.pretrained(
        ResNet50.builder().build(), KERAS, "95 MB", Resnet50::of, Resnet50::fromKeras);
  }

  /**
   * A network as DL4J saves it, such as the zoo's {@code resnet50_dl4j_inference.v3.zip}.
   *
   * @param file the zip
   * @return the network with all its layers
   * @throws IllegalArgumentException if there is no such file or it holds no ResNet
   */
  public static Backbone fromZip(Path file) {
    Objects.requireNonNull(file, "file");
    return ModelFiles.read(file, "ResNet50", Resnet50::of);
  }

  /** Cut where Deep-TEN cuts. */
  private static Backbone of(ComputationGraph net) {
    return new Backbone("ResNet-50", net, lastActivation(net), PIXELS, SIZE);
  }

  /**
   * The network up to its average pooling, with weights from a file of Keras' applications, such as
   * {@code resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5}. A classifier in such a file is
   * not read. Files with the names of Keras before 2.2.5 ({@code res2a_branch2a}) are refused.
   *
   * @param file the HDF5 file, with kernels in TensorFlow's order
   * @return a network from the images to {@code avg_pool}, with Keras's names, for images of any
   *     size
   * @throws IllegalArgumentException if there is no such file or it holds other weights
   */
  public static Backbone fromKeras(Path file) {
    Objects.requireNonNull(file, "file");
    return fromKeras(file, Resnet50Graph.FILTERS);
  }

  /** The same for a network with another number of filters in each stage. */
  static Backbone fromKeras(Path file, int... filters) {
    return of(KerasResnet50.read(file, filters));
  }

  /**
   * The network of torchvision and timm up to its average pooling, with their names of weights. It
   * takes {@link PixelFormat#TORCH}.
   *
   * @param file a file of safetensors, such as that of {@code timm/resnet50.a1_in1k}, with its
   *     classifier or without
   * @return a network with the names of {@link #fromKeras}, for images of any size
   * @throws IOException if there is no such file or it holds other weights
   */
  public static Backbone fromSafetensors(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    return of(TorchResnet50.read(file)).withPixels(PixelFormat.TORCH);
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
    Objects.requireNonNull(resnet50, "resnet50");
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
