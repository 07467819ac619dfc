/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.internal.engine.LocalEngine;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.Digest;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.features.FeatureFormat;
import io.github.spd4j.train.images.LabelledImages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Computes what a backbone makes of images, except of those that an earlier run has kept, and keeps
 * it for a later one: a file for each view of a picture, found by the picture's content.
 *
 * @param known where features are read, or null
 * @param kept where all are kept, or null
 * @param precision how convolutions round
 */
record PictureFeatures(Path known, Path kept, Precision precision, TrainingEngine engine)
    implements TrainingEngine {

  /** The folder in that of a run. */
  static final String FOLDER = "kept-features";

  PictureFeatures(Path known, Path kept, Precision precision) {
    this(known, kept, precision, new LocalEngine());
  }

  @Override
  public Stream<INDArray> features(
      ComputationGraph backbone, LabelledImages images, byte[] key, int first, int batchSize) {
    String network = Fingerprint.ofNetwork(backbone) + " " + precision;
    List<String> keys = new ArrayList<>();
    int view = 0;
    for (int i = 0; i < images.size(); i++) {
      view = i > 0 && images.picture(i) == images.picture(i - 1) ? view + 1 : 0;
      keys.add(Digest.of((network + " " + images.digest(i) + " " + view).getBytes(UTF_8)));
    }
    if (kept != null) {
      OwnFolder.claim("--keep-features", kept)
          .own(keys.stream().map(PictureFeatures::name).distinct().toArray(String[]::new));
    }
    int[] missing =
        IntStream.range(first, images.size())
            .filter(i -> known == null || !Files.exists(known.resolve(name(keys.get(i)))))
            .toArray();
    Stream<INDArray> computed =
        missing.length == 0
            ? Stream.empty()
            : engine.features(backbone, images.subset(missing), key, 0, batchSize);
    Iterator<INDArray> rows = computed.flatMap(PictureFeatures::rows).iterator();
    BitSet isMissing = new BitSet();
    Arrays.stream(missing).forEach(isMissing::set);
    return IntStream.range(first, images.size())
        .mapToObj(
            i -> {
              INDArray row = isMissing.get(i) ? rows.next() : read(keys.get(i));
              keep(keys.get(i), row);
              return row;
            })
        .onClose(computed::close);
  }

  private INDArray read(String key) {
    Path file = known.resolve(name(key));
    try {
      byte[] bytes = Files.readAllBytes(file);
      byte[] start = Arrays.copyOf(bytes, Math.min(bytes.length, FeatureFormat.mostHeaderBytes()));
      FeatureFormat format =
          FeatureFormat.read(start, HexFormat.of().parseHex(key), 1)
              .orElseThrow(() -> new IOException("it ends too early"));
      int begin = (int) format.position(0);
      if (bytes.length != format.position(1)) {
        throw new IOException("it has another length than it says");
      }
      byte[] record = Arrays.copyOfRange(bytes, begin, bytes.length);
      return format.batch(List.of(format.features(record, 0)));
    } catch (IOException e) {
      throw new UserException(
          "%s: cannot be read (%s); delete it to compute it anew".formatted(file, e.getMessage()),
          e);
    }
  }

  private void keep(String key, INDArray row) {
    if (kept == null) {
      return;
    }
    long[] shape = Arrays.copyOfRange(row.shape(), 1, row.rank());
    FeatureFormat format = new FeatureFormat(HexFormat.of().parseHex(key), 1, shape);
    AtomicFile.write(
        kept.resolve(name(key)),
        out -> {
          out.write(format.header());
          out.write(format.records(0, row));
        });
  }

  private static Stream<INDArray> rows(INDArray batch) {
    return IntStream.range(0, (int) batch.size(0))
        .mapToObj(i -> batch.get(NDArrayIndex.interval(i, i + 1)).dup('c'));
  }

  @Override
  public void train(ComputationGraph net, TrainingPass pass) {
    engine.train(net, pass);
  }

  private static String name(String key) {
    return "picture-" + key.substring(0, 32) + ".bin";
  }
}
