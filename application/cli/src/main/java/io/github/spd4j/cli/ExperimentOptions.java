/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.BackboneChoice;
import io.github.spd4j.experiments.Candidate;
import io.github.spd4j.experiments.ClusterSettings;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.HeadSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.Suggestion;
import io.github.spd4j.experiments.TrainingSettings;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The options of experiments: they fill {@link ExperimentSettings}. Their help is in {@code
 * ExperimentCommand.properties}.
 */
final class ExperimentOptions {

  private static final String ALL = "all";

  /** Names of usual ways in which colours become numbers. */
  private static final Map<String, String> PIXELS =
      new TreeMap<>(
          Map.of(
              "caffe", PixelFormat.CAFFE.toString(),
              "zero-one", "rgb,0-1",
              "torch", PixelFormat.TORCH.toString()));

  private static final String EPOCHS_WHOLE = "epochs-whole";
  private static final String DASHES = "--";
  private static final Pattern HYPHEN = Pattern.compile("-(.)");

  /** What the help says. */
  static final List<String> METHODS = List.of(MethodList.recommended());

  private final ExperimentSettings settings = new ExperimentSettings();
  private final SettingsOptions options;
  private final SettingsOptions headOptions;
  private List<String> methods;
  private List<String> tries;

  /** Adds the options to a command. */
  ExperimentOptions(CommandSpec spec) {
    options = new SettingsOptions(spec);
    headOptions = new SettingsOptions(spec);
    MethodList.addTo(spec);
    addRuns();
    addTraining(options, settings.training);
    addCluster(settings.cluster);
    addHead(headOptions, settings.head);
  }

  /**
   * What was parsed.
   *
   * @throws UserException if a value cannot be
   */
  ExperimentSettings settings() {
    options.assign();
    headOptions.assign();
    if (!options.given().contains(EPOCHS_WHOLE)) {
      settings.training.wholeEpochs = wholeEpochs(settings, settings.training);
    }
    settings.methods = methods.stream().flatMap(ExperimentOptions::methods).distinct().toList();
    boolean isUsual = !options.given().contains(EPOCHS_WHOLE);
    settings.tries = tries.stream().map(text -> candidate(settings, text, isUsual)).toList();
    List<HeadSettings> heads = settings.candidates().stream().map(Candidate::head).toList();
    requireEffect(headOptions, settings.methods, heads);
    requireParts("--rate", settings.training.headRates, settings.methods, heads);
    requireParts("--whole-rate", settings.training.wholeRates, settings.methods, heads);
    check(settings);
    return settings;
  }

  /** The epochs of stage two unless they are given. */
  private static int wholeEpochs(ExperimentSettings settings, TrainingSettings training) {
    boolean forwardOnly = BackboneChoice.of(settings.backbone).isForwardOnly();
    return forwardOnly ? 0 : training.preset.wholeEpochs();
  }

  private void addRuns() {
    ExperimentSettings s = settings;
    List<String> usual = List.of(Method.SPD.key());
    options.addNames("--method --methods METHOD", METHODS, usual, x -> methods = x);
    options.addName("--backbone NAME", BackboneChoice.names(), s.backbone, x -> s.backbone = x);
    options.addOptional("--cut LAYER", String.class, x -> s.cut = x);
    options.addOptional("--pixels FORMAT", String.class, x -> s.pixels = pixels(x));
    options.addSize("--size PIXELS", x -> s.size = x);
    options.addList(
        "--seed --seeds N",
        Long.class,
        s.seeds,
        x -> s.seeds = x.stream().map(SettingsOptions::seed).toList());
    options.addList("--partitions N", Integer.class, s.partitions, x -> s.partitions = x);
    options.addList("--splits N", Long.class, s.splits, x -> s.splits = x);
    options.add("--validation SHARE", s.validation, x -> s.validation = x);
    options.addOptional("--training-views VIEWS", Views.class, x -> s.trainingViews = x);
    options.addOptional("--test-views VIEWS", Views.class, x -> s.testViews = x);
    options.addTexts("--try OPTIONS", x -> tries = x);
    options.addAtLeast(2, "--folds N", s.folds, x -> s.folds = x);
    options.add("--engine NAME", s.engine, x -> s.engine = x);
    options.add("-o --out FOLDER", s.out, x -> s.out = x);
    options.add("--drop-models", false, x -> s.dropModels = x);
  }

  private static void addTraining(SettingsOptions options, TrainingSettings s) {
    options.add("--plan PLAN", s.preset, x -> s.preset = x);
    options.addOptional("--optimizer NAME", Optimizer.class, x -> s.optimizer = x);
    options.addOptional("--classifier HOW", ClassifierTraining.class, x -> s.classifier = x);
    options.addAtLeast(0, "--epochs-head N", s.headEpochs, x -> s.headEpochs = x);
    options.addAtLeast(0, "--epochs-whole N", s.wholeEpochs, x -> s.wholeEpochs = x);
    options.addAtLeast(1, "--batch N", s.batch, x -> s.batch = x);
    options.add("--balance", false, x -> s.balance = x);
    options.addRates("--rate PART=RATE", LayerGroup.class, s.headRates);
    options.addRates("--whole-rate PART=RATE", LayerGroup.class, s.wholeRates);
    options.addAtLeast(0.0, "--weight-decay X", s.weightDecay, x -> s.weightDecay = x);
    options.add("--precision NAME", s.precision, x -> s.precision = x);
  }

  private void addCluster(ClusterSettings s) {
    options.addOptional("--spark MASTER", String.class, x -> s.master = x);
    options.addOptional("--spark-folder PATH", String.class, x -> s.folder = x);
    options.addOpen("--spark-workers N", x -> s.workers = x);
    options.addAtLeast(1, "--average-every N", s.averageEvery, x -> s.averageEvery = x);
  }

  private static void addHead(SettingsOptions options, HeadSettings s) {
    options.addOpen("--transform N", x -> s.transform = x);
    options.addPositive("--scale X", s.scale, x -> s.scale = x);
    options.addPositive("--bandwidth X", s.bandwidth, x -> s.bandwidth = x);
    options.add("--differentiate-bandwidth", false, x -> s.differentiateBandwidth = x);
    options.add("--learn-bandwidth", false, x -> s.learnBandwidth = x);
    options.add("--kernel KERNEL", s.kernel, x -> s.kernel = x);
    options.addPositive("--power-floor X", s.powerFloor, x -> s.powerFloor = x);
    options.addPositive("--exponent X", s.exponent, x -> s.exponent = x);
    options.addAtLeast(1, "--components N", s.components, x -> s.components = x);
    options.addAtLeast(1, "--dimensions N", s.dimensions, x -> s.dimensions = x);
    options.addAtLeast(1, "--sketch N", s.sketch, x -> s.sketch = x);
    options.add("--random-start", false, x -> s.randomStart = x);
  }

  /**
   * How colours become numbers.
   *
   * @param text a name, or such as rgb,0-1,mean=0.5/0.5/0.5,dev=0.2/0.2/0.2; or null
   * @throws UserException if it is neither
   */
  static PixelFormat pixels(String text) {
    if (text == null) {
      return null;
    }
    String three = "=([^/,]+)/([^/,]+)/([^/,]+)";
    String line =
        PIXELS
            .getOrDefault(text.toLowerCase(Locale.ROOT), text)
            .replaceAll("\\b0-(1|255)\\b", "0 to $1")
            .replaceAll("mean" + three, "minus ($1,$2,$3)")
            .replaceAll("dev" + three, "divided by ($1,$2,$3)");
    try {
      return PixelFormat.valueOf(line);
    } catch (IllegalArgumentException e) {
      throw new UserException(
          ("--pixels needs one of %s, or such as"
                  + " rgb,0-1,mean=0.485/0.456/0.406,dev=0.229/0.224/0.225; got %s%s")
              .formatted(
                  String.join(", ", PIXELS.keySet()), text, Suggestion.of(text, PIXELS.keySet())),
          e);
    }
  }

  /** A method by its name, or all. */
  static Stream<Method> methods(String key) {
    return key.equals(ALL) ? Stream.of(Method.values()) : Stream.of(method("all or some of", key));
  }

  /**
   * A method by its name.
   *
   * @param expected what a message says before the names that there are
   * @throws UserException if there is none
   */
  static Method method(String expected, String key) {
    List<String> keys = Method.keys();
    String message =
        "--method needs %s %s, got %s%s"
            .formatted(expected, String.join(", ", keys), key, Suggestion.of(key, keys));
    return Method.find(key).orElseThrow(() -> new UserException(message));
  }

  /**
   * What is set, with other values for some options of head and training.
   *
   * @param settings what is set
   * @param text options with their values, with or without dashes: "scale 3 rate transform=0.01"
   * @param isUsual whether the epochs of stage two follow from the plan
   * @throws UserException if there is no such option, or it needs another value
   */
  private static Candidate candidate(ExperimentSettings settings, String text, boolean isUsual) {
    HeadSettings head = settings.head.copy();
    TrainingSettings training = settings.training.copy();
    CommandSpec spec = CommandSpec.create();
    SettingsOptions headOptions = new SettingsOptions(spec);
    SettingsOptions options = new SettingsOptions(spec);
    addHead(headOptions, head);
    addTraining(options, training);
    String[] words = text.trim().split("\\s+");
    for (int i = 0; i < words.length; i++) {
      words[i] = spec.findOption(DASHES + words[i]) == null ? words[i] : DASHES + words[i];
    }
    try {
      new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(words);
    } catch (ParameterException e) {
      throw new UserException(
          "--try needs options of heads and training with their values, got '%s': %s"
              .formatted(text, e.getMessage()),
          e);
    }
    headOptions.assign();
    options.assign();
    if (isUsual && !options.given().contains(EPOCHS_WHOLE)) {
      training.wholeEpochs = wholeEpochs(settings, training);
    }
    requireEffect(headOptions, settings.methods, List.of(head));
    requireParts("--rate", training.headRates, settings.methods, List.of(head));
    requireParts("--whole-rate", training.wholeRates, settings.methods, List.of(head));
    return new Candidate(text, head, training);
  }

  /** Refuses an option of heads that changes none of the methods' heads. */
  private static void requireEffect(
      SettingsOptions options, List<Method> methods, List<HeadSettings> heads) {
    for (String option : options.given()) {
      if (heads.stream().anyMatch(head -> !asking(option, methods, head).isEmpty())) {
        continue;
      }
      require(
          asking(option, methods, new HeadSettings()).isEmpty(),
          "--%s does nothing with --kernel=%s: leave one of them out"
              .formatted(option, heads.get(0).kernel.name().toLowerCase(Locale.ROOT)));
      List<Method> others = asking(option, List.of(Method.values()), new HeadSettings());
      throw new UserException(
          "--%s does nothing for %s: leave it out, or take a method such as %s"
              .formatted(option, keys(methods), keys(others)));
    }
  }

  /** Refuses a learning rate of a part that no network has. */
  private static void requireParts(
      String option,
      Map<LayerGroup, Double> rates,
      List<Method> methods,
      List<HeadSettings> heads) {
    Predicate<LayerGroup> isThere =
        part -> heads.stream().anyMatch(head -> methods.stream().anyMatch(m -> m.has(part, head)));
    for (LayerGroup part : rates.keySet()) {
      require(
          isThere.test(part),
          "%s %s=... does nothing for %s: leave it out, or take one of %s"
              .formatted(
                  option,
                  name(part),
                  keys(methods),
                  Stream.of(LayerGroup.values())
                      .filter(isThere)
                      .map(ExperimentOptions::name)
                      .collect(Collectors.joining(", "))));
    }
  }

  private static String name(LayerGroup part) {
    return part.name().toLowerCase(Locale.ROOT);
  }

  /** The methods whose heads depend on an option. */
  private static List<Method> asking(String option, List<Method> methods, HeadSettings head) {
    Matcher hyphens = HYPHEN.matcher(option);
    String field = hyphens.replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    return methods.stream().filter(method -> method.asksFor(field, head)).toList();
  }

  private static String keys(List<Method> methods) {
    return methods.stream().map(Method::key).collect(Collectors.joining(", "));
  }

  /** Refuses what does not go together. */
  private static void check(ExperimentSettings s) {
    require(
        s.validation >= 0 && s.validation < 1,
        "--validation needs a share from 0 to less than 1, got " + s.validation);
    require(
        s.testViews == null || !s.testViews.isRandom(),
        "--test-views needs views without chance, such as five_crops, got fifteen_crops");
    require(
        s.tries.isEmpty() || s.cluster.master == null,
        "--try needs this machine alone, without --spark, got " + s.cluster.master);
    require(
        s.engine != Engine.ONNXRUNTIME || s.cluster.master == null,
        "--engine needs dl4j with --spark, whose machines compute the features, got onnxruntime");
    for (Candidate candidate : s.candidates()) {
      TrainingSettings training = candidate.training();
      require(
          training.headEpochs + training.wholeEpochs > 0
              || training.preset == TrainingSettings.Preset.RECOMMENDED,
          "--epochs-head and --epochs-whole need at least one epoch in all, got 0");
    }
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new UserException(message);
    }
  }
}
