/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A constant of an ONNX graph: numbers of single precision, or integers. */
final class Tensor {

  static final int FLOAT = 1;
  static final int BYTES = 2;
  static final int INT64 = 7;

  /** How many numbers are brought into bytes at a time. */
  private static final int BLOCK = 1 << 14;

  /** How many numbers of a large tensor tell it from others. */
  private static final int LOOKED_AT = 1 << 10;

  private final int type;
  private final long[] shape;

  /** One of both is null. The array is of FLOAT, in C order, and nobody else's. */
  private final INDArray floats;

  private final long[] integers;

  private Tensor(int type, long[] shape, INDArray floats, long[] integers) {
    this.type = type;
    this.shape = shape;
    this.floats = floats;
    this.integers = integers;
  }

  /** A copy of an array, in single precision. */
  static Tensor of(INDArray array) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      INDArray copy = array.castTo(DataType.FLOAT).dup('c');
      return new Tensor(FLOAT, array.shape(), copy, null);
    }
  }

  /** A number. */
  static Tensor of(double value) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return new Tensor(FLOAT, new long[0], Nd4j.scalar((float) value), null);
    }
  }

  /** A list of integers. */
  static Tensor of(long... values) {
    return new Tensor(INT64, new long[] {values.length}, null, values);
  }

  private int length() {
    return Math.toIntExact(floats == null ? integers.length : floats.length());
  }

  private int width() {
    return floats == null ? Long.BYTES : Float.BYTES;
  }

  /** Equal for tensors that are equal, and rarely for others. */
  String key() {
    int digest = floats == null ? Arrays.hashCode(integers) : 0;
    int step = Math.max(1, length() / LOOKED_AT);
    for (int i = 0; floats != null && i < length(); i += step) {
      digest = 31 * digest + Float.floatToIntBits(floats.data().getFloat(i));
    }
    return type + Arrays.toString(shape) + digest;
  }

  /** Whether another has the same numbers. */
  boolean isEqualTo(Tensor other) {
    return type == other.type
        && Arrays.equals(shape, other.shape)
        && (floats == null ? Arrays.equals(integers, other.integers) : floats.equals(other.floats));
  }

  /** A TensorProto. */
  Message message(String name) {
    Message message = new Message();
    for (long size : shape) {
      message.with(1, size);
    }
    return message.with(2, type).with(8, name).with(9, new Raw());
  }

  /** The numbers, little-endian. */
  private final class Raw implements Message.Content {
    @Override
    public long size() {
      return (long) length() * width();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      ByteBuffer block = ByteBuffer.allocate(BLOCK * width()).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < length(); i++) {
        if (floats == null) {
          block.putLong(integers[i]);
        } else {
          block.putFloat(floats.data().getFloat(i));
        }
        if (!block.hasRemaining() || i == length() - 1) {
          out.write(block.array(), 0, block.position());
          block.clear();
        }
      }
    }
  }
}
