/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.models;

import io.github.spd4j.linalg.Matrices;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.buffer.DataBuffer.AllocationMode;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A vector as {@code Nd4j.write} stores it: two buffers, the first with rank, shape, strides and
 * order, the second with the numbers. Before each come how it was allocated, its length and its
 * type.
 */
final class StoredVector {

  /** Versions of ND4J before 1.0 wrote these, with a length of four bytes. */
  private static final Set<String> LENGTH_IS_INT = Set.of("DIRECT", "HEAP", "JAVACPP");

  private static final int LARGEST_RANK = 32;

  /** How many numbers are written at once. */
  private static final int BLOCK = 1 << 14;

  private static final long SMALL = 64L << 20;

  /** Weights hardly shrink; what shrank by more than this was made to fill memory. */
  private static final long LARGEST_RATIO = 200;

  private final DataInputStream in;

  StoredVector(DataInputStream in) {
    this.in = in;
  }

  /** Writes the same as {@code Nd4j.write}, which takes one number at a time. */
  static void write(INDArray array, DataOutputStream out) throws IOException {
    INDArray whole = array.isView() ? array.dup() : array;
    DataBuffer data = whole.data();
    boolean isSimple =
        whole.dataType() == DataType.FLOAT
            && whole.ordering() == 'c'
            && whole.elementWiseStride() == 1
            && data.length() == whole.length()
            && whole.length() <= Integer.MAX_VALUE / Float.BYTES;
    if (!isSimple) {
      Nd4j.write(whole, out);
      return;
    }
    whole.shapeInfoDataBuffer().write(out);
    out.writeUTF(data.allocationMode().name());
    out.writeLong(data.length());
    out.writeUTF(data.dataType().name());
    float[] numbers = Matrices.floats(whole);
    ByteBuffer block = ByteBuffer.allocate(BLOCK * Float.BYTES);
    for (int from = 0; from < numbers.length; from += BLOCK) {
      int count = Math.min(BLOCK, numbers.length - from);
      block.asFloatBuffer().put(numbers, from, count);
      out.write(block.array(), 0, count * Float.BYTES);
    }
  }

  /**
   * Reads all of it; the memory it needs is bounded before any is taken.
   *
   * @param least the smallest length that is accepted
   * @param most the largest
   * @param fileSize of the file that it comes from
   */
  INDArray read(long least, long most, long fileSize) throws IOException {
    long[] shape = shape();
    Header header = header();
    require(header.length == shape[shape.length - 1], "its length is not that of its shape");
    require(
        header.length >= least && header.length <= most,
        "expected %s numbers, got %d",
        least == most ? least : least + " to " + most,
        header.length);
    require(header.type.isFPType(), "expected floating-point numbers, got %s", header.type);
    long bytes = header.length * header.type.width();
    require(
        bytes <= SMALL || bytes / LARGEST_RATIO <= fileSize,
        "expected weights, got %d bytes in a file of %d",
        bytes,
        fileSize);
    INDArray vector = numbers(header, shape);
    CheckedEntry.requireEnd(in);
    require(Matrices.isFinite(vector), "expected finite numbers, got a NaN or an infinity");
    return vector;
  }

  /** Strides and order are not believed: a vector needs none. */
  private long[] shape() throws IOException {
    Header header = header();
    int width = header.type.isIntType() ? header.type.width() : 0;
    require(width == 4 || width == 8, "expected a shape, got %s", header.type);
    require(
        header.length > 4 && header.length <= 2 * LARGEST_RANK + 4,
        "expected a shape, got %d numbers",
        header.length);
    long[] info = new long[(int) header.length];
    for (int i = 0; i < info.length; i++) {
      info[i] = width == 8 ? in.readLong() : in.readInt();
    }
    boolean isRow = info[0] == 2 && info[1] == 1;
    require(
        (isRow || info[0] == 1) && info.length == 2 * info[0] + 4,
        "expected a vector, got an array of rank %d",
        info[0]);
    return isRow ? new long[] {1, info[2]} : new long[] {info[1]};
  }

  private Header header() throws IOException {
    String mode = in.readUTF();
    long length = LENGTH_IS_INT.contains(mode) ? in.readInt() : in.readLong();
    try {
      return new Header(AllocationMode.valueOf(mode), length, DataType.valueOf(in.readUTF()));
    } catch (IllegalArgumentException e) {
      throw new IOException("expected an array of ND4J, got other bytes", e);
    }
  }

  private INDArray numbers(Header header, long[] shape) throws IOException {
    DataBuffer buffer = Nd4j.createBuffer(header.type, header.length, false);
    try {
      buffer.read(in, header.mode, header.length, header.type);
    } catch (RuntimeException e) { // ND4J wraps what the stream throws
      throw new IOException("expected " + header.length + " numbers, got a part or damage", e);
    }
    return Nd4j.create(buffer, shape, Nd4j.getStrides(shape, 'c'), 0, 'c');
  }

  private static void require(boolean holds, String format, Object... values) throws IOException {
    if (!holds) {
      throw new IOException(String.format(format, values));
    }
  }

  /** What is stored before each buffer. */
  private static final class Header {
    final AllocationMode mode;
    final long length;
    final DataType type;

    Header(AllocationMode mode, long length, DataType type) {
      this.mode = mode;
      this.length = length;
      this.type = type;
    }
  }
}
