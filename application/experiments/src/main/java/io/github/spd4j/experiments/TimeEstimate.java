/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.images.Views;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * How long a training takes, from a few of its images. It may end sooner, when it stops getting
 * better.
 *
 * @param features seconds for the features of all images
 * @param head seconds for all epochs of the head
 * @param whole seconds for all epochs of the whole network
 */
public record TimeEstimate(double features, double head, double whole) {

  private static final int SAMPLE = 16;
  private static final int WARM_UP = 2;
  private static final double MINUTE = 60;

  /** An image costs about three times as much to learn from as to classify. */
  private static final double LEARNING = 3;

  /** Measures on images of a run; nothing is kept of it. */
  static TimeEstimate of(Run run) {
    Experiment experiment = run.experiment;
    Partition partition = run.partition;
    TrainingSettings settings = experiment.settings.training;
    ComputationGraph net =
        new GraftedNetwork(run, experiment.settings.given(), new Progress() {}).net();
    fillMixtures(net);
    TrainingPlan plan =
        settings.plan(run.seed).toBuilder()
            .epochs(Stage.HEAD, WARM_UP)
            .epochs(Stage.WHOLE, 0)
            .batchSize(Math.min(SAMPLE, settings.batch))
            .classifier(ClassifierTraining.LEARNT)
            .build();
    TrainingProgress quiet = new TrainingProgress() {};
    // What stage two takes follows from what DL4J takes, which computes kept features, too.
    boolean ofDl4j = settings.wholeEpochs > 0 || experiment.settings.pictures().isPresent();
    Engine engine = ofDl4j ? Engine.DL4J : experiment.settings.engine;
    FeatureCache cache = FeatureCache.inMemory().computedBy(engine);
    FileImages warmUp = sample(run, WARM_UP);
    FileImages sample = sample(run, SAMPLE);
    cache.features(net, warmUp, WARM_UP, quiet).close();
    long start = System.nanoTime();
    cache.features(net, sample, plan.batchSize(), quiet).close();
    double feature = (System.nanoTime() - start) / 1e9 / sample.size();
    List<EpochRecord> epochs =
        TwoStageTrainer.builder(net)
            .plan(plan)
            .training(sample)
            .withoutValidation()
            .featureCache(cache)
            .progress(quiet)
            .build()
            .train()
            .history();
    double step = epochs.stream().mapToDouble(EpochRecord::seconds).min().orElse(0) / sample.size();
    int learnt =
        learnt(run.images(partition.training(), experiment.trainingViews()), settings.balance);
    int asked =
        (partition.validation().size() + partition.test().size()) * experiment.testViews().count();
    int validated = partition.validation().size() * experiment.testViews().count();
    Rehearsal rehearsal = new Rehearsal(run, experiment.settings.given());
    double trainings = 1 + rehearsal.count() * Rehearsal.LEARNT;
    TimeEstimate once = of(settings, feature, step, learnt, validated, asked);
    return new TimeEstimate(once.features, trainings * once.head, trainings * once.whole);
  }

  /** How many images an epoch learns from. */
  static int learnt(LabelledImages training, boolean balanced) {
    return (balanced ? Balance.of(training) : training).size();
  }

  /**
   * The estimate from what was measured.
   *
   * @param settings how many epochs there are
   * @param feature seconds for the features of an image
   * @param step seconds that the head learns from the features of an image
   * @param learnt images to train on
   * @param validated images that are asked after every epoch
   * @param asked images that are asked once or more
   */
  static TimeEstimate of(
      TrainingSettings settings,
      double feature,
      double step,
      int learnt,
      int validated,
      int asked) {
    double images = learnt + validated / LEARNING;
    return new TimeEstimate(
        feature * (learnt + asked),
        settings.headEpochs * step * images,
        settings.wholeEpochs * (LEARNING * feature + step) * images);
  }

  /** Layers refuse to compute before a mixture is fitted; any takes as long. */
  private static void fillMixtures(ComputationGraph net) {
    Stream.of(net.getLayers())
        .filter(layer -> layer.conf().getLayer() instanceof FisherVectorLayer)
        .flatMap(layer -> layer.paramTable().values().stream())
        .forEach(parameter -> parameter.assign(1));
  }

  private static FileImages sample(Run run, int most) {
    return run.images(sample(run.partition.training(), most), Views.PLAIN);
  }

  /** Images from all over a list, so that they are of many classes and sizes. */
  static List<ImageFile> sample(List<ImageFile> all, int most) {
    int count = Math.min(most, all.size());
    return IntStream.range(0, count)
        .mapToObj(i -> all.get((int) ((long) i * all.size() / count)))
        .toList();
  }

  /** Some such trainings, on features that are computed once. */
  TimeEstimate times(int count) {
    return new TimeEstimate(features, count * head, count * whole);
  }

  /** Both, on the same features. */
  TimeEstimate and(TimeEstimate other) {
    return new TimeEstimate(
        Math.max(features, other.features), head + other.head, whole + other.whole);
  }

  /**
   * Both, one after the other.
   *
   * @param other another estimate
   * @return the sum
   */
  public TimeEstimate plus(TimeEstimate other) {
    return new TimeEstimate(features + other.features, head + other.head, whole + other.whole);
  }

  /**
   * How many trainings a run is.
   *
   * @param candidates how many options are tried, each with all folds but one at a time
   * @param folds how many parts the training images have for that
   * @return the last one, and as many of it as all that is tried
   */
  static int trainings(int candidates, int folds) {
    return candidates == 1 ? 1 : 1 + candidates * (folds - 1);
  }

  /**
   * All of it, and its parts.
   *
   * @return a sentence
   */
  public String sentence() {
    return "This will take %s (%s).".formatted(total(), parts());
  }

  /**
   * All of it.
   *
   * @return such as "about 4 minutes"
   */
  String total() {
    return "about " + words(features + head + whole);
  }

  /**
   * The parts.
   *
   * @return such as "features 30 seconds, head at most 4 minutes"
   */
  private String parts() {
    String text = "features " + words(features) + ", head at most " + words(head);
    return whole > 0 ? text + ", whole network at most " + words(whole) : text;
  }

  /** In the unit that a person would use, and no more exact than the estimate is. */
  static String words(double seconds) {
    if (seconds < MINUTE) {
      long tens = Math.max(1, Math.round(seconds / 10));
      return 10 * tens + " seconds";
    }
    double minutes = seconds / MINUTE;
    if (minutes < MINUTE) {
      long whole = Math.round(minutes);
      return whole + (whole == 1 ? " minute" : " minutes");
    }
    return String.format(Locale.ROOT, "%.1f hours", minutes / MINUTE);
  }
}
