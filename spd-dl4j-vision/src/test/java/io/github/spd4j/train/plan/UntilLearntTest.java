/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** Rates that stay until the training images are learnt, and then fall. */
class UntilLearntTest {

  private static final int IMAGES = 1000;

  private static LossAndAccuracy figures(int right) {
    LossAndAccuracy figures = new LossAndAccuracy();
    if (right >= 0) {
      figures.add(IMAGES, right, 1);
    }
    return figures;
  }

  /** An epoch with so many of 1000 training and validation images right; -1 for no validation. */
  private static EpochRecord epoch(int number, int right, int validated) {
    return new EpochRecord(
        Stage.HEAD, number, figures(right), figures(validated), Map.of(), 1, null);
  }

  private static List<Double> factors(int most, int... right) {
    List<Double> factors = new ArrayList<>();
    Schedule schedule = UntilLearnt.start();
    for (int number = 1; number <= most && !schedule.isOver(); number++) {
      factors.add(schedule.rateFactor());
      int learnt = right[Math.min(number, right.length) - 1];
      schedule = schedule.after(epoch(number, learnt, -1), most, false);
    }
    return factors;
  }

  @Test
  void aHeadThatHasLearntEndsAfterTheFall() {
    List<Double> factors = factors(30, 500, 900, 989, 990, 1000);
    assertThat(factors).hasSize(4 + 6).isSortedAccordingTo((a, b) -> Double.compare(b, a));
    assertThat(factors.subList(0, 4)).containsOnly(1.0);
    for (int i = 0; i < 6; i++) {
      assertThat(factors.get(4 + i))
          .isCloseTo((1 + Math.cos(Math.PI * (i + 0.5) / 6)) / 2, within(1e-12));
    }
  }

  @ParameterizedTest
  @CsvSource({"30, 6", "20, 6", "18, 6", "17, 5", "10, 3", "3, 1", "2, 0", "1, 0"})
  void aHeadThatStillLearnsHasAllItsEpochs(int most, int fall) {
    List<Double> factors = factors(most, 500);
    assertThat(factors).hasSize(most);
    assertThat(factors.stream().filter(factor -> factor < 1)).hasSize(fall);
    assertThat(factors.subList(0, most - fall)).containsOnly(1.0);
  }

  @Test
  void theFallBeginsWhenValidationMakesNoProgress() {
    Schedule schedule = UntilLearnt.start();
    int[] validated = {500, 600, 600, 590, 601, 600, 600, 600, 600, 600};
    int full = 0;
    while (schedule.rateFactor() == 1) {
      schedule = schedule.after(epoch(full + 1, 700, validated[full]), 30, true);
      full++;
    }
    assertThat(full).isEqualTo(10);
    assertThat(schedule.news()).hasValueSatisfying(news -> assertThat(news).contains("validation"));
  }

  @Test
  void withoutValidationItsErrorIsNoReason() {
    assertThat(factors(30, 500).subList(0, 24)).containsOnly(1.0);
  }

  @Test
  void tellsOnceWhyRatesFall() {
    Schedule schedule = UntilLearnt.start().after(epoch(1, 995, -1), 30, false);
    assertThat(schedule.news())
        .contains("99.5 % of the training images are learnt: rates fall to nothing over 6 epochs");
    assertThat(schedule.after(epoch(2, 1000, -1), 30, false).news()).isEmpty();
    assertThat(UntilLearnt.start().after(epoch(2, 10, -1), 3, false).news())
        .contains("As planned: rates fall to nothing over one epoch");
  }

  /** Whoever trains a network further does so at the rates of the last epoch, which are not 0. */
  @Test
  void itsLastFactorIsNotZero() {
    Schedule schedule = UntilLearnt.start();
    for (int number = 1; !schedule.isOver(); number++) {
      schedule = schedule.after(epoch(number, 1000, -1), 30, false);
    }
    assertThat(schedule.rateFactor()).isGreaterThan(0.01);
  }

  @Test
  void isUnchangedByAnEpochAndComesBackFromJson() throws Exception {
    Schedule start = UntilLearnt.start();
    Schedule falling = start.after(epoch(1, 1000, 900), 30, true).after(epoch(2, 1, 1), 30, true);
    assertThat(start.rateFactor()).isEqualTo(1);
    ObjectMapper json = new ObjectMapper();
    for (Schedule schedule : List.of(start, falling, Plateau.of(0.1, 2, 3))) {
      Schedule back = json.readValue(json.writeValueAsString(schedule), Schedule.class);
      assertThat(back).hasSameClassAs(schedule).hasToString(schedule.toString());
      assertThat(back.rateFactor()).isEqualTo(schedule.rateFactor());
    }
  }
}
