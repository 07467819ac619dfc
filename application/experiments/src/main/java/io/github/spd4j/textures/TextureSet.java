/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.deeplearning4j.datasets.iterator.ExistingDataSetIterator;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Images of all texture classes, divided into those to train, to validate and to test on.
 *
 * <p>Features are [N, 3, size, size] FLOAT with values in [−1, 1] about 0; labels are [N, classes]
 * one-hot, in the order of {@link TextureClass}. Each split has equally many images of every class,
 * and the classes follow each other in turn, so that batches are balanced too. Every image has a
 * seed of its own: none is in two splits, and a larger set begins with the images of a smaller one.
 *
 * <p>What the methods return is new each time and may be modified.
 */
public final class TextureSet {

  private static final TextureClass[] CLASSES = TextureClass.values();

  private final Map<Split, float[][][][]> images = new EnumMap<>(Split.class);

  private TextureSet() {}

  /**
   * Makes a set of which three fifths are to train on, a fifth to validate and a fifth to test on.
   *
   * @param perClass images of each class in all splits together, at least 3
   * @param size height and width in pixels
   * @param seed the seed of the set
   * @return the set
   */
  public static TextureSet generate(int perClass, int size, long seed) {
    int held = Math.max(1, perClass / 5);
    return generate(perClass - 2 * held, held, held, size, seed);
  }

  /**
   * Makes a set, on all cores.
   *
   * @param train images of each class to train on
   * @param validation images of each class to validate on
   * @param test images of each class to test on
   * @param size height and width in pixels
   * @param seed the seed of the set
   * @return the set
   */
  public static TextureSet generate(int train, int validation, int test, int size, long seed) {
    if (Math.min(train, Math.min(validation, test)) < 1) {
      throw new IllegalArgumentException(
          "a TextureSet needs at least one image of each class in each split, got "
              + Arrays.asList(train, validation, test));
    }
    TextureSet set = new TextureSet();
    TextureGenerator generator = new TextureGenerator(size);
    set.images.put(Split.TRAIN, images(generator, Split.TRAIN, train, seed));
    set.images.put(Split.VALIDATION, images(generator, Split.VALIDATION, validation, seed));
    set.images.put(Split.TEST, images(generator, Split.TEST, test, seed));
    return set;
  }

  /**
   * The names of the classes.
   *
   * @return one per column of the labels
   */
  public static List<String> labels() {
    return Arrays.stream(CLASSES).map(TextureClass::label).toList();
  }

  /**
   * The class of an example.
   *
   * @param index its place in any split
   * @return the class
   */
  public static TextureClass textureOf(int index) {
    return CLASSES[index % CLASSES.length];
  }

  /**
   * The number of images.
   *
   * @param split which of them
   * @return the number of all classes together
   */
  public int count(Split split) {
    return images.get(split).length;
  }

  /**
   * One image.
   *
   * @param split where it is
   * @param index its place there
   * @return [3][size][size], as {@link TextureGenerator} made it; not a copy
   */
  public float[][][] image(Split split, int index) {
    return images.get(split)[index];
  }

  /**
   * The images of a split.
   *
   * @param split which of them
   * @return all of them, in their order
   */
  public DataSet dataSet(Split split) {
    return dataSet(split, inOrder(split));
  }

  /**
   * Batches of a split, in its order.
   *
   * @param split which images
   * @param batchSize images in a batch; the last one may have fewer
   * @return an iterator that can be reset
   */
  public DataSetIterator iterator(Split split, int batchSize) {
    return iterator(split, batchSize, () -> inOrder(split));
  }

  /**
   * Batches of a split, in an order that is new after each reset.
   *
   * @param split which images
   * @param batchSize images in a batch; the last one may have fewer
   * @param seed decides the orders
   * @return an iterator that can be reset
   */
  public DataSetIterator shuffled(Split split, int batchSize, long seed) {
    AtomicInteger passes = new AtomicInteger();
    return iterator(
        split,
        batchSize,
        () -> new Dice(seed).child(passes.getAndIncrement()).shuffle(inOrder(split)));
  }

  /** The seed of an image: another one for each, since {@link Dice#mix} is a bijection. */
  static long imageSeed(long seed, Split split, TextureClass texture, int index) {
    long place = (long) split.ordinal() << 48 | (long) texture.ordinal() << 32 | index;
    return Dice.mix(Dice.mix(seed) + place);
  }

  private static float[][][][] images(
      TextureGenerator generator, Split split, int count, long seed) {
    return IntStream.range(0, count * CLASSES.length)
        .parallel()
        .mapToObj(
            k -> {
              long own = imageSeed(seed, split, textureOf(k), k / CLASSES.length);
              return generator.generate(textureOf(k), own);
            })
        .toArray(float[][][][]::new);
  }

  private DataSetIterator iterator(Split split, int batchSize, Supplier<int[]> orders) {
    if (batchSize < 1) {
      throw new IllegalArgumentException(
          "an iterator of a TextureSet needs a batch size of at least 1, got " + batchSize);
    }
    Iterable<DataSet> passes = () -> batches(split, batchSize, orders.get());
    return new ExistingDataSetIterator(passes, labels());
  }

  private Iterator<DataSet> batches(Split split, int batchSize, int[] order) {
    return IntStream.iterate(0, from -> from < order.length, from -> from + batchSize)
        .mapToObj(from -> Arrays.copyOfRange(order, from, Math.min(order.length, from + batchSize)))
        .map(indices -> dataSet(split, indices))
        .iterator();
  }

  private int[] inOrder(Split split) {
    return IntStream.range(0, count(split)).toArray();
  }

  private DataSet dataSet(Split split, int[] indices) {
    float[][][][] chosen =
        IntStream.of(indices).mapToObj(i -> image(split, i)).toArray(float[][][][]::new);
    float[][] labels = new float[indices.length][CLASSES.length];
    for (int n = 0; n < indices.length; n++) {
      labels[n][textureOf(indices[n]).ordinal()] = 1;
    }
    DataSet dataSet = new DataSet(Nd4j.createFromArray(chosen), Nd4j.createFromArray(labels));
    dataSet.setLabelNames(labels());
    return dataSet;
  }
}
