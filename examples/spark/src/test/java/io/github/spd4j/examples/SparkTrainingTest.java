/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.nio.file.Path;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkTrainingTest {

  private static final String CUT = "conv";
  private static final int SIZE = 64;

  @TempDir Path folder;

  private static Backbone backbone() {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(1)
                .graphBuilder()
                .addInputs("image")
                .setInputTypes(InputType.convolutional(SIZE, SIZE, 3))
                .addLayer(
                    CUT, new ConvolutionLayer.Builder(9, 9).stride(8, 8).nOut(4).build(), "image")
                .setOutputs(CUT)
                .build());
    net.init();
    net.params().muli(1.0 / 64); // pixels reach 255
    return new Backbone("small", net, CUT, PixelFormat.CAFFE, SIZE);
  }

  @Test
  void trainsOnTwoWorkers() {
    System.setProperty("spark.ui.enabled", "false");
    Path images = Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets/folders");
    TrainingPlan plan =
        SparkTraining.HEAD.recommendedPlan().toBuilder()
            .epochs(Stage.HEAD, 1)
            .epochs(Stage.WHOLE, 1)
            .batchSize(4)
            .build();
    TrainingResult result = SparkTraining.run("local[2]", backbone(), images, folder, plan);
    assertThat(result.history(Stage.WHOLE)).isNotEmpty();
    assertThat(folder.resolve(TwoStageTrainer.MODEL)).exists();
  }
}
