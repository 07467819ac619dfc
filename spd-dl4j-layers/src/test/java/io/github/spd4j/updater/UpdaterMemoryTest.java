/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.manifold.Stiefel;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.GradientUpdater;

/** What the updaters remember, and the settings that say how. */
class UpdaterMemoryTest {

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(41);
  }

  @Test
  void onlySgdWithoutMomentumHasNone() {
    assertThat(new StiefelSgd(0.1).stateSize(12)).isZero();
    assertThat(new StiefelSgd(0.1, 0.9).stateSize(12)).isEqualTo(12);
    assertThat(new StiefelAdam().stateSize(12)).isEqualTo(14);
  }

  @Test
  void settingsCanBeRead() {
    assertThat(new StiefelSgd(0.1, 0.8).getMomentum()).isEqualTo(0.8);
    StiefelAdam adam = StiefelAdam.builder().beta1(0.7).beta2(0.6).epsilon(0.5).build();
    assertThat(adam.getBeta1()).isEqualTo(0.7);
    assertThat(adam.getBeta2()).isEqualTo(0.6);
    assertThat(adam.getEpsilon()).isEqualTo(0.5);
  }

  @Test
  void theEndsOfTheRangesOfSettings() {
    assertThat(new StiefelSgd(0, 0).getLearningRate(0, 0)).isZero();
    assertThat(StiefelAdam.builder().beta1(0).beta2(0).build().getBeta1()).isZero();
    for (double bad : new double[] {1, -1e-9, Double.NaN}) {
      assertThatThrownBy(() -> new StiefelSgd(0.1, bad)).hasMessageContaining("momentum");
      refuses(() -> StiefelAdam.builder().beta1(bad), "beta1: expected at least 0 and less than 1");
      refuses(() -> StiefelAdam.builder().beta2(bad), "beta2: expected at least 0 and less than 1");
    }
    refuses(() -> StiefelAdam.builder().epsilon(0), "epsilon: expected");
    refuses(() -> StiefelAdam.builder().epsilon(Double.NaN), "epsilon: expected");
    assertThatThrownBy(() -> new StiefelAdam(Double.POSITIVE_INFINITY))
        .hasMessageContaining("got Infinity");
  }

  private static void refuses(ThrowingCallable setting, String why) {
    assertThatThrownBy(setting)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void momentumIsTransportedToAnotherPointAndTheRestStays() {
    INDArray w = Stiefel.random(DataType.DOUBLE, 5, 2);
    for (StiefelUpdater updater :
        new StiefelUpdater[] {new StiefelSgd(0.1, 0.9), new StiefelAdam()}) {
      INDArray memory = Nd4j.randn(DataType.DOUBLE, 1, updater.stateSize(10));
      INDArray flat = memory.dup().reshape(memory.length());
      updater.transport(w, memory);
      INDArray momentum = flat.get(NDArrayIndex.interval(0, 10)).reshape(5, 2);
      momentum.assign(Stiefel.projection(w, momentum.dup()));
      assertClose(memory.reshape(memory.length()), flat, ROUNDING);
    }
    new StiefelSgd(0.1).transport(w, null); // there is nothing to look at
  }

  @Test
  void isSharedWithWhoeverStoresIt() {
    INDArray state = Nd4j.ones(DataType.DOUBLE, 1, 6);
    GradientUpdater<?> kept = new StiefelSgd(0.1, 0.9).instantiate(state, false);
    assertThat(state.sumNumber().doubleValue()).isEqualTo(6);
    Map<String, INDArray> stored = kept.getState();
    assertThat(stored).hasSize(1);
    stored.values().forEach(memory -> memory.assign(7));
    assertThat(state.minNumber().doubleValue()).isEqualTo(7);
    GradientUpdater<?> other = new StiefelSgd(0.1, 0.9).instantiate((INDArray) null, true);
    assertThat(other.getState()).isEmpty();
    other.setState(stored, false);
    assertThat(other.getState()).isEqualTo(stored);
    other.setState(stored, true);
    assertThat(state.amaxNumber().doubleValue()).isZero();
    state.assign(3);
    other.setStateViewArray(state, new long[] {3, 2}, 'c', false);
    assertThat(state.minNumber().doubleValue()).isEqualTo(3);
    other.setStateViewArray(state, new long[] {3, 2}, 'c', true);
    assertThat(state.amaxNumber().doubleValue()).isZero();
    assertThat(other.getConfig()).isEqualTo(new StiefelSgd(0.1, 0.9));
  }

  /** DL4J clones what it finds in a configuration. */
  @Test
  void aHandOverIsItsOwnCloneAndAddsNothingToTheScore() {
    StiefelHandOver handOver = new StiefelHandOver("W", 3, 2);
    assertThat(handOver.clone()).isSameAs(handOver);
    assertThat(handOver.score(Nd4j.ones(6), 0, 0)).isZero();
  }
}
