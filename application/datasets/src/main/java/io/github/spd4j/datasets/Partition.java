/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;

/**
 * One way to divide a data set into images to train, to validate and to test on. No image is in two
 * parts.
 */
public final class Partition {

  private final String name;
  private final List<String> classes;
  private final List<ImageFile> training;
  private final List<ImageFile> validation;
  private final List<ImageFile> test;

  /**
   * A partition.
   *
   * @param name what tells it from the others of its data set, such as "seed 1" or "sample_a"
   * @param classes the classes of the data set, whether or not each part has images of all
   * @param training the images to train on
   * @param validation the images to watch the training with, maybe none
   * @param test the images to test on
   */
  public Partition(
      String name,
      List<String> classes,
      List<ImageFile> training,
      List<ImageFile> validation,
      List<ImageFile> test) {
    this.name = name;
    this.classes = List.copyOf(classes);
    this.training = List.copyOf(training);
    this.validation = List.copyOf(validation);
    this.test = List.copyOf(test);
  }

  /**
   * The name.
   *
   * @return what tells it from the others of its data set
   */
  public String name() {
    return name;
  }

  /**
   * The classes of the data set.
   *
   * @return their names; the place of each is its number
   */
  public List<String> classes() {
    return classes;
  }

  /**
   * The images to train on, without those for validation.
   *
   * @return in the order of the data set
   */
  public List<ImageFile> training() {
    return training;
  }

  /**
   * The images to watch the training with. They were cut from those to train on.
   *
   * @return in the order of the data set, maybe none
   */
  public List<ImageFile> validation() {
    return validation;
  }

  /**
   * The images to test on.
   *
   * @return in the order of the data set
   */
  public List<ImageFile> test() {
    return test;
  }
}
