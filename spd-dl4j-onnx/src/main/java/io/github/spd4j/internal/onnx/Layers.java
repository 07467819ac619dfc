/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static java.util.Map.entry;

import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeFeedForward;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.CenterLossOutputLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.Upsampling2D;
import org.deeplearning4j.nn.conf.layers.ZeroPaddingLayer;
import org.deeplearning4j.nn.conf.layers.convolutional.Cropping2D;
import org.deeplearning4j.nn.params.BatchNormalizationParamInitializer;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * The layers: those of DL4J one by one, ours by their definitions. What matters to training alone,
 * such as dropout, is left out.
 */
final class Layers {

  private static final String WEIGHTS = DefaultParamInitializer.WEIGHT_KEY;
  private static final String BIAS = DefaultParamInitializer.BIAS_KEY;

  private interface Translation {
    String of(LayerSite site, Layer layer);
  }

  private static final Map<Class<?>, Translation> TABLE =
      Map.ofEntries(
          entry(ConvolutionLayer.class, Layers::convolution),
          entry(SubsamplingLayer.class, Layers::pooling),
          entry(GlobalPoolingLayer.class, Layers::globalPooling),
          entry(ZeroPaddingLayer.class, Layers::padding),
          entry(Cropping2D.class, Layers::cropping),
          entry(Upsampling2D.class, Layers::upsampling),
          entry(BatchNormalization.class, Layers::batchNormalization),
          entry(LocalResponseNormalization.class, Layers::responseNormalization),
          entry(DenseLayer.class, Layers::dense),
          entry(OutputLayer.class, Layers::dense),
          entry(CenterLossOutputLayer.class, Layers::dense),
          entry(
              ActivationLayer.class,
              (site, layer) ->
                  site.activated(((ActivationLayer) layer).getActivationFn(), site.input())),
          entry(
              LossLayer.class,
              (site, layer) -> site.activated(((LossLayer) layer).getActivationFn(), site.input())),
          entry(DropoutLayer.class, (site, layer) -> site.input()));

  private Layers() {}

  /**
   * Adds a layer.
   *
   * @throws NotExportable if the layer has no translation
   */
  static String translate(LayerSite site, Layer layer) {
    if (layer instanceof SpdLayer own) {
      return defined(site, own);
    }
    if (layer instanceof OnnxPart part) {
      return joined(site, part);
    }
    Translation translation = TABLE.get(Tables.known(layer.getClass()));
    if (translation == null) {
      throw new NotExportable(
          layer instanceof SpdOutputLayer
              ? Refusals.EIGENVALUES
              : "layers of this kind have no translation yet");
    }
    return translation.of(site, layer);
  }

  /** A layer of ours: what its definition in SameDiff says. */
  private static String defined(LayerSite site, SpdLayer layer) {
    SameDiff sd = SameDiff.create();
    Map<String, String> given = new HashMap<>();
    Map<String, SDVariable> params = new LinkedHashMap<>();
    site.params()
        .forEach(
            (name, array) -> {
              params.put(name, sd.placeHolder(name, DataType.FLOAT, array.shape()));
              given.put(name, site.param(name));
            });
    long[] shape = LongStream.concat(LongStream.of(-1), LongStream.of(site.shape())).toArray();
    SDVariable input = sd.placeHolder("input", DataType.FLOAT, shape);
    given.put("input", site.input());
    SDVariable output = layer.defineLayer(sd, input, params, null);
    try {
      return Operators.translate(site.graph(), output, given);
    } catch (NotExportable e) {
      throw new NotExportable(Refusals.of(e.getMessage()));
    }
  }

  /** A graph of ONNX, and what makes maps [N, C, h, w] of its output. */
  private static String joined(LayerSite site, OnnxPart part) {
    CheckedGraph file = OnnxWriter.graph(part);
    if (file.takesOne()) {
      throw new NotExportable(
          "expected an ONNX file for any number of images, to join it with the rest of the network,"
              + " got one for a single image; export it with dynamic_shapes=({0: \"n\"},)");
    }
    OnnxGraph graph = site.graph();
    String maps =
        graph.node(
            "Cast", Map.of("to", (long) Tensor.FLOAT), file.addTo(graph, site.channelsFirst()));
    InputTypeConvolutional output = (InputTypeConvolutional) site.output();
    return switch (part.getLayout()) {
      case "TOKENS" ->
          graph.reshape(
              graph.transpose(
                  graph.node(
                      "Slice",
                      maps,
                      graph.integers(part.getLeftOut()),
                      graph.integers(Integer.MAX_VALUE),
                      graph.integers(1)),
                  0,
                  2,
                  1),
              -1,
              output.getChannels(),
              output.getHeight(),
              output.getWidth());
      case "CHANNELS_LAST" -> graph.transpose(maps, 0, 3, 1, 2);
      default -> maps;
    };
  }

  private static String convolution(LayerSite site, Layer layer) {
    ConvolutionLayer conf = (ConvolutionLayer) layer;
    Window window =
        new Window(
            conf.getKernelSize(),
            conf.getStride(),
            conf.getPadding(),
            conf.getDilation(),
            conf.getConvolutionMode());
    String[] inputs =
        conf.hasBias()
            ? new String[] {site.channelsFirst(), site.param(WEIGHTS), site.vector(BIAS)}
            : new String[] {site.channelsFirst(), site.param(WEIGHTS)};
    String maps = site.graph().node("Conv", window.options(site.size()), inputs);
    return site.asInput(site.activated(conf.getActivationFn(), maps));
  }

  private static String pooling(LayerSite site, Layer layer) {
    SubsamplingLayer conf = (SubsamplingLayer) layer;
    Window window =
        new Window(
            conf.getKernelSize(),
            conf.getStride(),
            conf.getPadding(),
            conf.getDilation(),
            conf.getConvolutionMode());
    Map<String, Object> options = new HashMap<>(window.options(site.size()));
    String operator =
        switch (conf.getPoolingType()) {
          case MAX -> "MaxPool";
          case AVG -> "AveragePool";
          case PNORM -> "LpPool";
          default -> throw new NotExportable("pooling of the type " + conf.getPoolingType());
        };
    if (conf.getPoolingType() != PoolingType.MAX) {
      if (Arrays.stream(conf.getDilation()).anyMatch(step -> step != 1)) {
        throw new NotExportable(
            "pooling of the type " + conf.getPoolingType() + " with a dilation");
      }
      options.remove("dilations");
    }
    if (conf.getPoolingType() == PoolingType.AVG) {
      options.put("count_include_pad", conf.isAvgPoolIncludePadInDivisor() ? 1L : 0L);
    }
    if (conf.getPoolingType() == PoolingType.PNORM) {
      options.put("p", (long) conf.getPnorm());
    }
    return site.asInput(site.graph().node(operator, options, site.channelsFirst()));
  }

  private static String globalPooling(LayerSite site, Layer layer) {
    GlobalPoolingLayer conf = (GlobalPoolingLayer) layer;
    site.maps(); // no sequences
    long[] axes = site.channelsLast() ? new long[] {1, 2} : new long[] {2, 3};
    int[] chosen = conf.getPoolingDimensions();
    if (chosen != null && !Arrays.equals(Window.longs(chosen), axes)) {
      throw new NotExportable("pooling over the dimensions " + Arrays.toString(chosen));
    }
    boolean keeps = !conf.isCollapseDimensions();
    return switch (conf.getPoolingType()) {
      case AVG -> site.graph().reduce("ReduceMean", site.input(), keeps, axes);
      case MAX -> site.graph().reduce("ReduceMax", site.input(), keeps, axes);
      case SUM -> site.graph().sum(site.input(), keeps, axes);
      case PNORM -> norm(site, conf.getPnorm(), keeps, axes);
    };
  }

  /** The p-th root of the sum of p-th powers. */
  private static String norm(LayerSite site, int p, boolean keeps, long... axes) {
    OnnxGraph graph = site.graph();
    String powers = graph.node("Pow", graph.node("Abs", site.input()), graph.constant(p));
    return graph.node("Pow", graph.sum(powers, keeps, axes), graph.constant(1.0 / p));
  }

  private static String padding(LayerSite site, Layer layer) {
    int[] rows = ((ZeroPaddingLayer) layer).getPadding(); // top, bottom, left, right
    String pads = site.graph().integers(0, 0, rows[0], rows[2], 0, 0, rows[1], rows[3]);
    return site.asInput(site.graph().node("Pad", site.channelsFirst(), pads));
  }

  private static String cropping(LayerSite site, Layer layer) {
    int[] rows = ((Cropping2D) layer).getCropping(); // top, bottom, left, right
    long[] size = site.size();
    OnnxGraph graph = site.graph();
    return site.asInput(
        graph.node(
            "Slice",
            site.channelsFirst(),
            graph.integers(rows[0], rows[2]),
            graph.integers(size[0] - rows[1], size[1] - rows[3]),
            graph.integers(2, 3)));
  }

  private static String upsampling(LayerSite site, Layer layer) {
    int[] factors = ((Upsampling2D) layer).getSize();
    INDArray scales = Nd4j.createFromArray(1f, 1f, factors[0], factors[1]);
    Map<String, String> options =
        Map.of(
            "mode", "nearest",
            "nearest_mode", "floor",
            "coordinate_transformation_mode", "asymmetric");
    String none = "";
    String maps = site.channelsFirst();
    return site.asInput(
        site.graph().node("Resize", options, maps, none, site.graph().constant(scales)));
  }

  private static String batchNormalization(LayerSite site, Layer layer) {
    BatchNormalization conf = (BatchNormalization) layer;
    INDArray mean = site.params().get(BatchNormalizationParamInitializer.GLOBAL_MEAN);
    INDArray variance =
        conf.isUseLogStd()
            ? Transforms.exp(
                site.params()
                    .get(BatchNormalizationParamInitializer.GLOBAL_LOG_STD)
                    .castTo(DataType.DOUBLE)
                    .mul(2 * Math.log(10)))
            : site.params().get(BatchNormalizationParamInitializer.GLOBAL_VAR);
    boolean isLocked = conf.isLockGammaBeta();
    INDArray gamma =
        isLocked
            ? Nd4j.ones(mean.shape()).mul(conf.getGamma())
            : site.params().get(BatchNormalizationParamInitializer.GAMMA);
    INDArray beta =
        isLocked
            ? Nd4j.ones(mean.shape()).mul(conf.getBeta())
            : site.params().get(BatchNormalizationParamInitializer.BETA);
    return site.asInput(
        site.graph()
            .node(
                "BatchNormalization",
                Map.of("epsilon", (float) conf.getEps()),
                site.channelsFirst(),
                site.vector(gamma),
                site.vector(beta),
                site.vector(mean),
                site.vector(variance)));
  }

  /** DL4J takes as many channels on both sides, and does not divide α by their number. */
  private static String responseNormalization(LayerSite site, Layer layer) {
    LocalResponseNormalization conf = (LocalResponseNormalization) layer;
    long channels = 2 * ((long) conf.getN() / 2) + 1;
    Map<String, ?> options =
        Map.of(
            "size", channels,
            "alpha", (float) (conf.getAlpha() * channels),
            "beta", (float) conf.getBeta(),
            "bias", (float) conf.getK());
    return site.asInput(site.graph().node("LRN", options, site.channelsFirst()));
  }

  private static String dense(LayerSite site, Layer layer) {
    if (!(site.type() instanceof InputTypeFeedForward)) {
      throw new NotExportable("expected vectors, got " + site.type());
    }
    boolean hasBias = true;
    if (layer instanceof DenseLayer dense) {
      hasBias = dense.hasBias();
      if (dense.hasLayerNorm()) {
        throw new NotExportable("a layer normalisation");
      }
    } else if (layer instanceof BaseOutputLayer output) {
      hasBias = output.hasBias();
    }
    String units =
        hasBias
            ? site.graph().node("Gemm", site.input(), site.param(WEIGHTS), site.vector(BIAS))
            : site.graph().node("MatMul", site.input(), site.param(WEIGHTS));
    return site.activated(((BaseLayer) layer).getActivationFn(), units);
  }

  /** Windows that move over maps. */
  private record Window(
      int[] kernel, int[] stride, int[] padding, int[] dilation, ConvolutionMode mode) {

    /** As ONNX has them, for maps of a height and width. */
    Map<String, long[]> options(long[] size) {
      long[] pads = new long[4]; // top, left, bottom, right
      for (int i = 0; i < 2; i++) {
        switch (mode) {
          case Same -> {
            long outputs = (size[i] + stride[i] - 1) / stride[i];
            long extent = (long) (kernel[i] - 1) * dilation[i] + 1;
            long missing = Math.max(0, (outputs - 1) * stride[i] + extent - size[i]);
            pads[i] = missing / 2;
            pads[i + 2] = missing - missing / 2;
          }
          case Strict, Truncate -> {
            pads[i] = padding[i];
            pads[i + 2] = padding[i];
          }
          default -> throw new NotExportable("the convolution mode " + mode);
        }
      }
      return Map.of(
          "kernel_shape", longs(kernel),
          "strides", longs(stride),
          "dilations", longs(dilation),
          "pads", pads);
    }

    private static long[] longs(int[] numbers) {
      return Arrays.stream(numbers).asLongStream().toArray();
    }
  }
}
