/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static io.github.spd4j.testing.Networks.general;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.testing.Ejml;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.Tolerances;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** The figures against an independent library and against loops. */
class FiguresTest {

  private static final int BATCH = 6;
  private static final int SAMPLE = 2;
  private static final InputType INPUT = InputType.convolutional(8, 8, 2);

  private static DataSet data(DataType type) {
    return Networks.images(type, 7, BATCH, 2, 8, 8);
  }

  private static NeuralNetConfiguration.Builder conf(DataType type, WorkspaceMode mode) {
    return general(type, new Sgd(0.1)).trainingWorkspaceMode(mode).inferenceWorkspaceMode(mode);
  }

  private static HealthReport firstReport(Model network, Runnable step) {
    SpdHealthListener listener = new SpdHealthListener.Builder().sample(SAMPLE).build();
    network.addListeners(listener);
    step.run();
    return listener.history().get(0);
  }

  @ParameterizedTest
  @CsvSource({"DOUBLE,ENABLED", "DOUBLE,NONE", "FLOAT,ENABLED", "FLOAT,NONE"})
  void ofAGraph(DataType type, WorkspaceMode mode) {
    ComputationGraph net = Networks.convolutional(conf(type, mode), Networks.head(), INPUT);
    ComputationGraph copy = net.clone();
    Map<String, INDArray> activations = copy.feedForward(data(type).getFeatures(), true);
    copy.setInputs(data(type).getFeatures());
    copy.setLabels(data(type).getLabels());
    copy.computeGradientAndScore();

    HealthReport report = firstReport(net, () -> net.fit(data(type)));

    double tolerance = Tolerances.rounding(type);
    LayerHealth aggregation = report.layer("layer0").orElseThrow();
    LayerHealth transform = report.layer("layer1").orElseThrow();
    assertThat(report.layers()).containsExactly(aggregation, transform);
    assertSigma(aggregation, activations.get("conv"), tolerance);
    assertSpectrum(aggregation, activations.get("layer0"), tolerance);
    assertSpectrum(transform, activations.get("layer1"), tolerance);
    assertGradient(
        transform,
        copy.getLayer("layer1").getParam("W"),
        copy.gradient().getGradientFor("layer1_W"),
        tolerance);
    assertNear(
        report.gradientNorm().orElseThrow(),
        copy.getGradientsViewArray().norm2Number().doubleValue() / BATCH,
        tolerance);
    assertOffManifold(transform, net.getLayer("layer1").getParam("W"));
    assertThat(report.warnings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = WorkspaceMode.class,
      names = {"ENABLED", "NONE"})
  void ofAMultiLayerNetwork(WorkspaceMode mode) {
    DataType type = DataType.DOUBLE;
    MultiLayerNetwork net = multiLayerNetwork(conf(type, mode));
    MultiLayerNetwork copy = net.clone();
    List<INDArray> activations = copy.feedForward(data(type).getFeatures(), true);
    copy.setInput(data(type).getFeatures());
    copy.setLabels(data(type).getLabels());
    copy.computeGradientAndScore();

    HealthReport report = firstReport(net, () -> net.fit(data(type)));

    double tolerance = Tolerances.rounding(type);
    LayerHealth aggregation = report.layers().get(0);
    LayerHealth transform = report.layer("spd").orElseThrow();
    assertThat(report.layers()).containsExactly(aggregation, transform);
    assertSigma(aggregation, activations.get(1), tolerance);
    assertSpectrum(aggregation, activations.get(2), tolerance);
    assertSpectrum(transform, activations.get(3), tolerance);
    assertGradient(
        transform,
        copy.getLayer(2).getParam("W"),
        copy.gradient().getGradientFor("2_W"),
        tolerance);
    assertOffManifold(transform, net.getLayer(2).getParam("W"));
  }

  private static MultiLayerNetwork multiLayerNetwork(NeuralNetConfiguration.Builder conf) {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            conf.list()
                .layer(new ConvolutionLayer.Builder(3, 3).nOut(5).build())
                .layer(new KernelAggregationLayer.Builder().build())
                .layer(new SpdTransformLayer.Builder().nOut(3).name("spd").build())
                .layer(new SpdVectorizationLayer.Builder().build())
                .layer(
                    new OutputLayer.Builder(LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(Networks.CLASSES)
                        .build())
                .setInputType(INPUT)
                .build());
    net.init();
    return net;
  }

  @Test
  void aFixedBandwidthIsItself() {
    List<Layer> head =
        List.of(
            new KernelAggregationLayer.Builder()
                .kernel(new RbfKernel(Bandwidth.fixed(3).times(0.5)))
                .build(),
            new SpdVectorizationLayer.Builder().build());
    ComputationGraph net =
        Networks.plain(conf(DataType.DOUBLE, WorkspaceMode.ENABLED), head, INPUT);
    LayerHealth layer =
        firstReport(net, () -> net.fit(data(DataType.DOUBLE))).layer("layer0").orElseThrow();
    assertThat(layer.get(Figure.SIGMA_MIN)).hasValue(1.5);
    assertThat(layer.get(Figure.SIGMA_MAX)).hasValue(1.5);
    assertThat(layer.get(Figure.SIGMA_MEAN)).hasValue(1.5);
  }

  @Test
  void aLearntBandwidthIsThePresentOne() {
    List<Layer> head =
        List.of(
            new KernelAggregationLayer.Builder()
                .kernel(new RbfKernel(Bandwidth.fixed(3).times(0.5).learnt()))
                .build(),
            new SpdVectorizationLayer.Builder().build());
    ComputationGraph net =
        Networks.plain(conf(DataType.DOUBLE, WorkspaceMode.ENABLED), head, INPUT);
    net.getParam("layer0_logBandwidth").assign(Math.log(2));
    LayerHealth layer =
        firstReport(net, () -> net.fit(data(DataType.DOUBLE))).layer("layer0").orElseThrow();
    assertNear(layer.get(Figure.SIGMA_MEAN).orElseThrow(), 3, Tolerances.ROUNDING);
    assertNear(layer.get(Figure.SIGMA_MAX).orElseThrow(), 3, Tolerances.ROUNDING);
  }

  /** A covariance of 6 maps over 4 pixels has rank 3, so three eigenvalues are zero. */
  @Test
  void eigenvaluesBelowTheFloorAreCounted() {
    List<Layer> head =
        List.of(
            new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build(),
            new LogEigLayer.Builder().floor(1e-3).build(),
            new SpdVectorizationLayer.Builder().build());
    ComputationGraph net =
        Networks.plain(
            conf(DataType.FLOAT, WorkspaceMode.ENABLED), head, InputType.convolutional(2, 2, 6));
    DataSet data = Networks.images(DataType.FLOAT, 7, BATCH, 6, 2, 2);
    LayerHealth layer = firstReport(net, () -> net.fit(data)).layer("layer1").orElseThrow();
    assertThat(layer.get(Figure.FLOORED)).hasValue(3);
    assertThat(layer).hasToString("layer1 (LogEigLayer): floored 3");
  }

  @Test
  void aReportReadsAsALineForEachLayer() {
    ComputationGraph net =
        Networks.convolutional(conf(DataType.FLOAT, WorkspaceMode.ENABLED), Networks.head(), INPUT);
    List<String> lines =
        List.of(firstReport(net, () -> net.fit(data(DataType.FLOAT))).toString().split("\n"));
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("iteration 0, epoch 0, gradient norm ");
    assertThat(lines.get(1))
        .startsWith("  layer0 (KernelAggregationLayer): dead channels 0, dead share 0.00, σ mean ");
    assertThat(lines.get(2)).startsWith("  layer1 (SpdTransformLayer): ‖WᵀW−I‖ ");
  }

  private static void assertNear(double actual, double expected, double tolerance) {
    assertThat(actual).isCloseTo(expected, offset(tolerance * Math.max(1, Math.abs(expected))));
  }

  private static void assertFigure(
      LayerHealth layer, Figure figure, double expected, double tolerance) {
    assertNear(layer.get(figure).orElseThrow(), expected, tolerance);
  }

  private static void assertSigma(LayerHealth layer, INDArray features, double tolerance) {
    double[] sigmas = new double[SAMPLE];
    for (int i = 0; i < SAMPLE; i++) {
      sigmas[i] = meanDistance(features.slice(i).castTo(DataType.DOUBLE));
    }
    assertFigure(layer, Figure.SIGMA_MIN, Math.min(sigmas[0], sigmas[1]), tolerance);
    assertFigure(layer, Figure.SIGMA_MAX, Math.max(sigmas[0], sigmas[1]), tolerance);
    assertFigure(layer, Figure.SIGMA_MEAN, (sigmas[0] + sigmas[1]) / 2, tolerance);
  }

  private static double meanDistance(INDArray image) {
    int c = (int) image.size(0);
    SimpleMatrix maps = Ejml.of(image.dup('c').reshape(c, -1));
    double sum = 0;
    for (int i = 0; i < c; i++) {
      for (int j = 0; j < c; j++) {
        sum += maps.extractVector(true, i).minus(maps.extractVector(true, j)).normF();
      }
    }
    return sum / (c * (c - 1));
  }

  private static void assertSpectrum(LayerHealth layer, INDArray matrices, double tolerance) {
    double min = Double.POSITIVE_INFINITY;
    double max = 0;
    double condition = 0;
    for (int i = 0; i < SAMPLE; i++) {
      long n = matrices.size(2);
      double[] values =
          Ejml.of(matrices.slice(i).reshape(n, n)).eig().getEigenvalues().stream()
              .mapToDouble(value -> value.real)
              .sorted()
              .toArray();
      min = Math.min(min, values[0]);
      max = Math.max(max, values[values.length - 1]);
      condition = Math.max(condition, values[values.length - 1] / values[0]);
    }
    assertFigure(layer, Figure.LAMBDA_MIN, min, tolerance);
    assertFigure(layer, Figure.LAMBDA_MAX, max, tolerance);
    assertFigure(layer, Figure.CONDITION, condition, 10 * tolerance);
  }

  private static void assertGradient(
      LayerHealth layer, INDArray w, INDArray gradient, double tolerance) {
    SimpleMatrix g = Ejml.of(gradient).divide(BATCH);
    SimpleMatrix point = Ejml.of(w);
    SimpleMatrix inner = point.transpose().mult(g);
    SimpleMatrix tangent = g.minus(point.mult(inner.plus(inner.transpose()).divide(2)));
    assertFigure(layer, Figure.GRADIENT, g.normF(), tolerance);
    assertFigure(layer, Figure.TANGENT_GRADIENT, tangent.normF(), tolerance);
  }

  private static void assertOffManifold(LayerHealth layer, INDArray w) {
    SimpleMatrix point = Ejml.of(w);
    SimpleMatrix excess =
        point.transpose().mult(point).minus(SimpleMatrix.identity(point.getNumCols()));
    assertFigure(layer, Figure.OFF_MANIFOLD, excess.normF(), 1e-14);
  }
}
