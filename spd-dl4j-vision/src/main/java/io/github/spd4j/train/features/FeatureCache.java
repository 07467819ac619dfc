/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import io.github.spd4j.internal.engine.BackboneAndHead;
import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.images.ImageSubset;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.TrainingProgress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Computes what a frozen backbone makes of images, once, and keeps it.
 *
 * <p>Features are found again by a SHA-256 of the backbone's parameters, the cut, the data type,
 * the images' size, names and order, and ONNX Runtime if it computed them. They are kept as
 * float32, whatever the network computes in.
 */
public final class FeatureCache {

  private final Path folder;
  private final Map<ByteBuffer, MemoryFeatures> inMemory = new HashMap<>();

  /** What computes features on other machines, or null. */
  private final TrainingEngine remote;

  /** What computes them on this machine. */
  private final Engine engine;

  private FeatureCache(Path folder, TrainingEngine remote, Engine engine) {
    this.folder = folder;
    this.remote = remote;
    this.engine = engine;
  }

  /**
   * A cache on the heap, for as long as the object lives.
   *
   * @return an empty cache
   */
  public static FeatureCache inMemory() {
    return new FeatureCache(null, null, Engine.AUTO);
  }

  /**
   * A cache of files, one for each key: {@code features-<start of the key>.bin}. Features need not
   * fit into memory, and an interrupted computation is continued.
   *
   * @param folder where the files are; created if it does not exist. One that holds other files is
   *     refused
   * @return the cache
   */
  public static FeatureCache inFolder(Path folder) {
    return new FeatureCache(Objects.requireNonNull(folder, "folder"), null, Engine.AUTO);
  }

  /**
   * Whether a folder has cached features.
   *
   * @param folder any folder, or nothing
   * @return whether there are files that {@link #inFolder} has made
   */
  public static boolean isIn(Path folder) {
    return OwnFolder.find(Objects.requireNonNull(folder, "folder"))
        .filter(own -> own.ownsAny(FeatureFormat::isName))
        .isPresent();
  }

  /**
   * Deletes cached features, and their folder if nothing else is in it. Nobody may use them.
   *
   * @param folder the folder of {@link #inFolder}, any other, or nothing
   */
  public static void delete(Path folder) {
    OwnFolder.find(Objects.requireNonNull(folder, "folder"))
        .ifPresent(own -> own.deleteAll(FeatureFormat::isName));
  }

  /**
   * A cache in the same place whose features another engine computes; this machine unless set.
   *
   * @param engine computes what is missing
   * @return a cache; this one stays as it is
   */
  public FeatureCache computedBy(TrainingEngine engine) {
    return new FeatureCache(folder, Objects.requireNonNull(engine, "engine"), Engine.DL4J);
  }

  /**
   * A cache in the same place whose features this machine computes by an engine; {@link
   * Engine#AUTO} unless set. Those of each engine are kept apart, as they differ by rounding. AUTO
   * takes whole sets of either.
   *
   * @param engine computes what is missing
   * @return a cache; this one stays as it is
   */
  public FeatureCache computedBy(Engine engine) {
    return new FeatureCache(folder, null, Objects.requireNonNull(engine, "engine"));
  }

  /**
   * The features of a set of images, computed where they are not known yet.
   *
   * @param net the network, of which only the backbone is run
   * @param images the images, of one size
   * @param batchSize images per run of the backbone
   * @param progress is told how far it is
   * @return the features, to be closed after use
   */
  public Features features(
      ComputationGraph net, LabelledImages images, int batchSize, TrainingProgress progress) {
    return features(new BackboneAndHead(net), images, batchSize, progress);
  }

  private Features features(
      BackboneAndHead backbone, LabelledImages images, int batchSize, TrainingProgress progress) {
    if (images instanceof ImageSubset) {
      ImageSubset subset = (ImageSubset) images;
      Features whole = features(backbone, subset.whole(), batchSize, progress);
      return new FeatureSubset(whole, subset.indices());
    }
    byte[] key = Fingerprint.ofFeatures(backbone, images);
    byte[] other = Fingerprint.byOnnxRuntime(key);
    if (remote != null) {
      return computed(remote, backbone.detachedBackbone(), images, key, batchSize, progress);
    }
    List<byte[]> wanted =
        switch (engine) {
          case AUTO -> List.of(other, key);
          case DL4J -> List.of(key);
          case ONNXRUNTIME -> List.of(other);
        };
    for (byte[] one : wanted) {
      Optional<StoredFeatures> whole = whole(one, images, progress);
      if (whole.isPresent()) {
        progress.featuresDone(images.size(), images.size());
        return whole.get();
      }
    }
    // The backbone is detached from its head only if there is anything to compute.
    ComputationGraph net = backbone.detachedBackbone();
    Optional<LocalEngine> faster = LocalEngine.compiled(engine, net, images);
    return faster.isPresent()
        ? computed(faster.get(), net, images, other, batchSize, progress)
        : computed(new LocalEngine(), net, images, key, batchSize, progress);
  }

  private Features computed(
      TrainingEngine engine,
      ComputationGraph backbone,
      LabelledImages images,
      byte[] key,
      int batchSize,
      TrainingProgress progress) {
    StoredFeatures stored = stored(key, images.size(), progress);
    boolean done = false;
    try {
      progress.featuresDone(stored.complete(), images.size());
      try (Stream<INDArray> missing =
          engine.features(backbone, images, key, stored.complete(), batchSize)) {
        missing.forEachOrdered(
            batch -> {
              stored.append(batch);
              progress.featuresDone(stored.complete(), images.size());
            });
      }
      done = true;
      return stored;
    } finally {
      if (!done) {
        stored.close(); // and give up the lock
      }
    }
  }

  /** Features of which none is missing. */
  private Optional<StoredFeatures> whole(
      byte[] key, LabelledImages images, TrainingProgress progress) {
    boolean isKnown =
        folder == null
            ? inMemory.containsKey(ByteBuffer.wrap(key))
            : Files.exists(folder.resolve(FeatureFormat.fileName(key)));
    if (!isKnown) {
      return Optional.empty();
    }
    StoredFeatures stored = stored(key, images.size(), progress);
    if (stored.complete() == images.size()) {
      return Optional.of(stored);
    }
    stored.close();
    return Optional.empty();
  }

  private StoredFeatures stored(byte[] key, int images, TrainingProgress progress) {
    if (folder == null) {
      return inMemory.computeIfAbsent(ByteBuffer.wrap(key), k -> new MemoryFeatures());
    }
    String name = FeatureFormat.fileName(key);
    OwnFolder own = OwnFolder.claim("a cache of features", folder);
    own.own(name);
    return FeatureFile.open(own.path().resolve(name), key, images, progress);
  }
}
