/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options that are best on folds of the training images are taken. */
class SearchTest {

  @TempDir Path folder;

  private final List<String> messages = new ArrayList<>();

  private final Progress listening =
      new Progress() {
        @Override
        public void message(String text) {
          messages.add(text);
        }
      };

  private ExperimentSettings settings() {
    ExperimentSettings settings = Fixtures.settings(folder, "spd");
    settings.training.wholeEpochs = 0;
    settings.validation = 0;
    settings.folds = 2;
    return settings;
  }

  private ExperimentSettings scaled() {
    ExperimentSettings settings = settings();
    settings.tries = List.of(Fixtures.scaled(settings, 3));
    return settings;
  }

  private static Candidate candidate(
      ExperimentSettings settings, String name, Consumer<Candidate> change) {
    Candidate candidate = new Candidate(name, settings.head.copy(), settings.training.copy());
    change.accept(candidate);
    return candidate;
  }

  private Path run() {
    return folder.resolve("folders_as-foldered_split1_spd_seed1");
  }

  @Test
  void theBestIsTakenAndAllIsRecorded() throws Exception {
    ExperimentSettings settings = settings();
    Candidate narrow =
        candidate(
            settings,
            "transform 2 epochs-head 1",
            it -> {
              it.head().transform = 2;
              it.training().headEpochs = 1;
            });
    settings.tries = List.of(narrow, Fixtures.scaled(settings, 3));
    settings.substitute = "no weights could be had"; // the report says so at its top
    RunResult result = Fixtures.run(settings, listening).get(0);
    assertThat(result.training().search().keySet())
        .containsExactly("as given", "transform 2 epochs-head 1", "scale 3");
    assertThat(result.training().search().values())
        .allSatisfy(shares -> assertThat(shares).hasSize(2));
    double best =
        result.training().search().values().stream().mapToDouble(Search::mean).max().orElseThrow();
    String taken = result.settings().get("taken");
    assertThat(Search.mean(result.training().search().get(taken))).isEqualTo(best);
    assertThat(run().resolve("search.json")).doesNotExist();
    assertThat(Files.readString(run().resolve("report.html")))
        .contains("scale 3", taken, "<p class=\"note\">Note: no weights could be had.</p>");
    assertThat(messages).anySatisfy(text -> assertThat(text).startsWith("takes '" + taken + "'"));

    messages.clear();
    assertThat(Fixtures.run(settings, listening).get(0).test().accuracy())
        .isEqualTo(result.test().accuracy());
    assertThat(messages).containsExactly("was finished before");
  }

  @Test
  void anOptionOfAnotherHeadIsNotTried() {
    ExperimentSettings settings = settings();
    settings.methods = List.of(Method.ISQRT_COV);
    settings.tries =
        List.of(
            candidate(settings, "power-floor 0.03", it -> it.head().powerFloor = 0.03),
            candidate(settings, "epochs-head 1", it -> it.training().headEpochs = 1));
    RunResult result = Fixtures.run(settings, listening).get(0);
    assertThat(result.training().search().get("power-floor 0.03"))
        .isEqualTo(result.training().search().get("as given"));
    assertThat(messages)
        .contains("'power-floor 0.03' makes the same network and training as 'as given'")
        .noneSatisfy(text -> assertThat(text).startsWith("'power-floor 0.03', fold"))
        .anySatisfy(text -> assertThat(text).startsWith("'epochs-head 1', fold 2"));
    assertThat(result.settings().get("taken")).isNotEqualTo("power-floor 0.03");
  }

  /** The backbone has 12 maps: as many as the convolution of the last, and none for the first. */
  @ParameterizedTest
  @CsvSource({"B_CNN, true", "CONV_512_B_CNN, false"})
  void aRandomStartIsTriedWhereItMakesADifference(Method method, boolean isSame) {
    ExperimentSettings settings = settings();
    settings.methods = List.of(method);
    settings.training.headEpochs = 1;
    settings.tries =
        List.of(candidate(settings, "random-start", it -> it.head().randomStart = true));
    Fixtures.run(settings, listening);
    assertThat(
            messages.contains("'random-start' makes the same network and training as 'as given'"))
        .isEqualTo(isSame);
    assertThat(folds()).hasSize(isSame ? 2 : 4);
  }

  @Test
  void whatIsTakenDecidesTheTraining() {
    ExperimentSettings settings = settings();
    settings.methods = List.of(Method.FV_CNN);
    settings.head.components = 5_000; // no images have so many
    settings.training.headRates.put(LayerGroup.CLASSIFIER, 0.25);
    Candidate smaller =
        candidate(
            settings,
            "components 2 dimensions 3 epochs-head 1 rate rest=0.5",
            it -> {
              it.head().components = 2;
              it.head().dimensions = 3;
              it.training().headEpochs = 1;
              it.training().headRates.put(LayerGroup.REST, 0.5);
            });
    settings.tries = List.of(smaller);
    RunResult result = Fixtures.run(settings).get(0);
    assertThat(result.training().search().get("as given"))
        .hasSize(2)
        .allSatisfy(x -> assertThat(x).isNaN());
    assertThat(result.settings())
        .containsEntry("taken", smaller.name())
        .containsEntry("components", "5000")
        .containsEntry("takenComponents", "2")
        .containsEntry("takenEpochsHead", "1");
    assertThat(result.settings().get("ratesHead")).contains("CLASSIFIER=0.25", "REST=0.5");
  }

  @Test
  void ifEveryTrainingGivesUpTheRunFails() {
    ExperimentSettings settings = settings();
    settings.methods = List.of(Method.FV_CNN, Method.B_CNN);
    settings.head.components = 5_000;
    settings.tries =
        List.of(candidate(settings, "components 6000", it -> it.head().components = 6_000));
    assertThat(Fixtures.run(settings)).hasSize(1); // and the other run goes on
  }

  private static Progress stoppingAtFold(int fold) {
    int[] left = {fold};
    return new Progress() {
      @Override
      public void message(String text) {
        if (text.contains(", fold ") && --left[0] == 0) {
          throw new UnsupportedOperationException("stopped");
        }
      }
    };
  }

  @Test
  void theFoldThatIsLeftOutIsNotLearntFrom() {
    ExperimentSettings settings = scaled();
    List<Integer> learnt = new ArrayList<>();
    Progress counting =
        new Progress() {
          @Override
          public void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {
            learnt.add(imagesPerEpoch);
          }
        };
    int training = Fixtures.run(settings, counting).get(0).images().training();
    assertThat(learnt).hasSize(5).endsWith(training); // two folds of each candidate, and all
    for (int candidate = 0; candidate < 2; candidate++) {
      int first = learnt.get(2 * candidate);
      int second = learnt.get(2 * candidate + 1);
      assertThat(first + second).isEqualTo(training);
    }
  }

  @Test
  void whatGaveUpInOneFoldIsNotTaken() throws Exception {
    ExperimentSettings settings = scaled();
    assertThatThrownBy(() -> Fixtures.run(settings, stoppingAtFold(4))).hasMessage("stopped");
    Map<String, List<Double>> found =
        Map.of("as given", List.of(0.1, 0.1), "scale 3", List.of(Double.NaN, 1.0));
    Json.keep(run().resolve("search.json"), found, new RunFolder(run()).identity());
    RunResult result = Fixtures.run(settings, listening).get(0);
    assertThat(folds()).isEmpty();
    assertThat(result.settings()).containsEntry("taken", "as given");
  }

  @Test
  void anInterruptedSearchGoesOn() throws Exception {
    ExperimentSettings settings = scaled();
    assertThatThrownBy(() -> Fixtures.run(settings, stoppingAtFold(3))).hasMessage("stopped");
    assertThat(run().resolve("search.json")).exists();
    RunResult result = Fixtures.run(settings, listening).get(0);
    assertThat(folds()).containsExactly("'scale 3', fold 2 of 2");
    assertThat(result.training().search().get("scale 3")).hasSize(2);
  }

  @Test
  void spacesBetweenOptionsMakeNoDifference() {
    ExperimentSettings settings = scaled();
    assertThatThrownBy(() -> Fixtures.run(settings, stoppingAtFold(3))).hasMessage("stopped");
    Candidate tried = settings.tries.get(0);
    settings.tries = List.of(new Candidate(" scale   3 ", tried.head(), tried.training()));
    RunResult result = Fixtures.run(settings, listening).get(0);
    assertThat(folds()).containsExactly("'scale 3', fold 2 of 2");
    assertThat(result.training().search()).containsOnlyKeys("as given", "scale 3");
    assertThat(result.settings()).containsEntry("tries", "scale 3");
  }

  private List<String> folds() {
    return messages.stream()
        .filter(text -> text.contains(", fold "))
        .map(text -> text.substring(0, text.indexOf(':')))
        .collect(Collectors.toList());
  }
}
