/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import io.github.spd4j.train.engine.Extraction;
import io.github.spd4j.train.engine.LocalExtraction;
import io.github.spd4j.train.images.ImageSubset;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
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
  private final Extraction extraction;
  private final Map<String, MemoryFeatures> inMemory = new HashMap<>();

  private FeatureCache(Path folder, Extraction extraction) {
    this.folder = folder;
    this.extraction = extraction;
  }

  /**
   * A cache on the heap, for as long as the object lives.
   *
   * @return an empty cache
   */
  public static FeatureCache inMemory() {
    return new FeatureCache(null, new LocalExtraction());
  }

  /**
   * A cache of files, one for each key: {@code features-<start of the key>.bin}. Features need not
   * fit into memory, and an interrupted computation is continued.
   *
   * @param folder where the files are, made if need be
   * @return the cache
   */
  public static FeatureCache inFolder(Path folder) {
    return new FeatureCache(Objects.requireNonNull(folder, "folder"), new LocalExtraction());
  }

  /**
   * A cache in the same place whose features somebody else computes.
   *
   * @param extraction who computes what is missing
   * @return a cache; this one stays as it is
   */
  public FeatureCache computedBy(Extraction extraction) {
    return new FeatureCache(folder, Objects.requireNonNull(extraction, "extraction"));
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
    return features(new CutNetwork(net, cut), images, batchSize, progress);
  }

  public Features features(
      CutNetwork backbone, LabelledImages images, int batchSize, TrainingProgress progress) {
    if (images instanceof ImageSubset) {
      ImageSubset subset = (ImageSubset) images;
      Features whole = features(backbone, subset.whole(), batchSize, progress);
      return new FeatureSubset(whole, subset.indices());
    }
    byte[] key = FeatureKey.of(backbone, images);
    return folder == null
        ? memory(FeatureKey.hex(key, 2 * key.length), backbone, images, batchSize, progress)
        : file(key, backbone, images, batchSize, progress);
  }

  private Features memory(
      String key,
      CutNetwork backbone,
      LabelledImages images,
      int batchSize,
      TrainingProgress progress) {
    MemoryFeatures known = inMemory.computeIfAbsent(key, k -> new MemoryFeatures());
    Iterator<INDArray> missing = features(backbone, images, key, known.size(), batchSize);
    while (missing.hasNext()) {
      known.append(missing.next());
      progress.featuresDone(known.size(), images.size());
    }
    return known;
  }

  private Features file(
      byte[] key,
      CutNetwork backbone,
      LabelledImages images,
      int batchSize,
      TrainingProgress progress) {
    String name = FeatureKey.hex(key, 2 * key.length);
    Path path = folder.resolve("features-" + name.substring(0, NAME_DIGITS) + ".bin");
    FeatureFile file = FeatureFile.open(path, key, images.size(), progress);
    boolean done = false;
    try {
      progress.featuresDone(file.complete(), images.size());
      Iterator<INDArray> missing = features(backbone, images, name, file.complete(), batchSize);
      while (missing.hasNext()) {
        file.append(missing.next());
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

  /** The backbone is detached from its head only if there is anything to compute. */
  private Iterator<INDArray> features(
      CutNetwork backbone, LabelledImages images, String key, int first, int batchSize) {
    return first == images.size() && extraction instanceof LocalExtraction
        ? Collections.emptyIterator()
        : extraction.features(backbone.detachedBackbone(), images, key, first, batchSize);
  }
}
