/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.train.plan.ClassifierTraining.FITTED;
import static io.github.spd4j.train.plan.ClassifierTraining.LEARNT;
import static io.github.spd4j.train.plan.ClassifierTraining.LEARNT_THEN_FITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.experiments.Rehearsal.Way;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a rehearsal ends with decides how sure its answers are. */
@Tag("once")
class RehearsalTest {

  private static final Map<LayerGroup, Double> RATES = Map.of(LayerGroup.CLASSIFIER, 0.001);

  private final Candidate candidate =
      new Candidate("as given", new HeadSettings(), new TrainingSettings());

  private Way to(
      int epoch, Map<LayerGroup, Double> rates, ClassifierTraining classifier, boolean isTaught) {
    LossAndAccuracy none = new LossAndAccuracy();
    EpochRecord kept = new EpochRecord(Stage.HEAD, epoch, none, none, rates, 1, null);
    return Way.to(kept, candidate, classifier, isTaught);
  }

  private void assertEpochs(Way way, int head, int whole) {
    assertThat(way.candidate().training().headEpochs).isEqualTo(head);
    assertThat(way.candidate().training().wholeEpochs).isEqualTo(whole);
  }

  @Test
  void aHeadThatDidNotLearnDoesNotLearnHere() {
    assertEpochs(to(0, Map.of(), LEARNT_THEN_FITTED, false), 0, 0);
    assertEpochs(to(0, Map.of(), FITTED, false), 0, 0);
    assertEpochs(
        to(0, Map.of(), LEARNT_THEN_FITTED, true),
        30,
        candidate.training().wholeEpochs); // it learnt earlier
    assertThat(to(0, Map.of(), LEARNT_THEN_FITTED, true).watched()).isFalse();
    assertEpochs(
        new Way(candidate, true),
        30,
        candidate.training().wholeEpochs); // the candidate itself stays
  }

  @Test
  void aLearntClassifierIsNotFitted() {
    Way way = to(4, RATES, LEARNT_THEN_FITTED, false);
    assertThat(way.candidate().training().classifier).isEqualTo(LEARNT);
    assertThat(way.watched()).isTrue();
    assertEpochs(way, 30, candidate.training().wholeEpochs);
  }

  @Test
  void aFittedClassifierIsFitted() {
    Way way = to(4, Map.of(), LEARNT_THEN_FITTED, false);
    assertThat(way.candidate().training().classifier).isEqualTo(LEARNT_THEN_FITTED);
    assertThat(way.watched()).isFalse();
    assertThat(to(4, RATES, FITTED, false).candidate().training().classifier).isNull();
    assertThat(to(4, RATES, LEARNT, false).watched()).isTrue();
  }
}
