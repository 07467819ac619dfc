/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * A backbone in memory, and where to cut it.
 *
 * @param title the name to report it by, such as GoogLeNet
 * @param net the network, not to be changed
 * @param cut the last vertex that is kept
 * @param maps the number of feature maps at the cut
 * @param pixels how the colours of an image become the numbers that it takes; null if it takes no
 *     colours
 */
public record LoadedBackbone(
    String title, ComputationGraph net, String cut, int maps, PixelFormat pixels) {

  private static final long FINGERPRINT_PART = 1_000_000;

  private static final int COLOURS = 3;

  /**
   * A backbone whose feature maps are counted.
   *
   * @param title the name to report it by
   * @param net the network
   * @param cut the last vertex that is kept
   * @param pixels how the colours of an image become the numbers that it takes, or null
   */
  public LoadedBackbone(String title, ComputationGraph net, String cut, PixelFormat pixels) {
    this(title, net, cut, SpdGraft.onto(net).after(cut).featureMaps(), pixels);
  }

  /** The same backbone, which takes other numbers for colours. */
  LoadedBackbone with(PixelFormat other) {
    return new LoadedBackbone(title, net, cut, maps, other);
  }

  /**
   * A copy of the backbone with the head of a method.
   *
   * @param method the method
   * @param head how its head is made
   * @param images the images that the network is to take
   * @param classes the number of classes
   * @param seed the seed of the head's parameters
   * @return a network to train
   * @throws UserException if there is none with these settings
   */
  public ComputationGraph graft(
      Method method, HeadSettings head, InputType images, int classes, long seed) {
    try {
      ComputationGraph grafted =
          SpdGraft.onto(net)
              .after(cut)
              .inputType(images)
              .head(recipe(method, head).head())
              .classes(classes)
              .seed(seed)
              .build();
      Acceleration.applyTo(grafted);
      return grafted;
    } catch (IllegalArgumentException e) { // such as images that are too small
      throw new UserException("no network can be made so: " + e.getMessage(), e);
    }
  }

  /** The head of a method on this backbone. */
  Recipe recipe(Method method, HeadSettings head) {
    return method.recipe(head, maps, hasFullyConnected());
  }

  /**
   * Tells backbones with other weights apart. In DOUBLE, a part at a time: sums of so many numbers
   * in FLOAT differ from machine to machine.
   */
  String fingerprint() {
    if (net.numParams() == 0) { // then its settings tell
      return Stream.of(net.getLayers())
          .map(layer -> layer.conf().getLayer().toString())
          .collect(Collectors.joining(", "));
    }
    INDArray all = net.params().reshape(net.numParams());
    double squares = 0;
    for (long from = 0; from < all.length(); from += FINGERPRINT_PART) {
      long to = Math.min(all.length(), from + FINGERPRINT_PART);
      INDArray part = all.get(NDArrayIndex.interval(from, to)).castTo(DataType.DOUBLE);
      squares += Math.pow(part.norm2Number().doubleValue(), 2);
    }
    return String.format(Locale.ROOT, "%d %.5e", all.length(), Math.sqrt(squares));
  }

  /**
   * Whether it has pretrained fully connected layers between cut and classifier, as VGG-16 has.
   * ResNet-50 has none but its classifier.
   */
  boolean hasFullyConnected() {
    return SpdGraft.onto(net).after(cut).hasFullyConnected();
  }

  /** The images that the network is to take. */
  static InputType images(int size) {
    return InputType.convolutional(size, size, COLOURS);
  }
}
