/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * CUB-200-2011: lists that number the classes and the images, and say of each image which class it
 * has and whether it is one to train on. Class numbers start at 0 here.
 */
final class CubLists implements DataSetFormat {

  private static final String CLASSES = "classes.txt";
  private static final String IMAGES = "images.txt";
  private static final String LABELS = "image_class_labels.txt";
  private static final String SPLIT = "train_test_split.txt";
  private static final String FOLDER = "images";

  @Override
  public String expects() {
    return "a folder 'images' and the lists " + String.join(", ", CLASSES, IMAGES, LABELS, SPLIT);
  }

  @Override
  public boolean fits(Path root) {
    return Files.isDirectory(root.resolve(FOLDER))
        && Stream.of(CLASSES, IMAGES, LABELS, SPLIT).anyMatch(f -> Files.exists(root.resolve(f)));
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    List<String> classes = new ArrayList<>();
    Map<String, ListFile.Line> known = new HashMap<>();
    Map<String, ListFile.Line> named = new HashMap<>();
    for (ListFile.Line line : new ListFile(root.resolve(CLASSES)).lines()) {
      line.requireFirst(line.part(0), known);
      line.requireFirst(line.part(1), named);
      numbers.put(line.part(0), numbers.size());
      classes.add(line.part(1));
    }
    training(root); // a list that is missing or wrong fails here, not later
    return new ImageDataSet(title, root, classes, images(root, numbers));
  }

  private static List<ImageFile> images(Path root, Map<String, Integer> numbers) {
    ListFile labels = new ListFile(root.resolve(LABELS));
    List<ImageFile> images = new ArrayList<>();
    Map<String, ListFile.Line> known = new HashMap<>();
    Map<String, ListFile.Line> named = new HashMap<>();
    for (ListFile.Line line : new ListFile(root.resolve(IMAGES)).lines()) {
      line.requireFirst(line.part(0), known);
      line.requireFirst(line.part(1), named);
      Integer label = numbers.get(labels.value(line));
      if (label == null) {
        throw line.wrong("a class of " + CLASSES + ", and " + labels.value(line) + " is none");
      }
      images.add(new ImageFile(line.file(root.resolve(FOLDER), line.part(1)), name(line), label));
    }
    return images;
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    Set<String> training = training(splitter.set().root());
    return List.of(splitter.split("official", image -> training.contains(image.name())));
  }

  private static Set<String> training(Path root) {
    ListFile split = new ListFile(root.resolve(SPLIT));
    Set<String> names = new HashSet<>();
    for (ListFile.Line line : new ListFile(root.resolve(IMAGES)).lines()) {
      switch (split.value(line)) {
        case "0" -> {}
        case "1" -> names.add(name(line));
        default -> throw split.line(line).wrong("1 for an image to train on, 0 for one to test on");
      }
    }
    if (names.isEmpty()) {
      throw new DataSetException(
          root.resolve(SPLIT) + ": expected 1 for the images to train on, got 0 for all of them");
    }
    return names;
  }

  private static String name(ListFile.Line line) {
    return FOLDER + "/" + line.part(1);
  }
}
