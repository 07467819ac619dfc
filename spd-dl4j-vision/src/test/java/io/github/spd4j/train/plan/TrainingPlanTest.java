/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;

/** What plans hold and refuse. */
class TrainingPlanTest {

  private static TrainingPlan.Builder plan() {
    return TrainingPlan.paper().toBuilder();
  }

  @Test
  void stageTwoIsTakenOnRequest() {
    assertThat(TrainingPlan.recommended().epochs(Stage.WHOLE)).isZero();
    assertThat(TrainingPlan.recommended().epochs(Stage.HEAD)).isPositive();
    assertThat(TrainingPlan.paper().epochs(Stage.WHOLE)).isEqualTo(30);
    assertThat(TrainingPlan.fitted().epochs(Stage.WHOLE)).isEqualTo(30);
  }

  @Test
  void holdsWhatItIsGiven() {
    Plateau plateau = Plateau.of(0.5, 4, 1);
    Guard guard = Guard.standard().withMargin(0.2);
    TrainingPlan plan =
        plan()
            .epochs(Stage.HEAD, 3)
            .epochs(Stage.WHOLE, 4)
            .rates(Stage.WHOLE, 0.5)
            .rate(Stage.WHOLE, LayerGroup.REST, 0.25)
            .seed(9)
            .keep(KeptWeights.LAST)
            .schedule(plateau)
            .guard(guard)
            .keepUpdaters(true)
            .batchSize(5)
            .momentum(0.75)
            .weightDecay(0.125)
            .classifier(ClassifierTraining.FITTED)
            .optimizer(Optimizer.ADAM)
            .build();
    assertThat(plan.epochs(Stage.HEAD)).isEqualTo(3);
    assertThat(plan.epochs(Stage.WHOLE)).isEqualTo(4);
    assertThat(plan.rate(Stage.WHOLE, LayerGroup.BACKBONE)).isEqualTo(0.5);
    assertThat(plan.rate(Stage.WHOLE, LayerGroup.REST)).isEqualTo(0.25);
    assertThat(plan.seed()).isEqualTo(9);
    assertThat(plan.keep()).isEqualTo(KeptWeights.LAST);
    assertThat(plan.schedule()).isSameAs(plateau);
    assertThat(plan.guard()).isSameAs(guard);
    assertThat(plan.keepsUpdaters()).isTrue();
    assertThat(plan.batchSize()).isEqualTo(5);
    assertThat(plan.momentum()).isEqualTo(0.75);
    assertThat(plan.weightDecay()).isEqualTo(0.125);
    assertThat(plan.classifier()).isEqualTo(ClassifierTraining.FITTED);
    assertThat(plan.optimizer()).isEqualTo(Optimizer.ADAM);
    assertThat(plan.settings())
        .containsEntry("seed", 9L)
        .containsEntry("batchSize", 5)
        .containsEntry("momentum", 0.75)
        .containsEntry("optimizer", Optimizer.ADAM);
    assertThat(plan.precision()).isEqualTo(Precision.FLOAT);
    assertThat(plan.settings()).doesNotContainKey("precision"); // as in earlier checkpoints
    assertThat(plan.toBuilder().precision(Precision.MIXED).build().settings())
        .containsEntry("precision", Precision.MIXED);
    assertThat(plan).hasToString("TrainingPlan" + plan.settings());
    assertThat(plan.settings().toString())
        .isEqualTo(plan.toBuilder().build().settings().toString())
        .isNotEqualTo(plan.toBuilder().weightDecay(0).build().settings().toString());
  }

  @Test
  void aPlanStaysAsItWasBuilt() {
    TrainingPlan.Builder builder = plan().batchSize(3).rates(Stage.HEAD, 0.5);
    TrainingPlan first = builder.build();
    builder.batchSize(4).rates(Stage.HEAD, 0.25).epochs(Stage.HEAD, 99);
    first.toBuilder().rate(Stage.HEAD, LayerGroup.REST, 7);
    assertThat(first.batchSize()).isEqualTo(3);
    assertThat(first.rate(Stage.HEAD, LayerGroup.REST)).isEqualTo(0.5);
    assertThat(first.epochs(Stage.HEAD)).isEqualTo(30);
  }

  @Test
  void takesTheEndsOfEachRange() {
    TrainingPlan plan =
        plan()
            .batchSize(1)
            .momentum(0)
            .weightDecay(0)
            .epochs(Stage.HEAD, 0)
            .rates(Stage.HEAD, 0)
            .build();
    assertThat(plan.batchSize()).isEqualTo(1);
    assertThat(plan.momentum()).isZero();
    assertThat(plan.weightDecay()).isZero();
    assertThat(plan.epochs(Stage.HEAD)).isZero();
    assertThat(plan.rate(Stage.HEAD, LayerGroup.REST)).isZero();
  }

  @Test
  void refusesWhatIsOutside() {
    TrainingPlan.Builder plan = plan();
    assertThatThrownBy(() -> plan.batchSize(0)).hasMessageContaining("got 0");
    assertThatThrownBy(() -> plan.momentum(1)).hasMessageContaining("got 1.0");
    assertThatThrownBy(() -> plan.momentum(-0.1)).hasMessageContaining("got -0.1");
    assertThatThrownBy(() -> plan.weightDecay(-1)).hasMessageContaining("got -1.0");
    assertThatThrownBy(() -> plan.weightDecay(Double.POSITIVE_INFINITY))
        .hasMessageContaining("weightDecay: expected a finite number from 0, got Infinity");
    assertThatThrownBy(() -> plan.epochs(Stage.HEAD, -1)).hasMessageContaining("got -1");
    assertThatThrownBy(() -> plan.rates(Stage.HEAD, -1)).hasMessageContaining("got -1.0");
    assertThatThrownBy(() -> plan.rates(Stage.HEAD, Double.POSITIVE_INFINITY))
        .hasMessageContaining("got Infinity");
  }

  @Test
  void optimizersHaveTheMomentumOfThePlan() {
    assertThat(Optimizer.MOMENTUM.updater(0)).isInstanceOf(Sgd.class);
    assertThat(((Nesterovs) Optimizer.MOMENTUM.updater(0.8)).getMomentum()).isEqualTo(0.8);
    assertThat(((Adam) Optimizer.ADAM.updater(0.8)).getBeta1()).isEqualTo(0.8);
    assertThat(((StiefelSgd) Optimizer.MOMENTUM.onManifold(0.8).build()).getMomentum())
        .isEqualTo(0.8);
    assertThat(((StiefelAdam) Optimizer.ADAM.onManifold(0.8).build()).getBeta1()).isEqualTo(0.8);
  }
}
