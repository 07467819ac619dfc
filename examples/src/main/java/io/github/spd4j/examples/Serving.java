/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Classifies images with a model of {@link OwnImages}. The model is read once; a network of
 * Deeplearning4j is not safe for use by several threads, so that each call waits for the one
 * before.
 */
public final class Serving {

  private final ComputationGraph net;
  private final List<String> classes;
  private final int size;

  /**
   * Reads a model.
   *
   * @param model the file, with {@code classes.txt} beside it
   * @param size height and width of the images that it was trained on
   * @throws IOException if either cannot be read
   */
  public Serving(Path model, int size) throws IOException {
    net = ModelSerializer.restoreComputationGraph(model.toFile(), false);
    classes = Files.readAllLines(model.resolveSibling("classes.txt"));
    this.size = size;
  }

  /**
   * Prints the probabilities of the classes for each image.
   *
   * @param args the file of a model and files of images
   * @throws IOException if one of them cannot be read
   */
  public static void main(String[] args) throws IOException {
    Serving serving = new Serving(Path.of(args[0]), OwnImages.SIZE);
    for (int i = 1; i < args.length; i++) {
      System.out.println(args[i] + ": " + serving.run(Path.of(args[i])));
    }
  }

  /**
   * Classifies an image.
   *
   * @param image an image file
   * @return the probability of each class
   * @throws IOException if it is no image
   */
  public synchronized Map<String, Double> run(Path image) throws IOException {
    Pixels pixels = Pixels.read(image).resize(size, size); // as OwnImages has read its images
    INDArray probabilities = net.outputSingle(PixelFormat.CAFFE.array(pixels));
    Map<String, Double> byClass = new LinkedHashMap<>();
    for (int k = 0; k < classes.size(); k++) {
      byClass.put(classes.get(k), probabilities.getDouble(0, k));
    }
    return byClass;
  }
}
