/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.util.List;

/**
 * One way to divide a data set into images to train, to validate and to test on. No image is in two
 * parts, and each part is in the order of the data set.
 *
 * @param name what tells it from the others of its data set, such as "seed 1" or "sample_a"
 * @param classes the classes of the data set, whether or not each part has images of all
 * @param training the images to train on, without those for validation
 * @param validation the images to watch the training with, cut from those to train on; maybe none
 * @param test the images to test on
 */
public record Partition(
    String name,
    List<String> classes,
    List<ImageFile> training,
    List<ImageFile> validation,
    List<ImageFile> test) {}
