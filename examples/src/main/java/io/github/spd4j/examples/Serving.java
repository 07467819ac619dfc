/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.ImageClassifier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Classifies images with a model of {@link OwnImages}, or of any run of {@code ./spd}. */
public final class Serving {

  private Serving() {}

  /**
   * Prints the class of each image.
   *
   * @param args a model file, or the folder of a run, and files of images
   * @throws IOException if one of them cannot be read
   */
  public static void main(String[] args) throws IOException {
    List<Path> images = new ArrayList<>();
    for (int i = 1; i < args.length; i++) {
      images.add(Path.of(args[i]));
    }
    List<Classification> answers = run(Path.of(args[0]), images);
    for (int i = 0; i < images.size(); i++) {
      System.out.println(images.get(i) + ": " + answers.get(i));
    }
  }

  /**
   * Classifies images. A server would load the classifier once and share it among its threads.
   *
   * @param model a model file, or the folder of a run
   * @param images image files
   * @return an answer for each
   * @throws IOException if one of them cannot be read
   */
  public static List<Classification> run(Path model, List<Path> images) throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    return classifier.classify(images);
  }
}
