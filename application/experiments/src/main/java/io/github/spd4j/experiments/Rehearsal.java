/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * How sure a trained network may be: its answers to validation images and, where these are too few,
 * answers to training images by trainings that each leave out a quarter of them. What a head has
 * learnt from, it answers too well, even with a classifier that has not. Each training ends with
 * what the run has kept: a classifier that was learnt answers more surely than one that was fitted,
 * and a head that has learnt more surely than one that has not.
 */
final class Rehearsal {

  private static final int FOLDS = 4;

  /** So many answers are enough. */
  private static final int ENOUGH = 100;

  /** The share of the training images that each training learns from. */
  static final double LEARNT = (FOLDS - 1.0) / FOLDS;

  /**
   * How to train.
   *
   * @param candidate the settings
   * @param watched whether validation images choose an epoch
   */
  record Way(Candidate candidate, boolean watched) {

    /**
     * To end with what was kept of a training that validation images watched.
     *
     * @param isTaught whether its head had learnt before, from images that are asked for here
     */
    static Way to(
        EpochRecord kept, Candidate candidate, ClassifierTraining classifier, boolean isTaught) {
      TrainingSettings training = candidate.training().copy();
      boolean chosen = true;
      if (kept.epoch() == 0 && !isTaught) {
        training.headEpochs = 0;
        training.wholeEpochs = 0;
      } else if (classifier == ClassifierTraining.LEARNT_THEN_FITTED) {
        chosen = !kept.rates().isEmpty(); // else it was fitted, which they might not choose again
        training.classifier = chosen ? ClassifierTraining.LEARNT : classifier;
      }
      return new Way(new Candidate(candidate.name(), candidate.head(), training), chosen);
    }
  }

  private final Run run;
  private final Candidate candidate;
  private final List<ImageFile> files = new ArrayList<>();
  private final List<INDArray> answers = new ArrayList<>();
  private DoubleStream distances = DoubleStream.empty();

  Rehearsal(Run run, Candidate candidate) {
    this.run = run;
    this.candidate = candidate;
  }

  /** How many trainings it takes; none if there is validation enough, or too few images for it. */
  int count() {
    List<ImageFile> images = run.partition.training();
    Map<Integer, Integer> counts = new HashMap<>();
    images.forEach(image -> counts.merge(image.label(), 1, Integer::sum));
    int validated = run.partition.validation().size();
    boolean needed = run.experiment.settings.own && validated < Trust.FEWEST;
    boolean possible =
        images.size() >= Trust.FEWEST && counts.values().stream().allMatch(count -> count > 1);
    return needed && possible
        ? (int) Math.min(FOLDS, Math.ceil((double) (ENOUGH - validated) * FOLDS / images.size()))
        : 0;
  }

  /**
   * What they tell about a network that has learnt from all training images.
   *
   * @param training how it did
   */
  Trust trust(GraftedNetwork trained, TrainingResult training, Progress progress) {
    FileImages learnt = run.training(candidate);
    int count = count();
    if (count > 0) {
      Way way =
          run.validation() == null
              ? new Way(candidate, false)
              : Way.to(
                  training.best(),
                  candidate,
                  run.plan(candidate).classifier(),
                  run.experiment.settings.earlier != null);
      FileImages all = run.images(run.partition.training(), run.experiment.testViews());
      run.experiment.dataSet.folds(run.partition, FOLDS, run.split).stream()
          .limit(count)
          .forEach(fold -> rehearse(fold, way, learnt, all, progress));
    }
    FileImages validation = run.validation();
    int rehearsed = files.size();
    if (rehearsed + run.partition.validation().size() < Trust.FEWEST) {
      return Trust.of(Predictions.none(run.partition.classes()), 0);
    }
    Optional<Familiarity> familiarity = trained.familiarity(learnt);
    if (validation != null) {
      ask(trained, familiarity, run.partition.validation(), validation);
    }
    INDArray rows = Nd4j.concat(0, answers.toArray(INDArray[]::new));
    Trust trust = Trust.of(new Predictions(files, run.partition.classes(), rows), rehearsed);
    if (rehearsed > 0) {
      progress.message(
          String.format(
              Locale.ROOT,
              "Of the answers to %s, %.1f %% are right",
              trust.source(),
              100 * trust.held().accuracy()));
    }
    double[] limits = distances.toArray();
    return familiarity.map(known -> trust.familiar(known, limits)).orElse(trust);
  }

  private void rehearse(
      Partition fold, Way way, FileImages learnt, FileImages all, Progress progress) {
    progress.message(
        "Trains without %d of the images, to see how sure it may be of new ones"
            .formatted(fold.test().size()));
    try {
      GraftedNetwork network = new GraftedNetwork(run, way.candidate, progress);
      LabelledImages others = learnt.only(fold.training());
      network.train(others, way.watched ? run.validation() : null, null);
      ask(network, network.familiarity(others), fold.test(), all.only(fold.test()));
    } catch (IllegalStateException | ArithmeticException e) { // the run's own did not
      progress.message("That training gave up, and does not count: " + e.getMessage());
    }
  }

  private void ask(
      GraftedNetwork network,
      Optional<Familiarity> known,
      List<ImageFile> images,
      LabelledImages asked) {
    INDArray probabilities = network.probabilities(asked);
    int views = run.experiment.testViews().count();
    Optional<double[]> far =
        known.map(familiarity -> network.distances(familiarity, asked, views).toArray());
    files.addAll(images);
    answers.add(probabilities);
    far.ifPresent(all -> distances = DoubleStream.concat(distances, Arrays.stream(all)));
  }
}
