/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageContents;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.images.Pixels.Oddity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is wrong with a folder of pictures, before anybody trains with it: files that cannot be
 * read, pictures that are there twice, very small ones, unusual colours, unequal classes.
 *
 * @param images how many pictures there are
 * @param classes how many classes
 * @param findings what was found, the worst first
 */
public record FolderCheck(int images, int classes, List<Finding> findings) {

  /** Pixels of the shorter side; a network sees such a picture blurred. */
  private static final int TINY = 64;

  /** A class of which so much is grey, or is not, can be told by that. */
  private static final double MOSTLY = 0.8;

  /** What may be found, the worst first. */
  public enum Kind {
    /** A file that is no sound picture. */
    UNREADABLE("cannot be read", true),
    /** The same file in two classes. */
    SAME_IN_CLASSES("the same picture in two classes: one label is wrong", true),
    /** Nearly the same picture in two classes. */
    ALIKE_IN_CLASSES("nearly the same picture in two classes: one label may be wrong", true),
    /** The same file, or nearly, to train on and to test with. */
    TRAIN_AND_TEST("a picture of the test also trains: the accuracy is too high", true),
    /** The same file twice in a class. */
    SAME("the same picture twice in a class: delete one", false),
    /** Nearly the same picture twice in a class. */
    ALIKE(
        "nearly the same picture twice in a class: a random split may test what it learnt", false),
    /** A small picture. */
    TINY_PICTURE("smaller than " + TINY + " pixels", false),
    /** Colours for a printer. */
    INKS("inks (CMYK), whose colours are guessed here: save as RGB", false),
    /** Transparent parts. */
    TRANSPARENT(
        "partly transparent, and what is hidden is seen: save on a plain background", false),
    /** More bits than are used. */
    DEEP("16 bits a colour, of which the upper 8 count: stretch what looks dark, save as 8", false),
    /** A picture without colours in a class that mostly has some. */
    GREY_PICTURE("grey among coloured pictures: leave it out, unless you will ask for such", false),
    /** Colour tells the class. */
    COLOUR(
        "grey pictures in some classes, coloured ones in others: the model may learn that", false),
    /** Classes of different size. */
    UNEQUAL("unequal classes: train with --balance, or take more pictures of the smallest", false);

    private final String words;
    private final boolean isError;

    Kind(String words, boolean isError) {
      this.words = words;
      this.isError = isError;
    }

    /**
     * What it is, and what to do.
     *
     * @return a few words
     */
    public String words() {
      return words;
    }

    /**
     * Whether a model will be wrong for it.
     *
     * @return false for what may be meant so
     */
    public boolean isError() {
      return isError;
    }
  }

  /**
   * Something that was found.
   *
   * @param kind what
   * @param place the picture or class
   * @param detail the other picture, or a reason
   */
  public record Finding(Kind kind, String place, String detail) {}

  /**
   * Checks a folder.
   *
   * @param kind how it is laid out
   * @param set its pictures
   * @param progress is told after each picture how many are read; by several threads, one at a time
   * @return what was found
   */
  public static FolderCheck of(DataSetKind kind, ImageDataSet set, IntConsumer progress) {
    int[] done = new int[1];
    List<Optional<PictureSketch>> sketches =
        set.images().parallelStream()
            .map(
                file -> {
                  Optional<PictureSketch> sketch = sketch(file);
                  synchronized (done) {
                    progress.accept(++done[0]);
                  }
                  return sketch;
                })
            .toList();
    List<Finding> findings = new ArrayList<>();
    List<ImageFile> sound = new ArrayList<>();
    List<PictureSketch> seen = new ArrayList<>();
    for (int i = 0; i < sketches.size(); i++) {
      ImageFile file = set.images().get(i);
      if (sketches.get(i).isEmpty()) {
        findings.add(new Finding(Kind.UNREADABLE, file.name(), ""));
        continue;
      }
      PictureSketch sketch = sketches.get(i).get();
      sound.add(file);
      seen.add(sketch);
      if (Math.min(sketch.width(), sketch.height()) < TINY) {
        findings.add(
            new Finding(Kind.TINY_PICTURE, file.name(), sketch.width() + "×" + sketch.height()));
      }
      for (Oddity oddity : sketch.oddities()) {
        findings.add(new Finding(Kind.valueOf(oddity.name()), file.name(), ""));
      }
    }
    ImageDataSet readable = new ImageDataSet(set.name(), set.root(), set.classes(), sound);
    addTwins(kind, readable, seen, findings);
    addColours(readable, seen, findings);
    addUnequal(readable, findings);
    findings.sort(Comparator.comparing(Finding::kind));
    return new FolderCheck(set.images().size(), set.classes().size(), List.copyOf(findings));
  }

  private static Optional<PictureSketch> sketch(ImageFile file) {
    try {
      return Optional.of(PictureSketch.of(file.path()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static void addTwins(
      DataSetKind kind, ImageDataSet set, List<PictureSketch> seen, List<Finding> findings) {
    List<ImageFile> files = set.images();
    ImageContents contents = ImageContents.of(files);
    Set<ImageFile> test = fixedTest(kind, set);
    Set<List<Object>> named = new HashSet<>();
    for (int[] pair : PictureSketch.alike(seen)) {
      ImageFile first = files.get(pair[0]);
      ImageFile second = files.get(pair[1]);
      boolean same = contents.of(first).equals(contents.of(second));
      boolean inClasses = first.label() != second.label();
      boolean inBoth = test.contains(first) != test.contains(second);
      Kind what =
          inClasses
              ? same ? Kind.SAME_IN_CLASSES : Kind.ALIKE_IN_CLASSES
              : inBoth ? Kind.TRAIN_AND_TEST : same ? Kind.SAME : Kind.ALIKE;
      if (named.add(List.of(what, second))) { // of many copies each once
        findings.add(new Finding(what, first.name(), second.name()));
      }
    }
  }

  /** The test images, where the folders say which these are. */
  private static Set<ImageFile> fixedTest(ImageDataSet set, DataSetKind kind, long split) {
    List<Partition> partitions = kind.partitions(set, split, 0);
    return new HashSet<>(partitions.get(0).test());
  }

  private static Set<ImageFile> fixedTest(DataSetKind kind, ImageDataSet set) {
    Set<ImageFile> test = fixedTest(set, kind, 1);
    return test.equals(fixedTest(set, kind, 2)) ? test : Set.of();
  }

  private static void addColours(
      ImageDataSet set, List<PictureSketch> seen, List<Finding> findings) {
    double[] grey = new double[set.classes().size()];
    int[] all = new int[grey.length];
    for (int i = 0; i < seen.size(); i++) {
      int label = set.images().get(i).label();
      grey[label] += seen.get(i).isGrey() ? 1 : 0;
      all[label]++;
    }
    boolean someColour =
        IntStream.range(0, grey.length).anyMatch(k -> grey[k] < (1 - MOSTLY) * all[k]);
    IntStream.range(0, grey.length)
        .filter(k -> someColour && all[k] > 0 && grey[k] > MOSTLY * all[k])
        .forEach(
            k ->
                findings.add(
                    new Finding(
                        Kind.COLOUR,
                        set.classes().get(k),
                        "%.0f of %d pictures are grey".formatted(grey[k], all[k]))));
    for (int i = 0; i < seen.size(); i++) {
      ImageFile file = set.images().get(i);
      if (seen.get(i).isGrey() && grey[file.label()] < (1 - MOSTLY) * all[file.label()]) {
        findings.add(new Finding(Kind.GREY_PICTURE, file.name(), ""));
      }
    }
  }

  private static void addUnequal(ImageDataSet set, List<Finding> findings) {
    Map<Integer, Integer> sizes =
        new HashMap<>(
            set.images().stream()
                .collect(Collectors.toMap(ImageFile::label, image -> 1, Integer::sum)));
    Warnings.unequal(sizes, set.classes())
        .ifPresent(line -> findings.add(new Finding(Kind.UNEQUAL, set.name(), line)));
  }

  /**
   * Whether something must be put right.
   *
   * @return true if a model will be wrong for something that was found
   */
  public boolean hasErrors() {
    return findings.stream().anyMatch(finding -> finding.kind.isError);
  }
}
