/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** Rates that stay until the training images are learnt, and then fall. */
class UntilLearntTest {

  private static Schedule after(Schedule schedule, int epoch, int most, double learnt) {
    return schedule.after(epoch, most, learnt, OptionalDouble.empty());
  }

  private static List<Double> factors(int most, double... right) {
    List<Double> factors = new ArrayList<>();
    Schedule schedule = UntilLearnt.start();
    for (int number = 1; number <= most && !schedule.isOver(); number++) {
      factors.add(schedule.rateFactor());
      double learnt = right[Math.min(number, right.length) - 1];
      schedule = after(schedule, number, most, learnt);
    }
    return factors;
  }

  @Test
  void aHeadThatHasLearntEndsAfterTheFall() {
    List<Double> factors = factors(30, 0.5, 0.9, 0.989, 0.99, 1);
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
    List<Double> factors = factors(most, 0.5);
    assertThat(factors).hasSize(most);
    assertThat(factors.stream().filter(factor -> factor < 1)).hasSize(fall);
    assertThat(factors.subList(0, most - fall)).containsOnly(1.0);
  }

  @Test
  void theFallBeginsWhenValidationMakesNoProgress() {
    Schedule schedule = UntilLearnt.start();
    double[] errors = {0.5, 0.4, 0.4, Double.NaN, 0.39, 0.4, 0.4, 0.4, Double.NaN, 0.39};
    int full = 0;
    while (schedule.rateFactor() == 1) {
      schedule = schedule.after(full + 1, 30, 0.7, OptionalDouble.of(errors[full]));
      full++;
    }
    assertThat(full).isEqualTo(10);
    assertThat(schedule.news()).hasValueSatisfying(news -> assertThat(news).contains("validation"));
  }

  @Test
  void withoutValidationItsErrorIsNoReason() {
    assertThat(factors(30, 0.5).subList(0, 24)).containsOnly(1.0);
  }

  /** An epoch that was undone is no epoch of the schedule, but one of the stage. */
  @Test
  void theFallEndsWithTheStage() {
    Schedule schedule = UntilLearnt.start();
    int full = 0;
    for (int number = 1; number <= 30; number++) {
      if (number != 24) {
        full += schedule.rateFactor() == 1 ? 1 : 0;
        schedule = after(schedule, number, 30, 0.5);
      }
    }
    assertThat(full).isEqualTo(24);
    assertThat(schedule.isOver()).isTrue();
    assertThat(after(UntilLearnt.start(), 30, 30, 1).news()).isEmpty();
  }

  @Test
  void tellsOnceWhyRatesFall() {
    Schedule schedule = after(UntilLearnt.start(), 1, 30, 0.995);
    assertThat(schedule.news())
        .contains("99.5 % of the training images are learnt: rates fall to nothing over 6 epochs");
    assertThat(after(schedule, 2, 30, 1).news()).isEmpty();
    assertThat(after(UntilLearnt.start(), 2, 3, 0.1).news())
        .contains("As planned: rates fall to nothing over one epoch");
  }

  /** Whoever trains a network further does so at the rates of the last epoch, which are not 0. */
  @Test
  void itsLastFactorIsNotZero() {
    Schedule schedule = UntilLearnt.start();
    for (int number = 1; !schedule.isOver(); number++) {
      schedule = after(schedule, number, 30, 1);
    }
    assertThat(schedule.rateFactor()).isGreaterThan(0.01);
  }

  @Test
  void isUnchangedByAnEpochAndComesBackFromJson() throws Exception {
    Schedule start = UntilLearnt.start();
    Schedule falling = after(after(start, 1, 30, 1), 2, 30, 1);
    assertThat(start.rateFactor()).isEqualTo(1);
    ObjectMapper json = new ObjectMapper();
    for (Schedule schedule : List.of(start, falling, Plateau.of(0.1, 2, 3))) {
      Schedule back = json.readValue(json.writeValueAsString(schedule), Schedule.class);
      assertThat(back).hasSameClassAs(schedule).hasToString(schedule.toString());
      assertThat(back.rateFactor()).isEqualTo(schedule.rateFactor());
    }
  }
}
