/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.images.LabelledImages;
import java.util.Random;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Textures as the networks see them: one channel, the {@link MainColour}. */
final class TextureImages implements LabelledImages {

  private final float[][] images;
  private final int size;
  private final String name;

  TextureImages(TextureSet textures, Split split) {
    this.images = new float[textures.count(split)][];
    this.name = split.name();
    for (int i = 0; i < images.length; i++) {
      images[i] = MainColour.of(textures.image(split, i));
    }
    this.size = (int) Math.round(Math.sqrt(images[0].length));
  }

  @Override
  public int size() {
    return images.length;
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
    return array(images[index]);
  }

  /** At random mirrored, turned by a quarter, or with dark and light swapped. */
  @Override
  public INDArray variant(int index, long seed) {
    Random random = new Random(seed);
    boolean turned = random.nextBoolean();
    boolean mirrored = random.nextBoolean();
    int sign = random.nextBoolean() ? 1 : -1;
    float[] variant = new float[size * size];
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        int column = mirrored ? size - 1 - x : x;
        int from = turned ? column * size + y : y * size + column;
        variant[y * size + x] = sign * images[index][from];
      }
    }
    return array(variant);
  }

  private INDArray array(float[] values) {
    return Nd4j.createFromArray(values).reshape(1, 1, size, size);
  }
}
