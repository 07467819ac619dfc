/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.KindCase;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.RNNFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Convolution1DLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;

/** Sequences, such as the signals of sensors, as feature maps. */
class SequencesTest {

  private static MultiLayerNetwork network(InputType type, Layer... layers) {
    ListBuilder list = Networks.general(DataType.DOUBLE, new NoOp()).list();
    for (Layer layer : layers) {
      list.layer(layer);
    }
    MultiLayerNetwork net = new MultiLayerNetwork(list.setInputType(type).build());
    net.init();
    return net;
  }

  private static OutputLayer output() {
    return new OutputLayer.Builder().activation(Activation.SOFTMAX).nOut(Networks.CLASSES).build();
  }

  private static SpdLayer covariance() {
    return new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build();
  }

  private static SpdLayer vector() {
    return new SpdVectorizationLayer.Builder()
        .powerNormalization(false)
        .l2Normalization(false)
        .build();
  }

  /** As the network sees sequences [N, C, T]. */
  private static INDArray inFormat(INDArray sequences, RNNFormat format) {
    return format == RNNFormat.NCW ? sequences : sequences.permute(0, 2, 1).dup('c');
  }

  static List<KindCase> signals() {
    return KindCase.ofSignals();
  }

  /** Covariance, transform and logarithm are those of spd_learn's formulas. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("signals")
  void valuesAndGradientsAreThoseOfTheReference(KindCase reference) {
    INDArray signals = reference.array("input");
    INDArray lengths = reference.array("lengths");
    INDArray w = reference.array("W");
    INDArray mask = Nd4j.zeros(DataType.DOUBLE, signals.size(0), signals.size(2));
    for (int i = 0; i < mask.rows(); i++) {
      mask.get(point(i), interval(0, lengths.getInt(i))).assign(1);
    }
    for (RNNFormat format : RNNFormat.values()) {
      MultiLayerNetwork net =
          network(
              InputType.recurrent(signals.size(1), format),
              covariance(),
              new SpdTransformLayer.Builder().nOut((int) w.size(1)).build(),
              new LogEigLayer.Builder().floor(1e-8).build(),
              vector());
      net.setParam("1_W", w);
      net.setInput(inFormat(signals, format));
      net.setLayerMaskArrays(mask, null);
      List<INDArray> activations = net.feedForward(true, false);
      assertClose(activations.get(4), reference.array("vector"), ROUNDING);
      Pair<Gradient, INDArray> gradients = net.backpropGradient(reference.array("R"), null);
      INDArray byInput = inFormat(reference.array("gradInput"), format);
      assertClose(gradients.getSecond(), byInput, ROUNDING);
      INDArray byW = gradients.getFirst().getGradientFor("1_W");
      assertClose(byW, reference.array("gradW"), ROUNDING);
    }
  }

  private static SpdLayer aggregation(Kernel kernel) {
    return new KernelAggregationLayer.Builder().kernel(kernel).build();
  }

  /** All layers of feature maps that pool. */
  static Stream<Layer> pooling() {
    return Stream.of(
        covariance(),
        aggregation(new LedoitWolfKernel()),
        aggregation(new RbfKernel(Bandwidth.fixed(2))),
        aggregation(PolynomialKernel.degree(3).offset(0.5).scale(0.2)),
        new FisherVectorLayer.Builder().components(2).build(),
        new BilinearPoolingLayer.Builder().build(),
        new CompactBilinearLayer.Builder().sketchSize(6).build(),
        new TextureEncodingLayer.Builder().words(3).build());
  }

  private static DataSet sequences(RNNFormat format, boolean masked) {
    DataSet data = Networks.images(DataType.DOUBLE, 1, 3, 2, 9);
    data.setFeatures(inFormat(data.getFeatures(), format));
    if (masked) {
      INDArray mask = Nd4j.ones(DataType.DOUBLE, 3, 9);
      mask.get(point(1), interval(5, 9)).assign(0);
      mask.get(point(2), interval(7, 9)).assign(0);
      data.setFeaturesMaskArray(mask);
    }
    return data;
  }

  /** Behind a convolution along the sequence, which makes the mask shorter. */
  @ParameterizedTest
  @MethodSource("pooling")
  void behindAConvolution(Layer layer) {
    Layer convolution = new Convolution1DLayer.Builder(3).nOut(4).build();
    for (boolean masked : new boolean[] {false, true}) {
      MultiLayerNetwork net =
          layer instanceof KernelAggregationLayer
              ? network(InputType.recurrent(2), convolution, layer.clone(), vector(), output())
              : network(InputType.recurrent(2), convolution, layer.clone(), output());
      if (layer instanceof FisherVectorLayer) {
        Mixtures.storeIn(net.getLayer(1));
      }
      GradientChecks.checkHead(net, sequences(RNNFormat.NCW, masked));
    }
  }

  @ParameterizedTest
  @EnumSource(RNNFormat.class)
  void behindARecurrentLayer(RNNFormat format) {
    for (boolean masked : new boolean[] {false, true}) {
      LSTM lstm = new LSTM.Builder().nOut(2).dataFormat(format).build();
      MultiLayerNetwork net =
          network(InputType.recurrent(2, format), lstm, covariance(), vector(), output());
      GradientChecks.checkHead(net, sequences(format, masked));
    }
  }

  @Test
  void sequencesOfAnyLength() {
    MultiLayerNetwork net = network(InputType.recurrent(2), covariance(), vector(), output());
    for (long steps : new long[] {1, 4, 9}) {
      INDArray some = Nd4j.randn(DataType.DOUBLE, 5, 2, steps);
      assertThat(net.output(some).shape()).isEqualTo(new long[] {5, Networks.CLASSES});
    }
  }

  @ParameterizedTest
  @EnumSource(RNNFormat.class)
  void theConfigurationIsStored(RNNFormat format) {
    MultiLayerNetwork net =
        network(InputType.recurrent(2, format), covariance(), vector(), output());
    MultiLayerConfiguration read =
        MultiLayerConfiguration.fromJson(net.getLayerWiseConfigurations().toJson());
    assertThat(read.getInputPreProcess(0)).isEqualTo(new RnnToMapsPreProcessor(format));
    MultiLayerNetwork other = new MultiLayerNetwork(read);
    other.init(net.params(), true);
    INDArray features = sequences(format, false).getFeatures();
    assertThat(other.output(features)).isEqualTo(net.output(features));
    assertThat(read.getInputPreProcess(0).toString())
        .isEqualTo("RnnToMapsPreProcessor(" + format + ")");
  }

  @Test
  void withoutAnInputType() {
    ListBuilder list = Networks.general(DataType.DOUBLE, new NoOp()).list();
    list.layer(new KernelAggregationLayer.Builder().nIn(2).build());
    list.layer(vector());
    MultiLayerNetwork plain = new MultiLayerNetwork(list.build());
    plain.init();
    INDArray features = sequences(RNNFormat.NCW, false).getFeatures();
    assertThatThrownBy(() -> plain.output(features))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("InputType.recurrent(…)")
        .hasMessageContaining("RnnToMapsPreProcessor before the layer");
    list.inputPreProcessor(0, new RnnToMapsPreProcessor(RNNFormat.NCW));
    MultiLayerNetwork net = new MultiLayerNetwork(list.build());
    net.init();
    assertThat(net.output(features).shape()).isEqualTo(new long[] {3, 3});
  }

  @Test
  void whatIsNoSequence() {
    RnnToMapsPreProcessor preProcessor = new RnnToMapsPreProcessor(RNNFormat.NWC);
    assertThatThrownBy(
            () -> preProcessor.preProcess(Nd4j.ones(2, 3), 2, LayerWorkspaceMgr.noWorkspaces()))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("expected sequences [N, T, C], got shape [2, 3]");
    assertThatThrownBy(() -> preProcessor.getOutputType(InputType.feedForward(3)))
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("expected recurrent input");
    assertThatThrownBy(() -> new RnnToMapsPreProcessor(null)).hasMessage("format");
  }
}
