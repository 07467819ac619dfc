/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.progress.TrainingProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options that are best on folds of the training images are taken. */
class SearchTest {

  @TempDir Path folder;

  private final List<String> messages = new ArrayList<>();

  private final TrainingProgress listening =
      new TrainingProgress() {
        @Override
        public void message(String text) {
          messages.add(text);
        }
      };

  private ExperimentOptions options(String... tries) {
    ExperimentOptions options = Fixtures.options(folder, "spd");
    options.training.wholeEpochs = 0;
    options.validation = 0;
    options.folds = 2;
    options.tries = List.of(tries);
    return options;
  }

  private Path run() {
    return folder.resolve("folders_as-foldered_split1_spd_seed1");
  }

  @Test
  void theBestIsTakenAndAllIsRecorded() throws Exception {
    ExperimentOptions options = options("transform 2 epochs-head 1", "scale 3");
    RunResult result = Fixtures.run(options, listening).get(0);
    assertThat(result.search.keySet())
        .containsExactly("as given", "transform 2 epochs-head 1", "scale 3");
    assertThat(result.search.values()).allSatisfy(shares -> assertThat(shares).hasSize(2));
    double best = result.search.values().stream().mapToDouble(Search::mean).max().orElseThrow();
    String taken = result.settings().get("taken");
    assertThat(Search.mean(result.search.get(taken))).isEqualTo(best);
    assertThat(run().resolve("search.json")).doesNotExist();
    assertThat(Files.readString(run().resolve("report.html"))).contains("scale 3", taken);
    assertThat(messages).anySatisfy(text -> assertThat(text).startsWith("takes '" + taken + "'"));

    messages.clear();
    assertThat(Fixtures.run(options, listening).get(0).accuracy()).isEqualTo(result.accuracy());
    assertThat(messages).containsExactly("was finished before");
  }

  @Test
  void whatIsTakenDecidesTheTraining() {
    ExperimentOptions options = options("components 2 dimensions 3 epochs-head 1 rate rest=0.5");
    options.methods = List.of("fv-cnn");
    options.head.components = 5_000; // no images have so many
    options.training.headRates.put(LayerGroup.CLASSIFIER, 0.25);
    RunResult result = Fixtures.run(options).get(0);
    assertThat(result.search.get("as given")).hasSize(2).allSatisfy(x -> assertThat(x).isNaN());
    assertThat(result.settings())
        .containsEntry("taken", options.tries.get(0))
        .containsEntry("components", "5000")
        .containsEntry("takenComponents", "2")
        .containsEntry("takenEpochsHead", "1");
    assertThat(result.settings().get("ratesHead")).contains("CLASSIFIER=0.25", "REST=0.5");
  }

  @Test
  void ifEveryTrainingGivesUpTheRunFails() {
    ExperimentOptions options = options("components 6000");
    options.methods = List.of("fv-cnn", "b-cnn");
    options.head.components = 5_000;
    assertThat(Fixtures.run(options)).hasSize(1); // and the other run goes on
  }

  @Test
  void anInterruptedSearchGoesOn() throws Exception {
    ExperimentOptions options = options("scale 3");
    int[] left = {3};
    TrainingProgress stopping =
        new TrainingProgress() {
          @Override
          public void message(String text) {
            if (text.contains(", fold ") && --left[0] == 0) {
              throw new UnsupportedOperationException("stopped");
            }
          }
        };
    assertThatThrownBy(() -> Fixtures.run(options, stopping)).hasMessage("stopped");
    assertThat(run().resolve("search.json")).exists();
    RunResult result = Fixtures.run(options, listening).get(0);
    assertThat(folds()).containsExactly("'scale 3', fold 2 of 2");
    assertThat(result.search.get("scale 3")).hasSize(2);
  }

  private List<String> folds() {
    return messages.stream()
        .filter(text -> text.contains(", fold "))
        .map(text -> text.substring(0, text.indexOf(':')))
        .collect(Collectors.toList());
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> options("methods spd").check())
        .isInstanceOf(Mistake.class)
        .hasMessageContaining("--try needs options of heads and training")
        .hasMessageContaining("'methods spd'");
    assertThatThrownBy(() -> options("scale x").check()).hasMessageContaining("'scale x'");
    assertThatThrownBy(() -> options("scale -1").check())
        .hasMessageContaining("--scale needs more than 0, got -1.0");
    ExperimentOptions options = options("scale 3");
    options.folds = 1;
    assertThatThrownBy(options::check).hasMessageContaining("--folds needs at least 2, got 1");
    options.folds = 2;
    options.cluster.master = "local[2]";
    assertThatThrownBy(options::check).hasMessageContaining("without --spark");
  }
}
