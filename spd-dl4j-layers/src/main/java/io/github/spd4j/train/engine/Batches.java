/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import java.util.Arrays;
import java.util.function.Function;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** What a stage learns on: batches of inputs by number, and their labels. */
public final class Batches {

  private final LabelledImages images;
  private final DataType type;
  private final Function<int[], INDArray> features;
  private final boolean variants;
  private long[] imageShape;

  private Batches(
      LabelledImages images, DataType type, Function<int[], INDArray> features, boolean variants) {
    this.images = images;
    this.type = type;
    this.features = features;
    this.variants = variants;
  }

  /** Features of images as inputs. */
  public static Batches ofFeatures(
      Function<int[], INDArray> features, LabelledImages images, ComputationGraph net) {
    return new Batches(images, typeOf(net), features, false);
  }

  /** Images as inputs, as they are. */
  public static Batches ofImages(LabelledImages images, ComputationGraph net) {
    return new Batches(images, typeOf(net), null, false);
  }

  /** Variants of images as inputs. */
  public static Batches ofVariants(LabelledImages images, ComputationGraph net) {
    return new Batches(images, typeOf(net), null, true);
  }

  /** No batches at all. */
  public static Batches none(ComputationGraph net) {
    return new Batches(null, typeOf(net), null, false);
  }

  private static DataType typeOf(ComputationGraph net) {
    return net.getConfiguration().getDataType();
  }

  /** The images behind it. */
  public LabelledImages source() {
    return images;
  }

  public int size() {
    return images == null ? 0 : images.size();
  }

  public int classes() {
    return images.classes();
  }

  /** A batch; only variants depend on the seed. */
  public INDArray inputs(int[] indices, long seed) {
    if (features != null) {
      return features.apply(indices).castTo(type);
    }
    INDArray[] stack = new INDArray[indices.length];
    for (int i = 0; i < indices.length; i++) {
      stack[i] = ofOneSize(read(indices[i], seed), images.name(indices[i]));
    }
    return Nd4j.concat(0, stack).castTo(type);
  }

  /** A batch as it is, without variants. */
  public INDArray images(int[] indices) {
    return variants
        ? new Batches(images, type, null, false).inputs(indices, 0)
        : inputs(indices, 0);
  }

  private INDArray read(int index, long seed) {
    return variants
        ? checked(images.variant(index, Seeds.ofImage(seed, index)), images.name(index))
        : image(images, index);
  }

  private INDArray ofOneSize(INDArray image, String name) {
    if (imageShape == null) {
      imageShape = image.shape();
    }
    if (!Arrays.equals(image.shape(), imageShape)) {
      throw new IllegalArgumentException(
          "expected images of one size, got '"
              + name
              + "' of shape "
              + Arrays.toString(image.shape())
              + " after others of shape "
              + Arrays.toString(imageShape));
    }
    return image;
  }

  public int label(int index) {
    return images.label(index);
  }

  /** Labels as rows with a one. */
  public INDArray labels(int[] indices) {
    INDArray labels = Nd4j.zeros(type, indices.length, images.classes());
    for (int i = 0; i < indices.length; i++) {
      labels.putScalar(i, images.label(indices[i]), 1);
    }
    return labels;
  }

  /** One image, checked. */
  public static INDArray image(LabelledImages images, int index) {
    return checked(images.image(index), images.name(index));
  }

  private static INDArray checked(INDArray image, String name) {
    if (image == null || image.rank() != 4 || image.size(0) != 1) {
      throw new IllegalArgumentException(
          "expected images of shape [1, channels, height, width], got '"
              + name
              + "' of shape "
              + (image == null ? "null" : Arrays.toString(image.shape())));
    }
    return image;
  }

  /** Says what is wrong with a set of images. */
  public static void check(LabelledImages images, String what) {
    if (images == null || images.size() < 1) {
      throw new IllegalArgumentException("expected at least one " + what + " image, got none");
    }
    for (int i = 0; i < images.size(); i++) {
      int label = images.label(i);
      if (label < 0 || label >= images.classes()) {
        throw new IllegalArgumentException(
            "expected labels from 0 to "
                + (images.classes() - 1)
                + ", got "
                + label
                + " for the "
                + what
                + " image '"
                + images.name(i)
                + "'");
      }
    }
  }
}
