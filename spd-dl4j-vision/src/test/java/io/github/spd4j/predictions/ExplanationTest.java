/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.factory.Nd4j;

class ExplanationTest {

  /** Of a black image half of which speaks for the answer and half against it. */
  private final BufferedImage picture =
      Explanation.picture(
          new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB),
          Nd4j.createFromArray(new double[][] {{-2, 2}}));

  private boolean isRed(int x, int y) {
    int colour = picture.getRGB(x, y);
    return (colour >> 16 & 0xFF) > 2 * (colour & 0xFF);
  }

  private boolean isBlue(int x, int y) {
    int colour = picture.getRGB(x, y);
    return (colour & 0xFF) > 2 * (colour >> 16 & 0xFF);
  }

  @Test
  void redSpeaksForTheAnswerAndBlueAgainstIt() {
    int height = picture.getHeight();
    assertThat(picture.getWidth()).isEqualTo(2 * height);
    assertThat(isBlue(height + 20, height / 2)).isTrue();
    assertThat(isRed(2 * height - 20, height / 2)).isTrue();
  }

  @Test
  void aScaleGoesFromTheStrongestBlueOverWhiteToTheStrongestRed() {
    int height = picture.getHeight();
    int y = height - 15;
    int middle = height + height / 2;
    assertThat(isBlue(middle - height / 4 + 2, y)).isTrue();
    assertThat(picture.getRGB(middle, y) & 0xFF).isGreaterThan(0xF0);
    assertThat(isRed(middle + height / 4 - 3, y)).isTrue();
  }
}
