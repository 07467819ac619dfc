/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.backbones.Vgg16;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import io.github.spd4j.train.features.FeatureCache;
import io.github.spd4j.train.progress.TrainingProgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Measures the figures of {@code docs/scaling.md}; not a test. */
final class Scaling {

  private static final TrainingProgress SILENT = new TrainingProgress() {};
  private static final int IMAGE = 64;

  /** Parameters and both of Adam's moments. */
  private static final int WITH_ADAM = 3;

  private Scaling() {}

  /**
   * Prints figures.
   *
   * @param args {@code features ROUNDS MASTER MASTER …} or {@code bytes} or {@code cluster}
   */
  public static void main(String[] args) throws Exception {
    System.setProperty("spark.ui.enabled", "false");
    switch (args[0]) {
      case "features":
        features(Integer.parseInt(args[1]), Arrays.asList(args).subList(2, args.length));
        break;
      case "bytes":
        bytes();
        break;
      case "cluster":
        cluster();
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
    System.exit(0);
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  /** Masters in turn, round after round, so that other work on the machine meets all alike. */
  private static void features(int rounds, List<String> masters) throws IOException {
    Path data = Files.createTempDirectory("textures");
    TextureFolder.write(data, 8, 16, IMAGE);
    Files.delete(data.resolve(TextureFolder.DAMAGED));
    Map<String, List<Double>> speeds = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String master : masters) {
        speeds.computeIfAbsent(master, m -> new ArrayList<>()).add(features(master, data));
        print("%s: %s images/s", master, speeds.get(master));
      }
    }
  }

  /** VGG-16 up to conv5-3 on small images: the first pass warms up, the second counts. */
  private static double features(String master, Path data) throws IOException {
    ImageDataSet set = DataSetKind.DTD.read(data);
    ComputationGraph net = Vgg16.random(1, IMAGE).marked();
    Acceleration.applyTo(net);
    double speed = 0;
    try (SparkCluster cluster = SparkCluster.connect(master, "scaling")) {
      for (int pass = 0; pass < 2; pass++) {
        FileImages images =
            new FileImages(
                set.images(), set.classes().size(), Views.PLAIN, IMAGE, PixelFormat.CAFFE, 1);
        Path out = Files.createTempDirectory("features");
        SparkEngine engine = cluster.engine(out.resolve("parts").toUri().toString());
        FeatureCache cache =
            FeatureCache.inFolder(out.resolve("cache")).computedBy(engine.imagesPerPart(16));
        long start = System.nanoTime();
        cache.features(net, images, 8, SILENT).close();
        speed = images.size() / ((System.nanoTime() - start) / 1e9);
      }
    }
    return Math.round(100 * speed) / 100.0;
  }

  /** What one worker receives and sends in a round, for heads on 512 maps. */
  private static void bytes() throws IOException {
    double size = bytesPerNumber();
    print("packed: %.3f bytes per number", size);
    for (int classes : new int[] {10, 47, 200}) {
      for (int transform : new int[] {64, 128, 256, 512}) {
        ComputationGraph net = network(classes, transform);
        long head = head(net);
        print(
            "| %d | %d | %d | %.0f %% | %.1f | %.0f | %.1f | %.0f |",
            classes,
            transform,
            head,
            100.0 * net.getLayer(SpdGraft.CLASSIFIER).numParams() / head,
            head * size / 1e6,
            net.numParams() * size / 1e6,
            WITH_ADAM * head * size / 1e6,
            WITH_ADAM * net.numParams() * size / 1e6);
      }
    }
  }

  private static ComputationGraph network(int classes, int transform) {
    return SpdGraft.onto(Vgg16.random(1, IMAGE))
        .head(Head.spd(transform).convolution(512).scale(10))
        .classes(classes)
        .build();
  }

  private static long head(ComputationGraph net) {
    return net.paramTable().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith("spd"))
        .mapToLong(entry -> entry.getValue().length())
        .sum();
  }

  /** A hundred machines, as {@code docs/scaling.md} assumes them. */
  private static void cluster() throws IOException {
    double size = bytesPerNumber();
    double network = 1.25e9;
    int partialSums = 10; // a tree of depth 2
    int images = 10_000_000;
    int batch = 3200;
    int rounds = images / batch;
    int every = 8;
    print("%d steps an epoch; %d averagings", rounds, Math.round((double) rounds / every));
    for (int transform : new int[] {128, 512}) {
      ComputationGraph net = network(1000, transform);
      for (boolean whole : new boolean[] {false, true}) {
        long parameters = whole ? net.numParams() : head(net);
        double sent = parameters * size;
        double step = partialSums * sent / network;
        print(
            "C' = %d, %s: %.1f million parameters; gradients %.0f MB, driver %.2f GB, %.2f s a"
                + " step, %.0f minutes an epoch; averaging every %d batches %.0f MB, driver %.2f"
                + " GB, %.2f s, %.0f minutes an epoch; memory of a worker %.2f GB, averaging %.2f"
                + " GB",
            transform,
            whole ? "whole" : "head",
            parameters / 1e6,
            sent / 1e6,
            partialSums * sent / 1e9,
            step,
            rounds * step / 60,
            every,
            WITH_ADAM * sent / 1e6,
            WITH_ADAM * partialSums * sent / 1e9,
            WITH_ADAM * step,
            WITH_ADAM * step * rounds / every / 60,
            (2 + 2) * sent / 1e9, // parameters and gradient, as they are and packed
            (1 + 2 * WITH_ADAM) * sent / 1e9);
      }
    }
  }

  private static double bytesPerNumber() throws IOException {
    INDArray sample = network(47, 64).params();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sample);
    }
    return (double) bytes.size() / sample.length();
  }
}
