/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * FGVC-Aircraft by variant: {@code data/variants.txt} has the classes, {@code
 * data/images_variant_trainval.txt} and {@code …_test.txt} name the images with their classes. The
 * lists of the train and val parts are not needed: together they are trainval.
 *
 * <p>The lowest 20 rows of every image are a banner with the copyright notice. The data set's
 * authors ask to remove them before images are used, so they are cut off.
 */
final class AircraftLists implements DataSetFormat {

  private static final int BANNER = 20;
  private static final String FOLDER = "data/images";
  private static final String CLASSES = "data/variants.txt";
  private static final String TRAINING = "data/images_variant_trainval.txt";
  private static final String TEST = "data/images_variant_test.txt";

  @Override
  public String expects() {
    return "a folder '" + FOLDER + "' and the lists " + String.join(", ", CLASSES, TRAINING, TEST);
  }

  @Override
  public boolean fits(Path root) {
    return Files.isDirectory(root.resolve(FOLDER));
  }

  @Override
  public ImageDataSet read(String title, Path root) {
    Map<String, ListFile.Line> variants = new LinkedHashMap<>();
    new ListFile(root.resolve(CLASSES))
        .lines()
        .forEach(line -> line.requireFirst(line.text(), variants));
    List<String> classes = List.copyOf(variants.keySet());
    List<ImageFile> images = new ArrayList<>();
    Map<String, ListFile.Line> known = new HashMap<>();
    for (String list : List.of(TRAINING, TEST)) {
      for (ListFile.Line line : new ListFile(root.resolve(list)).lines()) {
        line.requireFirst(line.part(0), known);
        images.add(image(root, line, classes));
      }
    }
    return new ImageDataSet(title, root, classes, images);
  }

  private static ImageFile image(Path root, ListFile.Line line, List<String> classes) {
    int label = classes.indexOf(line.part(1));
    if (label < 0) {
      throw line.wrong("a class of " + CLASSES);
    }
    Path file = line.file(root.resolve(FOLDER), line.part(0) + ".jpg");
    return new ImageFile(file, name(line), label, BANNER);
  }

  @Override
  public List<Partition> partitions(Splitter splitter) {
    Set<String> training = names(splitter.set().root().resolve(TRAINING));
    Set<String> test = names(splitter.set().root().resolve(TEST));
    return List.of(
        splitter.split(
            "official",
            image -> training.contains(image.name()),
            image -> test.contains(image.name())));
  }

  private static Set<String> names(Path list) {
    return new ListFile(list).lines().stream().map(AircraftLists::name).collect(Collectors.toSet());
  }

  private static String name(ListFile.Line line) {
    return FOLDER + "/" + line.part(0) + ".jpg";
  }
}
