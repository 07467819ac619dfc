/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.parallel;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.datasets.iterator.ExistingDataSetIterator;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.optimize.solvers.accumulation.encoding.threshold.FixedThresholdAlgorithm;
import org.deeplearning4j.parallelism.ParallelWrapper;
import org.deeplearning4j.parallelism.ParallelWrapper.TrainingMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.learning.config.Nesterovs;

/** Several workers on the CPU. */
class ManifoldParallelWrapperTest {

  private static final String W = "layer1_W";
  private static final int BATCHES = 8;

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  private static ComputationGraph net() {
    return Networks.convolutional(general(0.1), Networks.head(), IMAGE);
  }

  private static NeuralNetConfiguration.Builder general(double rate) {
    return Networks.general(DataType.FLOAT, new Nesterovs(rate, 0.9));
  }

  private static DataSetIterator data() {
    List<DataSet> batches = new ArrayList<>();
    for (int i = 0; i < BATCHES; i++) {
      batches.add(Networks.images(DataType.FLOAT, i, 4, 2, 6, 6));
    }
    return new ExistingDataSetIterator(batches);
  }

  private static <T extends Model> ParallelWrapper wrapper(
      T net, TrainingMode mode, int frequency) {
    ParallelWrapper.Builder<T> builder = new ParallelWrapper.Builder<>(net);
    builder.workers(2);
    builder.prefetchBuffer(0);
    builder.averagingFrequency(frequency);
    builder.trainingMode(mode);
    if (mode == TrainingMode.SHARED_GRADIENTS) {
      builder.thresholdAlgorithm(new FixedThresholdAlgorithm(1e-3));
    }
    return builder.build();
  }

  private static double distance(Model net) {
    return Stiefel.distanceFromManifold(((ComputationGraph) net).getParam(W));
  }

  /** How far from the manifold W is whenever a worker uses it. */
  private static final class Watch extends BaseTrainingListener {
    final List<Double> distances = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void onForwardPass(Model model, Map<String, INDArray> activations) {
      distances.add(distance(model));
    }

    double largest() {
      return Collections.max(distances);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void everyWorkerGoesOnFromTheManifold(int frequency) {
    ComputationGraph net = net();
    ParallelWrapper wrapper = wrapper(net, TrainingMode.AVERAGING, frequency);
    Watch watch = new Watch();
    wrapper.setListeners(new ArrayList<>(List.of(watch)));
    ManifoldParallelWrapper training = ManifoldParallelWrapper.of(wrapper);
    for (int epoch = 0; epoch < 2; epoch++) {
      training.fit(data());
      assertSmall(distance(net), onManifold(DataType.FLOAT));
    }
    assertThat(watch.distances).hasSize(2 * BATCHES);
    assertSmall(watch.largest(), onManifold(DataType.FLOAT));
  }

  /** On the same batch two workers do what one does, momentum and all. */
  @Test
  void workersThatAgreeAreOneWorker() {
    List<DataSet> twice = new ArrayList<>();
    ComputationGraph alone = net();
    for (int i = 0; i < 4; i++) {
      DataSet batch = Networks.images(DataType.FLOAT, i, 4, 2, 6, 6);
      twice.add(batch);
      twice.add(batch.copy());
      alone.fit(batch);
    }
    ComputationGraph net = net();
    ManifoldParallelWrapper.of(wrapper(net, TrainingMode.AVERAGING, 1))
        .fit(new ExistingDataSetIterator(twice));
    assertClose(net.params(), alone.params(), FLOAT_ROUNDING);
  }

  static Stream<Arguments> uses() {
    return Stream.of(
        Arguments.of(net(), TrainingMode.SHARED_GRADIENTS),
        Arguments.of(
            Networks.layers(general(0.1), Networks.head(), IMAGE), TrainingMode.SHARED_GRADIENTS),
        Arguments.of(
            Networks.convolutional(general(5), Networks.head(), IMAGE), TrainingMode.AVERAGING),
        Arguments.of(Networks.layers(general(5), Networks.head(), IMAGE), TrainingMode.AVERAGING));
  }

  /** A worker that meets a W off the manifold stops, and so does the training. */
  @Tag("once")
  @ParameterizedTest
  @MethodSource("uses")
  void withoutItTrainingIsRefused(Model net, TrainingMode mode) {
    ParallelWrapper wrapper = wrapper(net, mode, 1);
    assertThatThrownBy(() -> wrapper.fit(data()))
        .rootCause()
        .hasMessageContaining("expected W on the Stiefel manifold")
        .hasMessageContaining("Train with ManifoldParallelWrapper instead of ParallelWrapper");
  }

  @Test
  void sharedGradientsAreRefused() {
    ParallelWrapper wrapper = wrapper(net(), TrainingMode.SHARED_GRADIENTS, 1);
    assertThatThrownBy(() -> ManifoldParallelWrapper.of(wrapper))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs the training mode AVERAGING");
  }
}
