/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.internal.files.SafetensorsFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.params.ConvolutionParamInitializer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.zoo.model.VGG16;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * VGG16, the paper's backbone: pretrained on ImageNet, downloaded or from a file, or with random
 * weights. It is cut after conv5-3, as the paper does.
 *
 * <p>Pretrained weights expect images as {@link #PIXELS} gives them. DL4J's {@link
 * org.nd4j.linalg.dataset.api.preprocessor.VGG16ImagePreProcessor} does the same.
 *
 * <p>DL4J knows the layers by two sets of names: "0", "1", … in a new network, and Keras's
 * "block1_conv1", … in the pretrained one. {@link #convolution} answers in the names of the network
 * at hand.
 */
public final class Vgg16 {

  /** The numbers that pretrained weights take for colours. */
  public static final PixelFormat PIXELS = PixelFormat.CAFFE;

  /** Height and width of the images that pretrained weights were made for. */
  public static final int SIZE = 224;

  private static final int[] CONVOLUTIONS = {2, 2, 3, 3, 3};
  private static final int[] FILTERS = {64, 128, 256, 512, 512};
  private static final int COLOURS = 3;

  private static final KerasStore KERAS =
      new KerasStore(
          "vgg16/vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5",
          "6d6bbae143d832006294945121d1f1fc");

  /** Each of the five poolings halves the image. */
  private static final int SMALLEST_INPUT = 32;

  private static final int IMAGENET_CLASSES = 1000;

  private Vgg16() {}

  /**
   * The zoo's network with ImageNet weights. DL4J downloads them once (about 500 MB) and keeps them
   * in its directory of models, by default below {@code ~/.deeplearning4j}. Where DL4J's store does
   * not answer, the convolutions come from Keras' store (59 MB).
   *
   * @return the network with all its layers, or from Keras' store as {@link #fromKeras} gives it
   * @throws UncheckedIOException if they cannot be downloaded
   */
  public static Backbone pretrained() {
    return ModelFiles.pretrained(
        VGG16.builder().build(), KERAS, "59 MB", Vgg16::of, Vgg16::fromKeras);
  }

  /**
   * A network as DL4J saves it, such as the zoo's {@code vgg16_dl4j_inference.zip}.
   *
   * @param file the zip
   * @return the network with all its layers
   * @throws IllegalArgumentException if there is no such file or it holds no VGG16
   */
  public static Backbone fromZip(Path file) {
    Objects.requireNonNull(file, "file");
    return ModelFiles.read(file, "VGG16", Vgg16::of);
  }

  /** Cut after conv5-3, as the paper does. */
  private static Backbone of(ComputationGraph net) {
    return new Backbone("VGG-16", net, convolution(net, 5, 3), PIXELS, SIZE);
  }

  /**
   * The thirteen convolutions with weights from a file of Keras, such as {@code
   * vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5}. Fully connected layers in such a file are
   * not read.
   *
   * @param file the HDF5 file, with kernels in TensorFlow's order
   * @return a network from the images to {@code block5_pool}, with Keras's names, for images of any
   *     size
   * @throws IllegalArgumentException if there is no such file or it holds other weights
   */
  public static Backbone fromKeras(Path file) {
    Objects.requireNonNull(file, "file");
    return fromKeras(file, FILTERS);
  }

  /** The same for a network with another number of filters in each block. */
  static Backbone fromKeras(Path file, int... filters) {
    ModelFiles.requireFile(file);
    ComputationGraph graph = convolutions(filters);
    try (KerasWeights weights = new KerasWeights(file)) {
      for (int block = 1; block <= CONVOLUTIONS.length; block++) {
        for (int index = 1; index <= CONVOLUTIONS[block - 1]; index++) {
          setWeights(graph, weights, kerasConvolution(block, index));
        }
      }
    }
    return of(graph);
  }

  /**
   * The thirteen convolutions with weights of torchvision or timm, which have the same names. They
   * take {@link PixelFormat#TORCH}.
   *
   * @param file a file of safetensors, such as that of {@code timm/vgg16.tv_in1k}; its fully
   *     connected layers are not read
   * @return a network from the images to {@code block5_pool}, with Keras's names, for images of any
   *     size
   * @throws IOException if there is no such file or it holds other weights
   */
  public static Backbone fromSafetensors(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    SafetensorsFile weights = SafetensorsFile.open(file);
    int[] filters = new int[CONVOLUTIONS.length];
    int first = 0; // of the layers of a block: each convolution has a ReLU, the block a pooling
    for (int block = 0; block < filters.length; block++) {
      filters[block] = weights.width("features." + first + ".weight", FILTERS[block]);
      first += 2 * CONVOLUTIONS[block] + 1;
    }
    ComputationGraph graph = convolutions(filters);
    int number = 0; // of the layer among convolutions, ReLUs and poolings
    for (int block = 1; block <= CONVOLUTIONS.length; block++) {
      for (int index = 1; index <= CONVOLUTIONS[block - 1]; index++) {
        INDArray w = graph.getParam(kerasConvolution(block, index) + "_W");
        INDArray b = graph.getParam(kerasConvolution(block, index) + "_b");
        w.assign(weights.array("features." + number + ".weight", w.shape()));
        b.assign(weights.array("features." + number + ".bias", b.length()).reshape(b.shape()));
        number += 2;
      }
      number++;
    }
    return of(graph).withPixels(PixelFormat.TORCH);
  }

  private static void setWeights(ComputationGraph graph, KerasWeights weights, String layer) {
    String prefix = layer + "_";
    INDArray w = graph.getParam(prefix + ConvolutionParamInitializer.WEIGHT_KEY);
    INDArray b = graph.getParam(prefix + ConvolutionParamInitializer.BIAS_KEY);
    w.assign(weights.kernel(layer, w.shape()));
    b.assign(weights.bias(layer, b.length()).reshape(b.shape()));
  }

  private static ComputationGraph convolutions(int... filters) {
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .activation(Activation.RELU)
            .weightInit(WeightInit.ZERO) // to be replaced
            .graphBuilder()
            .addInputs("input_1");
    String previous = "input_1";
    int channels = COLOURS;
    for (int block = 1; block <= CONVOLUTIONS.length; block++) {
      for (int index = 1; index <= CONVOLUTIONS[block - 1]; index++) {
        String name = kerasConvolution(block, index);
        graph.addLayer(name, convolution(channels, filters[block - 1]), previous);
        channels = filters[block - 1];
        previous = name;
      }
      graph.addLayer(kerasPooling(block), pooling(), previous);
      previous = kerasPooling(block);
    }
    ComputationGraph network = new ComputationGraph(graph.setOutputs(previous).build());
    network.init();
    return network;
  }

  private static ConvolutionLayer convolution(int channels, int filters) {
    return new ConvolutionLayer.Builder(3, 3).padding(1, 1).nIn(channels).nOut(filters).build();
  }

  private static SubsamplingLayer pooling() {
    return new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
        .kernelSize(2, 2)
        .stride(2, 2)
        .build();
  }

  /**
   * The zoo's network with random weights, for tests and for training from the beginning.
   *
   * @param seed the seed of the weights
   * @param inputSize height and width of the images, at least {@value #SMALLEST_INPUT}
   * @return the network with all its layers
   */
  public static Backbone random(long seed, int inputSize) {
    if (inputSize < SMALLEST_INPUT) {
      throw new IllegalArgumentException(
          String.format(
              "expected images of at least %d by %d pixels, got %d",
              SMALLEST_INPUT, SMALLEST_INPUT, inputSize));
    }
    ComputationGraph net =
        VGG16
            .builder()
            .seed(seed)
            .inputShape(new int[] {COLOURS, inputSize, inputSize})
            .numClasses(IMAGENET_CLASSES)
            .build()
            .init();
    return of(net).withSize(inputSize);
  }

  /**
   * The name of a convolution, in the names of the network at hand.
   *
   * @param vgg16 a VGG16, with its own names or Keras's
   * @param block from 1 to 5
   * @param index which convolution of the block, from 1; conv5-3 is (5, 3)
   * @return the layer's name
   * @throws IllegalArgumentException if the network has no such layer
   */
  public static String convolution(ComputationGraph vgg16, int block, int index) {
    if (block < 1 || block > CONVOLUTIONS.length || index < 1 || index > CONVOLUTIONS[block - 1]) {
      throw new IllegalArgumentException(
          "expected one of the convolutions 1-1 to 5-3 of VGG16, got " + block + "-" + index);
    }
    GraphView backbone = new GraphView(vgg16);
    List<String> names = List.of(kerasConvolution(block, index), zooConvolution(block, index));
    return names.stream()
        .filter(name -> backbone.layer(name) instanceof ConvolutionLayer)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    String.format(
                        "expected a convolution named one of %s, got a network of %s",
                        names, backbone.names())));
  }

  private static String kerasConvolution(int block, int index) {
    return "block" + block + "_conv" + index;
  }

  private static String kerasPooling(int block) {
    return "block" + block + "_pool";
  }

  /** The zoo numbers convolutions and poolings in one row. */
  private static String zooConvolution(int block, int index) {
    int convolutionsBefore = Arrays.stream(CONVOLUTIONS, 0, block - 1).sum();
    int poolingsBefore = block - 1;
    return String.valueOf(convolutionsBefore + poolingsBefore + index - 1);
  }
}
