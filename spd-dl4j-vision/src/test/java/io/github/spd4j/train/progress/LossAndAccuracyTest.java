/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** How loss and accuracy add up, and what the record of an epoch tells of them. */
class LossAndAccuracyTest {

  private static LossAndAccuracy of(int images, int right, double loss) {
    LossAndAccuracy figures = new LossAndAccuracy();
    figures.add(images, right, loss);
    return figures;
  }

  @Test
  void addsUpBatches() {
    LossAndAccuracy figures = of(4, 3, 2);
    figures.add(6, 2, 6);
    assertThat(figures.images()).isEqualTo(10);
    assertThat(figures.right()).isEqualTo(5);
    assertThat(figures.totalLoss()).isEqualTo(8);
    assertThat(figures.loss()).isEqualTo(0.8);
    assertThat(figures.accuracy()).isEqualTo(0.5);
    assertThat(figures.firstLoss()).isEqualTo(0.5);
  }

  @Test
  void withoutImagesNothingIsKnown() {
    LossAndAccuracy none = new LossAndAccuracy();
    assertThat(none.loss()).isNaN();
    assertThat(none.accuracy()).isNaN();
    assertThat(none.firstLoss()).isNaN();
    assertThat(none.totalLoss()).isZero();
  }

  @Test
  void theHighestProbabilityIsTheGuess() {
    INDArray probabilities =
        Nd4j.create(new double[][] {{0.5, 0.3, 0.2}, {0.1, 0.2, 0.7}, {0.25, 0.5, 0.25}});
    LossAndAccuracy figures = new LossAndAccuracy();
    figures.add(probabilities, new int[] {0, 2, 0});
    assertThat(figures.images()).isEqualTo(3);
    assertThat(figures.right()).isEqualTo(2);
    double expected = -Math.log(0.5) - Math.log(0.7) - Math.log(0.25);
    assertThat(figures.totalLoss()).isCloseTo(expected, offset(1e-12));
  }

  @Test
  void oneImageCostsAFiniteLoss() {
    LossAndAccuracy figures = new LossAndAccuracy();
    figures.add(Nd4j.create(new double[][] {{0, 1}}), new int[] {0});
    assertThat(figures.loss()).isCloseTo(-Math.log(1e-10), offset(1e-12));
  }

  @Test
  void refusesWhatIsNotFinite() {
    LossAndAccuracy figures = new LossAndAccuracy();
    INDArray broken = Nd4j.create(new double[][] {{0.5, Double.NaN}});
    assertThatThrownBy(() -> figures.add(broken, new int[] {0}))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("the network's output is NaN");
    assertThatThrownBy(() -> figures.add(1, 0, Double.POSITIVE_INFINITY))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("the loss of a batch is Infinity");
    assertThat(figures.images()).isZero();
  }

  @Test
  void moreRightIsBetterAndAmongEqualsTheLowerLoss() {
    assertThat(of(9, 5, 8).isBetterThan(of(9, 4, 1))).isTrue();
    assertThat(of(9, 4, 1).isBetterThan(of(9, 5, 8))).isFalse();
    assertThat(of(9, 5, 1).isBetterThan(of(9, 5, 2))).isTrue();
    assertThat(of(9, 5, 2).isBetterThan(of(9, 5, 2))).isFalse();
  }

  @Test
  void aRecordHasTheFiguresOfItsEpoch() {
    EpochRecord record = record(null);
    assertThat(record.stage()).isEqualTo(Stage.WHOLE);
    assertThat(record.epoch()).isEqualTo(7);
    assertThat(record.trainingLoss()).isEqualTo(0.5);
    assertThat(record.trainingAccuracy()).isEqualTo(0.75);
    assertThat(record.validationLoss()).isEqualTo(2);
    assertThat(record.validationAccuracy()).isEqualTo(0.25);
    assertThat(record.rates()).containsOnly(Map.entry(LayerGroup.REST, 0.125));
    assertThat(record.seconds()).isEqualTo(9.5);
    assertThat(record.rolledBack()).isFalse();
    assertThat(record.rollbackReason()).isEmpty();
    assertThat(record("it fell").rolledBack()).isTrue();
    assertThat(record("it fell").rollbackReason()).isEqualTo("it fell");
  }

  static EpochRecord record(String rollback) {
    Map<LayerGroup, Double> rates = Map.of(LayerGroup.REST, 0.125);
    return new EpochRecord(Stage.WHOLE, 7, of(4, 3, 2), of(8, 2, 16), rates, 9.5, rollback);
  }
}
