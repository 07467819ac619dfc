/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TextureGeneratorTest {

  private final TextureGenerator generator = new TextureGenerator();

  /** The checksum of the bits of an image. */
  private static String checksum(float[][][] image) {
    CRC32 crc = new CRC32();
    for (float[][] channel : image) {
      for (float[] row : channel) {
        for (float value : row) {
          int bits = Float.floatToIntBits(value);
          crc.update(new byte[] {(byte) (bits >>> 24), (byte) (bits >>> 16)});
          crc.update(new byte[] {(byte) (bits >>> 8), (byte) bits});
        }
      }
    }
    return String.format("%08x", crc.getValue());
  }

  /** The bits are those of the first release: published figures depend on them. */
  @ParameterizedTest
  @CsvSource({
    "BANDED, 6582d965",
    "BLOTCHY, 8305747b",
    "BUBBLY, bd6101c2",
    "CHEQUERED, a3ff8adc",
    "CRACKED, baee73f7",
    "CROSSHATCHED, 967c0d09",
    "DOTTED, 1b17bed2",
    "FIBROUS, df16b355",
    "GRID, 53d63dba",
    "HONEYCOMBED, 96800534",
    "MARBLED, 3a082abc",
    "SCALY, f7897fc4",
    "SPIRALLED, a3f4eb11",
    "STRIPED, b31f4c9a",
    "WOVEN, 26bd09b3",
    "ZIGZAGGED, 7d8c5ee5"
  })
  void everyMachineDrawsTheSameBits(TextureClass texture, String expected) {
    assertThat(checksum(generator.generate(texture, 2026))).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource
  void anotherSeedIsAnotherImage(TextureClass texture) {
    float[][][] image = generator.generate(texture, 1);
    assertThat(generator.generate(texture, 1)).isDeepEqualTo(image);
    assertThat(checksum(generator.generate(texture, 2))).isNotEqualTo(checksum(image));
  }

  @ParameterizedTest
  @EnumSource
  void valuesLieAboutZero(TextureClass texture) {
    for (int seed = 0; seed < 10; seed++) {
      for (float[][] channel : new TextureGenerator(32).generate(texture, seed)) {
        double mean = FirstOrder.moment(channel, 0, 1);
        assertThat(mean).isBetween(-0.25, 0.25);
        assertThat(Math.sqrt(FirstOrder.moment(channel, mean, 2))).isBetween(0.05, 0.4);
        for (float[] row : channel) {
          for (float value : row) {
            assertThat(value).isBetween(-1f, 1f);
          }
        }
      }
    }
  }

  /** Ranks order heights only where they differ. */
  @ParameterizedTest
  @EnumSource
  void heightsAreInTheUnitIntervalAndHaveNoPlateaus(TextureClass texture) {
    for (int seed = 0; seed < 10; seed++) {
      Dice dice = new Dice(seed);
      double[] heights = new Plane(dice.child(1), 48).sample(texture.pattern(dice.child(0)));
      assertThat(Arrays.stream(heights).min().orElseThrow()).isNotNegative();
      assertThat(Arrays.stream(heights).max().orElseThrow()).isLessThanOrEqualTo(1);
      assertThat(Arrays.stream(heights).distinct().count())
          .isGreaterThan(heights.length * 98 / 100);
    }
  }

  /** The tones of all classes are the same numbers, in other places. */
  @ParameterizedTest
  @EnumSource
  void theHistogramOfTonesIsThatOfTheToneCurve(TextureClass texture) {
    Dice dice = new Dice(5);
    Tone tone = new Tone(dice.child(2));
    double[] ramp = new double[48 * 48];
    Arrays.setAll(ramp, k -> k);
    double[] tones = tone.of(new Plane(dice.child(1), 48).sample(texture.pattern(dice)));
    Arrays.sort(tones);
    assertThat(tones).containsExactly(tone.of(ramp), within(1e-2));
  }

  @Test
  void sizeIsAParameter() {
    float[][][] image = new TextureGenerator(64).generate(TextureClass.GRID, 3);
    assertThat(image).hasDimensions(3, 64);
    assertThat(image[2][63]).hasSize(64);
    assertThat(generator.size()).isEqualTo(TextureGenerator.DEFAULT_SIZE);
    assertThatThrownBy(() -> new TextureGenerator(16))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 32, got 16");
  }
}
