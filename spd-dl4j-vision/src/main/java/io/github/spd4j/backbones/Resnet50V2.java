/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static io.github.spd4j.backbones.NpzFile.ANY;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.layers.ScaleShiftLayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * ResNet-50 v2 up to the end of its third stage, with parameters of the ONNX model zoo, pretrained
 * on ImageNet, as a graph of DL4J in single precision.
 *
 * <p>The input [N, 3, H, W] is as {@link #PIXELS} gives it. The network was trained at 224×224, for
 * which {@link #CUT} is [N, 1024, 14, 14]; other sizes will do.
 *
 * <p>The statistics of the batch normalisations are constants, in training too. One that follows a
 * convolution is part of that convolution's kernel and bias, which is exact. The others, which are
 * between a sum and a ReLU, are a {@link ScaleShiftLayer} with that ReLU.
 *
 * <p>Vertices have the names of the file with {@code -} for {@code _}. The sums are {@code
 * stage1-unit1} and so on. No layer is frozen.
 *
 * <p>He, Zhang, Ren and Sun, <i>Identity mappings in deep residual networks</i>, ECCV 2016.
 */
public final class Resnet50V2 {

  /** The name of the input. */
  public static final String INPUT = "data";

  /** The last vertex: the feature maps, normalised and rectified. */
  public static final String CUT = "stage4-batchnorm0";

  /** The numbers that the network takes for colours. */
  public static final PixelFormat PIXELS = PixelFormat.TORCH;

  /** Height and width of the images that the network was trained on. */
  public static final int SIZE = 224;

  private static final int COLOURS = 3;
  private static final int[] UNITS = {3, 4, 6};
  private static final double EPSILON = 1e-5;

  private final NpzFile weights;
  private final GraphBuilder graph =
      new NeuralNetConfiguration.Builder()
          .dataType(DataType.FLOAT)
          .weightInit(WeightInit.ZERO) // to be replaced
          .graphBuilder()
          .addInputs(INPUT)
          .setInputTypes(InputType.convolutional(SIZE, SIZE, COLOURS))
          .setOutputs(CUT);

  /** The parameters of the layers, by the name of the layer, and how many maps a vertex has. */
  private final Map<String, INDArray> kernels = new HashMap<>();

  private final Map<String, Affine> affines = new HashMap<>();
  private final Map<String, INDArray> biases = new HashMap<>();
  private final Map<String, Long> maps = new HashMap<>(Map.of(INPUT, (long) COLOURS));

  private Resnet50V2(NpzFile weights) {
    this.weights = weights;
  }

  /**
   * Loads the network.
   *
   * @param file an {@code .npz} file of NumPy: {@code stage1_conv0_weight} and so on [out, in,
   *     height, width], and {@code stage1_batchnorm0_gamma}, {@code _beta}, {@code _running_mean}
   *     and {@code _running_var} [maps]. How many maps there are is read off the shapes
   * @return the network, whose one output is {@link #CUT}, cut there
   * @throws IOException if the file is damaged, or an array is missing or has another shape
   */
  public static Backbone load(Path file) throws IOException {
    Objects.requireNonNull(file, "file");
    try (NpzFile weights = NpzFile.open(file)) {
      Resnet50V2 network = new Resnet50V2(weights);
      network.wire();
      return new Backbone("ResNet-50 v2", network.build(file), CUT, PIXELS, SIZE);
    }
  }

  private void wire() throws IOException {
    String last = normalised("batchnorm0", INPUT, false);
    last = rectified("conv0", last, 7, 2, "batchnorm1");
    SubsamplingLayer pooling =
        new SubsamplingLayer.Builder(PoolingType.MAX)
            .kernelSize(3, 3)
            .stride(2, 2)
            .padding(1, 1)
            .build();
    graph.addLayer("pool0", pooling, last);
    maps.put("pool0", maps.get(last));
    last = "pool0";
    for (int stage = 1; stage <= UNITS.length; stage++) {
      for (int unit = 0; unit < UNITS[stage - 1]; unit++) {
        last = unit("stage" + stage + "_", unit, stage > 1 && unit == 0 ? 2 : 1, last);
      }
    }
    normalised("stage4_batchnorm0", last, true);
  }

  /** The shortcut of the first unit of a stage has the number 3, so later ones begin at 4. */
  private String unit(String stage, int unit, int stride, String input) throws IOException {
    String normalisation = stage + "batchnorm";
    String convolution = stage + "conv";
    int number = 3 * unit;
    int first = unit == 0 ? 0 : number + 1;
    String a = normalised(normalisation + number, input, true);
    String x = rectified(convolution + first, a, 1, 1, normalisation + (number + 1));
    x = rectified(convolution + (first + 1), x, 3, stride, normalisation + (number + 2));
    String shortcut = unit == 0 ? plain(convolution + 3, a, ANY, stride) : input;
    x = plain(convolution + (first + 2), x, maps.get(shortcut), 1);
    String sum = vertex(stage + "unit" + (unit + 1));
    graph.addVertex(sum, new ElementWiseVertex(ElementWiseVertex.Op.Add), shortcut, x);
    maps.put(sum, maps.get(x));
    return sum;
  }

  /** A batch normalisation that no convolution can take in. */
  private String normalised(String name, String input, boolean rectified) throws IOException {
    String vertex = vertex(name);
    long channels = maps.get(input);
    Affine affine = affine(name, channels);
    graph.addLayer(vertex, new ScaleShiftLayer.Builder().rectified(rectified).build(), input);
    affines.put(vertex, affine);
    maps.put(vertex, channels);
    return vertex;
  }

  /** A convolution with the batch normalisation and the ReLU after it. */
  private String rectified(String name, String input, int size, int stride, String normalisation)
      throws IOException {
    INDArray kernel = weights.array(name + "_weight", ANY, maps.get(input), size, size);
    Affine affine = affine(normalisation, kernel.size(0));
    INDArray scaled = kernel.castTo(DataType.DOUBLE);
    scaled.muli(affine.scale.reshape(kernel.size(0), 1, 1, 1));
    ConvolutionLayer.Builder layer =
        new ConvolutionLayer.Builder(size, size).activation(Activation.RELU);
    biases.put(vertex(name), affine.shift);
    return convolution(name, input, scaled, stride, layer);
  }

  /** A 1×1 convolution to so many maps and nothing else. */
  private String plain(String name, String input, long outputs, int stride) throws IOException {
    INDArray kernel = weights.array(name + "_weight", outputs, maps.get(input), 1, 1);
    ConvolutionLayer.Builder layer =
        new ConvolutionLayer.Builder(1, 1).activation(Activation.IDENTITY).hasBias(false);
    return convolution(name, input, kernel, stride, layer);
  }

  private String convolution(
      String name, String input, INDArray kernel, int stride, ConvolutionLayer.Builder layer) {
    String vertex = vertex(name);
    int padding = (int) kernel.size(2) / 2;
    graph.addLayer(
        vertex,
        layer.stride(stride, stride).padding(padding, padding).nOut(kernel.size(0)).build(),
        input);
    kernels.put(vertex, kernel);
    maps.put(vertex, kernel.size(0));
    return vertex;
  }

  /** A batch normalisation with constant statistics: x → scale · x + shift, in DOUBLE. */
  private record Affine(INDArray scale, INDArray shift) {}

  private Affine affine(String name, long channels) throws IOException {
    INDArray deviation = Transforms.sqrt(statistic(name + "_running_var", channels).addi(EPSILON));
    INDArray scale = statistic(name + "_gamma", channels).divi(deviation);
    INDArray mean = statistic(name + "_running_mean", channels);
    return new Affine(scale, statistic(name + "_beta", channels).subi(mean.muli(scale)));
  }

  private INDArray statistic(String name, long channels) throws IOException {
    return weights.array(name, channels).castTo(DataType.DOUBLE);
  }

  private ComputationGraph build(Path file) throws IOException {
    ComputationGraph network = new ComputationGraph(graph.build());
    network.init();
    kernels.forEach((vertex, kernel) -> network.getLayer(vertex).getParam("W").assign(kernel));
    biases.forEach((vertex, bias) -> assign(network.getLayer(vertex).getParam("b"), bias));
    affines.forEach(
        (vertex, affine) -> {
          assign(network.getLayer(vertex).getParam(ScaleShiftLayer.SCALE), affine.scale);
          assign(network.getLayer(vertex).getParam(ScaleShiftLayer.SHIFT), affine.shift);
        });
    if (!Double.isFinite(network.params().sumNumber().doubleValue())) {
      throw new IOException(file + ": expected finite weights and variances that are not negative");
    }
    return network;
  }

  private static void assign(INDArray parameter, INDArray value) {
    parameter.assign(value.reshape(parameter.shape()));
  }

  /** As for GoogLeNet: no name of a vertex may hold an underscore. */
  private static String vertex(String name) {
    return Wiring.vertexName(name);
  }
}
