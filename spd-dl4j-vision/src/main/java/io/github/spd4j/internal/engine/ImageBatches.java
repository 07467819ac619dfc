/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.train.images.LabelledImages;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Images, variants or features of images as inputs of a network, in batches. */
public final class ImageBatches {

  private final LabelledImages images;
  private final DataType type;
  private final int batchSize;
  private Function<int[], INDArray> features;
  private boolean variants;
  private long[] imageShape;

  private ImageBatches(LabelledImages images, DataType type, int batchSize) {
    this.images = images;
    this.type = type;
    this.batchSize = batchSize;
  }

  /**
   * Images as they are.
   *
   * @param images the images; null for none
   * @param net the network whose inputs they are
   * @param batchSize images of a batch
   * @return the batches
   */
  public static ImageBatches ofImages(LabelledImages images, ComputationGraph net, int batchSize) {
    return new ImageBatches(images, net.getConfiguration().getDataType(), batchSize);
  }

  /**
   * Variants of images.
   *
   * @param images the images
   * @param net the network whose inputs they are
   * @param batchSize images of a batch
   * @return the batches
   */
  public static ImageBatches ofVariants(
      LabelledImages images, ComputationGraph net, int batchSize) {
    ImageBatches batches = ofImages(images, net, batchSize);
    batches.variants = true;
    return batches;
  }

  /**
   * Features of images.
   *
   * @param features gives the features of some images
   * @param images the images, which are not read
   * @param net the network whose inputs they are
   * @param batchSize images of a batch
   * @return the batches
   */
  public static ImageBatches ofFeatures(
      Function<int[], INDArray> features,
      LabelledImages images,
      ComputationGraph net,
      int batchSize) {
    ImageBatches batches = ofImages(images, net, batchSize);
    batches.features = features;
    return batches;
  }

  boolean areFeatures() {
    return features != null;
  }

  LabelledImages source() {
    return images;
  }

  int batchSize() {
    return batchSize;
  }

  /**
   * How many images there are.
   *
   * @return the number of images
   */
  public int size() {
    return images == null ? 0 : images.size();
  }

  /**
   * How many classes there are.
   *
   * @return the number of classes
   */
  public int classes() {
    return images.classes();
  }

  /**
   * All images in their order.
   *
   * @return numbers of images, for each batch
   */
  public List<int[]> inOrder() {
    return split(IntStream.range(0, size()).toArray());
  }

  /**
   * Some images in batches.
   *
   * @param order numbers of images
   * @return the same numbers, for each batch
   */
  public List<int[]> split(int... order) {
    List<int[]> batches = new ArrayList<>();
    for (int start = 0; start < order.length; start += batchSize) {
      batches.add(Arrays.copyOfRange(order, start, Math.min(order.length, start + batchSize)));
    }
    return batches;
  }

  /**
   * The inputs of a network.
   *
   * @param indices numbers of images
   * @param seed the seed of the epoch, which only variants depend on
   * @return [indices, …]
   */
  public INDArray inputs(int[] indices, long seed) {
    return variants
        ? stacked(indices, i -> images.variant(i, Seeds.ofImage(seed, i)))
        : unvaried(indices);
  }

  /**
   * The inputs of a network without variation.
   *
   * @param indices numbers of images
   * @return features, or the images themselves
   */
  public INDArray unvaried(int... indices) {
    if (variants) {
      return new ImageBatches(images, type, batchSize).unvaried(indices);
    }
    return features == null
        ? stacked(indices, images::image)
        : features.apply(indices).castTo(type);
  }

  /**
   * Inputs without variation, batch after batch. The next batch is read while one is used.
   *
   * @param batches numbers of images, for each batch
   * @return to be closed after use
   */
  public ReadAhead<INDArray> ahead(List<int[]> batches) {
    return ReadAhead.of(batches, this::unvaried);
  }

  /**
   * The same with classes.
   *
   * @param batches numbers of images, for each batch
   * @return to be closed after use
   */
  public ReadAhead<LabelledBatch> labelledAhead(List<int[]> batches) {
    return labelledAhead(batches, this::unvaried);
  }

  /** The same with the variation that an epoch has. */
  ReadAhead<LabelledBatch> labelledAhead(List<int[]> batches, long seed) {
    return labelledAhead(batches, indices -> inputs(indices, seed));
  }

  /** Classes too are read ahead: images that are not concurrent are used by one thread alone. */
  private ReadAhead<LabelledBatch> labelledAhead(
      List<int[]> batches, Function<int[], INDArray> read) {
    return ReadAhead.of(
        batches, indices -> new LabelledBatch(read.apply(indices), labels(indices)));
  }

  private INDArray stacked(int[] indices, IntFunction<INDArray> read) {
    INDArray[] stack = read(indices, read);
    for (int i = 0; i < indices.length; i++) {
      String name = images.name(indices[i]);
      checked(stack[i], name);
      imageShape = imageShape == null ? stack[i].shape() : imageShape;
      if (!Arrays.equals(stack[i].shape(), imageShape)) {
        throw new IllegalArgumentException(
            String.format(
                "expected images of one size, got '%s' of shape %s after others of shape %s",
                name, Arrays.toString(stack[i].shape()), Arrays.toString(imageShape)));
      }
    }
    return Nd4j.concat(0, stack).castTo(type);
  }

  /** By several threads where the images allow it. What fails first in their order is thrown. */
  private INDArray[] read(int[] indices, IntFunction<INDArray> read) {
    if (!images.isConcurrent()) {
      return Arrays.stream(indices).mapToObj(read).toArray(INDArray[]::new);
    }
    INDArray[] stack = new INDArray[indices.length];
    Throwable[] failures = new Throwable[indices.length];
    IntStream.range(0, indices.length)
        .parallel()
        .forEach(
            i -> {
              try {
                stack[i] = read.apply(indices[i]);
              } catch (RuntimeException | Error e) { // a stream would throw a copy of it
                failures[i] = e;
              }
            });
    Arrays.stream(failures).filter(Objects::nonNull).findFirst().ifPresent(ExceptionUtils::rethrow);
    return stack;
  }

  /**
   * The classes of images.
   *
   * @param indices numbers of images
   * @return numbers of classes
   */
  public int[] labels(int... indices) {
    return Arrays.stream(indices).map(images::label).toArray();
  }

  /**
   * The pictures that images are views of.
   *
   * @param indices numbers of images
   * @return numbers of pictures
   */
  public int[] pictures(int... indices) {
    return Arrays.stream(indices).map(images::picture).toArray();
  }

  /**
   * The classes of images as one-hot rows.
   *
   * @param indices numbers of images
   * @return [indices, classes]
   */
  public INDArray oneHot(int... indices) {
    return oneHot(images, type, indices);
  }

  INDArray oneHot(LabelledBatch batch) {
    return oneHot(type, classes(), batch.labels());
  }

  /**
   * The classes of images as one-hot rows.
   *
   * @param images the images
   * @param type the type of the rows
   * @param indices numbers of images
   * @return [indices, classes]
   */
  public static INDArray oneHot(LabelledImages images, DataType type, int... indices) {
    int[] labels = Arrays.stream(indices).map(images::label).toArray();
    return oneHot(type, images.classes(), labels);
  }

  private static INDArray oneHot(DataType type, int classes, int... labels) {
    float[][] rows = new float[labels.length][classes];
    for (int i = 0; i < labels.length; i++) {
      rows[i][labels[i]] = 1;
    }
    return Nd4j.createFromArray(rows).castTo(type);
  }

  /**
   * The shape of the images of a set.
   *
   * @param images at least one image
   * @return [1, channels, height, width]
   */
  public static long[] imageShape(LabelledImages images) {
    return checked(images.image(0), images.name(0)).shape();
  }

  private static INDArray checked(INDArray image, String name) {
    if (image == null || image.rank() != 4 || image.size(0) != 1) {
      throw new IllegalArgumentException(
          String.format(
              "expected images of shape [1, channels, height, width], got '%s' of shape %s",
              name, image == null ? "null" : Arrays.toString(image.shape())));
    }
    return image;
  }
}
