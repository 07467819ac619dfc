/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.manifold.Stiefel;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.api.TrainingMaster;
import org.deeplearning4j.spark.impl.graph.SparkComputationGraph;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** DL4J's own training master averages W off the manifold; the forward pass notices. */
class StockMasterTest {

  private static final int BATCH = 4;

  private static JavaSparkContext spark;

  @BeforeAll
  static void connect() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("test")
                .set("spark.ui.enabled", "false")
                .set("spark.serializer", "org.apache.spark.serializer.JavaSerializer"));
  }

  @AfterAll
  static void disconnect() {
    spark.close();
  }

  private static JavaRDD<DataSet> data() {
    Stripes images = new Stripes(1, 48);
    List<DataSet> examples = new ArrayList<>();
    for (int i = 0; i < images.size(); i++) {
      INDArray label = Nd4j.zeros(DataType.FLOAT, 1, images.classes());
      label.putScalar(0, images.label(i), 1);
      examples.add(new DataSet(images.image(i), label));
    }
    return spark.parallelize(DataSet.merge(examples).batchBy(BATCH), 2);
  }

  private static void train(ComputationGraph net, TrainingMaster<?, ?> master) {
    SparkComputationGraph training = new SparkComputationGraph(spark, net, master);
    for (int epoch = 0; epoch < 3; epoch++) {
      training.fit(data());
    }
  }

  @Test
  void averagingIsRefused() {
    ComputationGraph net = Stripes.net();
    net.setLearningRate(2);
    TrainingMaster<?, ?> stock =
        new ParameterAveragingTrainingMaster.Builder(2, BATCH)
            .batchSizePerWorker(BATCH)
            .averagingFrequency(3)
            .build();
    assertThatThrownBy(() -> train(net, stock))
        .hasStackTraceContaining("SpdTransformLayer 'spd': expected W on the Stiefel manifold")
        .hasStackTraceContaining("on Spark with StiefelTrainingMaster");
  }

  @Test
  void ourMasterKeepsTheManifold() {
    ComputationGraph net = Stripes.net();
    net.setLearningRate(2);
    train(net, new StiefelTrainingMaster(2, BATCH, 3));
    assertThat(Stiefel.distanceFromManifold(net.getParam(Stripes.W))).isLessThan(1e-5);
  }
}
