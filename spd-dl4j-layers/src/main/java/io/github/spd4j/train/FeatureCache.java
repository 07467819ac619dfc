/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Computes what a frozen backbone makes of images, once, and keeps it.
 *
 * <p>Features are found again by a SHA-256 of the backbone's parameters, the cut, the data type,
 * and the images' size, names and order. They are kept as float32, whatever the network computes
 * in.
 */
public final class FeatureCache {

  private static final int NAME_DIGITS = 16;

  private final Path folder;
  private final Map<String, MemoryFeatures> inMemory = new HashMap<>();

  private FeatureCache(Path folder) {
    this.folder = folder;
  }

  /**
   * A cache on the heap, for as long as the object lives.
   *
   * @return an empty cache
   */
  public static FeatureCache inMemory() {
    return new FeatureCache(null);
  }

  /**
   * A cache of files, one for each key: {@code features-<start of the key>.bin}. Features need not
   * fit into memory, and an interrupted computation is continued.
   *
   * @param folder where the files are, made if need be
   * @return the cache
   */
  public static FeatureCache inFolder(Path folder) {
    return new FeatureCache(Objects.requireNonNull(folder, "folder"));
  }

  /**
   * The features of a set of images, computed where they are not known yet.
   *
   * @param net the network; only the part up to the cut is run
   * @param cut the vertex whose output is kept
   * @param images the images, of one size
   * @param batchSize images per run of the backbone
   * @param progress is told how far it is
   * @return the features, to be closed after use
   */
  public Features features(
      ComputationGraph net,
      String cut,
      LabelledImages images,
      int batchSize,
      TrainingProgress progress) {
    return features(new Backbone(net, cut), images, batchSize, progress);
  }

  Features features(
      Backbone backbone, LabelledImages images, int batchSize, TrainingProgress progress) {
    byte[] key = FeatureKey.of(backbone, images);
    return folder == null
        ? memory(FeatureKey.hex(key, 2 * key.length), backbone, images, batchSize, progress)
        : file(key, backbone, images, batchSize, progress);
  }

  private Features memory(
      String key,
      Backbone backbone,
      LabelledImages images,
      int batchSize,
      TrainingProgress progress) {
    MemoryFeatures known = inMemory.get(key);
    if (known == null) {
      known = new MemoryFeatures();
      Extractor extractor = new Extractor(backbone, images);
      for (int start = 0; start < images.size(); start += batchSize) {
        int[] next = next(start, batchSize, images);
        known.append(extractor.features(next));
        progress.featuresDone(start + next.length, images.size());
      }
      inMemory.put(key, known);
    }
    return known;
  }

  private Features file(
      byte[] key,
      Backbone backbone,
      LabelledImages images,
      int batchSize,
      TrainingProgress progress) {
    Path path = folder.resolve("features-" + FeatureKey.hex(key, NAME_DIGITS) + ".bin");
    FeatureFile file = FeatureFile.open(path, key, images.size());
    Extractor extractor = new Extractor(backbone, images);
    boolean done = false;
    try {
      progress.featuresDone(file.complete(), images.size());
      while (file.complete() < images.size()) {
        int[] next = next(file.complete(), batchSize, images);
        file.append(extractor.features(next));
        progress.featuresDone(file.complete(), images.size());
      }
      done = true;
      return file;
    } finally {
      if (!done) {
        file.close(); // and give up the lock
      }
    }
  }

  private static int[] next(int start, int batchSize, LabelledImages images) {
    return IntStream.range(start, Math.min(images.size(), start + batchSize)).toArray();
  }

  /** Runs the backbone, which is detached from its head only if there is anything to compute. */
  private static final class Extractor {
    private final Backbone backbone;
    private final Batches images;
    private ComputationGraph detached;

    Extractor(Backbone backbone, LabelledImages images) {
      this.backbone = backbone;
      this.images = Batches.ofImages(images, backbone.net());
    }

    INDArray features(int[] indices) {
      if (detached == null) {
        detached = backbone.detachedBackbone();
      }
      return detached.output(false, images.inputs(indices, 0))[0];
    }
  }
}
