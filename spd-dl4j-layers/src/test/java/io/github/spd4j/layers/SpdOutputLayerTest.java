/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.deeplearning4j.nn.api.layers.LayerConstraint;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.evaluation.classification.Evaluation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.adapter.SingletonDataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;

class SpdOutputLayerTest {

  private static final InputType MAPS = InputType.convolutional(4, 3, 4);

  private static SpdOutputLayer.Builder classifier(LogMetric metric) {
    return new SpdOutputLayer.Builder().metric(metric).nOut(Networks.CLASSES);
  }

  private static Layer covariance() {
    return new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).ridge(0.1).build();
  }

  private static DataSet maps(DataType type) {
    return Networks.images(type, 3, 4, 4, 4, 3);
  }

  /** The layers after one another; the last one is the output. */
  private static ComputationGraph graph(NeuralNetConfiguration.Builder general, Layer... layers) {
    GraphBuilder graph = general.graphBuilder().addInputs("in").setInputTypes(MAPS);
    String previous = "in";
    for (int i = 0; i < layers.length; i++) {
      String name = i == layers.length - 1 ? "out" : "layer" + i;
      graph.addLayer(name, layers[i], previous);
      previous = name;
    }
    ComputationGraph net = new ComputationGraph(graph.setOutputs("out").build());
    net.init();
    return net;
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void gradientsInAGraph(LogMetric metric) {
    ComputationGraph net =
        graph(
            Networks.general(DataType.DOUBLE, new NoOp()),
            covariance(),
            new SpdTransformLayer.Builder().nOut(3).build(),
            classifier(metric).build());
    GradientChecks.check(net, maps(DataType.DOUBLE));
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void gradientsInANetworkOfLayers(LogMetric metric) {
    ListBuilder list = Networks.general(DataType.DOUBLE, new NoOp()).list();
    list.layer(covariance());
    list.layer(new SpdTransformLayer.Builder().nOut(3).build());
    list.layer(classifier(metric).build());
    MultiLayerNetwork net = new MultiLayerNetwork(list.setInputType(MAPS).build());
    net.init();
    GradientChecks.check(net, maps(DataType.DOUBLE));
  }

  /** The linear form of the Javadoc, by layers that are there anyway. */
  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void itIsAnOutputLayerBehindTheCoordinates(LogMetric metric) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      List<Layer> apart = new ArrayList<>(List.of(covariance()));
      if (metric == LogMetric.CHOLESKY) {
        apart.add(new LogCholeskyLayer.Builder().build());
      } else {
        apart.add(new LogEigLayer.Builder().build());
        apart.add(
            new SpdVectorizationLayer.Builder()
                .powerNormalization(false)
                .l2Normalization(false)
                .build());
      }
      apart.add(new OutputLayer.Builder().nOut(Networks.CLASSES).build());
      ComputationGraph expected =
          graph(Networks.general(type, new Sgd(0.1)).l2(0.01), apart.toArray(new Layer[0]));
      ComputationGraph net =
          graph(
              Networks.general(type, new Sgd(0.1)).l2(0.01),
              covariance(),
              classifier(metric).build());
      net.setParams(expected.params());
      DataSet data = maps(type);
      for (int i = 0; i < 3; i++) {
        net.fit(data);
        expected.fit(data);
      }
      double tolerance = type == DataType.FLOAT ? FLOAT_ROUNDING : ROUNDING;
      assertClose(net.params(), expected.params(), tolerance);
      assertClose(
          net.outputSingle(data.getFeatures()),
          expected.outputSingle(data.getFeatures()),
          tolerance);
    }
  }

  /** Most eigenvalues are below this one, and none below that which is usual. */
  @Test
  void itsOwnFloorCounts() {
    ComputationGraph expected =
        graph(
            Networks.general(DataType.DOUBLE, new NoOp()),
            covariance(),
            new LogEigLayer.Builder().floor(0.5).build(),
            new SpdVectorizationLayer.Builder()
                .powerNormalization(false)
                .l2Normalization(false)
                .build(),
            new OutputLayer.Builder().nOut(Networks.CLASSES).build());
    ComputationGraph net =
        graph(
            Networks.general(DataType.DOUBLE, new NoOp()),
            covariance(),
            classifier(LogMetric.EUCLIDEAN).floor(0.5).build());
    net.setParams(expected.params());
    DataSet data = maps(DataType.DOUBLE);
    assertClose(
        net.outputSingle(data.getFeatures()), expected.outputSingle(data.getFeatures()), ROUNDING);
    net.fit(data);
    expected.fit(data);
    assertClose(net.gradient().gradient(), expected.gradient().gradient(), ROUNDING);
    ComputationGraph usual =
        graph(
            Networks.general(DataType.DOUBLE, new NoOp()),
            covariance(),
            classifier(LogMetric.EUCLIDEAN).build());
    usual.setParams(expected.params());
    assertThat(usual.outputSingle(data.getFeatures()))
        .isNotEqualTo(net.outputSingle(data.getFeatures()));
  }

  private static final LayerConstraint SMALL = new MaxNormConstraint(0.1, 0);

  /**
   * Constraints of the layer and of the network, as the output layer of DL4J has them. (A network's
   * {@code constrainAllParameters} reaches no layer: DL4J loses it.)
   */
  @Test
  void constraintsHold() {
    checkConstraint(general -> {}, layer -> layer.constrainWeights(SMALL));
    checkConstraint(general -> {}, layer -> layer.constrainBias(SMALL));
    checkConstraint(general -> {}, layer -> layer.constrainAllParameters(SMALL));
    checkConstraint(general -> general.constrainWeights(SMALL), layer -> {});
    checkConstraint(general -> general.constrainBias(SMALL), layer -> {});
  }

  private static void checkConstraint(
      Consumer<NeuralNetConfiguration.Builder> ofNetwork,
      Consumer<BaseOutputLayer.Builder<?>> ofLayer) {
    SpdOutputLayer.Builder own = classifier(LogMetric.CHOLESKY);
    OutputLayer.Builder other = new OutputLayer.Builder().nOut(Networks.CLASSES);
    ofLayer.accept(own);
    ofLayer.accept(other);
    Layer coordinates = new LogCholeskyLayer.Builder().build();
    INDArray actual = trained(ofNetwork, covariance(), own.build());
    INDArray expected = trained(ofNetwork, covariance(), coordinates, other.build());
    INDArray free = trained(none -> {}, covariance(), classifier(LogMetric.CHOLESKY).build());
    assertClose(actual, expected, ROUNDING);
    assertThat(actual.distance2(free)).isGreaterThan(0.05);
  }

  private static INDArray trained(
      Consumer<NeuralNetConfiguration.Builder> ofNetwork, Layer... layers) {
    NeuralNetConfiguration.Builder general = Networks.general(DataType.DOUBLE, new Sgd(1));
    ofNetwork.accept(general);
    ComputationGraph net = graph(general, layers);
    net.setParams(Nd4j.linspace(-1, 1, net.numParams(), DataType.DOUBLE));
    for (int i = 0; i < 3; i++) {
      net.fit(maps(DataType.DOUBLE));
    }
    return net.params();
  }

  @ParameterizedTest
  @EnumSource(LogMetric.class)
  void survivesJsonAndZip(LogMetric metric) throws IOException {
    ComputationGraph net =
        graph(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            covariance(),
            classifier(metric).floor(0.01).build());
    ComputationGraphConfiguration conf = net.getConfiguration();
    assertThat(ComputationGraphConfiguration.fromJson(conf.toJson())).isEqualTo(conf);
    assertThat(conf.clone()).isEqualTo(conf);
    assertThat(classifier(metric).build()).isNotEqualTo(classifier(metric).floor(0.01).build());
    DataSet data = maps(DataType.FLOAT);
    net.fit(data);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ModelSerializer.writeModel(net, bytes, true);
    ComputationGraph restored =
        ModelSerializer.restoreComputationGraph(
            new ByteArrayInputStream(bytes.toByteArray()), true);
    net.fit(data);
    restored.fit(data);
    assertThat(restored.params()).isEqualTo(net.params());
    assertThat(net.summary()).contains("SpdOutputLayer");
    Evaluation evaluation = net.evaluate(new SingletonDataSetIterator(data));
    assertThat(evaluation.getNumRowCounter()).isEqualTo(data.numExamples());
  }

  @Test
  void workspacesMakeNoDifference() {
    List<INDArray> params = new ArrayList<>();
    for (WorkspaceMode mode : new WorkspaceMode[] {WorkspaceMode.NONE, WorkspaceMode.ENABLED}) {
      ComputationGraph net =
          graph(
              Networks.general(DataType.FLOAT, new Sgd(0.1))
                  .trainingWorkspaceMode(mode)
                  .inferenceWorkspaceMode(mode),
              covariance(),
              new SpdBatchNormalizationLayer.Builder().build(),
              classifier(LogMetric.EUCLIDEAN).build());
      for (int i = 0; i < 3; i++) {
        net.fit(maps(DataType.FLOAT));
        net.outputSingle(maps(DataType.FLOAT).getFeatures());
      }
      params.add(net.params().dup());
    }
    assertThat(params.get(0)).isEqualTo(params.get(1));
  }

  /**
   * Black images have no positive eigenvalue; images that are all alike have all the same class.
   */
  @Test
  void nothingBreaksOnBlackImages() {
    ComputationGraph net =
        graph(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            new KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).build(),
            new SpdBatchNormalizationLayer.Builder().build(),
            classifier(LogMetric.EUCLIDEAN).build());
    DataSet data = maps(DataType.FLOAT);
    data.getFeatures().assign(0);
    for (int i = 0; i < 50; i++) {
      net.fit(data);
    }
    assertThat(net.score()).isFinite();
    assertThat(net.outputSingle(data.getFeatures()).sumNumber().doubleValue()).isFinite();
  }

  @Test
  void refusesWhatItCannotUse() {
    assertThatThrownBy(() -> classifier(LogMetric.EUCLIDEAN).floor(0).build())
        .hasMessageContaining("SpdOutputLayer: expected a finite floor greater than 0, got");
    assertThatThrownBy(() -> classifier(LogMetric.EUCLIDEAN).name("c").nIn(7).build())
        .hasMessageContaining("SpdOutputLayer 'c': expected nIn(C(C+1)/2) for matrices of C rows")
        .hasMessageContaining("nIn = 7");
    SpdOutputLayer layer = classifier(LogMetric.CHOLESKY).nIn(3).build();
    assertThatThrownBy(() -> layer.getOutputType(0, InputType.convolutional(3, 3, 1)))
        .hasMessageContaining("expected matrices of 2 rows, got matrices of 3 rows");
    assertThatThrownBy(() -> layer.getOutputType(0, InputType.feedForward(3)))
        .hasMessageContaining("expected a square matrix [N, 1, C, C]");
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .list()
                .layer(layer)
                .setInputType(InputType.convolutional(2, 2, 1))
                .build());
    net.init();
    assertThatThrownBy(() -> net.output(Nd4j.ones(DataType.FLOAT, 3, 1, 2, 2)))
        .hasMessageContaining("SpdOutputLayer 'layer0': expected a positive definite matrix")
        .hasMessageContaining("a ridge");
    assertThatThrownBy(() -> net.output(Nd4j.ones(DataType.FLOAT, 3, 1, 3, 3)))
        .hasMessageContaining("expected input [N, 1, 2, 2], got shape [3, 1, 3, 3]");
    INDArray skew = Nd4j.createFromArray(1f, 2f, 3f, 4f).reshape(1, 1, 2, 2);
    assertThatThrownBy(() -> net.output(skew)).hasMessageContaining("expected a symmetric matrix");
    assertThatThrownBy(() -> net.output(Nd4j.valueArrayOf(new long[] {1, 1, 2, 2}, Float.NaN)))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("SpdOutputLayer 'layer0'");
  }
}
