/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.examples.cli.Progress;
import io.github.spd4j.examples.datasets.FileImages;
import io.github.spd4j.examples.datasets.ImageFile;
import io.github.spd4j.examples.datasets.Partition;
import io.github.spd4j.examples.datasets.Views;
import io.github.spd4j.examples.report.OutputFile;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.train.Features;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TrainingPlan;
import io.github.spd4j.train.TrainingProgress;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import java.util.List;
import java.util.Optional;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One method on one partition with one seed: graft, train, test, write. */
final class Run {

  final Experiment experiment;
  final Method method;
  final Partition partition;
  final long split;
  final long seed;

  private final RunFolder folder;
  private TrainingProgress progress;

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
        experiment.kind.name(),
        random ? place : partition.name() + "_" + place,
        method.key(),
        "seed" + seed);
  }

  /** Runs, or reads what an earlier run left. */
  RunResult result() {
    RunSettings settings = new RunSettings(this);
    progress = experiment.progress.apply(name());
    try {
      Optional<RunResult> finished = folder.finished(settings.asked());
      finished.ifPresent(result -> progress.message("was finished before"));
      return finished.orElseGet(() -> execute(settings));
    } finally {
      Progress.close(progress);
    }
  }

  private RunResult execute(RunSettings settings) {
    folder.begin(settings.asked());
    RunClock clock = RunClock.start(folder);
    ComputationGraph net = graft();
    if (method.hasMixture()) {
      fitMixture(net);
    }
    TrainingPlan plan = plan();
    TrainingResult training = train(net, plan);
    long trained = System.nanoTime();
    Predictions predictions = test(net);
    long tested = System.nanoTime();
    RunResult result = new Summary(this, training, predictions).result(settings.all(plan));
    result.seconds.put("test", (tested - trained) / 1e9);
    result.seconds.put("all", clock.seconds());
    write(result, training, predictions, net);
    return result;
  }

  private ComputationGraph graft() {
    LoadedBackbone backbone = experiment.backbone;
    ComputationGraph net =
        SpdGraft.onto(backbone.net())
            .after(backbone.cut())
            .inputType(LoadedBackbone.images(experiment.size()))
            .head(new Heads(method, experiment.options.head, backbone).head())
            .classes(partition.classes().size())
            .seed(seed)
            .build();
    Acceleration.applyTo(net);
    return net;
  }

  private void fitMixture(ComputationGraph net) {
    String cut = experiment.backbone.cut();
    int batch = experiment.options.training.batch;
    try (Features features = experiment.cache.features(net, cut, training(), batch, progress)) {
      progress.message("A Gaussian mixture is fitted to the features");
      FitProgress steps =
          progress instanceof FitProgress ? (FitProgress) progress : FitProgress.NONE;
      FisherVectors mixture = FisherVectors.of(net).seed(seed).progress(steps);
      progress.message("Gaussian " + mixture.fit(features, cut));
    } catch (IllegalArgumentException e) { // these images have no such mixture; others may
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private TrainingPlan plan() {
    return experiment.options.training.plan(seed);
  }

  private TrainingResult train(ComputationGraph net, TrainingPlan plan) {
    TwoStageTrainer.Builder trainer = TwoStageTrainer.builder(net, experiment.backbone.cut());
    experiment.machines.prepare(trainer);
    if (partition.validation().isEmpty()) {
      trainer.withoutValidation();
    } else {
      trainer.validation(images(partition.validation(), experiment.testViews()));
    }
    return trainer
        .plan(plan)
        .training(training())
        .folder(folder.path())
        .featureCache(experiment.cache)
        .progress(progress)
        .build()
        .train();
  }

  private FileImages training() {
    FileImages images = images(partition.training(), experiment.trainingViews());
    return experiment.task.variants() ? images : images.withoutVariants();
  }

  FileImages images(List<ImageFile> files, Views views) {
    return new FileImages(files, partition.classes().size(), views, experiment.size(), split);
  }

  private Predictions test(ComputationGraph net) {
    FileImages images = images(partition.test(), experiment.testViews());
    return new Predictions(partition.test(), partition.classes(), probabilities(net, images));
  }

  /** A backbone that did not learn gives features that other runs can use too. */
  private INDArray probabilities(ComputationGraph net, FileImages images) {
    TrainingOptions options = experiment.options.training;
    if (options.wholeEpochs > 0) {
      return Probabilities.ofImages(net, images, options.batch, progress);
    }
    String cut = experiment.backbone.cut();
    try (Features features = experiment.cache.features(net, cut, images, options.batch, progress)) {
      return Probabilities.ofFeatures(net, cut, features, images, options.batch);
    }
  }

  private void write(
      RunResult result, TrainingResult training, Predictions predictions, ComputationGraph net) {
    OutputFile.write(folder.file("predictions.csv"), predictions.csv());
    Json.write(folder.file(ModelCard.FILE), card());
    String html = new RunReport(this, result, training, predictions, net).html();
    OutputFile.write(folder.file("report.html"), html);
    folder.finish(result, experiment.options.dropModels);
  }

  private ModelCard card() {
    ModelCard card = new ModelCard();
    card.method = method.key();
    card.backbone = experiment.backbone.title();
    card.cut = experiment.backbone.cut();
    card.classes = partition.classes();
    card.size = experiment.size();
    card.views = experiment.testViews();
    return card;
  }
}
