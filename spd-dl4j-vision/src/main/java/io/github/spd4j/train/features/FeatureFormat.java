/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.linalg.Matrices;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.commons.lang3.ArrayUtils;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * How features lie in a file, wherever that is.
 *
 * <p>Little-endian. Header: magic "SPDFEAT" and a zero byte; version (int); key (32 bytes); images
 * wanted (int); rank of a record (int); its shape (long each); CRC-32 of all that (int). Then the
 * records: the features as float32 in C order, and the CRC-32 (int) of the key, the number of the
 * record (int) and these bytes. A record counts if all of it is there and its checksum is right, so
 * a file can be continued where a crash left it, and a record in another's place is noticed.
 */
public final class FeatureFormat {

  private static final byte[] MAGIC = "SPDFEAT\0".getBytes(StandardCharsets.US_ASCII);
  private static final String NAME = "features-";
  private static final String FILE = ".bin";
  private static final int VERSION = 1;
  private static final int KEY_BYTES = 32;
  private static final int MAX_RANK = 8;

  /** The bytes before the shape. */
  private static final int FIXED_HEADER = MAGIC.length + 4 + KEY_BYTES + 4 + 4;

  private final byte[] key;
  private final int wanted;
  private final long[] shape;

  /**
   * The format of a file.
   *
   * @param key what the features depend on, 32 bytes
   * @param wanted how many records the file has when it is whole
   * @param shape the shape of a record
   */
  public FeatureFormat(byte[] key, int wanted, long... shape) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(shape, "shape");
    this.key = key.clone();
    this.wanted = wanted;
    this.shape = shape.clone();
  }

  /**
   * What files with a key are called, without an ending.
   *
   * @param key 32 bytes
   * @return a name with the first digits of the key
   */
  public static String name(byte[] key) {
    Objects.requireNonNull(key, "key");
    return NAME + Fingerprint.shortened(key);
  }

  static String fileName(byte[] key) {
    return name(key) + FILE;
  }

  /** Whether a file may be called so. */
  static boolean isName(String file) {
    return file.startsWith(NAME) && file.endsWith(FILE);
  }

  /**
   * Reads the header of a file.
   *
   * @param start the first bytes of a file, as many as there are up to {@link #mostHeaderBytes}
   * @param key the key that is expected
   * @param wanted the number of records that is expected
   * @return the format, or nothing if the file ends before its header does
   * @throws IOException if it is another file, or of another kind
   */
  public static Optional<FeatureFormat> read(byte[] start, byte[] key, int wanted)
      throws IOException {
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(key, "key");
    if (start.length < FIXED_HEADER) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[MAGIC.length];
    buffer.get(magic);
    int version = buffer.getInt();
    byte[] foundKey = new byte[KEY_BYTES];
    buffer.get(foundKey);
    int foundWanted = buffer.getInt();
    int rank = buffer.getInt();
    boolean known = Arrays.equals(magic, MAGIC) && version == VERSION;
    if (!known || rank < 1 || rank > MAX_RANK) {
      throw new IOException("it is not a feature file of version " + VERSION);
    }
    if (!Arrays.equals(foundKey, key) || foundWanted != wanted) {
      throw new IOException("it belongs to another backbone, cut or set of images");
    }
    long[] shape = new long[rank];
    FeatureFormat format = new FeatureFormat(key, wanted, shape);
    if (start.length < format.headerBytes()) {
      return Optional.empty();
    }
    buffer.asLongBuffer().get(shape);
    format = new FeatureFormat(key, wanted, shape);
    if (!Arrays.equals(format.header(), Arrays.copyOf(start, format.headerBytes()))) {
      throw new IOException("its header is damaged");
    }
    return Optional.of(format);
  }

  /**
   * The most bytes that a header has.
   *
   * @return enough for {@link #read}
   */
  public static int mostHeaderBytes() {
    return FIXED_HEADER + 8 * MAX_RANK + 4;
  }

  /**
   * The shape of a record.
   *
   * @return the shape, without the batch
   */
  public long[] shape() {
    return shape.clone();
  }

  /**
   * The header.
   *
   * @return its bytes
   */
  public byte[] header() {
    ByteBuffer header = ByteBuffer.allocate(headerBytes()).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).putInt(VERSION).put(key).putInt(wanted).putInt(shape.length);
    for (long size : shape) {
      header.putLong(size);
    }
    CRC32 crc = new CRC32();
    crc.update(header.array(), 0, header.position());
    header.putInt((int) crc.getValue());
    return header.array();
  }

  /**
   * Features as records.
   *
   * @param first the number of the first one
   * @param batch [N, shape …]
   * @return the bytes of N records
   */
  public byte[] records(int first, INDArray batch) {
    float[] all = Matrices.floats(batch);
    int length = all.length / (int) batch.size(0);
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact((int) batch.size(0), recordBytes()))
            .order(ByteOrder.LITTLE_ENDIAN);
    int index = first;
    for (int row = 0; row < all.length; row += length) {
      int start = bytes.position();
      bytes.asFloatBuffer().put(all, row, length);
      bytes.position(start + 4 * length);
      bytes.putInt(checksum(index++, bytes.array(), start, 4 * length));
    }
    return bytes.array();
  }

  private int checksum(int index, byte[] bytes, int start, int length) {
    CRC32 crc = new CRC32();
    crc.update(key);
    crc.update(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(index).array(), 0, 4);
    crc.update(bytes, start, length);
    return (int) crc.getValue();
  }

  /** Whether the checksum of a record is right. */
  boolean isWhole(byte[] record, int index) {
    int numbers = record.length - 4;
    int stored = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getInt(numbers);
    return checksum(index, record, 0, numbers) == stored;
  }

  /**
   * The features of a record.
   *
   * @param record the bytes of a record
   * @param index its number
   * @return the features in C order
   * @throws IOException if its checksum is wrong
   */
  public float[] features(byte[] record, int index) throws IOException {
    float[] row = new float[numbers()];
    copy(record, index, row, 0);
    return row;
  }

  /** Puts the features of a record into an array, from a place on. */
  void copy(byte[] record, int index, float[] target, int place) throws IOException {
    if (!isWhole(record, index)) {
      throw new IOException("record " + index + " is damaged; delete the file to compute it anew");
    }
    FloatBuffer numbers = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    numbers.get(target, place, numbers());
  }

  /**
   * Features of several images as an array.
   *
   * @param rows what {@link #features} gave
   * @return a FLOAT array [rows, shape …]
   */
  public INDArray batch(List<float[]> rows) {
    INDArray flat = Nd4j.create(rows.toArray(new float[0][]));
    return flat.reshape(ArrayUtils.addAll(new long[] {rows.size()}, shape));
  }

  /** Each example of a batch, in C order. */
  static List<float[]> rows(INDArray batch) {
    float[] all = Matrices.floats(batch);
    int length = all.length / (int) batch.size(0);
    List<float[]> rows = new ArrayList<>();
    for (int start = 0; start < all.length; start += length) {
      rows.add(Arrays.copyOfRange(all, start, start + length));
    }
    return rows;
  }

  /** The shape of one example of a batch. */
  static long[] shapeOf(INDArray batch) {
    return Arrays.copyOfRange(batch.shape(), 1, batch.rank());
  }

  private int numbers() {
    return Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
  }

  int headerBytes() {
    return FIXED_HEADER + 8 * shape.length + 4;
  }

  /**
   * The size of a record.
   *
   * @return bytes
   */
  public int recordBytes() {
    return Math.addExact(Math.multiplyExact(4, numbers()), 4);
  }

  /**
   * Where a record begins.
   *
   * @param record its number; that after the last gives the size of the file
   * @return bytes from the start of the file
   */
  public long position(int record) {
    return headerBytes() + (long) record * recordBytes();
  }
}
