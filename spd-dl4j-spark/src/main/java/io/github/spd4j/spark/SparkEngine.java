/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.engine.Extraction;
import io.github.spd4j.train.engine.LocalExtraction;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * Computes features and trains on the executors of a {@link SparkCluster}.
 *
 * <pre>
 * SparkEngine engine = cluster.engine("hdfs://…/features");
 * TwoStageTrainer.builder(net, cut)
 *     .featureCache(FeatureCache.inFolder(folder).computedBy(engine))
 *     .learning(engine) …
 * </pre>
 *
 * <b>Features.</b> The images are divided into parts; a task computes a part and writes it as a
 * file, in the format of the trainer's cache. Parts that are there are not computed again. The
 * driver then copies the records into the cache.
 *
 * <p><b>Steps.</b> Each batch of the plan is divided among the workers. Unless {@link
 * #averagingEvery} says otherwise, the driver adds up their gradients and makes the step: that of
 * one machine, up to rounding (and batch statistics, if a layer has any), whatever the updaters
 * are. Otherwise the workers make steps of their own, and their parameters are averaged.
 *
 * <p>Images have to be {@link Serializable}, and to be read in the same way on every machine.
 */
public final class SparkEngine implements Extraction, TrainingEngine {

  private static final int IMAGES_PER_PART = 64;

  private final JavaSparkContext spark;
  private final Hadoop hadoop;
  private final String folder;
  private final int workers;
  private int imagesPerPart = IMAGES_PER_PART;
  private int frequency = 1;
  private final Map<LabelledImages, FeatureParts> known = new IdentityHashMap<>();
  private final Map<LabelledImages, Shared<LabelledImages>> sent = new IdentityHashMap<>();

  /**
   * An engine.
   *
   * @param spark the context
   * @param folder where parts of features go: a path of any file system that Hadoop knows and all
   *     machines reach
   * @param workers how many workers learn at once
   */
  public SparkEngine(JavaSparkContext spark, String folder, int workers) {
    this.spark = spark;
    this.hadoop = new Hadoop(spark.hadoopConfiguration());
    this.folder = folder;
    this.workers = requirePositive(workers, "workers");
  }

  private static int requirePositive(int number, String what) {
    if (number < 1) {
      throw new IllegalArgumentException(what + ": expected at least 1, got " + number);
    }
    return number;
  }

  /**
   * After how many batches the parameters of the workers are averaged.
   *
   * @param batches at least 1; with 1, as unless set, gradients are added up instead
   * @return this engine
   */
  public SparkEngine averagingEvery(int batches) {
    this.frequency = requirePositive(batches, "batches between averagings");
    return this;
  }

  /**
   * How many images a part of features has; {@value #IMAGES_PER_PART} unless set.
   *
   * @param images at least 1
   * @return this engine
   */
  public SparkEngine imagesPerPart(int images) {
    this.imagesPerPart = requirePositive(images, "images of a part");
    return this;
  }

  @Override
  public Iterator<INDArray> features(
      ComputationGraph backbone, LabelledImages images, String key, int first, int batchSize) {
    String place = folder + "/features-" + key.substring(0, 16);
    FeatureParts parts = new FeatureParts(hadoop, place, key, images.size(), imagesPerPart);
    List<Integer> missing =
        IntStream.range(0, parts.count())
            .filter(part -> !exists(parts, part))
            .boxed()
            .collect(Collectors.toList());
    if (!missing.isEmpty()) {
      makeFolder(parts);
      compute(backbone, images, parts, missing, batchSize);
    }
    known.put(images, parts);
    return IntStream.iterate(first, start -> start < images.size(), start -> start + batchSize)
        .mapToObj(
            start -> IntStream.range(start, Math.min(images.size(), start + batchSize)).toArray())
        .map(indices -> read(parts, indices))
        .iterator();
  }

  private void compute(
      ComputationGraph backbone,
      LabelledImages images,
      FeatureParts parts,
      List<Integer> missing,
      int batchSize) {
    Shared<ComputationGraph> net = Shared.of(spark, backbone);
    Shared<LabelledImages> set = share(images);
    try {
      spark
          .parallelize(missing, missing.size())
          .foreach(
              part ->
                  parts.write(
                      part,
                      new LocalExtraction()
                          .features(
                              net.get(),
                              new Range(set.get(), parts.first(part), parts.size(part)),
                              "",
                              0,
                              batchSize),
                      TaskContext.get().taskAttemptId()));
    } finally {
      net.discard();
    }
  }

  private static void makeFolder(FeatureParts parts) {
    try {
      parts.makeFolder();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "expected a folder for features that can be written, got "
              + parts.folder()
              + " ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static boolean exists(FeatureParts parts, int part) {
    try {
      return parts.exists(part);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for the features " + parts.path(part), e);
    }
  }

  private static INDArray read(FeatureParts parts, int[] indices) {
    try {
      return parts.batch(indices);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  private Shared<LabelledImages> share(LabelledImages images) {
    return sent.computeIfAbsent(images, set -> Shared.of(spark, set));
  }

  @Override
  public void learn(ComputationGraph net, TrainingPass lesson) {
    FeatureParts parts = known.get(lesson.images());
    if (lesson.stage() == Stage.HEAD && parts == null) {
      throw new IllegalStateException(
          "expected a feature cache that is computedBy this engine, got another");
    }
    Work.Source source =
        new Work.Source(
            lesson.stage(), share(lesson.images()), parts, net.getConfiguration().getDataType());
    AnswerCount answers = new AnswerCount(spark, Acceleration.isAppliedTo(net));
    try (Rounds rounds = rounds(net, lesson.batchSize(), answers)) {
      int[] order = lesson.order();
      int inRound = lesson.batchSize() * frequency;
      for (int start = 0; start < order.length; start += inRound) {
        int end = Math.min(order.length, start + inRound);
        List<List<Work>> round = shares(lesson, Arrays.copyOfRange(order, start, end));
        JavaRDD<MultiDataSet> batches =
            spark
                .parallelize(round, round.size())
                .flatMap(works -> works.iterator())
                .map(work -> work.read(source));
        run(rounds, batches, end - start);
        lesson.learnt(answers.images(), answers.right(), answers.loss());
        answers.reset();
      }
    }
  }

  private Rounds rounds(ComputationGraph net, int batchSize, AnswerCount answers) {
    return frequency == 1
        ? new GradientRounds(spark, net, answers)
        : new AveragingRounds(spark, net, answers, workers, batchSize, frequency);
  }

  private static void run(Rounds rounds, JavaRDD<MultiDataSet> batches, int images) {
    try {
      rounds.run(batches, images);
    } catch (Exception e) { // Scala throws checked exceptions without saying so
      if (e instanceof SparkException && String.valueOf(e.getMessage()).contains("NotFinite")) {
        throw new NotFiniteException(e.getMessage().lines().findFirst().orElse(""));
      }
      throw e;
    }
  }

  /** The work of each worker in a round: its shares of some batches. */
  private List<List<Work>> shares(TrainingPass lesson, int[] order) {
    List<List<Work>> round = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      List<Work> own = new ArrayList<>();
      for (int start = 0; start < order.length; start += lesson.batchSize()) {
        int size = Math.min(order.length - start, lesson.batchSize());
        int from = start + size * worker / workers;
        int to = start + size * (worker + 1) / workers;
        if (to > from) {
          own.add(new Work(lesson, Arrays.copyOfRange(order, from, to)));
        }
      }
      if (!own.isEmpty()) {
        round.add(own);
      }
    }
    return round;
  }
}
