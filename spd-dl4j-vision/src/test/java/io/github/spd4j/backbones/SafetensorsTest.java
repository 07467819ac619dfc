/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.internal.files.SafetensorsFile;
import io.github.spd4j.testing.Generator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Narrow networks against PyTorch; {@code make_safetensors.py} wrote the files. */
class SafetensorsTest {

  /** Relative to the largest value. */
  private static final double TOLERANCE = 1e-5;

  private static final Path FOLDER =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/reference");

  @TempDir Path folder;

  private static void assertMaps(Backbone backbone, Path file, long... shape) throws IOException {
    SafetensorsFile arrays = SafetensorsFile.open(file);
    INDArray expected = arrays.array("maps", shape);
    ComputationGraph net = backbone.net();
    INDArray got = net.feedForward(arrays.array("image", 1, 3, 64, 64), false).get(backbone.cut());
    double worst = got.sub(expected).amaxNumber().doubleValue();
    assertThat(worst / expected.amaxNumber().doubleValue()).isLessThanOrEqualTo(TOLERANCE);
    assertThat(backbone.pixels()).isEqualTo(PixelFormat.TORCH);
  }

  @Test
  void aVggOfTorchvisionIsThatOfPyTorch() throws IOException {
    Path file = FOLDER.resolve("vgg16.safetensors");
    assertMaps(Vgg16.fromSafetensors(file), file, 1, 4, 4, 4);
  }

  @Test
  void aResnetOfTimmIsThatOfPyTorch() throws IOException {
    Path file = FOLDER.resolve("resnet50.safetensors");
    assertMaps(Resnet50.fromSafetensors(file), file, 1, 8, 2, 2);
  }

  @Test
  void anotherNetworkIsRefused() throws IOException {
    Path resnet = FOLDER.resolve("resnet50.safetensors");
    assertThatThrownBy(() -> Vgg16.fromSafetensors(resnet))
        .isInstanceOf(IOException.class)
        .hasMessage(resnet + ": expected an array features.0.weight, got none");
    Path vgg = FOLDER.resolve("vgg16.safetensors");
    assertThatThrownBy(() -> Resnet50.fromSafetensors(vgg))
        .isInstanceOf(IOException.class)
        .hasMessage(vgg + ": expected an array layer1.0.conv1.weight, got none");
    Path wide = written(-1, array("layer1.0.conv1.weight", "128"), 512);
    assertThatThrownBy(() -> Resnet50.fromSafetensors(wide))
        .hasMessage(wide + ": layer1.0.conv1.weight: expected 1 to 64 maps, got [128]");
  }

  /** What has the same beginning, such as ResNet-101. */
  @Test
  void aDeeperNetworkIsRefused() throws IOException {
    String name = "layer1.3.conv1.weight";
    String both =
        array("layer1.0.conv1.weight", "1").replace("}}", "},") + array(name, "1").substring(1);
    Path deeper = written(-1, both, 4);
    assertThatThrownBy(() -> Resnet50.fromSafetensors(deeper))
        .hasMessage(deeper + ": expected 3 blocks in layer1., got more");
  }

  private static String array(String name, String shape) {
    return entry("F32", shape, "0," + 4 * Integer.parseInt(shape))
        .replace("\"x\"", "\"" + name + "\"");
  }

  private Path written(long length, String header, int numbers) throws IOException {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(8 + text.length + numbers);
    bytes.order(ByteOrder.LITTLE_ENDIAN).putLong(length < 0 ? text.length : length).put(text);
    return Files.write(folder.resolve("a.safetensors"), bytes.array());
  }

  private static String entry(String type, String shape, String offsets) {
    return String.format(
        "{\"x\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%s]}}", type, shape, offsets);
  }

  @Test
  void offsetsAreComparedWithTheFile() throws IOException {
    Path sound = written(-1, entry("F32", "2", "0,8"), 8);
    assertThat(SafetensorsFile.open(sound).array("x", 2).toFloatVector()).containsExactly(0, 0);
    for (String offsets :
        new String[] {
          "0,9", "8,0", "-8,0", "0,9223372036854775807", "0,99999999999999999999", "0"
        }) {
      assertThatThrownBy(() -> SafetensorsFile.open(written(-1, entry("F32", "2", offsets), 8)))
          .as(offsets)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("expected");
    }
    for (long length : new long[] {0, 1L << 40, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> SafetensorsFile.open(written(length, entry("F32", "2", "0,8"), 8)))
          .hasMessageContaining("expected a header of at most");
    }
  }

  /** Where digits are others, too. */
  @Test
  void writtenFilesAreReadWhateverTheLocale() throws IOException {
    Locale usual = Locale.getDefault();
    Path file = folder.resolve("written.safetensors");
    try (OutputStream out = Files.newOutputStream(file)) {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      SafetensorsFile.write(out, "test", Map.of("x", Nd4j.createFromArray(1f, 2f)));
      assertThatThrownBy(
              () -> SafetensorsFile.write(out, "test", Map.of("a\"b", Nd4j.createFromArray(1f))))
          .hasMessageContaining("expected names without quotes");
    } finally {
      Locale.setDefault(usual);
    }
    assertThat(SafetensorsFile.open(file).array("x", 2).toFloatVector()).containsExactly(1, 2);
  }

  @Test
  void shapesAreComparedWithOffsets() throws IOException {
    Path short1 = written(-1, entry("F32", "4", "0,8"), 8);
    assertThatThrownBy(() -> SafetensorsFile.open(short1).array("x", 4))
        .hasMessageContaining("x: expected 16 bytes, got 8");
    Path half = written(-1, entry("F16", "4", "0,8"), 8);
    assertThatThrownBy(() -> SafetensorsFile.open(half).array("x", 4))
        .hasMessageContaining("expected F32 [4], got F16 [4]");
    Path huge = written(-1, entry("F32", "2147483647,2147483647,9", "0,8"), 8);
    assertThatThrownBy(
            () -> SafetensorsFile.open(huge).array("x", Integer.MAX_VALUE, Integer.MAX_VALUE, 9))
        .isInstanceOf(IOException.class);
  }

  @Tag("once")
  @Test
  void damageIsRefusedInOneLine() throws IOException {
    byte[] sound = Files.readAllBytes(FOLDER.resolve("vgg16.safetensors"));
    Path file = folder.resolve("damaged.safetensors");
    Generator.SAFETENSORS.each(
        0.1,
        seed -> {
          Random random = new Random(seed);
          byte[] bytes = sound.clone();
          int most = random.nextInt(3) == 0 ? 8 : 3000;
          for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(most)] = (byte) random.nextInt();
          }
          boolean cut = random.nextInt(5) == 0;
          Files.write(file, cut ? Arrays.copyOf(bytes, random.nextInt(5000)) : bytes);
          return isRefused(file);
        });
  }

  private static boolean isRefused(Path file) {
    try {
      SafetensorsFile.open(file).array("features.0.weight", 2, 3, 3, 3);
      return false;
    } catch (IOException e) {
      assertThat(e.getMessage()).startsWith(file + ": ").doesNotContain("\n");
      return true;
    }
  }
}
