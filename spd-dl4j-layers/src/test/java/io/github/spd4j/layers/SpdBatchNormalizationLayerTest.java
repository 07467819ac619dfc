/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.checks.GradientCheck;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.SpdMetric;
import io.github.spd4j.testing.Examples;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Upsampling2D;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;

class SpdBatchNormalizationLayerTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);
  private static final LayerWorkspaceMgr NONE = LayerWorkspaceMgr.noWorkspaces();

  private static SpdBatchNormalizationLayer.Builder layer() {
    return new SpdBatchNormalizationLayer.Builder();
  }

  private static Layer runtime(SpdBatchNormalizationLayer conf, DataType type) {
    return LayerCase.runtime(conf, type, Backend.current());
  }

  private static List<org.deeplearning4j.nn.conf.layers.Layer> head(
      org.deeplearning4j.nn.conf.layers.Layer normalisation) {
    return List.of(
        new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).ridge(0.1).build(),
        normalisation,
        new SpdVectorizationLayer.Builder().powerNormalization(false).build());
  }

  private static ComputationGraph net(NeuralNetConfiguration.Builder general) {
    return Networks.convolutional(general, head(layer().build()), IMAGE);
  }

  /** Whatever the matrices are: their Fréchet mean is B afterwards, their Fréchet variance s². */
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void meanAndVarianceBecomeThoseThatAreLearnt(LogMetric kind) {
    SpdMetric metric =
        kind == LogMetric.EUCLIDEAN ? SpdMetric.logEuclidean() : SpdMetric.logCholesky();
    Layer layer = runtime(layer().nIn(3).metric(kind).eps(1e-14).build(), DataType.DOUBLE);
    layer.getParam("dispersion").assign(1.7);
    INDArray output = layer.activate(Examples.positiveMatrices(6, 3).addi(eye(3)), true, NONE);
    INDArray matrices = output.reshape(6, 3, 3);
    INDArray mean = metric.mean(matrices);
    assertClose(mean, Nd4j.eye(3).castTo(DataType.DOUBLE), ROUNDING);
    INDArray distances = metric.distance(mean, matrices);
    assertSmall(distances.mul(distances).meanNumber().doubleValue() - 1.7 * 1.7, 1e-10);
  }

  /** A matrix is as far from the mean in other coordinates: they do not matter but for B. */
  @Tag("once")
  @Test
  void theAffineInvariantVariantDoesNotDependOnCoordinates() {
    Layer layer = runtime(layer().nIn(3).affineInvariant(true).build(), DataType.DOUBLE);
    INDArray matrices = Examples.positiveMatrices(6, 3).addi(eye(3));
    INDArray g = Nd4j.createFromArray(new double[][] {{2, 0, 1}, {0, 1, 0}, {1, 0, 3}});
    INDArray turned = matrices.ulike();
    for (int i = 0; i < 6; i++) {
      turned.get(point(i), point(0)).assign(g.mmul(matrices.get(point(i), point(0))).mmul(g));
    }
    SpdMetric metric = SpdMetric.affineInvariant();
    INDArray identity = Nd4j.eye(3).castTo(DataType.DOUBLE);
    INDArray distances =
        metric.distance(identity, layer.activate(matrices, true, NONE).reshape(6, 3, 3)).dup();
    INDArray others =
        metric.distance(identity, layer.activate(turned, true, NONE).reshape(6, 3, 3));
    assertClose(others, distances, 1e-9);
    assertSmall(distances.mul(distances).meanNumber().doubleValue() - 1, 1e-3); // but for ε
  }

  /** By the matrices, of which two domains have several and one has a single one, by b and by s. */
  @Test
  void gradientsOfTheAffineInvariantVariant() {
    Layer layer = runtime(layer().nIn(3).affineInvariant(true).domains(3).build(), DataType.DOUBLE);
    layer.getParam("bias").assign(Nd4j.linspace(-0.5, 0.4, 6, DataType.DOUBLE));
    layer.getParam("dispersion").assign(1.3);
    INDArray matrices = Examples.positiveMatrices(6, 3).addi(eye(3));
    int[] domains = {2, 0, 2, 1, 0, 0};
    INDArray r = Nd4j.rand(DataType.DOUBLE, matrices.shape());
    ToDoubleFunction<INDArray> loss =
        x -> layer.activate(with(x, domains), true, NONE).mul(r).sumNumber().doubleValue();
    INDArray direction = Examples.symmetricMatrices(6, 3).muli(0.01);
    double expected = FiniteDifferences.along(loss, matrices, direction);
    Map<String, Double> byParameter = new HashMap<>();
    for (String name : List.of("bias", "dispersion")) {
      INDArray parameter = layer.getParam(name);
      INDArray start = parameter.dup();
      byParameter.put(
          name,
          FiniteDifferences.along(
              x -> {
                parameter.assign(x);
                return loss.applyAsDouble(matrices);
              },
              start,
              start.mul(0.1)));
      parameter.assign(start);
    }
    loss.applyAsDouble(matrices);
    Pair<Gradient, INDArray> gradients = layer.backpropGradient(r, NONE);
    INDArray byInput = gradients.getSecond().get(all(), interval(0, 1), all(), all());
    double actual = byInput.mul(direction).sumNumber().doubleValue();
    assertSmall((actual - expected) / expected, DERIVATIVE);
    byParameter.forEach(
        (name, wanted) -> {
          INDArray gradient = gradients.getFirst().getGradientFor(name);
          double along = gradient.mul(layer.getParam(name)).sumNumber().doubleValue() * 0.1;
          assertSmall((along - wanted) / wanted, DERIVATIVE);
        });
  }

  /** Where they start, after a step, read again, and used. */
  @Tag("once")
  @Test
  void theAffineInvariantVariantIsTrainedAndStored() throws IOException {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            head(layer().affineInvariant(true).build()),
            IMAGE);
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 2, 6, 6);
    net.fit(data);
    GradientCheck check = GradientCheck.of(net, data.toMultiDataSet(), 1);
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(net.getParam("layer1_mean").norm2Number().doubleValue()).isGreaterThan(0.01);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, bytes, true);
    ComputationGraph read =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(bytes.toByteArray()));
    SpdBatchNormalizationLayer conf =
        (SpdBatchNormalizationLayer) read.getLayer("layer1").conf().getLayer();
    assertThat(conf.isAffineInvariant()).isTrue();
    INDArray expected = net.outputSingle(data.getFeatures());
    assertThat(read.outputSingle(data.getFeatures())).isEqualTo(expected);
    INDArray one = data.getFeatures().get(interval(0, 1), all(), all(), all());
    assertClose(net.outputSingle(one), expected.get(interval(0, 1), all()), FLOAT_ROUNDING);
  }

  private static INDArray eye(int n) {
    return Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, 1, n, n).muli(0.1);
  }

  static Stream<NeuralNetConfiguration.Builder> trainings() {
    Stream<IUpdater> updaters = Stream.of(new Sgd(0.1), new Adam(0.1), new NoOp());
    return Stream.concat(
        updaters.map(u -> Networks.general(DataType.DOUBLE, u).l1(0.1).l2(0.1).weightDecay(0.1)),
        Stream.of(GradientNormalization.values())
            .map(
                kind ->
                    Networks.general(DataType.DOUBLE, new Nesterovs(0.1, 0.9))
                        .gradientNormalization(kind)
                        .gradientNormalizationThreshold(1e-3)));
  }

  /** The first step of any training sees the same matrices, so that the statistics are the same. */
  @ParameterizedTest
  @MethodSource("trainings")
  void noUpdaterPenaltyOrClippingReachesTheStatistics(NeuralNetConfiguration.Builder training) {
    DataSet data = Networks.images(DataType.DOUBLE, 1, 4, 2, 6, 6);
    ComputationGraph plain = net(Networks.general(DataType.DOUBLE, new Sgd(0.1)));
    ComputationGraph net = net(training);
    net.setParams(plain.params());
    plain.fit(data);
    net.fit(data);
    for (String name : List.of("mean", "variance")) {
      assertThat(net.getParam("layer1_" + name)).isEqualTo(plain.getParam("layer1_" + name));
    }
    assertThat(plain.getParam("layer1_mean").norm2Number().doubleValue()).isGreaterThan(0.01);
    assertThat(plain.getParam("layer1_bias").norm2Number().doubleValue()).isGreaterThan(1e-6);
  }

  /** Constant inputs: what is used converges to what training sees. */
  @Test
  void theRunningStatisticsBecomeThoseOfTheBatches() {
    Layer layer = runtime(layer().nIn(3).decay(0.2).build(), DataType.DOUBLE);
    layer.setBackpropGradientsViewArray(Nd4j.create(DataType.DOUBLE, 1, layer.numParams()));
    INDArray matrices = Examples.positiveMatrices(5, 3).addi(eye(3));
    INDArray trained = null;
    for (int i = 0; i < 20; i++) {
      trained = layer.activate(matrices, true, NONE);
      layer.backpropGradient(Nd4j.ones(DataType.DOUBLE, matrices.shape()), NONE);
    }
    assertClose(layer.activate(matrices, false, NONE), trained, ROUNDING);
  }

  /** Its own mean would tell nothing of it. */
  @Test
  void aSingleExampleIsNormalisedByTheRunningStatistics() {
    ComputationGraph net = net(Networks.general(DataType.FLOAT, new Sgd(0.1)));
    net.fit(Networks.images(DataType.FLOAT, 1, 4, 2, 6, 6));
    INDArray mean = net.getParam("layer1_mean").dup();
    DataSet one = Networks.images(DataType.FLOAT, 2, 1, 2, 6, 6);
    INDArray used = net.feedForward(one.getFeatures(), false).get("layer1").dup();
    assertThat(net.feedForward(one.getFeatures(), true).get("layer1")).isEqualTo(used);
    net.fit(one);
    assertThat(net.getParam("layer1_mean")).isEqualTo(mean);
  }

  @Test
  void aFrozenLayerUsesItsStatisticsForwardAndBackward() {
    ComputationGraph net =
        Networks.forGradientCheck(head(new FrozenLayerWithBackprop(layer().build())), IMAGE);
    INDArray before = net.getLayer("layer1").params().dup();
    Set<String> frozen =
        net.getLayer("layer1").paramTable().keySet().stream()
            .map(name -> "layer1_" + name)
            .collect(Collectors.toSet());
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 1, 3, 2, 6, 6), frozen);
    assertThat(net.getLayer("layer1").params()).isEqualTo(before);
  }

  /** Batches of equal images leave a running variance of 0, and anything else far away. */
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void nothingIsInfinitelyFarFromTheRunningMean(LogMetric metric) {
    Layer layer = runtime(layer().nIn(3).metric(metric).build(), DataType.DOUBLE);
    layer.getParam("variance").assign(0);
    INDArray matrices = Examples.positiveMatrices(4, 3).muli(100).addi(eye(3));
    matrices.slice(3).assign(Nd4j.eye(3).mul(1.0001)); // near it
    INDArray output = layer.activate(matrices, false, NONE).dup();
    assertThat(output.maxNumber().doubleValue()).isLessThan(Math.exp(20));
    INDArray r = Nd4j.rand(DataType.DOUBLE, output.shape());
    INDArray byInput = layer.backpropGradient(r, NONE).getSecond();
    INDArray direction = Examples.symmetricMatrices(4, 3).muli(1e-3);
    double expected =
        FiniteDifferences.along(
            x -> layer.activate(x, false, NONE).mul(r).sumNumber().doubleValue(),
            matrices,
            direction);
    double actual = byInput.mul(direction).sumNumber().doubleValue();
    assertSmall((actual - expected) / expected, DERIVATIVE);
  }

  @Test
  void ourGradientCheckKnowsTheStatistics() {
    ComputationGraph net = net(Networks.general(DataType.FLOAT, new Sgd(0.1)));
    GradientCheck check = GradientCheck.of(net, Networks.images(DataType.FLOAT, 1, 3, 2, 6, 6));
    assertThat(check.passes()).as(check.toString()).isTrue();
    assertThat(check.toString()).containsPattern("layer1_mean.*a running mean or variance");
  }

  /** Black images, all alike: no variance, and with the log-Euclidean metric no positive matrix. */
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void nothingBreaksWhereAllImagesAreTheSame(LogMetric metric) {
    double ridge = metric == LogMetric.CHOLESKY ? 1e-3 : 0;
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            List.of(
                new KernelAggregationLayer.Builder()
                    .kernel(new CovarianceKernel())
                    .ridge(ridge)
                    .build(),
                layer().metric(metric).build(),
                new SpdVectorizationLayer.Builder().build()),
            InputType.convolutional(3, 3, 4));
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 4, 3, 3);
    data.getFeatures().assign(0);
    for (int i = 0; i < 50; i++) {
      net.fit(data);
    }
    assertThat(Double.isFinite(net.params().norm2Number().doubleValue())).isTrue();
    assertThat(net.score()).isFinite();
  }

  @Test
  void floatAndDoubleAgreeOnLogarithmsFarFromZero() {
    SpdBatchNormalizationLayer conf = layer().nIn(4).build();
    INDArray matrices = Examples.positiveMatrices(5, 4).muli(1e3).addi(eye(4));
    INDArray exact = runtime(conf, DataType.DOUBLE).activate(matrices, true, NONE);
    INDArray single =
        runtime(conf, DataType.FLOAT).activate(matrices.castTo(DataType.FLOAT), true, NONE);
    assertClose(single, exact, FLOAT_ROUNDING);
  }

  /** [N, 1, C, C] and a domain for each → [N, 2, C, C]. */
  private static INDArray with(INDArray matrices, int... domains) {
    INDArray numbers = Nd4j.zeros(matrices.dataType(), matrices.shape());
    for (int i = 0; i < domains.length; i++) {
      numbers.slice(i).assign(domains[i]);
    }
    return Nd4j.concat(1, matrices, numbers);
  }

  /** Each domain as if it were alone, forward and backward; one that is not there stays. */
  @Test
  void domainsHaveStatisticsOfTheirOwn() {
    Layer layer = runtime(layer().nIn(3).domains(3).build(), DataType.DOUBLE);
    INDArray matrices = Examples.positiveMatrices(5, 3).addi(eye(3));
    INDArray r = Nd4j.rand(DataType.DOUBLE, matrices.shape());
    INDArray output = layer.activate(with(matrices, 2, 0, 2, 0, 0), true, NONE).dup();
    INDArray byInput = layer.backpropGradient(r, NONE).getSecond();
    int[][] examples = {{1, 3, 4}, {}, {0, 2}};
    for (int domain : new int[] {0, 2}) {
      Layer alone = runtime(layer().nIn(3).build(), DataType.DOUBLE);
      INDArray own = rows(matrices, examples[domain]);
      assertClose(rows(output, examples[domain]), alone.activate(own, true, NONE), ROUNDING);
      INDArray expected = alone.backpropGradient(rows(r, examples[domain]), NONE).getSecond();
      INDArray actual = rows(byInput, examples[domain]);
      assertClose(actual.get(all(), interval(0, 1), all(), all()), expected, ROUNDING);
      assertSmall(actual.get(all(), point(1), all(), all()).norm2Number().doubleValue(), 0);
      for (String name : List.of("mean", "variance")) {
        INDArray single = alone.getParam(name);
        INDArray statistics = layer.getParam(name).getRow(domain).reshape(single.shape());
        assertClose(statistics, single, ROUNDING);
      }
      INDArray used = layer.activate(with(matrices, 2, 0, 2, 0, 0), false, NONE);
      assertClose(rows(used, examples[domain]), alone.activate(own, false, NONE), ROUNDING);
    }
    assertSmall(layer.getParam("mean").getRow(1).norm2Number().doubleValue(), 0);
    assertSmall(layer.getParam("variance").getDouble(1) - 1, 0);
  }

  private static INDArray rows(INDArray array, int... numbers) {
    INDArray[] rows = new INDArray[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      rows[i] = array.get(interval(numbers[i], numbers[i] + 1), all(), all(), all());
    }
    return Nd4j.concat(0, rows);
  }

  /** As in the Javadoc, with layers of DL4J alone in between. */
  @Test
  void theDomainIsASecondInputOfAGraph() throws IOException {
    ComputationGraph net =
        new ComputationGraph(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .graphBuilder()
                .addInputs("image", "domain")
                .setInputTypes(InputType.convolutional(3, 3, 4), InputType.convolutional(1, 1, 1))
                .addLayer(
                    "matrix",
                    new KernelAggregationLayer.Builder()
                        .kernel(new CovarianceKernel())
                        .ridge(0.1)
                        .build(),
                    "image")
                .addLayer("domains", new Upsampling2D.Builder(4).build(), "domain")
                .addVertex("both", new MergeVertex(), "matrix", "domains")
                .addLayer("norm", layer().domains(2).build(), "both")
                .addLayer("out", new SpdOutputLayer.Builder().nOut(3).build(), "norm")
                .setOutputs("out")
                .build());
    net.init();
    DataSet data = Networks.images(DataType.FLOAT, 1, 5, 4, 3, 3);
    INDArray domains = Nd4j.createFromArray(0f, 1f, 1f, 0f, 0f).reshape(5, 1, 1, 1);
    INDArray[] inputs = {data.getFeatures(), domains};
    MultiDataSet both = new MultiDataSet(inputs.clone(), new INDArray[] {data.getLabels()});
    GradientCheck check = GradientCheck.of(net, both, 10);
    assertThat(check.passes()).as(check.toString()).isTrue();
    net.fit(both);
    assertThat(net.getParam("norm_mean").shape()).containsExactly(2, 10);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, bytes, true);
    ComputationGraph restored =
        ModelSerializer.restoreComputationGraph(
            new ByteArrayInputStream(bytes.toByteArray()), true);
    INDArray output = net.output(inputs)[0].dup();
    assertThat(restored.output(inputs)[0]).isEqualTo(output);
    inputs[1] = domains.rsub(1);
    assertThat(net.output(inputs)[0]).isNotEqualTo(output);
    inputs[1] = domains.mul(2);
    assertThatThrownBy(() -> net.output(inputs))
        .hasMessageContaining("SpdBatchNormalizationLayer 'norm': expected the number of a domain")
        .hasMessageContaining("from 0 to 1")
        .hasMessageContaining("got 2.0 to 2.0 (example 1 of the batch)");
    inputs[1] = domains.mul(0.5);
    assertThatThrownBy(() -> net.output(inputs)).hasMessageContaining("got 0.5 to 0.5");
  }

  @Test
  void refusesWhatItCannotUse() {
    refusesConfig(
        () -> layer().domains(2).build().getOutputType(0, InputType.convolutional(3, 3, 1)),
        "expected a square matrix [N, 2, C, C]");
    Layer layer = runtime(layer().name("bn").nIn(2).build(), DataType.FLOAT);
    assertThatThrownBy(
            () -> layer.setParam("variance", Nd4j.scalar(DataType.FLOAT, -1).reshape(1, 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SpdBatchNormalizationLayer 'bn': expected variance not below 0");
    layer.getParam("dispersion").assign(1e6);
    INDArray matrices = Examples.positiveMatrices(3, 2).castTo(DataType.FLOAT);
    assertThatThrownBy(() -> layer.activate(matrices, true, NONE))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("'bn'")
        .hasMessageContaining("its output");
    Layer cholesky =
        runtime(layer().name("bn").nIn(2).metric(LogMetric.CHOLESKY).build(), DataType.FLOAT);
    assertThatThrownBy(() -> cholesky.activate(Nd4j.ones(DataType.FLOAT, 3, 1, 2, 2), true, NONE))
        .hasMessageContaining("'bn': expected a positive definite matrix, got matrix 0 of 3")
        .hasMessageContaining("a ridge");
  }

  private static void refusesConfig(Runnable build, String message) {
    assertThatThrownBy(build::run)
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining(message);
  }
}
