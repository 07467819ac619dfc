/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.ImagePass;
import io.github.spd4j.internal.engine.LabelledBatch;
import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.factory.Nd4j;

/** One pass over the training images, followed by validation. */
final class Epoch {

  /** How an epoch goes through the training images. */
  interface Course {

    /**
     * Learns from every image once.
     *
     * @param order numbers of training images
     * @param seed the seed of everything random
     */
    void learn(Epoch epoch, int[] order, long seed);
  }

  private final TrainingContext context;
  private final ComputationGraph net;
  private final ImageBatches images;
  private final ImageBatches validationImages;
  private final ClassifierFit classifier;

  private final long start = System.nanoTime();
  private final LossAndAccuracy training = new LossAndAccuracy();
  private final LossAndAccuracy validation = new LossAndAccuracy();
  private String failure;

  Epoch(
      TrainingContext context,
      ComputationGraph net,
      ImageBatches images,
      ImageBatches validationImages,
      ClassifierFit classifier) {
    this.context = context;
    this.net = net;
    this.images = images;
    this.validationImages = validationImages;
    this.classifier = classifier;
  }

  /**
   * Runs the epoch. Numbers that are not finite end it.
   *
   * @param course how it goes through the images
   * @param seed the seed of everything random in it
   */
  void run(Course course, long seed) {
    Nd4j.getRandom().setSeed(seed); // dropout and the like draw from there
    try {
      learn(course, seed);
      measure();
    } catch (NotFiniteException | ArithmeticException e) { // or no retraction, no eigenvalues
      failure = e.getMessage();
      net.clear();
    }
  }

  /** Fits the classifier and validates; nothing else is learnt. */
  Epoch fit() {
    classifier.fitTo(order(0));
    return measure();
  }

  /** Why the epoch was broken off, if it was. */
  Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  LossAndAccuracy training() {
    return training;
  }

  LossAndAccuracy validation() {
    return validation;
  }

  EpochRecord record(Stage stage, int number, Map<LayerGroup, Double> rates, String rollback) {
    double seconds = (System.nanoTime() - start) / 1e9;
    return new EpochRecord(stage, number, training, validation, rates, seconds, rollback);
  }

  /** Training images in a random order, but for those that are held out. */
  private int[] order(long seed) {
    return Arrays.stream(Seeds.order(images.size(), seed)).filter(i -> !heldOut().get(i)).toArray();
  }

  private BitSet heldOut() {
    return context.state().fitIsBetter().isPresent() ? new BitSet() : context.known().heldOut();
  }

  private void learn(Course course, long seed) {
    List<TrainingListener> listeners = List.copyOf(net.getListeners());
    listeners.forEach(listener -> listener.onEpochStart(net));
    course.learn(this, order(seed), seed);
    listeners.forEach(listener -> listener.onEpochEnd(net));
    net.incrementEpochCount();
  }

  /**
   * Each half of the images with a classifier fitted to the other half: what the head learns from
   * them is then what is right for pictures that the classifier has not seen.
   */
  void halves(int[] order, long seed) {
    BitSet half = PictureGroups.first(images, 2, order);
    int[] first = Arrays.stream(order).filter(half::get).toArray();
    int[] second = Arrays.stream(order).filter(i -> !half.get(i)).toArray();
    classifier.fitTo(second);
    pass(first, seed);
    classifier.fitTo(first);
    pass(second, seed);
    classifier.fitTo(order);
  }

  /** All images with the classifier as it is, which may learn. */
  void pass(int[] order, long seed) {
    TrainingPass pass = new ImagePass(images, order, seed, training, context.progress());
    context.engine().train(net, pass);
  }

  /** Measures the network as it is, on the validation images. */
  Epoch measure() {
    measure(validationImages, validationImages.inOrder(), validation);
    return this;
  }

  /**
   * What the network makes of images that it has not seen: if none are validated, held out ones.
   */
  LossAndAccuracy unseen() {
    if (validationImages.size() > 0) {
      return validation;
    }
    LossAndAccuracy figures = new LossAndAccuracy();
    measure(images, images.split(heldOut().stream().toArray()), figures);
    return figures;
  }

  private void measure(ImageBatches source, List<int[]> batches, LossAndAccuracy figures) {
    try (ReadAhead<LabelledBatch> ahead = source.labelledAhead(batches)) {
      ahead.forEachRemaining(
          batch -> figures.add(net.output(false, batch.inputs())[0], batch.labels()));
    }
  }
}
