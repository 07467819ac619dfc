/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.images.PixelFormat.Order;
import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.databind.ObjectMapper;

class PixelFormatTest {

  private static final String TORCH =
      "RGB, 0 to 1, minus (0.485, 0.456, 0.406), divided by (0.229, 0.224, 0.225)";

  /** One pixel: blue 10, green 20, red 30. */
  private static final Pixels PIXEL = new Pixels(new float[][] {{10}, {20}, {30}}, 1, 1);

  @Test
  void caffeIsBlueGreenRedMinusTheMeanColour() {
    assertThat(PixelFormat.CAFFE.array(PIXEL).ravel().toFloatVector())
        .containsExactly(-94, -97, -93);
    assertThat(PixelFormat.CAFFE).hasToString("BGR, 0 to 255, minus (104, 117, 123)");
  }

  @Test
  void orderRangeMeanAndDeviationAreApplied() {
    INDArray array = PixelFormat.valueOf(TORCH).array(PIXEL);
    assertThat(array.shape()).containsExactly(1, 3, 1, 1);
    assertThat(array.ravel().toFloatVector())
        .containsExactly(
            new float[] {
              (30 / 255f - 0.485f) / 0.229f,
              (20 / 255f - 0.456f) / 0.224f,
              (10 / 255f - 0.406f) / 0.225f
            },
            within(1e-5f));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {TORCH, "BGR, 0 to 255", "RGB, 0 to 1", "RGB, 0 to 255, divided by (2, 2.5, 3)"})
  void aLineDescribesAFormat(String line) throws Exception {
    PixelFormat format = PixelFormat.valueOf(line);
    assertThat(format)
        .hasToString(line)
        .isEqualTo(PixelFormat.valueOf(line))
        .hasSameHashCodeAs(PixelFormat.valueOf(line));
    assertThat(PixelFormat.valueOf(line.toLowerCase().replace(" ", ""))).isEqualTo(format);
    assertThat(format).isNotEqualTo(PixelFormat.CAFFE);
    ObjectMapper json = new ObjectMapper();
    String written = json.writeValueAsString(format);
    assertThat(written).isEqualTo('"' + line + '"');
    assertThat(json.readValue(written, PixelFormat.class)).isEqualTo(format);
  }

  @ParameterizedTest
  @ValueSource(strings = {TORCH, "BGR, 0 to 255, minus (104, 117, 123)"})
  void aPictureComesBack(String line) {
    PixelFormat format = PixelFormat.valueOf(line);
    BufferedImage picture = format.picture(format.array(PIXEL));
    assertThat(picture.getRGB(0, 0) & 0xffffff).isEqualTo(30 << 16 | 20 << 8 | 10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "BRG, 0 to 1",
        "RGB",
        "RGB, 0 to 2",
        "RGB, 0 to 1, minus (1, 2)",
        "RGB, 0 to 1, minus (1, 2, x)",
        "RGB, 0 to 1, divided by 3"
      })
  void whatIsNoFormatIsRefusedWithAnExample(String line) {
    assertThatThrownBy(() -> PixelFormat.valueOf(line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected pixels such as 'BGR, 0 to 255, minus (104, 117, 123)'")
        .hasMessageEndingWith("got '" + line + "'");
  }

  @Test
  void numbersThatMakeNoSenseAreRefused() {
    PixelFormat plain = PixelFormat.of(Order.RGB, 1);
    assertThatThrownBy(() -> PixelFormat.of(Order.RGB, 2)).hasMessageContaining("got 0 to 2");
    assertThatThrownBy(() -> plain.dividedBy(1, 0, 1)).hasMessageContaining("got 0.0");
    assertThatThrownBy(() -> plain.minus(1, Float.NaN, 1)).hasMessageContaining("got NaN");
  }
}
