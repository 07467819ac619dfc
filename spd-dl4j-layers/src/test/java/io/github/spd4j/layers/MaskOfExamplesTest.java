/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.checks.GradientCheck;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.testing.Networks;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.preprocessor.RnnToCnnPreProcessor;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.common.util.ArrayUtil;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Masks that say which examples of a batch count, as of sequences of different length. */
class MaskOfExamplesTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private static final int CHANNELS = 3;
  private static final int SIDE = 4;
  private static final int STEPS = 5;

  static Stream<Sample> layers() {
    return LayerCases.firstSamples(Check.DEFINITION);
  }

  /** Four examples. */
  private static INDArray input(Sample sample, DataType type) {
    INDArray some = sample.input().castTo(type);
    INDArray many = Nd4j.concat(0, some, some, some, some);
    return many.get(interval(0, 4), all(), all(), all()).dup('c');
  }

  /** Numbers to fill arrays with: ND4J replaces a NaN that is no array. */
  private static INDArray filled(double number, long... shape) {
    double[] numbers = new double[(int) ArrayUtil.prodLong(shape)];
    Arrays.fill(numbers, number);
    return Nd4j.createFromArray(numbers).reshape(shape);
  }

  /** Whatever stands in them, examples that do not count might as well not be there. */
  @ParameterizedTest
  @MethodSource("layers")
  void examplesThatDoNotCountAreLeftOut(Sample sample) {
    for (DataType type : List.of(DataType.DOUBLE, DataType.FLOAT)) {
      Layer masked = sample.runtime(type, Backend.current());
      Layer plain = sample.runtime(type, Backend.current());
      plain.paramTable().forEach((name, value) -> masked.getParam(name).assign(value));
      INDArray input = input(sample, type);
      INDArray counting = without(input);
      INDArray first = input.slice(0);
      first.assign(filled(Double.NaN, first.shape()).castTo(type));
      input.slice(2).assign(0);
      INDArray mask = Nd4j.createFromArray(0, 1, 0, 1).castTo(type).reshape(4, 1, 1, 1);
      masked.feedForwardMaskArray(mask, MaskState.Active, 4);

      INDArray output = masked.activate(input, true, NO_WORKSPACES);
      INDArray expected = plain.activate(counting, true, NO_WORKSPACES);
      assertClose(without(output), expected, rounding(type));
      assertZero(output);

      INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape()).castTo(type);
      if (output.rank() == 4 && output.size(1) == 1) { // of a matrix
        epsilon.addi(epsilon.permute(0, 1, 3, 2).dup());
      }
      Pair<Gradient, INDArray> whole = masked.backpropGradient(epsilon.dup(), NO_WORKSPACES);
      Pair<Gradient, INDArray> parts = plain.backpropGradient(without(epsilon), NO_WORKSPACES);
      if (parts.getSecond() != null) { // that of a scattering stands before all that learns
        assertClose(without(whole.getSecond()), parts.getSecond(), rounding(type));
        assertZero(whole.getSecond());
      }
      parts
          .getFirst()
          .gradientForVariable()
          .forEach(
              (name, gradient) ->
                  assertClose(whole.getFirst().getGradientFor(name), gradient, rounding(type)));
      plain
          .paramTable()
          .forEach((name, value) -> assertClose(masked.getParam(name), value, rounding(type)));
    }
  }

  /** Examples 1 and 3 of four. */
  private static INDArray without(INDArray batch) {
    long[] shape = batch.shape().clone();
    shape[0] = 1;
    return Nd4j.concat(
        0,
        batch.slice(1).dup('c').reshape('c', shape),
        batch.slice(3).dup('c').reshape('c', shape));
  }

  private static void assertZero(INDArray batch) {
    assertThat(batch.slice(0).norm2Number().doubleValue()).isZero();
    assertThat(batch.slice(2).norm2Number().doubleValue()).isZero();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void theMaskGoesOnInTheShapeOfTheOutput(Sample sample) {
    Layer layer = sample.runtime(DataType.FLOAT, Backend.current());
    long[] shape = layer.activate(input(sample, DataType.FLOAT), false, NO_WORKSPACES).shape();
    long[] expected = shape.length == 2 ? new long[] {4, 1} : new long[] {4, 1, 1, 1};
    for (long[] given : List.of(new long[] {4, 1}, new long[] {4, 1, 1, 1})) {
      INDArray mask = Nd4j.createFromArray(0f, 1, 1, 0).reshape(given);
      Pair<INDArray, MaskState> behind = layer.feedForwardMaskArray(mask, MaskState.Passthrough, 4);
      assertThat(behind.getFirst().shape()).isEqualTo(expected);
      assertThat(behind.getFirst().reshape(4)).isEqualTo(mask.reshape(4));
      assertThat(behind.getSecond()).isEqualTo(MaskState.Passthrough);
    }
    Pair<INDArray, MaskState> none = layer.feedForwardMaskArray(null, MaskState.Active, 4);
    assertThat(none.getFirst()).isNull();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void masksThatDoNotFit(Sample sample) {
    refuses(sample, Nd4j.zeros(4, 1), "mask with an example that counts", "[4, 1]");
    refuses(sample, Nd4j.ones(3, 1), "mask of 4 examples", "[3, 1]");
    refuses(sample, Nd4j.ones(4, 1).muli(0.5), "mask of zeros and ones, not 0.5", "[4, 1]");
    refuses(sample, filled(Double.NaN, 4, 1), "mask of zeros and ones, not NaN");
    refuses(sample, Nd4j.ones(4, 3), "expected a mask of the examples", "[4, 3]");
  }

  private static void refuses(Sample sample, INDArray mask, String... words) {
    Layer layer = sample.runtime(DataType.FLOAT, Backend.current());
    INDArray input = input(sample, DataType.FLOAT);
    assertThatThrownBy(
            () -> {
              layer.feedForwardMaskArray(mask, MaskState.Active, 4);
              layer.activate(input, false, NO_WORKSPACES);
            })
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageStartingWith(sample.name())
        .hasMessageContainingAll(words);
  }

  /** Frames of C×H×W numbers, a matrix of each, a recurrent layer behind them. */
  private static MultiLayerNetwork frames(List<SpdLayer> head) {
    ListBuilder list = Networks.general(DataType.DOUBLE, new Adam(0.01)).list();
    list.inputPreProcessor(0, new RnnToCnnPreProcessor(SIDE, SIDE, CHANNELS));
    list.layer(
        new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).ridge(0.01).build());
    head.forEach(list::layer);
    list.layer(new LSTM.Builder().nOut(4).build());
    list.layer(
        new RnnOutputLayer.Builder(LossFunction.MCXENT)
            .activation(Activation.SOFTMAX)
            .nOut(2)
            .build());
    list.setInputType(InputType.recurrent(CHANNELS * SIDE * SIDE, STEPS));
    MultiLayerNetwork net = new MultiLayerNetwork(list.build());
    net.init();
    return net;
  }

  private static List<SpdLayer> head() {
    return List.of(
        new SpdTransformLayer.Builder().nOut(2).build(),
        new LogEigLayer.Builder().build(),
        new SpdVectorizationLayer.Builder().build());
  }

  /** Three sequences of different length, with anything behind their ends. */
  private static DataSet sequences(double padding) {
    Nd4j.getRandom().setSeed(3);
    int size = CHANNELS * SIDE * SIDE;
    INDArray features = Nd4j.randn(DataType.DOUBLE, 3, size, STEPS);
    INDArray labels = Nd4j.zeros(DataType.DOUBLE, 3, 2, STEPS);
    INDArray mask = Nd4j.zeros(DataType.DOUBLE, 3, STEPS);
    int[] lengths = {STEPS, 2, 3};
    for (int i = 0; i < 3; i++) {
      labels.get(point(i), point(i % 2)).assign(1);
      mask.get(point(i), interval(0, lengths[i])).assign(1);
      if (lengths[i] < STEPS) {
        INDArray rest = features.get(point(i), all(), interval(lengths[i], STEPS));
        rest.assign(filled(padding, rest.shape()));
      }
    }
    return new DataSet(features, labels, mask, mask.dup());
  }

  /** Sequence i alone, without what is behind its end. */
  private static DataSet unpadded(DataSet data, int i) {
    long steps = data.getFeaturesMaskArray().getRow(i).sumNumber().longValue();
    INDArray features = data.getFeatures().get(interval(i, i + 1), all(), interval(0, steps)).dup();
    INDArray labels = data.getLabels().get(interval(i, i + 1), all(), interval(0, steps)).dup();
    return new DataSet(features, labels);
  }

  private static Map<String, INDArray> gradients(MultiLayerNetwork net, DataSet data) {
    net.setInput(data.getFeatures());
    net.setLabels(data.getLabels());
    net.setLayerMaskArrays(data.getFeaturesMaskArray(), data.getLabelsMaskArray());
    net.computeGradientAndScore();
    net.clearLayerMaskArrays();
    Map<String, INDArray> copies = new HashMap<>();
    net.gradient().gradientForVariable().forEach((name, g) -> copies.put(name, g.dup()));
    return copies;
  }

  @Test
  void gradientsOfPaddedSequencesAreThoseOfTheSequences() {
    for (double padding : new double[] {0, 7, Double.NaN}) {
      MultiLayerNetwork net = frames(head());
      DataSet data = sequences(padding);
      Map<String, INDArray> together = gradients(net, data);
      Map<String, INDArray> sums = new HashMap<>();
      for (int i = 0; i < 3; i++) {
        gradients(net, unpadded(data, i))
            .forEach((name, g) -> sums.merge(name, g, (a, b) -> a.add(b)));
      }
      sums.forEach((name, sum) -> assertClose(together.get(name), sum, ROUNDING));
    }
  }

  /** The check of users' networks sees the masks. */
  @Test
  void gradientsOfPaddedSequencesAreRight() {
    assertThat(GradientCheck.of(frames(head()), sequences(7)).passes()).isTrue();
  }

  @Test
  void sequencesOfDifferentLengthTrain() {
    DataSet data = sequences(Double.NaN);
    MultiLayerNetwork net = frames(head());
    ComputationGraph graph = net.toComputationGraph();
    double before = net.score(data, true);
    assertThat(graph.score(data, true)).isEqualTo(before);
    for (int step = 0; step < 20; step++) {
      net.fit(data);
      graph.fit(data);
    }
    assertThat(net.score(data)).isLessThan(before);
    assertThat(graph.score(data)).isLessThan(before);
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void theOutputLayerLeavesThemOut(LogMetric metric) {
    ListBuilder list = Networks.general(DataType.DOUBLE, new Adam(0.01)).list();
    list.layer(
        new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).ridge(0.01).build());
    list.layer(new SpdOutputLayer.Builder().metric(metric).nOut(2).build());
    list.setInputType(InputType.convolutional(SIDE, SIDE, CHANNELS));
    MultiLayerNetwork net = new MultiLayerNetwork(list.build());
    net.init();
    Nd4j.getRandom().setSeed(5);
    INDArray features = Nd4j.randn(DataType.DOUBLE, 4, CHANNELS, SIDE, SIDE);
    INDArray labels = Nd4j.createFromArray(new double[][] {{1, 0}, {0, 1}, {0, 1}, {1, 0}});
    Map<String, INDArray> expected =
        gradients(net, new DataSet(without(features), without(labels)));
    features.slice(0).assign(filled(Double.NaN, CHANNELS, SIDE, SIDE));
    features.slice(2).assign(0);
    INDArray mask = Nd4j.createFromArray(0., 1, 0, 1).reshape(4, 1, 1, 1);
    Map<String, INDArray> actual = gradients(net, new DataSet(features, labels, mask, null));
    expected.forEach((name, g) -> assertClose(actual.get(name), g, ROUNDING));
    net.fit(new DataSet(features, labels, mask, null));
    assertThat(net.score()).isFinite();
  }
}
