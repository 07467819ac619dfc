/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.images.LabelledImages;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;

/** Textures as the networks see them: one channel, the {@link #mainColour}. */
final class TextureImages implements LabelledImages {

  private static final int POWER_STEPS = 30;

  private final INDArray images;
  private final String name;

  TextureImages(TextureSet textures, Split split) {
    this.images = mainColour(textures.dataSet(split).getFeatures());
    this.name = split.name();
  }

  /**
   * Each image along the one line in colour space on which it varies most, with mean 0 and variance
   * 1: the pattern, whatever its two colours are.
   *
   * @param images [N, 3, height, width]; not changed
   * @return [N, 1, height, width]
   */
  static INDArray mainColour(INDArray images) {
    long pixels = images.size(2) * images.size(3);
    INDArray colours = images.castTo(DataType.DOUBLE).reshape(images.size(0), 3, pixels);
    INDArray centred = colours.sub(colours.mean(true, 2));
    INDArray pattern = normalised(Matrices.product(axes(centred), centred));
    return pattern
        .muli(Math.sqrt(pixels))
        .reshape(images.size(0), 1, images.size(2), images.size(3))
        .castTo(DataType.FLOAT);
  }

  /** The first principal axis of each image, by power iteration; zeros for one of one colour. */
  private static INDArray axes(INDArray centred) {
    INDArray covariances = Matrices.transposeSecond(centred, centred);
    INDArray start = Nd4j.createFromArray(1, 0.9, 0.8).reshape(1, 1, 3);
    INDArray axes = start.broadcast(centred.size(0), 1, 3);
    for (int step = 0; step < POWER_STEPS; step++) {
      axes = normalised(Matrices.product(axes, covariances));
    }
    return axes;
  }

  /** Rows [N, 1, n] with length 1; zeros stay zeros. */
  private static INDArray normalised(INDArray rows) {
    return rows.div(Transforms.max(rows.norm2(true, 2), Double.MIN_NORMAL));
  }

  /** The images as predictions name them. */
  List<ImageFile> files() {
    return IntStream.range(0, size())
        .mapToObj(i -> new ImageFile(Path.of(name(i)), name(i), label(i)))
        .toList();
  }

  @Override
  public int size() {
    return (int) images.size(0);
  }

  @Override
  public int classes() {
    return TextureSet.labels().size();
  }

  @Override
  public String name(int index) {
    return name + " " + index;
  }

  @Override
  public int label(int index) {
    return TextureSet.textureOf(index).ordinal();
  }

  @Override
  public INDArray image(int index) {
    return images.get(NDArrayIndex.interval(index, index + 1));
  }

  /** At random mirrored, turned by a quarter, or with dark and light swapped. */
  @Override
  public INDArray variant(int index, long seed) {
    Random random = new Random(seed);
    boolean turned = random.nextBoolean();
    boolean mirrored = random.nextBoolean();
    int sign = random.nextBoolean() ? 1 : -1;
    int size = (int) images.size(2);
    float[][] image = image(index).reshape(size, size).toFloatMatrix();
    float[][][][] variant = new float[1][1][size][size];
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        int column = mirrored ? size - 1 - x : x;
        variant[0][0][y][x] = sign * (turned ? image[column][y] : image[y][column]);
      }
    }
    return Nd4j.createFromArray(variant);
  }
}
