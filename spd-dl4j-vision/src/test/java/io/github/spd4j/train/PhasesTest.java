/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import static io.github.spd4j.train.plan.ClassifierTraining.FITTED;
import static io.github.spd4j.train.plan.ClassifierTraining.LEARNT;
import static io.github.spd4j.train.plan.ClassifierTraining.LEARNT_THEN_FITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What plans come to. */
class PhasesTest {

  private static final String FIRST = "Fit the classifier to the untrained head";
  private static final String COMPARED = FIRST + ", to compare with";
  private static final String HEAD = "Learn the head for at most 3 epochs";
  private static final String WHOLE = "Learn the whole network for at most 2 epochs";
  private static final String HALVES = ", each half with a classifier fitted to the other";
  private static final String IF_BETTER =
      "Fit the classifier, and keep the fit if it is better than what was learnt";
  private static final String FALL = ", until the rates fall";
  private static final String COMPARE =
      "Compare a fit with what is learnt, on images held out until then";
  private static final String ALL = "Go on, with all images";
  private static final String BEST = "Keep the best epoch";
  private static final String GO_ON = "Go on from what was learnt, if a fit is kept";

  private static final Circumstances VALIDATED = known(true, true);
  private static final Circumstances BLIND = known(false, true);

  private static Circumstances known(boolean validated, boolean learns, int... heldOut) {
    BitSet images = new BitSet();
    for (int image : heldOut) {
      images.set(image);
    }
    return new Circumstances(Optional.empty(), validated, learns, learns, images);
  }

  private static List<String> phases(
      int head, int whole, ClassifierTraining how, KeptWeights keep, Circumstances known) {
    List<String> lines =
        new Phases(TinyTask.plan(head, whole).classifier(how).keep(keep).build(), known).lines();
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i)).startsWith(i + 1 + ". ");
    }
    return lines.stream().map(line -> line.substring(3)).toList();
  }

  private static List<String> phases(
      int head, int whole, ClassifierTraining how, Circumstances known) {
    return phases(head, whole, how, KeptWeights.BEST, known);
  }

  @Test
  void aClassifierThatLearns() {
    assertThat(phases(3, 2, LEARNT, VALIDATED)).containsExactly(HEAD, BEST, WHOLE, BEST);
    assertThat(phases(3, 2, LEARNT, KeptWeights.LAST, VALIDATED)).containsExactly(HEAD, WHOLE);
    assertThat(phases(3, 2, LEARNT, BLIND)).containsExactly(HEAD, WHOLE);
    assertThat(phases(0, 2, LEARNT, BLIND)).containsExactly(WHOLE);
    assertThat(phases(3, 0, LEARNT, known(false, false))).containsExactly(HEAD);
  }

  @Test
  void aClassifierThatIsFitted() {
    assertThat(phases(3, 2, FITTED, VALIDATED))
        .containsExactly(FIRST, HEAD + HALVES, BEST, WHOLE + HALVES, BEST);
    assertThat(phases(3, 2, FITTED, BLIND)).containsExactly(FIRST, HEAD + HALVES, WHOLE + HALVES);
    assertThat(phases(0, 2, FITTED, BLIND)).containsExactly(FIRST, WHOLE + HALVES);
  }

  @Test
  void aClassifierThatLearnsAndIsFitted() {
    assertThat(phases(3, 2, LEARNT_THEN_FITTED, VALIDATED))
        .containsExactly(COMPARED, HEAD, IF_BETTER, BEST, GO_ON, WHOLE, IF_BETTER, BEST);
    assertThat(phases(3, 2, LEARNT_THEN_FITTED, KeptWeights.LAST, VALIDATED))
        .containsExactly(COMPARED, HEAD, IF_BETTER, GO_ON, WHOLE, IF_BETTER);
    assertThat(phases(3, 0, LEARNT_THEN_FITTED, VALIDATED))
        .containsExactly(COMPARED, HEAD, IF_BETTER, BEST);
    assertThat(phases(0, 2, LEARNT_THEN_FITTED, VALIDATED))
        .containsExactly(FIRST, WHOLE, IF_BETTER, BEST);
  }

  @Test
  void withoutValidationImagesAreHeldOutOrNothingIsCompared() {
    assertThat(phases(3, 2, LEARNT_THEN_FITTED, BLIND))
        .containsExactly(HEAD, "Fit the classifier", GO_ON, WHOLE, "Fit the classifier");
    assertThat(phases(3, 2, LEARNT_THEN_FITTED, known(false, true, 5)))
        .containsExactly(HEAD, IF_BETTER, GO_ON, WHOLE + FALL, COMPARE, ALL, "Fit the classifier");
    assertThat(phases(3, 0, LEARNT_THEN_FITTED, known(false, true, 5)))
        .containsExactly(HEAD + FALL, COMPARE, ALL, "Fit the classifier");
  }

  @Test
  void whereNothingElseLearnsTheClassifierIsFittedOnce() {
    for (ClassifierTraining how : List.of(FITTED, LEARNT_THEN_FITTED)) {
      assertThat(phases(3, 2, how, known(true, false))).containsExactly(FIRST);
      assertThat(phases(0, 0, how, VALIDATED)).containsExactly(FIRST);
    }
  }

  @Test
  void aClassifierThatCannotBeFittedLearns() {
    Circumstances few = new Circumstances(Optional.of("too few"), true, true, true, new BitSet());
    for (ClassifierTraining how : ClassifierTraining.values()) {
      assertThat(phases(3, 2, how, few)).containsExactly(HEAD, BEST, WHOLE, BEST);
    }
  }

  @Test
  void theTrainerTellsThem() {
    List<String> told = new ArrayList<>();
    TinyTask.Told progress =
        new TinyTask.Told() {
          @Override
          public void planned(List<String> phases) {
            told.addAll(phases);
          }
        };
    TinyTask.trainer(TinyTask.net(), TinyTask.plan(1, 0).build())
        .progress(progress)
        .build()
        .train();
    assertThat(told).containsExactly("1. Learn the head for 1 epoch", "2. Keep the best epoch");
  }
}
