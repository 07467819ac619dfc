/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.examples.datasets.DataSetKind;
import io.github.spd4j.examples.datasets.FileImages;
import io.github.spd4j.examples.datasets.ImageDataSet;
import io.github.spd4j.examples.datasets.Views;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.graft.Vgg16;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import io.github.spd4j.train.FeatureCache;
import io.github.spd4j.train.TrainingProgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Measures the figures of {@code docs/scaling.md}; not a test. */
final class Scaling {

  private static final TrainingProgress SILENT = new TrainingProgress() {};
  private static final int IMAGE = 64;

  private Scaling() {}

  /**
   * Prints figures.
   *
   * @param args {@code features MASTER} or {@code bytes}
   */
  public static void main(String[] args) throws Exception {
    System.setProperty("spark.ui.enabled", "false");
    switch (args[0]) {
      case "features":
        features(args[1]);
        break;
      case "bytes":
        bytes();
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  /** VGG-16 up to conv5-3 on small images: the first pass warms up, the second counts. */
  private static void features(String master) throws IOException {
    Path data = Files.createTempDirectory("textures");
    TextureFolder.write(data, 8, 16, IMAGE);
    Files.delete(data.resolve(TextureFolder.DAMAGED));
    ImageDataSet set = DataSetKind.DTD.read(data);
    ComputationGraph net = Vgg16.random(1, IMAGE);
    Acceleration.applyTo(net);
    String cut = Vgg16.convolution(net, 5, 3);
    try (SparkCluster cluster = SparkCluster.connect(master, "scaling")) {
      for (int pass = 0; pass < 3; pass++) {
        FileImages images =
            new FileImages(set.images(), set.classes().size(), Views.PLAIN, IMAGE, 1);
        Path out = Files.createTempDirectory("features");
        SparkEngine engine = cluster.engine(out.resolve("parts").toUri().toString());
        FeatureCache cache =
            FeatureCache.inFolder(out.resolve("cache")).computedBy(engine.imagesPerPart(16));
        long start = System.nanoTime();
        cache.features(net, cut, images, 8, SILENT).close();
        double seconds = (System.nanoTime() - start) / 1e9;
        print("%s, pass %d: %.2f images/s", master, pass, images.size() / seconds);
      }
    }
  }

  /** What one worker receives and sends in a round, for heads on 512 maps. */
  private static void bytes() throws IOException {
    for (int classes : new int[] {10, 47, 200}) {
      for (int transform : new int[] {64, 128, 256, 512}) {
        ComputationGraph vgg = Vgg16.random(1, IMAGE);
        String cut = Vgg16.convolution(vgg, 5, 3);
        ComputationGraph net =
            SpdGraft.onto(vgg)
                .after(cut)
                .head(Head.spd().convolution(512).transforms(transform).scale(10))
                .classes(classes)
                .build();
        long head = 0;
        for (String name : net.paramTable().keySet()) {
          head += name.startsWith("spd") ? net.paramTable().get(name).length() : 0;
        }
        long classifier = net.getLayer(SpdGraft.CLASSIFIER).numParams();
        print(
            "%d classes, C' = %d: head %d, of it classifier %d; whole network %d parameters",
            classes, transform, head, classifier, net.numParams());
        if (classes == 47 && transform == 64) {
          INDArray sample = net.params();
          print("packed: %.3f bytes per parameter", (double) packed(sample) / sample.length());
        }
      }
    }
  }

  private static long packed(INDArray array) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(array);
    }
    return bytes.size();
  }
}
