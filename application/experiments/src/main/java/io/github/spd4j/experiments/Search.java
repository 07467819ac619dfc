/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.core.type.TypeReference;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.train.images.LabelledImages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * Finds the best of some candidates by cross-validation: each is trained on the training images of
 * a run without one fold and tested on that fold, for every fold in turn. The run's test images are
 * not used. A candidate that changes nothing for the method of the run has the results of the one
 * it equals. Results are stored after each fold, so that an interrupted search can go on.
 */
final class Search {

  static final String FILE = "search.json";

  private final Run run;
  private final List<Candidate> candidates;
  private final Progress progress;
  private final RunFolder folder;
  private final Path file;
  private final Map<String, List<Double>> accuracies = new LinkedHashMap<>();

  Search(Run run, RunFolder folder, Progress progress) {
    this.run = run;
    this.candidates = run.experiment.settings.candidates();
    this.progress = progress;
    this.folder = folder;
    this.file = folder.file(FILE);
  }

  /** The best candidate; the first of equals. If there is but one, nothing is tried. */
  Candidate best() {
    if (candidates.size() == 1) {
      return candidates.get(0);
    }
    List<Partition> folds = run.experiment.folds(run.partition, run.split);
    read(folds.size());
    Map<String, Candidate> byEffect = new HashMap<>();
    for (Candidate candidate : candidates) {
      List<Double> known = accuracies.computeIfAbsent(candidate.name(), name -> new ArrayList<>());
      Candidate same = byEffect.putIfAbsent(effect(candidate), candidate);
      if (same != null && known.isEmpty()) {
        known.addAll(accuracies.get(same.name()));
        progress.message(
            "'%s' makes the same network and training as '%s'"
                .formatted(candidate.name(), same.name()));
      }
      for (int fold = known.size(); fold < folds.size(); fold++) {
        known.add(accuracy(candidate, folds.get(fold)));
        Json.keep(file, accuracies, folder.identity());
        progress.message(said(candidate, fold + 1, folds.size(), known.get(fold)));
      }
    }
    return winner();
  }

  /** What a candidate makes of this method: some options belong to other heads. */
  private String effect(Candidate candidate) {
    ComputationGraph net = new GraftedNetwork(run, candidate, progress).net();
    Recipe recipe = run.recipe(candidate);
    return net.getConfiguration().toJson()
        + recipe.byName().get("convolutionStart") // which only the first weights tell
        + candidate.training().byName(recipe.head(), run.seed);
  }

  /** The share of right answers of each candidate, fold by fold; NaN where a training gave up. */
  Map<String, List<Double>> accuracies() {
    return accuracies;
  }

  private void read(int folds) {
    if (Files.exists(file)) {
      String remedy = "delete it to try the options anew";
      Map<String, List<Double>> found =
          Json.kept(file, new TypeReference<>() {}, folder.identity(), remedy);
      found.forEach(
          (name, shares) -> {
            if (shares.size() > folds || !shares.stream().allMatch(Search::isShare)) {
              throw new UserException(
                  "%s: expected a share from 0 to 1 for each of %d folds, got %s; %s"
                      .formatted(file, folds, shares, remedy));
            }
            accuracies.put(name, new ArrayList<>(shares));
          });
    }
  }

  private static boolean isShare(Double share) {
    return share != null && (share.isNaN() || share >= 0 && share <= 1);
  }

  private double accuracy(Candidate candidate, Partition fold) {
    FileImages learnt = run.training(candidate);
    FileImages asked = run.images(run.partition.training(), run.experiment.testViews());
    LabelledImages test = asked.only(fold.test());
    try {
      GraftedNetwork network = new GraftedNetwork(run, candidate, progress);
      network.train(learnt.only(fold.training()), run.validation(), null);
      return new Predictions(fold.test(), fold.classes(), network.probabilities(test)).accuracy();
    } catch (IllegalStateException
        | ArithmeticException e) { // this training gave up; others may not
      progress.message(candidate.name() + ": " + e.getMessage());
      return Double.NaN;
    }
  }

  private Candidate winner() {
    Candidate best = null;
    for (Candidate candidate : candidates) {
      if (!Double.isNaN(mean(candidate)) && (best == null || mean(candidate) > mean(best))) {
        best = candidate;
      }
    }
    if (best == null) {
      throw new IllegalStateException("the training gave up with each of the options to try");
    }
    progress.message(
        String.format(
            Locale.ROOT,
            "takes '%s', right in %.1f %% of the images left out",
            best.name(),
            100 * mean(best)));
    return best;
  }

  private double mean(Candidate candidate) {
    return mean(accuracies.get(candidate.name()));
  }

  static double mean(Collection<Double> shares) {
    return shares.stream().mapToDouble(x -> x).average().orElse(Double.NaN);
  }

  private static String said(Candidate candidate, int fold, int folds, double accuracy) {
    return String.format(
        Locale.ROOT, "'%s', fold %d of %d: %.1f %%", candidate.name(), fold, folds, 100 * accuracy);
  }
}
