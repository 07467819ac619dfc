/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static io.github.spd4j.testing.Networks.general;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Networks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.deeplearning4j.datasets.iterator.ExistingDataSetIterator;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/** When the listener reports, what it keeps, and that training does not notice it. */
class SpdHealthListenerTest {

  private static final int BATCHES = 4;

  private static ComputationGraph network(WorkspaceMode mode) {
    return Networks.convolutional(
        general(DataType.FLOAT, new Adam(0.01))
            .dropOut(0.8)
            .trainingWorkspaceMode(mode)
            .inferenceWorkspaceMode(mode), // with dropout, DL4J's backward pass goes by this one
        Networks.head(),
        InputType.convolutional(8, 8, 2));
  }

  private static DataSet batch(int seed) {
    return Networks.images(DataType.FLOAT, seed, 3, 2, 8, 8);
  }

  private static ExistingDataSetIterator epoch() {
    List<DataSet> batches = new ArrayList<>();
    for (int i = 1; i <= BATCHES; i++) {
      batches.add(batch(i));
    }
    return new ExistingDataSetIterator(batches);
  }

  private static List<Integer> iterations(List<HealthReport> reports) {
    return reports.stream().map(HealthReport::iteration).collect(Collectors.toList());
  }

  @Test
  void reportsEveryKIterationsAndKeepsTheLatest() {
    List<HealthReport> consumed = new ArrayList<>();
    SpdHealthListener listener =
        new SpdHealthListener.Builder().every(3).history(2).consumer(consumed::add).build();
    ComputationGraph net = network(WorkspaceMode.ENABLED);
    net.setListeners(listener);
    for (int i = 1; i <= 8; i++) {
      net.fit(batch(i));
    }
    assertThat(iterations(consumed)).containsExactly(0, 3, 6);
    assertThat(listener.history()).isEqualTo(consumed.subList(1, 3));
  }

  @Test
  void reportsAtTheEndOfEachEpoch() {
    List<HealthReport> consumed = new ArrayList<>();
    ComputationGraph net = network(WorkspaceMode.ENABLED);
    net.setListeners(new SpdHealthListener.Builder().every(100).consumer(consumed::add).build());
    net.fit(epoch(), 3);
    assertThat(iterations(consumed)).containsExactly(0, 3, 7, 11);
    assertThat(consumed).extracting(HealthReport::epoch).containsExactly(0, 0, 1, 2);
    HealthReport first = consumed.get(1);
    assertThat(first.gradientNorm()).isEmpty();
    assertThat(first.layers()).extracting(LayerHealth::name).containsExactly("layer1");
    assertThat(first.layers().get(0).figures()).containsOnlyKeys(Figure.OFF_MANIFOLD);
    assertThat(consumed.get(2).gradientNorm()).isPresent();
    assertThat(consumed.get(2).layers()).hasSize(2);
  }

  @Test
  void reportsALastIterationOnce() {
    List<HealthReport> consumed = new ArrayList<>();
    ComputationGraph net = network(WorkspaceMode.ENABLED);
    net.setListeners(new SpdHealthListener.Builder().every(1).consumer(consumed::add).build());
    net.fit(epoch(), 2);
    assertThat(iterations(consumed)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
  }

  /** The output for an example that a mask leaves out is a matrix of zeros. */
  @Test
  void looksAtExamplesThatCountAlone() {
    List<HealthReport> consumed = new ArrayList<>();
    ComputationGraph net = network(WorkspaceMode.ENABLED);
    net.setListeners(new SpdHealthListener.Builder().every(1).consumer(consumed::add).build());
    DataSet data = batch(1);
    INDArray mask = Nd4j.ones(DataType.FLOAT, 3, 1, 1, 1);
    mask.putScalar(0, 0);
    data.setFeaturesMaskArray(mask);
    net.fit(data);
    for (LayerHealth layer : consumed.get(0).layers()) {
      assertThat(layer.figures().get(Figure.LAMBDA_MIN)).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = WorkspaceMode.class,
      names = {"ENABLED", "NONE"})
  void doesNotChangeTraining(WorkspaceMode mode) {
    ComputationGraph watched = network(mode);
    watched.setListeners(new SpdHealthListener.Builder().every(2).build());
    ComputationGraph alone = network(mode);
    assertThat(watched.params()).isEqualTo(alone.params());
    for (ComputationGraph net : List.of(watched, alone)) {
      ExistingDataSetIterator data = epoch();
      Nd4j.getRandom().setSeed(99);
      net.fit(data, 3);
    }
    assertThat(watched.params().toFloatVector()).containsExactly(alone.params().toFloatVector());
    assertThat(watched.getUpdater().getStateViewArray().toFloatVector())
        .containsExactly(alone.getUpdater().getStateViewArray().toFloatVector());
  }

  @Test
  void refusesNumbersBelowOne() {
    SpdHealthListener.Builder builder = new SpdHealthListener.Builder();
    assertThatThrownBy(() -> builder.every(0)).hasMessageContaining("iterations");
    assertThatThrownBy(() -> builder.sample(0)).hasMessageContaining("examples");
    assertThatThrownBy(() -> builder.history(0)).hasMessageContaining("reports");
  }
}
