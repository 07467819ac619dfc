/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.Views;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which runs an experiment has, and where they go. */
public final class ExperimentOptions {

  private static final String ALL = "all";

  /** Names of methods, or "all". */
  @Option(
      names = {"--method", "--methods"},
      paramLabel = "METHOD",
      split = ",",
      description = {
        "Methods, or 'all': vgg-16, conv512-vgg-16, b-cnn,",
        "conv512-b-cnn, kernel, conv128-kernel, conv512-kernel,",
        "spd, spd-root, fv-cnn, fv-fc-cnn, deep-ten, isqrt-cov,",
        "log-euclidean, spdnet, compact-bilinear."
      })
  public List<String> methods = List.of(Method.SPD.key());

  /** The backbone by its name. */
  @Option(
      names = "--backbone",
      paramLabel = "NAME",
      description = {
        "vgg16 or resnet50 (are downloaded), vgg16:FILE.zip,",
        "vgg16:FILE.h5, resnet50:FILE.zip, googlenet:FOLDER,",
        "or random (for tests)."
      })
  public String backbone = "vgg16";

  /** Where to cut the backbone, or null for the usual place. */
  @Option(
      names = "--cut",
      paramLabel = "LAYER",
      description = "The backbone's last layer; its usual place unless set.")
  public String cut;

  /** Height and width of the images, or 0 for what the backbone was made for. */
  @Option(
      names = "--size",
      paramLabel = "PIXELS",
      description = "Height and width of the network's images; 224 unless set.")
  public int size;

  /** The seeds of the runs. */
  @Option(
      names = {"--seed", "--seeds"},
      paramLabel = "N",
      split = ",",
      description = "A run for each of these seeds.")
  public List<Long> seeds = List.of(1L);

  /** The numbers of the partitions of each split, or none for all. */
  @Option(
      names = "--partitions",
      paramLabel = "N",
      split = ",",
      description = "The numbers of the partitions, from 1; all unless set.")
  public List<Integer> partitions = List.of();

  /** The seeds of partitions and crops. */
  @Option(
      names = "--splits",
      paramLabel = "N",
      split = ",",
      description = {
        "Seeds of what is random about partitions, validation",
        "images and crops; DTD and FMD have a partition for each."
      })
  public List<Long> splits = List.of(1L);

  /** The share of the training images that is used for validation. */
  @Option(
      names = "--validation",
      paramLabel = "SHARE",
      description = "The share of the training images for validation; 0 for none.")
  public double validation = 0.1;

  /** What is seen of a training image, or null for the paper's protocol. */
  @Option(
      names = "--training-views",
      paramLabel = "VIEWS",
      description = {
        "What is seen of a training image: ${COMPLETION-CANDIDATES};",
        "the paper's protocol unless set."
      })
  public Views trainingViews;

  /** What is seen of a validation or test image, or null for the paper's protocol. */
  @Option(
      names = "--test-views",
      paramLabel = "VIEWS",
      description = "The same for validation and test; answers are averaged.")
  public Views testViews;

  /** Options to try in place of those that were given. */
  @Option(
      names = "--try",
      paramLabel = "OPTIONS",
      description = {
        "Other options of head or training, without dashes:",
        "--try \"rate convolution=0.0003\" --try \"scale 3\". What does",
        "best on folds of the training images is taken."
      })
  public List<String> tries = List.of();

  /** How many folds there are for what is tried. */
  @Option(names = "--folds", paramLabel = "N", description = "The folds for --try.")
  public int folds = 3;

  /** Where the runs go. */
  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      description = "Where the runs go. What is finished there is not repeated.")
  public Path out = Path.of("runs");

  /** Whether trained networks are deleted after the test. */
  @Option(names = "--drop-models", description = "Delete each trained network after its test.")
  public boolean dropModels;

  /** How the networks are trained. */
  @Mixin public TrainingOptions training = new TrainingOptions();

  /** Which machines are used. */
  @Mixin public ClusterOptions cluster = new ClusterOptions();

  /** How the heads are made. */
  @Mixin public HeadOptions head = new HeadOptions();

  /** The usual options, for picocli and for tests. */
  public ExperimentOptions() {}

  /** Refuses numbers that cannot be. */
  void check() {
    require(size >= 0, "--size needs at least 1", size);
    require(
        validation >= 0 && validation < 1,
        "--validation needs a share from 0 to less than 1",
        validation);
    require(folds >= 2, "--folds needs at least 2", folds);
    require(
        tries.isEmpty() || cluster.master == null,
        "--try needs this machine alone, without --spark",
        cluster.master);
    setups().forEach(setup -> check(setup.head, setup.training));
    cluster.check();
    methodList();
  }

  private static void check(HeadOptions head, TrainingOptions training) {
    require(training.headEpochs >= 0, "--epochs-head needs at least 0", training.headEpochs);
    require(training.wholeEpochs >= 0, "--epochs-whole needs at least 0", training.wholeEpochs);
    require(
        training.headEpochs + training.wholeEpochs > 0
            || training.preset == TrainingOptions.Preset.RECOMMENDED,
        "--epochs-head and --epochs-whole need at least one epoch in all",
        0);
    require(training.batch >= 1, "--batch needs at least 1", training.batch);
    require(training.weightDecay >= 0, "--weight-decay needs at least 0", training.weightDecay);
    require(head.transform >= 0, "--transform needs at least 1", head.transform);
    require(head.sketch >= 1, "--sketch needs at least 1", head.sketch);
    require(head.components >= 1, "--components needs at least 1", head.components);
    require(head.dimensions >= 1, "--dimensions needs at least 1", head.dimensions);
    require(head.scale > 0, "--scale needs more than 0", head.scale);
    require(head.bandwidth > 0, "--bandwidth needs more than 0", head.bandwidth);
    require(head.powerFloor > 0, "--power-floor needs more than 0", head.powerFloor);
    training.headRates.values().forEach(x -> require(x >= 0, "--rate needs at least 0", x));
    training.wholeRates.values().forEach(x -> require(x >= 0, "--whole-rate needs at least 0", x));
  }

  /** What is given, and what is tried in its place. */
  List<Setup> setups() {
    List<Setup> all = new ArrayList<>();
    all.add(Setup.given(this));
    tries.stream().distinct().forEach(text -> all.add(Setup.but(this, text)));
    return all;
  }

  private static void require(boolean holds, String wants, Object got) {
    if (!holds) {
      throw new Mistake(wants + ", got " + got);
    }
  }

  /** The methods, each once. */
  List<Method> methodList() {
    List<Method> list = new ArrayList<>();
    for (String key : methods) {
      list.addAll(
          key.equals(ALL)
              ? List.of(Method.values())
              : List.of(
                  Method.find(key)
                      .orElseThrow(
                          () ->
                              new Mistake(
                                  "--method needs "
                                      + ALL
                                      + " or some of "
                                      + Method.keys()
                                      + ", got "
                                      + key))));
    }
    return list.stream().distinct().collect(Collectors.toList());
  }
}
