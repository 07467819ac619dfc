/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Arrays as files of single-precision numbers, row by row and without a header. */
final class RawArrays {

  private RawArrays() {}

  static void write(Path folder, String name, INDArray array) {
    float[] values = array.dup('c').data().asFloat();
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
    bytes.order(ByteOrder.nativeOrder()).asFloatBuffer().put(values);
    try {
      Files.write(folder.resolve(name), bytes.array());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + folder.resolve(name), e);
    }
  }

  static INDArray read(Path folder, String name, long... shape) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name)));
      float[] values = new float[bytes.remaining() / Float.BYTES];
      bytes.order(ByteOrder.nativeOrder()).asFloatBuffer().get(values);
      return Nd4j.createFromArray(values).reshape(shape);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder.resolve(name), e);
    }
  }
}
