/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Networks;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Sgd;

/** Bad input and bad options: each exception names the layer, what it got and what it wants. */
class BadInputTest {

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

  @Test
  void wrongRank() {
    org.deeplearning4j.nn.api.Layer layer = net(Networks.head(), MAPS).getLayer("layer0");
    refusesInput(
        () ->
            layer.activate(
                Nd4j.ones(2, 5, 9),
                false,
                org.deeplearning4j.nn.workspace.LayerWorkspaceMgr.noWorkspaces()),
        "KernelAggregationLayer 'layer0'",
        "rank 4",
        "[2, 5, 9]");
  }

  @Test
  void wrongNumberOfChannels() {
    ComputationGraph net = net(Networks.head(), MAPS);
    refusesInput(
        () -> net.outputSingle(Nd4j.ones(2, 4, 3, 3)),
        "KernelAggregationLayer 'layer0'",
        "with 5 channels",
        "[2, 4, 3, 3]");
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
          java.util.Arrays.toString(shape));
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
    assertThatThrownBy(() -> net(Networks.head(), InputType.recurrent(5)))
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
    refusesConfig(
        () -> new SpdTransformLayer.Builder().name("spd").nIn(4).nOut(5).build(),
        "SpdTransformLayer 'spd'",
        "nOut ≤ 4",
        "nOut = 5");
  }

  @Test
  void nOutNotSet() {
    refusesConfig(
        () -> new SpdTransformLayer.Builder().name("spd").build(),
        "SpdTransformLayer 'spd'",
        "nOut(C') of at least 1",
        "nOut = 0");
  }

  @Test
  void nInThatContradictsTheInputType() {
    List<Layer> head = List.of(new SpdVectorizationLayer.Builder().nIn(4).build());
    refusesConfig(
        () -> head.get(0).getOutputType(0, InputType.convolutional(5, 5, 1)), "4 rows", "5 rows");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1e-3, Double.NaN, Double.POSITIVE_INFINITY})
  void ridge(double ridge) {
    refusesConfig(
        () -> new KernelAggregationLayer.Builder().name("k").ridge(ridge).build(),
        "KernelAggregationLayer 'k'",
        "ridge = " + ridge);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void floorAndScale(double value) {
    refusesConfig(
        () -> new SpdVectorizationLayer.Builder().name("v").powerFloor(value).build(),
        "SpdVectorizationLayer 'v'",
        "powerFloor = " + value);
    refusesConfig(
        () -> new SpdVectorizationLayer.Builder().name("v").scale(value).build(),
        "SpdVectorizationLayer 'v'",
        "scale = " + value);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1e-4, Double.NaN, Double.POSITIVE_INFINITY})
  void eigenvalueFloor(double floor) {
    refusesConfig(
        () -> new LogEigLayer.Builder().name("l").floor(floor).build(),
        "LogEigLayer 'l'",
        "a finite floor greater than 0",
        "floor = " + floor);
    refusesConfig(
        () -> new ReEigLayer.Builder().name("r").floor(floor).build(),
        "ReEigLayer 'r'",
        "floor = " + floor);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, Double.NaN, Double.NEGATIVE_INFINITY})
  void exponent(double exponent) {
    refusesConfig(
        () -> new MatrixPowerLayer.Builder().name("p").exponent(exponent).build(),
        "MatrixPowerLayer 'p'",
        "a finite exponent other than 0",
        "exponent = " + exponent);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void shrinkage(double alpha) {
    refusesConfig(
        () -> new ShrinkageLayer.Builder().name("s").shrinkage(alpha).build(),
        "ShrinkageLayer 's'",
        "a shrinkage from 0 to 1",
        "shrinkage = " + alpha);
  }

  @Test
  void shrinkageThatDoesNothingOrCannotLearn() {
    refusesConfig(
        () -> new ShrinkageLayer.Builder().name("s").build(),
        "ShrinkageLayer 's'",
        "a shrinkage greater than 0, or traceNormalization(true)");
    refusesConfig(
        () -> new ShrinkageLayer.Builder().name("s").learntFrom(1).build(),
        "ShrinkageLayer 's'",
        "between 0 and 1 where it is learnt",
        "shrinkage = 1.0");
  }

  @Test
  void sparseInverse() {
    SparseInverseLayer.Builder layer = new SparseInverseLayer.Builder().name("i");
    refusesConfig(layer.steps(-1)::build, "SparseInverseLayer 'i'", "steps = -1");
    refusesConfig(layer.steps(1).sparsity(-1)::build, "'i'", "sparsity = -1.0");
    refusesConfig(layer.sparsity(0).rate(0)::build, "'i'", "a finite rate", "rate = 0.0");
    refusesConfig(layer.rate(1).iterations(0)::build, "'i'", "at least 1 iteration");
  }

  @Test
  void noIterationsAndNoSketch() {
    refusesConfig(
        () -> new MatrixSquareRootLayer.Builder().name("m").iterations(0).build(),
        "MatrixSquareRootLayer 'm'",
        "at least 1 iteration",
        "iterations = 0");
    refusesConfig(
        () -> new CompactBilinearLayer.Builder().name("c").build(),
        "CompactBilinearLayer 'c'",
        "sketchSize(d) of at least 1",
        "sketchSize = 0");
  }

  @Test
  void functionsOfWhatIsNoMatrix() {
    for (Layer layer :
        List.of(
            new MatrixSquareRootLayer.Builder().name("f").build(),
            new ReEigLayer.Builder().name("f").build(),
            new LogEigLayer.Builder().name("f").build(),
            new MatrixPowerLayer.Builder().name("f").build(),
            new LogCholeskyLayer.Builder().name("f").build(),
            new SpdBatchNormalizationLayer.Builder().name("f").build(),
            new ExpEigLayer.Builder().name("f").build(),
            new ShrinkageLayer.Builder().name("f").shrinkage(0.1).build(),
            new SparseInverseLayer.Builder().name("f").build())) {
      refusesConfig(
          () -> layer.getOutputType(0, InputType.convolutional(5, 4, 1)),
          layer.getClass().getSimpleName() + " 'f'",
          "square matrix [N, 1, C, C]");
    }
    refusesConfig(
        () -> new LogEigLayer.Builder().name("f").dropOut(0.5).build(),
        "LogEigLayer 'f'",
        "dropout");
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
  void halfPrecision() {
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
  void masks() {
    ComputationGraph net = net(Networks.head(), MAPS);
    DataSet data = Networks.images(DataType.FLOAT, 1, 2, 5, 3, 3);
    data.setFeaturesMaskArray(Nd4j.ones(2, 1, 3, 3));
    refusesInput(() -> net.fit(data), "KernelAggregationLayer 'layer0'", "mask", "[2, 1, 3, 3]");
  }

  @Test
  void optionsThatWouldTakeWOffTheManifold() {
    refusesConfig(
        () -> new SpdTransformLayer.Builder().name("s").nOut(2).updater(new Adam()).build(),
        "SpdTransformLayer 's'",
        "StiefelSgd, StiefelAdam or NoOp",
        "Adam");
    refusesConfig(
        () -> new SpdTransformLayer.Builder().name("s").nOut(2).l2(1e-4).build(),
        "SpdTransformLayer 's'",
        "regularisation");
    refusesConfig(
        () ->
            new SpdTransformLayer.Builder()
                .name("s")
                .nOut(2)
                .constrainWeights(new MaxNormConstraint(1, 1))
                .build(),
        "SpdTransformLayer 's'",
        "constraints");
    refusesConfig(
        () -> new SpdVectorizationLayer.Builder().name("v").dropOut(0.5).build(),
        "SpdVectorizationLayer 'v'",
        "dropout");
  }
}
