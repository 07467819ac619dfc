/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Weights come from anywhere: what their header says wrongly is refused before it counts. */
@Tag("once")
class SafetensorsFileTest {

  @TempDir Path folder;

  /** Eight bytes of numbers after a header. */
  private Path file(String header) throws IOException {
    byte[] text = header.getBytes(UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(8 + text.length + 8).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(text.length).put(text).putFloat(1).putFloat(2);
    return Files.write(folder.resolve("a.safetensors"), bytes.array());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          []                                                            | other JSON
          {"x":[]}                                                      | other JSON
          {"x":{"dtype":1}}                                             | other JSON
          {"x":{"shape":2}}                                             | other JSON
          {"x":{"shape":[2.5]}}                                         | an array of sizes
          {"x":{"shape":[2,"a"]}}                                       | an array of sizes
          {"x":{"shape":[-2]}}                                          | an array of sizes
          {"x":{"shape":[1234567890123456789]}}                         | a number too large
          {"x":{"color":"F32"}}                                         | got another
          {"x":{"shape":[2],"data_offsets":[0,8]}}                      | got fewer
          {"x":{"dtype":"F32","data_offsets":[0,8]}}                    | got fewer
          {"x":{"dtype":"F32","shape":[2]}}                             | got fewer
          {"x":{"dtype":"F32","shape":[2],"data_offsets":[0]}}          | got fewer
          {"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}}      | got fewer
          {"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}        | of 8 bytes after the header
          {"x":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}}        | got one from 1 to 9
          """)
  void aHeaderThatIsWrongIsRefused(String header, String reason) throws IOException {
    Path file = file(header);
    assertThatThrownBy(() -> SafetensorsFile.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ": expected ")
        .hasMessageContaining(reason);
  }

  @Test
  void twoArraysOfANameAreRefused() throws IOException {
    String array = "\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}";
    Path file = file("{" + array + "," + array + "}");
    assertThatThrownBy(() -> SafetensorsFile.open(file)).hasMessageContaining("two of a name");
  }

  @Test
  void aShapeHasAMeasure() throws IOException {
    String array = "{\"x\":{\"dtype\":\"F32\",\"shape\":[%s2],\"data_offsets\":[0,8]}}";
    Path most = file(String.format(array, "1,".repeat(31)));
    assertThatThrownBy(() -> SafetensorsFile.open(most).array("x", 2))
        .hasMessageContaining("expected F32 [2], got F32 [1, 1, 1,");
    Path more = file(String.format(array, "1,".repeat(32)));
    assertThatThrownBy(() -> SafetensorsFile.open(more)).hasMessageContaining("array of sizes");
  }

  /** An array without numbers, in a file that ends with its header; but not a byte earlier. */
  @Test
  void aHeaderMayBeAllThereIs() throws IOException {
    String array = "{\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}";
    byte[] whole = Arrays.copyOf(Files.readAllBytes(file(array)), 8 + array.length());
    Path file = Files.write(folder.resolve("c.safetensors"), whole);
    assertThatThrownBy(() -> SafetensorsFile.open(file).array("x", 1))
        .hasMessageContaining("expected F32 [1], got F32 [0]");
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    assertThatThrownBy(() -> SafetensorsFile.open(file))
        .hasMessageContaining("at most %d bytes, got %d", array.length() - 1, array.length());
  }

  /** Arrays as the pieces of others that they are, after what others wrote about themselves. */
  @Test
  void whatIsWrittenIsRead() throws IOException {
    INDArray transposed = Nd4j.createFromArray(new double[][] {{1, 2, 3}, {4, 5, 6}}).transpose();
    Map<String, INDArray> arrays = new LinkedHashMap<>();
    arrays.put("the first", Nd4j.createFromArray(7f));
    arrays.put("second", transposed);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SafetensorsFile.write(out, "test", arrays);
    assertThat(out.toString(UTF_8)).startsWith(SafetensorsFile.beginning("test"));
    assertThat(out.size()).isEqualTo(8 + (1 << 14) + 7 * Float.BYTES);
    assertThat(out.toByteArray()[8 + (1 << 14) - 1]).isEqualTo((byte) ' ');
    Path file = Files.write(folder.resolve("b.safetensors"), out.toByteArray());
    SafetensorsFile read = SafetensorsFile.open(file);
    assertThat(read.array("the first", 1).toFloatVector()).containsExactly(7);
    assertThat(read.array("second", 3, 2)).isEqualTo(transposed.castTo(DataType.FLOAT));
    assertThatThrownBy(() -> read.array("third", 1)).hasMessageContaining("third, got none");
  }

  @Test
  void moreArraysThanTheHeaderHoldsAreRefused() {
    Map<String, INDArray> arrays = new LinkedHashMap<>();
    for (int i = 0; i < 300; i++) {
      arrays.put("array" + i, Nd4j.createFromArray(1f));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThatThrownBy(() -> SafetensorsFile.write(out, "test", arrays))
        .isInstanceOf(IOException.class)
        .hasMessage("expected fewer arrays, got 300");
    assertThat(out.size()).isZero();
  }
}
