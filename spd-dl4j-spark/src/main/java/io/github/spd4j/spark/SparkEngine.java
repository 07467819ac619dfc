/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.internal.spark.BroadcastObject;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.SerializableConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.impl.graph.SparkComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * Computes features and trains on the executors of a {@link SparkCluster}.
 *
 * <pre>
 * SparkEngine engine = cluster.engine("hdfs://…/features");
 * TwoStageTrainer.builder(net)
 *     .featureCache(FeatureCache.inFolder(folder).computedBy(engine))
 *     .engine(engine) …
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
public final class SparkEngine implements TrainingEngine {

  private static final int IMAGES_PER_PART = 64;

  private final JavaSparkContext spark;
  private final SerializableConfiguration hadoop;
  private final String folder;
  private final int workers;
  private int imagesPerPart = IMAGES_PER_PART;
  private int frequency = 1;
  private final Map<LabelledImages, FeatureParts> known = new IdentityHashMap<>();
  private final Map<LabelledImages, BroadcastObject<LabelledImages>> sent = new IdentityHashMap<>();

  /**
   * An engine.
   *
   * @param spark the context
   * @param folder where parts of features go: a path of any file system that Hadoop knows and all
   *     machines reach
   * @param workers how many workers compute at once
   */
  public SparkEngine(JavaSparkContext spark, String folder, int workers) {
    this.spark = Objects.requireNonNull(spark, "spark");
    this.hadoop = new SerializableConfiguration(spark.hadoopConfiguration());
    this.folder = Objects.requireNonNull(folder, "folder");
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
  public Stream<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
    FeatureParts parts = new FeatureParts(hadoop, folder, key, images.size(), imagesPerPart);
    List<Integer> missing = parts.missing();
    if (!missing.isEmpty()) {
      parts.makeFolder();
      compute(backbone, images, parts, missing, batchSize);
    }
    known.put(images, parts);
    ImageBatches batches = ImageBatches.ofImages(images, backbone, batchSize);
    return batches.split(IntStream.range(first, images.size()).toArray()).stream()
        .map(parts::batch);
  }

  private void compute(
      ComputationGraph backbone,
      LabelledImages images,
      FeatureParts parts,
      List<Integer> missing,
      int batchSize) {
    BroadcastObject<ComputationGraph> net = BroadcastObject.of(spark, backbone);
    BroadcastObject<LabelledImages> set = broadcast(images);
    try {
      spark
          .parallelize(missing, missing.size())
          .foreach(
              part -> {
                LabelledImages own = set.get().subset(parts.indices(part));
                try (Stream<INDArray> batches =
                    new LocalEngine().features(net.get(), own, new byte[0], 0, batchSize)) {
                  parts.write(part, batches.iterator(), TaskContext.get().taskAttemptId());
                }
              });
    } finally {
      net.discard();
    }
  }

  private BroadcastObject<LabelledImages> broadcast(LabelledImages images) {
    return sent.computeIfAbsent(images, set -> BroadcastObject.of(spark, set));
  }

  @Override
  public void train(ComputationGraph net, TrainingPass pass) {
    FeatureParts features = pass.usesFeatures() ? known.get(pass.images()) : null;
    if (pass.usesFeatures() && features == null) {
      throw new IllegalStateException(
          "expected a feature cache that is computedBy this engine, got another");
    }
    BatchShare.Source source =
        new BatchShare.Source(
            broadcast(pass.images()), features, net.getConfiguration().getDataType());
    LossAndAccuracyHook hook = new LossAndAccuracyHook(spark, net);
    List<int[]> batches = pass.batches();
    try (DistributedSteps steps = steps(net, pass.batchSize(), hook)) {
      for (int start = 0; start < batches.size(); start += frequency) {
        List<int[]> round = batches.subList(start, Math.min(batches.size(), start + frequency));
        List<List<BatchShare>> shares = shares(pass, round);
        JavaRDD<MultiDataSet> data =
            spark
                .parallelize(shares, shares.size())
                .flatMap(own -> own.iterator())
                .map(share -> share.read(source));
        run(steps, data, round.stream().mapToInt(batch -> batch.length).sum());
        hook.reportTo(pass);
      }
    }
  }

  private DistributedSteps steps(ComputationGraph net, int batchSize, LossAndAccuracyHook hook) {
    if (frequency == 1) {
      return new SummedGradients(spark, net, hook);
    }
    StiefelTrainingMaster master =
        new StiefelTrainingMaster(workers, ceiling(batchSize, workers), frequency, hook);
    SparkComputationGraph graph = new SparkComputationGraph(spark, net, master);
    return (data, images) -> master.round(graph, data, ceiling(images, batchSize));
  }

  private static int ceiling(int number, int divisor) {
    return (number + divisor - 1) / divisor;
  }

  private static void run(DistributedSteps steps, JavaRDD<MultiDataSet> data, int images) {
    try {
      steps.run(data, images);
    } catch (Exception e) { // Scala throws checked exceptions without saying so
      if (e instanceof SparkException && String.valueOf(e.getMessage()).contains("NotFinite")) {
        throw new NotFiniteException(e.getMessage().lines().findFirst().orElse(""));
      }
      throw e;
    }
  }

  /** What each worker does in a round: its shares of some batches. */
  private List<List<BatchShare>> shares(TrainingPass pass, List<int[]> batches) {
    List<List<BatchShare>> round = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      List<BatchShare> own = new ArrayList<>();
      for (int[] batch : batches) {
        int from = batch.length * worker / workers;
        int to = batch.length * (worker + 1) / workers;
        if (to > from) {
          own.add(new BatchShare(pass, Arrays.copyOfRange(batch, from, to)));
        }
      }
      if (!own.isEmpty()) {
        round.add(own);
      }
    }
    return round;
  }
}
