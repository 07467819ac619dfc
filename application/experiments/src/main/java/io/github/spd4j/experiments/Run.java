/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** One method on one partition with one seed: graft, train, test, write. */
final class Run {

  private static final int TIMED = 24;
  private static final int WARM_UP = 4;

  /** The most nanoseconds that timing takes. */
  private static final long MOST_TIMING = 5_000_000_000L;

  final Experiment experiment;
  final Method method;
  final Partition partition;
  final long split;
  final long seed;

  private final RunFolder folder;

  Run(Experiment experiment, Method method, Partition partition, long split, long seed) {
    this.experiment = experiment;
    this.method = method;
    this.partition = partition;
    this.split = split;
    this.seed = seed;
    this.folder = experiment.folder(name());
  }

  /** The name of the run and of its folder. */
  String name() {
    String place = "split" + split;
    // Random partitions are named by nothing but the same seed.
    boolean random = partition.name().equals("seed " + split);
    return RunFolder.slug(
        experiment.dataSet.name(),
        random ? place : partition.name() + "_" + place,
        method.key(),
        "seed" + seed);
  }

  TrainingPlan plan(Candidate candidate) {
    return candidate.training().plan(recipe(candidate).head(), seed);
  }

  /** The head of its method with a candidate's settings. */
  Recipe recipe(Candidate candidate) {
    return method.recipe(candidate.head(), experiment.backbone);
  }

  /** Whether it was begun before, or is finished. */
  boolean hasBegun() {
    return folder.hasBegun();
  }

  /** Runs, or reads what an earlier run left. */
  RunResult result() {
    RunSettings settings = new RunSettings(this);
    try (Progress progress = experiment.progress.apply(name())) {
      Optional<RunResult> finished = folder.finished(settings.asked());
      finished.ifPresent(result -> progress.message(folder.statement(result)));
      return finished.orElseGet(() -> execute(settings, progress));
    }
  }

  private RunResult execute(RunSettings settings, Progress progress) {
    RunFolder.Lock lock = folder.lock();
    try {
      Optional<RunResult> meanwhile = folder.finished(settings.asked());
      if (meanwhile.isPresent()) { // another process held the lock until now
        return meanwhile.get();
      }
      folder.begin(settings.asked());
      return train(settings, progress);
    } finally {
      lock.close();
    }
  }

  private RunResult train(RunSettings settings, Progress user) {
    RunClock progress = RunClock.start(folder, user);
    Search search = new Search(this, folder, progress);
    Candidate best = search.best();
    GraftedNetwork network = new GraftedNetwork(this, best, progress);
    EarlierRun earlier = experiment.settings.earlier;
    if (earlier != null) {
      network.learnFrom(earlier, partition.classes());
    }
    TrainingResult training = network.train(training(best), validation(), folder);
    long trained = System.nanoTime();
    Trust trust = new Rehearsal(this, best).trust(network, training, progress);
    Predictions raw = test(network);
    Predictions predictions = raw.calibrated(trust.confidence().temperature());
    double tested = (System.nanoTime() - trained) / 1e9;
    double all = progress.seconds();
    double epochs = training.history().stream().mapToDouble(EpochRecord::seconds).sum();
    double image = secondsPerImage(network.net());
    AtomicFile.write(folder.file(RunFolder.PREDICTIONS), predictions.csv());
    if (experiment.settings.own) {
      String pictures = EarlierRun.pictures(partition, experiment.contents);
      AtomicFile.write(folder.file(EarlierRun.PICTURES), pictures);
    }
    if (earlier != null) {
      progress.message(earlier.changes(predictions, experiment.contents).words());
    }
    ModelCard card = card().confidence(trust.confidence());
    AtomicFile.write(folder.file(ModelCard.FILE), card.json());
    if (trust.isKnown() && !experiment.settings.dropModels) {
      AtomicFile.write(folder.file(TwoStageTrainer.MODEL), out -> card.write(network.net(), out));
    }
    RunResult result =
        RunResult.of(
            this,
            settings.all(best),
            RunResult.Training.of(training, search.accuracies()),
            predictions,
            new RunResult.Seconds(all, epochs, tested, image),
            new RunResult.Files(folder.size(TwoStageTrainer.MODEL), folder.digests(kept())));
    folder.keep(result);
    report(
        new RunReport(this, folder, result, training, trust, raw, predictions, network.net()),
        progress);
    folder.finish(experiment.settings.dropModels);
    return result;
  }

  /** The median of a few, each alone from its file to its answer; the first ones do not count. */
  private double secondsPerImage(ComputationGraph net) {
    List<ImageFile> files = partition.test().isEmpty() ? partition.training() : partition.test();
    List<Double> seconds = new ArrayList<>();
    long end = System.nanoTime() + MOST_TIMING;
    for (ImageFile file : TimeEstimate.sample(files, TIMED)) {
      long start = System.nanoTime();
      FileImages image = images(List.of(file), experiment.testViews());
      Probabilities.ofImages(net, image, image.size(), new Progress() {});
      seconds.add((System.nanoTime() - start) / 1e9);
      if (System.nanoTime() > end) {
        break;
      }
    }
    List<Double> warm = seconds.subList(Math.min(WARM_UP, seconds.size() - 1), seconds.size());
    return warm.stream().sorted().skip(warm.size() / 2).findFirst().orElseThrow();
  }

  /** What is known about the network. */
  ModelCard card() {
    return experiment
        .backbone
        .card(partition.classes(), experiment.testViews())
        .method(method.key());
  }

  /** The images to train on, with variants for stage two unless the paper has none. */
  FileImages training(Candidate candidate) {
    FileImages images = images(partition.training(), experiment.trainingViews());
    boolean paper = candidate.training().preset == TrainingSettings.Preset.PAPER;
    return paper && !experiment.kind.variants() ? images.withoutVariants() : images;
  }

  /** The images to watch a training with, or null if there are none. */
  FileImages validation() {
    return partition.validation().isEmpty()
        ? null
        : images(partition.validation(), experiment.testViews());
  }

  FileImages images(List<ImageFile> files, Views views) {
    Backbone backbone = experiment.backbone;
    int classes = partition.classes().size();
    return new FileImages(files, classes, views, backbone.size(), backbone.pixels(), split)
        .known(experiment.contents);
  }

  private Predictions test(GraftedNetwork network) {
    if (partition.test().isEmpty()) {
      return Predictions.none(partition.classes());
    }
    FileImages images = images(partition.test(), experiment.testViews());
    return new Predictions(partition.test(), partition.classes(), network.probabilities(images));
  }

  /** What a finished run has beside its result; a report could be made anew. */
  private List<String> kept() {
    List<String> names = new ArrayList<>(List.of(RunFolder.PREDICTIONS));
    if (experiment.settings.own) {
      names.add(EarlierRun.PICTURES);
    }
    if (!experiment.settings.dropModels) {
      names.addAll(List.of(TwoStageTrainer.MODEL, ModelCard.FILE));
    }
    return names;
  }

  /** The result stands, whatever becomes of its page: a font may be missing, or memory. */
  private void report(RunReport report, Progress progress) {
    try {
      AtomicFile.write(folder.file(RunFolder.REPORT), report.html());
    } catch (RuntimeException | Error e) {
      progress.message("There is no report, but the result stands: " + e);
    }
  }
}
