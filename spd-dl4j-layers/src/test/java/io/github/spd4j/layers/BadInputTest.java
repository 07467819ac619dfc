/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Refusal;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Networks;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Convolution3D;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Bad input and bad options: each exception names the layer, what it got and what it wants. */
class BadInputTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private static final InputType MAPS = InputType.convolutional(3, 3, 5);

  private static ComputationGraph net(List<? extends Layer> head, InputType input) {
    return Networks.plain(Networks.general(DataType.FLOAT, new Sgd(0.1)), head, input);
  }

  private static AbstractThrowableAssert<?, ?> refuses(
      ThrowingCallable call, Class<? extends Throwable> type, String... parts) {
    AbstractThrowableAssert<?, ?> thrown = assertThatThrownBy(call).isInstanceOf(type);
    for (String part : parts) {
      thrown.hasMessageContaining(part);
    }
    return thrown;
  }

  private static void refusesConfig(ThrowingCallable call, String... parts) {
    refuses(call, DL4JInvalidConfigException.class, parts);
  }

  private static void refusesInput(ThrowingCallable call, String... parts) {
    refuses(call, DL4JInvalidInputException.class, parts);
  }

  static Stream<Refusal> refusals() {
    return LayerCases.refusals();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void options(Refusal refusal) {
    refusesConfig(refusal::build, refusal.layer() + " 'mine': expected ");
    refusesConfig(refusal::build, refusal.words());
  }

  static Stream<Sample> layers() {
    return LayerCases.firstSamples(Check.DEFINITION);
  }

  /** What executes the layer, which is called "mine". */
  private static org.deeplearning4j.nn.api.Layer runtime(Sample sample) {
    org.deeplearning4j.nn.api.Layer layer = sample.runtime(DataType.FLOAT, Backend.current());
    ((SpdLayer) layer.conf().getLayer()).setLayerName("mine");
    return layer;
  }

  @ParameterizedTest
  @MethodSource("layers")
  void wrongRankOrSize(Sample sample) {
    org.deeplearning4j.nn.api.Layer layer = runtime(sample);
    INDArray input = sample.input();
    INDArray larger = Nd4j.concat(1, input, input);
    larger = Nd4j.concat(2, larger, larger);
    larger = Nd4j.concat(3, larger, larger);
    for (INDArray bad : List.of(Nd4j.ones(2, 5, 9), Nd4j.ones(2, 5), larger)) {
      refusesInput(
          () -> layer.activate(bad.castTo(DataType.FLOAT), false, NO_WORKSPACES),
          sample.name() + " 'mine': expected ",
          "got shape " + Arrays.toString(bad.shape()));
    }
  }

  @ParameterizedTest
  @MethodSource("layers")
  void inputTypesThatDoNotFit(Sample sample) {
    SpdLayer layer = sample.layer();
    layer.setLayerName("mine");
    boolean takesMatrices = layer.input() instanceof MatrixInput;
    String wanted = takesMatrices ? "square matrix [N, " : "convolutional input [N, C, H, W]";
    refusesConfig(
        () -> layer.getOutputType(0, InputType.feedForward(25)), sample.name() + " 'mine'", wanted);
    refusesConfig(() -> layer.getOutputType(0, InputType.recurrent(5)), sample.name(), wanted);
    if (takesMatrices) {
      refusesConfig(
          () -> layer.getOutputType(0, InputType.convolutional(5, 4, 1)), sample.name(), wanted);
    }
  }

  static Stream<Sample> layersOfMatrices() {
    return layers().filter(each -> each.layer().input() instanceof MatrixInput);
  }

  @ParameterizedTest
  @MethodSource("layersOfMatrices")
  void masksOfPixels(Sample sample) {
    org.deeplearning4j.nn.api.Layer layer = runtime(sample);
    refusesInput(
        () -> layer.feedForwardMaskArray(Nd4j.ones(2, 1, 3, 3), MaskState.Active, 2),
        sample.name() + " 'mine'",
        "mask",
        "[2, 1, 3, 3]");
  }

  @ParameterizedTest
  @MethodSource("layers")
  void halfPrecision(Sample sample) {
    refusesConfig(
        () -> sample.runtime(DataType.FLOAT16, Backend.current()),
        sample.name(),
        "FLOAT or DOUBLE",
        "HALF");
  }

  /** A ScaleShiftLayer stands in backbones; the layer behind them looks at what it makes. */
  static Stream<Sample> layersThatLookAtTheirParameters() {
    return layers().filter(each -> !(each.layer() instanceof ScaleShiftLayer));
  }

  @ParameterizedTest
  @MethodSource("layersThatLookAtTheirParameters")
  void parametersThatAreNotFiniteOrOfTheWrongShape(Sample sample) {
    org.deeplearning4j.nn.api.Layer layer = runtime(sample);
    INDArray input = sample.input().castTo(DataType.FLOAT);
    for (String name : layer.paramTable().keySet()) {
      INDArray right = layer.getParam(name).dup();
      refuses(
          () -> layer.setParam(name, Nd4j.ones(DataType.FLOAT, 1, 2, 3)),
          IllegalArgumentException.class,
          sample.name() + " 'mine': expected " + name + " of shape",
          "[1, 2, 3]");
      refuses(
          () -> layer.setParam("not" + name, right),
          IllegalArgumentException.class,
          sample.name() + " 'mine'",
          name,
          "got not" + name);
      for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
        refuses(
            () -> layer.setParam(name, right.dup().putScalar(0, bad)),
            IllegalStateException.class,
            sample.name() + " 'mine'",
            name);
        assertThat(layer.getParam(name)).isEqualTo(right);
        layer.getParam(name).putScalar(0, bad);
        refuses(
            () -> layer.activate(input, false, NO_WORKSPACES),
            IllegalStateException.class,
            sample.name() + " 'mine'",
            name);
        layer.getParam(name).assign(right);
      }
    }
  }

  @Test
  void matrixOfTheWrongShape() {
    List<Layer> head =
        List.of(
            new SpdTransformLayer.Builder().nOut(3).build(),
            new SpdVectorizationLayer.Builder().build());
    ComputationGraph net = net(head, InputType.convolutional(5, 5, 1));
    for (long[] shape : new long[][] {{2, 1, 5, 4}, {2, 2, 5, 5}, {2, 1, 4, 4}}) {
      refusesInput(
          () -> net.outputSingle(Nd4j.ones(shape)),
          "SpdTransformLayer 'layer0'",
          "[N, 1, 5, 5]",
          Arrays.toString(shape));
    }
  }

  @Test
  void inputTypeThatIsNoMatrix() {
    List<Layer> head = List.of(new SpdVectorizationLayer.Builder().build());
    refusesConfig(
        () -> net(head, InputType.convolutional(5, 4, 1)),
        "SpdVectorizationLayer 'layer0'",
        "square matrix [N, 1, C, C]",
        "h=5");
    refusesConfig(
        () -> net(head, InputType.feedForward(25)), "SpdVectorizationLayer 'layer0'", "25");
  }

  @Test
  void inputTypeThatIsNotConvolutional() {
    assertThatThrownBy(() -> net(Networks.head(), InputType.feedForward(5)))
        .hasMessageContaining("layer0");
  }

  @Test
  void largerThanTheInput() {
    List<Layer> head =
        List.of(
            new KernelAggregationLayer.Builder().build(),
            new SpdTransformLayer.Builder().nOut(6).build(),
            new SpdVectorizationLayer.Builder().build());
    refusesConfig(() -> net(head, MAPS), "SpdTransformLayer 'layer1'", "nOut ≤ 5", "nOut = 6");
  }

  @Test
  void nInThatContradictsTheInputType() {
    List<Layer> head = List.of(new SpdVectorizationLayer.Builder().nIn(4).build());
    refusesConfig(
        () -> head.get(0).getOutputType(0, InputType.convolutional(5, 5, 1)), "4 rows", "5 rows");
  }

  /** LAPACK must never see them. */
  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void eigenvaluesOfMatricesThatAreNotFinite(double value) {
    List<Layer> head =
        List.of(new LogEigLayer.Builder().build(), new SpdVectorizationLayer.Builder().build());
    ComputationGraph net = net(head, InputType.convolutional(3, 3, 1));
    INDArray matrices = Nd4j.eye(3).reshape(1, 1, 3, 3).repeat(0, 2).putScalar(4, value);
    refuses(
        () -> net.outputSingle(matrices),
        NotFiniteException.class,
        "LogEigLayer 'layer0'",
        "expected a finite matrix",
        "NaN or infinity");
  }

  @Test
  void aNetworkOfHalfPrecision() {
    refusesConfig(
        () ->
            Networks.plain(Networks.general(DataType.FLOAT16, new Sgd(0.1)), Networks.head(), MAPS),
        "KernelAggregationLayer 'layer0'",
        "FLOAT or DOUBLE",
        "HALF");
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void parametersThatAreNotFinite(double value) {
    ComputationGraph net = net(Networks.head(), MAPS);
    INDArray w = net.getParam("layer1_W");
    refuses(
        () -> net.setParam("layer1_W", w.dup().putScalar(0, value)),
        IllegalStateException.class,
        "SpdTransformLayer 'layer1'",
        "infinity in W");
    w.putScalar(0, value);
    INDArray images = Networks.images(DataType.FLOAT, 1, 2, 5, 3, 3).getFeatures();
    refuses(
        () -> net.outputSingle(images),
        IllegalStateException.class,
        "SpdTransformLayer 'layer1'",
        "got NaN or infinity");
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.NEGATIVE_INFINITY})
  void aLearntBandwidthThatIsNotFinite(double value) {
    Layer layer =
        new KernelAggregationLayer.Builder()
            .kernel(new RbfKernel(Bandwidth.meanDistance().learnt()))
            .build();
    ComputationGraph net = net(List.of(layer, new SpdVectorizationLayer.Builder().build()), MAPS);
    INDArray theta = net.getParam("layer0_logBandwidth");
    refuses(
        () -> net.setParam("layer0_logBandwidth", theta.dup().assign(value)),
        NotFiniteException.class,
        "KernelAggregationLayer 'layer0'",
        "infinity in logBandwidth");
    theta.assign(value);
    INDArray images = Networks.images(DataType.FLOAT, 1, 2, 5, 3, 3).getFeatures();
    refuses(
        () -> net.outputSingle(images),
        NotFiniteException.class,
        "KernelAggregationLayer 'layer0'",
        "infinity in logBandwidth");
  }

  @Test
  void parametersOfTheWrongShapeOrName() {
    ComputationGraph net = net(Networks.head(), MAPS);
    refuses(
        () -> net.setParam("layer1_W", Nd4j.ones(3, 5)),
        IllegalArgumentException.class,
        "SpdTransformLayer 'layer1'",
        "[5, 3]",
        "[3, 5]");
    refuses(
        () -> net.getLayer("layer1").setParam("V", Nd4j.ones(5, 3)),
        IllegalArgumentException.class,
        "SpdTransformLayer 'layer1'",
        "[W]",
        "got V");
  }

  @Test
  void masksOfANetwork() {
    ComputationGraph net = net(Networks.head(), MAPS);
    DataSet data = Networks.images(DataType.FLOAT, 1, 2, 5, 3, 3);
    data.setFeaturesMaskArray(Nd4j.ones(2, 1, 3, 4));
    refusesInput(() -> net.fit(data), "KernelAggregationLayer 'layer0'", "mask", "[2, 1, 3, 4]");
  }

  /** What a layer has no use for is named. */
  @Test
  void settingsWithoutAUse() {
    refusesConfig(
        () -> new ReEigLayer.Builder().activation(Activation.RELU).biasInit(3).build(),
        "expected no activation, weight initialisation or weight noise",
        "got activation(relu) and biasInit(3.0)");
    refusesConfig(
        () -> new SpdVectorizationLayer.Builder().weightInit(WeightInit.XAVIER).build(),
        "got weightInit(");
  }

  @Test
  void volumesBeforeAKernel() {
    List<Layer> head = List.of(new KernelAggregationLayer.Builder().build());
    InputType volumes =
        InputType.convolutional3D(Convolution3D.DataFormat.NCDHW, 4, 6, 6, 2); // d, h, w, c
    refusesConfig(
        () -> net(head, volumes), "KernelAggregationLayer 'layer0': expected convolutional input");
  }

  @Test
  void channelsInTheOtherPlace() {
    ComputationGraph net = net(Networks.head(), InputType.convolutional(6, 7, 5));
    refusesInput(
        () -> net.outputSingle(Nd4j.ones(2, 6, 7, 5)),
        "expected input with 5 channels in [N, C, H, W], got shape [2, 6, 7, 5]",
        "permute(0, 3, 1, 2)",
        "dataFormat(");
  }

  @Test
  void oneLayerObjectAtTwoPlaces() {
    SpdTransformLayer transform = new SpdTransformLayer.Builder().nOut(3).build();
    List<Layer> matrices =
        List.of(new KernelAggregationLayer.Builder().build(), transform, transform);
    List<Layer> head =
        Stream.concat(matrices.stream(), Stream.of(new SpdVectorizationLayer.Builder().build()))
            .collect(Collectors.toList());
    ComputationGraph net = net(head, MAPS);
    refusesInput(
        () -> net.outputSingle(Nd4j.randn(DataType.FLOAT, 2, 5, 3, 3)),
        "expected input [N, 1, 3, 3], got shape [2, 1, 5, 5]",
        "a layer object that stands at two places of a network",
        "make a new one for each");
    ComputationGraph sized = net(List.of(new KernelAggregationLayer.Builder().build()), MAPS);
    refusesInput(
        () -> sized.outputSingle(Nd4j.ones(2, 4, 3, 3)),
        "a layer object that stands at two places");
  }

  @Test
  void scalesThatAreNotFinite() {
    ComputationGraph net =
        net(List.of(new ScaleShiftLayer.Builder().rectified(true).build()), MAPS);
    INDArray bad = Nd4j.ones(1, 5).putScalar(3, Float.NaN);
    refuses(
        () -> net.setParam("layer0_scale", bad),
        NotFiniteException.class,
        "ScaleShiftLayer 'layer0': got NaN or infinity in scale");
    net.getParam("layer0_shift").assign(bad);
    refuses(
        () -> net.outputSingle(Nd4j.ones(2, 5, 3, 3)),
        NotFiniteException.class,
        "ScaleShiftLayer 'layer0': got NaN or infinity in shift");
  }

  @Test
  void noLossFunction() {
    assertThatThrownBy(() -> new SpdOutputLayer.Builder((LossFunction) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("lossFunction");
    assertThatThrownBy(() -> new SpdOutputLayer.Builder((ILossFunction) null))
        .hasMessage("lossFunction");
  }

  /** A line about a layer names its dropout, where one is to be looked for. */
  @Test
  void aDropoutIsNamed() {
    assertThat(new KernelAggregationLayer.Builder().dropOut(new DropCov()).build().toString())
        .contains("dropout=DropCov(");
    assertThat(new KernelAggregationLayer.Builder().build().toString()).doesNotContain("dropout");
  }
}
