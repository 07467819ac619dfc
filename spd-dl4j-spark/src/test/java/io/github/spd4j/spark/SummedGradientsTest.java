/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.config.Sgd;

/** What DL4J does with gradients beside handing them to updaters. */
class SummedGradientsTest {

  private static final double ROUNDING = 1e-6;
  private static final double CLIP = 1e-3;
  private static final int IMAGES = 8;

  private static SparkCluster cluster;

  private final ComputationGraph net = net();
  private final INDArray inputs = Nd4j.rand(DataType.FLOAT, IMAGES, 3);
  private final INDArray labels = Nd4j.eye(2).castTo(DataType.FLOAT).repeat(0, IMAGES / 2);

  @BeforeAll
  static void connect() {
    System.setProperty("spark.ui.enabled", "false");
    cluster = SparkCluster.connect("local[2]", "test");
  }

  @AfterAll
  static void disconnect() {
    cluster.close();
  }

  private static ComputationGraph net() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(7)
                .updater(new Sgd(1))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.feedForward(3))
                .addLayer("norm", new BatchNormalization.Builder().build(), "in")
                .addLayer("dense", clipped(), "norm")
                .addLayer("out", new OutputLayer.Builder().nOut(2).build(), "dense")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static DenseLayer clipped() {
    return new DenseLayer.Builder()
        .nOut(4)
        .gradientNormalization(GradientNormalization.ClipL2PerParamType)
        .gradientNormalizationThreshold(CLIP)
        .build();
  }

  private MultiDataSet share(int from, int to) {
    return new MultiDataSet(
        inputs.get(NDArrayIndex.interval(from, to)).dup(),
        labels.get(NDArrayIndex.interval(from, to)).dup());
  }

  private void round() {
    LossAndAccuracyHook answers = new LossAndAccuracyHook(cluster.context(), net);
    try (SummedGradients rounds = new SummedGradients(cluster.context(), net, answers)) {
      List<org.nd4j.linalg.dataset.api.MultiDataSet> halves =
          List.of(share(0, IMAGES / 2), share(IMAGES / 2, IMAGES));
      rounds.run(cluster.context().parallelize(halves, 2), IMAGES);
    }
    assertThat(answers.images()).isEqualTo(IMAGES);
  }

  @Test
  void runningMeansAreThoseOfTheWholeBatch() {
    ComputationGraph alone = net();
    alone.fit(share(0, IMAGES));
    round();
    INDArray expected = alone.getParam("norm_mean");
    assertThat(expected.norm2Number().doubleValue()).isGreaterThan(1e3 * ROUNDING);
    assertThat(net.getParam("norm_mean").distance2(expected)).isLessThan(ROUNDING);
  }

  @Test
  void gradientsAreClippedOnceTheyAreAddedUp() {
    INDArray before = net.getParam("dense_W").dup();
    round();
    assertThat(net.getParam("dense_W").distance2(before)).isCloseTo(CLIP, within(ROUNDING));
  }

  @Test
  void stepsAreCounted() {
    round();
    round();
    assertThat(net.getIterationCount()).isEqualTo(2);
  }
}
