/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Takes what waits through the network, together.
 *
 * <p>While the network is busy, pictures queue up; then it takes all of them at once, up to a
 * limit. A picture that finds the network idle does not wait for others. Who bounds the number of
 * requests bounds the queue.
 */
final class PredictionQueue implements AutoCloseable {

  /**
   * An answer.
   *
   * @param classification the probabilities
   * @param attribution what decided, row by row; null if nobody asked
   */
  record Answer(Classification classification, double[][] attribution) {}

  private record Job(
      PreparedImage image,
      boolean explain,
      BooleanSupplier wanted,
      CompletableFuture<Answer> answer) {}

  private final ImageClassifier classifier;
  private final int largest;
  private final IntConsumer sizes;
  private final BlockingQueue<Job> queue = new LinkedBlockingQueue<>();
  private final Thread worker = new Thread(this::work, "network");

  /**
   * Starts the thread that runs the network.
   *
   * @param classifier the model
   * @param largest the most pictures in one pass
   * @param sizes is told how many pictures went through together
   */
  PredictionQueue(ImageClassifier classifier, int largest, IntConsumer sizes) {
    this.classifier = classifier;
    this.largest = largest;
    this.sizes = sizes;
    worker.setDaemon(true);
    worker.start();
  }

  /**
   * Queues a picture.
   *
   * @param image the picture
   * @param explain whether to say what decided
   * @param wanted false as soon as nobody waits for the answer
   * @return the answer to come
   */
  CompletableFuture<Answer> submit(PreparedImage image, boolean explain, BooleanSupplier wanted) {
    Job job = new Job(image, explain, wanted, new CompletableFuture<>());
    queue.add(job);
    return job.answer();
  }

  /** How many wait while the network is busy. */
  int waiting() {
    return queue.size();
  }

  private void work() {
    try {
      while (true) {
        List<Job> jobs = new ArrayList<>(List.of(queue.take()));
        queue.drainTo(jobs, largest - 1);
        jobs.removeIf(job -> !job.wanted().getAsBoolean());
        if (!jobs.isEmpty()) {
          sizes.accept(jobs.size());
          classify(jobs);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** One picture that the network refuses does not fail the others. */
  private void classify(List<Job> jobs) {
    try {
      List<Classification> answers =
          classifier.classifyTogether(jobs.stream().map(Job::image).toList());
      for (int i = 0; i < jobs.size(); i++) {
        if (!jobs.get(i).explain()) {
          jobs.get(i).answer().complete(new Answer(answers.get(i), null));
        }
      }
      for (int i = 0; i < jobs.size(); i++) {
        if (jobs.get(i).explain()) {
          explain(jobs.get(i), answers.get(i));
        }
      }
    } catch (RuntimeException | Error e) {
      if (jobs.size() > 1) {
        jobs.forEach(job -> classify(List.of(job)));
      } else {
        jobs.get(0).answer().completeExceptionally(e);
      }
    }
  }

  private void explain(Job job, Classification answer) {
    double[][] attribution = classifier.attribution(job.image(), answer.label());
    job.answer().complete(new Answer(answer, attribution));
  }

  /** Stops after what is in the network now. */
  @Override
  public void close() {
    worker.interrupt();
  }
}
