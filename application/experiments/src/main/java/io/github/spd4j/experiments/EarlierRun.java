/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.spd4j.datasets.ImageContents;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.internal.images.SeededRandom;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.reports.Printable;
import io.github.spd4j.train.TwoStageTrainer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A finished run that another one goes on with: images that it has seen stay what they were for, by
 * their content, and its network is what the other one begins with.
 */
public final class EarlierRun {

  /** The file that says what each image was for. */
  static final String PICTURES = "pictures.csv";

  private static final int THIRDS = 3;
  private static final String RANDOM = "seed ";

  private enum Part {
    TRAINING,
    VALIDATION,
    TEST
  }

  private final Path folder;
  private final RunResult result;
  private final List<String> classes;
  private final Map<String, Part> parts = new HashMap<>();
  private final Set<String> labelled = new HashSet<>();
  private final Map<String, Boolean> right = new HashMap<>();

  /**
   * Reads a run.
   *
   * @param folder its folder
   * @throws UserException if it is not finished, or damaged, or cannot be gone on with
   */
  public EarlierRun(Path folder) {
    this.folder = folder;
    RunFolder files = new RunFolder(folder);
    if (!Files.isRegularFile(files.file(RunResult.FILE))) {
      throw new UserException(
          folder
              + (files.hasBegun()
                  ? ": the run is not finished; run its command again first"
                  : ": expected the folder of a finished run, which has a " + RunResult.FILE));
    }
    this.result = RunResult.read(files.file(RunResult.FILE));
    for (String name : List.of(PICTURES, TwoStageTrainer.MODEL, RunFolder.PREDICTIONS)) {
      String expected = result.files().digests().get(name);
      if (expected == null || !expected.equals(RunFolder.digest(files.file(name)))) {
        throw new UserException(
            "%s: expected a run of ./spd train with its %s as it was written; train again"
                .formatted(folder, name));
      }
    }
    try {
      this.classes = ModelCard.read(files.file(TwoStageTrainer.MODEL)).classes();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + files.file(TwoStageTrainer.MODEL), e);
    }
    read(files);
  }

  private void read(RunFolder files) {
    Map<String, String> digests = new HashMap<>();
    for (CSVRecord line : lines(files.file(PICTURES))) {
      digests.put(line.get(0), line.get(3));
      labelled.add(line.get(1) + "/" + line.get(3));
      parts.merge(
          line.get(3),
          Part.valueOf(line.get(2)),
          (one, other) -> one.ordinal() > other.ordinal() ? one : other);
    }
    for (CSVRecord line : lines(files.file(RunFolder.PREDICTIONS))) {
      right.put(digests.get(line.get(0)), line.get(1).equals(line.get(2)));
    }
  }

  private static List<CSVRecord> lines(Path file) {
    try (var lines = CSVFormat.RFC4180.parse(Files.newBufferedReader(file, UTF_8))) {
      return lines.getRecords().stream().skip(1).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** What a run keeps of its images, for a later one: a line for each. */
  static String pictures(Partition partition, ImageContents contents) {
    CSVFormat format = CSVFormat.RFC4180;
    List<String> lines = new ArrayList<>(List.of(format.format("file", "class", "part", "sha256")));
    Map<Part, List<ImageFile>> images = new LinkedHashMap<>();
    images.put(Part.TRAINING, partition.training());
    images.put(Part.VALIDATION, partition.validation());
    images.put(Part.TEST, partition.test());
    images.forEach(
        (part, files) ->
            files.forEach(
                file ->
                    lines.add(
                        format.format(
                            Printable.of(file.name()),
                            Printable.of(partition.classes().get(file.label())),
                            part,
                            contents.of(file)))));
    return String.join("\n", lines) + "\n";
  }

  /**
   * The key of its method.
   *
   * @return such as spd-root
   */
  public String method() {
    return result.run().method().key();
  }

  /** Where it has kept what its backbone makes of its pictures, or null. */
  Path features() {
    Path kept = folder.resolve(PictureFeatures.FOLDER);
    return OwnFolder.find(kept).isPresent() ? kept : null;
  }

  /** Tells it from others. */
  String identity() {
    return RunFolder.digest(folder.resolve(RunResult.FILE)).substring(0, 16);
  }

  /** Refuses a run with another network. */
  void requireSame(Map<String, String> asked) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("method", "--method");
    options.put("backboneParameters", "--backbone");
    options.put("cut", "--cut");
    options.put("pixels", "--pixels");
    options.put("size", "--size");
    options.forEach(
        (name, option) -> {
          String own = result.settings().get(name);
          if (!asked.get(name).equals(own)) {
            boolean isBackbone = name.equals("backboneParameters");
            throw new UserException(
                "--continue needs the %s of %s, %s, got %s"
                    .formatted(
                        option,
                        folder,
                        isBackbone ? result.settings().get("backbone") : own,
                        isBackbone
                            ? asked.get("backbone") + " of another content"
                            : asked.get(name)));
          }
        });
  }

  /** What it has seen stays what it was for; new images are divided alone, class by class. */
  Partition divide(ImageDataSet set, ImageContents contents, Partition usual, double validation) {
    requireClasses(set);
    boolean isNew = false;
    Map<ImageFile, Part> all = new HashMap<>();
    List<List<ImageFile>> fresh = new ArrayList<>();
    set.classes().forEach(name -> fresh.add(new ArrayList<>()));
    for (ImageFile image : set.images()) {
      String name = Printable.of(set.classes().get(image.label()));
      isNew |= !labelled.contains(name + "/" + contents.of(image));
      Part known = parts.get(contents.of(image));
      if (known == null) {
        fresh.get(image.label()).add(image);
      } else {
        all.put(image, known);
      }
    }
    if (!isNew) {
      throw new UserException(
          "%s: expected new pictures, or labels, for --continue; all are those of %s"
              .formatted(set.root(), folder));
    }
    for (List<ImageFile> images : fresh) {
      Collections.shuffle(images, SeededRandom.of(result.run().seed(), "new"));
      List<ImageFile> test =
          usual.name().startsWith(RANDOM)
              ? images.subList(0, (int) Math.round((double) images.size() / THIRDS))
              : images.stream().filter(Set.copyOf(usual.test())::contains).toList();
      List<ImageFile> others = images.stream().filter(image -> !test.contains(image)).toList();
      long held = Math.round(validation * others.size());
      test.forEach(image -> all.put(image, Part.TEST));
      others.stream().limit(held).forEach(image -> all.put(image, Part.VALIDATION));
      others.stream().skip(held).forEach(image -> all.put(image, Part.TRAINING));
    }
    Partition divided =
        new Partition(
            usual.name(),
            set.classes(),
            of(Part.TRAINING, set, all),
            of(Part.VALIDATION, set, all),
            of(Part.TEST, set, all));
    requireImages(divided);
    return divided;
  }

  private static List<ImageFile> of(Part part, ImageDataSet set, Map<ImageFile, Part> all) {
    return set.images().stream().filter(image -> all.get(image) == part).toList();
  }

  private void requireClasses(ImageDataSet set) {
    List<String> gone = classes.stream().filter(name -> !set.classes().contains(name)).toList();
    if (!gone.isEmpty()) {
      throw new UserException(
          "%s: expected the classes of %s, got none called %s; put it back, or train without --continue"
              .formatted(set.root(), folder, String.join(", ", gone)));
    }
  }

  private static void requireImages(Partition divided) {
    for (int label = 0; label < divided.classes().size(); label++) {
      int own = label;
      if (divided.training().stream().noneMatch(image -> image.label() == own)) {
        throw new UserException(
            "class '%s' has no images to train on; expected 3 new ones or more"
                .formatted(divided.classes().get(label)));
      }
    }
  }

  /** Gives a network what the run's has learnt; of the classifier, what belongs to old classes. */
  void teach(ComputationGraph net, List<String> names) {
    ComputationGraph learnt;
    try {
      learnt = SafeModels.loadGraph(folder.resolve(TwoStageTrainer.MODEL));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the model of " + folder, e);
    }
    for (Layer layer : net.getLayers()) {
      String name = layer.conf().getLayer().getLayerName();
      Layer old = learnt.getLayer(name);
      layer
          .paramTable()
          .forEach(
              (key, value) -> {
                INDArray known = old.getParam(key);
                if (known.equalShapes(value)) {
                  value.assign(known);
                } else if (name.equals(SpdGraft.CLASSIFIER)) {
                  for (int k = 0; k < classes.size(); k++) {
                    copy(known, k, value, names.indexOf(classes.get(k)));
                  }
                }
              });
    }
  }

  /** Copies what belongs to a class: a column of weights, or a number of a bias. */
  private static void copy(INDArray from, int column, INDArray to, int target) {
    if (to.rank() == 1) {
      to.putScalar(target, from.getDouble(column));
    } else {
      to.getColumn(target).assign(from.getColumn(column));
    }
  }

  /** What changed for the test images that both have. */
  Changes changes(Predictions now, ImageContents contents) {
    Map<String, int[]> counts = new LinkedHashMap<>();
    int lost = 0;
    int gained = 0;
    for (int i = 0; i < now.size(); i++) {
      Boolean before = right.get(contents.of(now.file(i)));
      if (before != null) {
        int[] own = counts.computeIfAbsent(now.classes().get(now.truth(i)), name -> new int[3]);
        own[0]++;
        own[1] += before ? 1 : 0;
        own[2] += now.isRight(i) ? 1 : 0;
        lost += before && !now.isRight(i) ? 1 : 0;
        gained += !before && now.isRight(i) ? 1 : 0;
      }
    }
    return new Changes(counts, new Difference(lost, gained));
  }

  /**
   * Old test images of each class.
   *
   * @param counts for each class: how many there are, how many were right before, and are now
   * @param difference which only one has right
   */
  record Changes(Map<String, int[]> counts, Difference difference) {

    int sum(int which) {
      return counts.values().stream().mapToInt(own -> own[which]).sum();
    }

    /** A sentence without its full stop. */
    String words() {
      return sum(0) == 0
          ? "No test image is one of the earlier run's"
          : "Of %d test images of the earlier run, %d were right and %d are now: %d lost, %d gained (chance p = %s)"
              .formatted(
                  sum(0),
                  sum(1),
                  sum(2),
                  difference.first(),
                  difference.other(),
                  difference.words());
    }
  }
}
