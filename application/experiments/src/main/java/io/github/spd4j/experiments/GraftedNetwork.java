/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.internal.engine.MapMeans;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.train.FisherVectors;
import io.github.spd4j.train.OtherTrainingException;
import io.github.spd4j.train.Probabilities;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.Features;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.impl.MergeVertex;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** One network: grafted, trained on some images and tested on others. */
public final class GraftedNetwork {

  private final Experiment experiment;
  private final ModelCard card;
  private final TrainingSettings settings;
  private final TrainingPlan plan;
  private final Progress progress;
  private final ComputationGraph net;
  private boolean isTaught;

  GraftedNetwork(Run run, Candidate candidate, Progress progress) {
    this.experiment = run.experiment;
    this.card = run.card();
    this.settings = candidate.training();
    this.plan = run.plan(candidate);
    this.progress = progress;
    this.net =
        graft(
            run.method,
            candidate.head(),
            experiment.backbone,
            experiment.set.classes().size(),
            run.seed);
    Acceleration.applyTo(net, settings.precision);
  }

  /**
   * A copy of a backbone with the head of a method.
   *
   * @param method the method
   * @param head how its head is made
   * @param backbone the backbone
   * @param classes the number of classes
   * @param seed the seed of the head's parameters
   * @return a network to train
   * @throws UserException if there is none with these settings
   */
  public static ComputationGraph graft(
      Method method, HeadSettings head, Backbone backbone, int classes, long seed) {
    try {
      ComputationGraph grafted =
          SpdGraft.onto(backbone)
              .head(method.recipe(head, backbone).head())
              .classes(classes)
              .seed(seed)
              .build();
      Acceleration.applyTo(grafted);
      return grafted;
    } catch (IllegalArgumentException e) { // such as images that are too small
      throw new UserException("no network can be made so: " + e.getMessage(), e);
    }
  }

  ComputationGraph net() {
    return net;
  }

  /** Takes over what an earlier run learnt, its mixture too. */
  void learnFrom(EarlierRun earlier, List<String> classes) {
    earlier.teach(net, classes);
    isTaught = true;
  }

  /**
   * Fits what is to be fitted, and trains the rest.
   *
   * @param learnt the images to train on
   * @param validation the images to watch it with, or null for none
   * @param folder where checkpoint and network are kept, or null to keep nothing
   */
  TrainingResult train(LabelledImages learnt, LabelledImages validation, RunFolder folder) {
    LabelledImages training = settings.balance ? Balance.of(learnt) : learnt;
    if (FisherVectors.areIn(net) && !isTaught) {
      fitMixture(training);
    }
    TwoStageTrainer.Builder trainer = TwoStageTrainer.builder(net);
    experiment.platform.prepare(trainer);
    if (validation == null) {
      trainer.withoutValidation();
    } else {
      trainer.validation(validation);
    }
    if (folder != null) {
      trainer.folder(folder.path()).dependsOn("run", folder.identity().substring(0, 16));
    }
    trainer.plan(plan).training(training).card(card);
    try {
      return trainer.featureCache(experiment.cache).progress(progress).build().train();
    } catch (OtherTrainingException e) {
      throw new UserException(e.getMessage(), e);
    }
  }

  private void fitMixture(LabelledImages training) {
    try (Features features = features(training)) {
      progress.message("A Gaussian mixture is fitted to the features");
      FisherVectors mixture = FisherVectors.of(net).seed(plan.seed()).progress(progress);
      progress.message("Gaussian " + mixture.fit(features));
    } catch (IllegalArgumentException e) { // these images have no such mixture; others may
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private Features features(LabelledImages images) {
    return experiment.cache.features(net, images, plan.batchSize(), progress);
  }

  /** The means of the feature maps at the end of the backbone, [images, maps]. */
  private INDArray means(LabelledImages images) {
    try (Features features = features(images)) {
      List<INDArray> means = new ArrayList<>();
      for (int first = 0; first < features.size(); first += plan.batchSize()) {
        int end = Math.min(features.size(), first + plan.batchSize());
        try (INDArray batch = features.batch(IntStream.range(first, end).toArray())) {
          means.add(MapMeans.of(batch));
        }
      }
      return Nd4j.concat(0, means.toArray(INDArray[]::new));
    }
  }

  /** What is known of images, if an {@code ImageClassifier} can tell how far others lie from it. */
  Optional<Familiarity> familiarity(LabelledImages learnt) {
    if (!(net.getVertex(Backbone.MAPS) instanceof MergeVertex)) {
      return Optional.empty();
    }
    INDArray means = means(learnt);
    int[] labels = IntStream.range(0, learnt.size()).map(learnt::label).toArray();
    return means.size(1) > Familiarity.LONGEST
        ? Optional.empty()
        : Optional.of(Familiarity.fit(means, labels));
  }

  /** How far images lie from what is known. */
  DoubleStream distances(Familiarity known, LabelledImages asked, int views) {
    INDArray means = means(asked);
    INDArray ofPictures = means.reshape('c', asked.size() / views, views, means.size(1)).mean(1);
    return Arrays.stream(ofPictures.castTo(DataType.DOUBLE).toDoubleMatrix())
        .mapToDouble(known::distance);
  }

  /** A backbone that did not learn gives features that other trials can use too. */
  INDArray probabilities(LabelledImages images) {
    if (settings.wholeEpochs > 0) {
      return Probabilities.ofImages(net, images, plan.batchSize(), progress);
    }
    try (Features features = features(images)) {
      return Probabilities.ofFeatures(net, features, images, plan.batchSize());
    }
  }
}
