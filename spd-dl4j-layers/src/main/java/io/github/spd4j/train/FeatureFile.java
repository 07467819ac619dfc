/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Features in a file, which may be larger than the heap.
 *
 * <p>Little-endian. Header: magic "SPDFEAT" and a zero byte; version (int); key (32 bytes); images
 * wanted (int); rank of a record (int); its shape (long each). Then the records: the features as
 * float32 in C order, and the CRC-32 of these bytes (int). A record counts if all of it is there
 * and its checksum is right, so a file can be continued where a crash left it.
 */
final class FeatureFile implements Features {

  private static final byte[] MAGIC = "SPDFEAT\0".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int KEY_BYTES = 32;
  private static final int FIXED_HEADER = MAGIC.length + 4 + KEY_BYTES + 4 + 4;
  private static final int MAX_RANK = 8;

  private final Path path;
  private final byte[] key;
  private final int wanted;
  private final FileChannel channel;
  private FileLock lock;
  private long[] shape;
  private int complete;

  private FeatureFile(Path path, byte[] key, int wanted, FileChannel channel) {
    this.path = path;
    this.key = key.clone();
    this.wanted = wanted;
    this.channel = channel;
  }

  /**
   * Opens a file, or begins one.
   *
   * @param path the file
   * @param key what the features depend on; a file with another key is refused
   * @param wanted how many records it has when it is whole
   */
  static FeatureFile open(Path path, byte[] key, int wanted) {
    FileChannel channel = null;
    try {
      Files.createDirectories(path.toAbsolutePath().getParent());
      channel =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FeatureFile file = new FeatureFile(path, key, wanted, channel);
      file.lock();
      file.readHeader();
      file.findEnd();
      file.unlockIfWhole();
      return file;
    } catch (IOException e) {
      throw closing(channel, new UncheckedIOException("cannot open the features " + path, e));
    } catch (RuntimeException e) {
      throw closing(channel, e);
    }
  }

  private static RuntimeException closing(FileChannel channel, RuntimeException e) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException second) {
      e.addSuppressed(second);
    }
    return e;
  }

  /** Two that append would spoil each other's records. A whole file is free for all. */
  private void lock() throws IOException {
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new IOException("another training is writing to it");
    }
  }

  private void unlockIfWhole() throws IOException {
    if (complete == wanted && lock.isValid()) {
      lock.release();
    }
  }

  private void readHeader() throws IOException {
    if (channel.size() < FIXED_HEADER) {
      return; // new, or broken off before the first record
    }
    ByteBuffer fixed = read(0, FIXED_HEADER);
    byte[] magic = new byte[MAGIC.length];
    fixed.get(magic);
    int version = fixed.getInt();
    byte[] foundKey = new byte[KEY_BYTES];
    fixed.get(foundKey);
    int foundWanted = fixed.getInt();
    int rank = fixed.getInt();
    if (!Arrays.equals(magic, MAGIC) || version != VERSION || rank < 1 || rank > MAX_RANK) {
      throw new IOException("it is not a feature file of version " + VERSION);
    }
    if (!Arrays.equals(foundKey, key) || foundWanted != wanted) {
      throw new IOException("it belongs to another backbone, cut or set of images");
    }
    if (channel.size() >= FIXED_HEADER + 8L * rank) {
      shape = new long[rank];
      read(FIXED_HEADER, 8 * rank).asLongBuffer().get(shape);
    }
  }

  /** Drops what comes after the last record that is whole. */
  private void findEnd() throws IOException {
    if (shape == null) {
      channel.truncate(0);
      return;
    }
    long records = (channel.size() - headerBytes()) / recordBytes();
    complete = (int) Math.min(wanted, records);
    if (complete == wanted) {
      return; // each record is checked when it is read
    }
    while (complete > 0 && !isWhole(read(position(complete - 1), recordBytes()))) {
      complete--;
    }
    channel.truncate(position(complete));
  }

  private static boolean isWhole(ByteBuffer bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes.array(), 0, bytes.capacity() - 4);
    return (int) crc.getValue() == bytes.getInt(bytes.capacity() - 4);
  }

  private int headerBytes() {
    return FIXED_HEADER + 8 * shape.length;
  }

  private int recordBytes() {
    return Math.addExact(Math.multiplyExact(4, Rows.length(shape)), 4);
  }

  private long position(int record) {
    return headerBytes() + (long) record * recordBytes();
  }

  private ByteBuffer read(long position, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        throw new IOException("it ends too early, at byte " + channel.size());
      }
    }
    buffer.flip();
    return buffer;
  }

  private void write(ByteBuffer buffer, long position) throws IOException {
    long at = position;
    while (buffer.hasRemaining()) {
      at += channel.write(buffer, at);
    }
  }

  /** Appends the features of the next images, and waits until the disk has them. */
  void append(INDArray batch) {
    try {
      if (shape == null) {
        shape = Rows.withoutFirst(batch.shape());
        writeHeader();
      }
      List<float[]> rows = Rows.rows(batch);
      ByteBuffer bytes =
          ByteBuffer.allocate(Math.multiplyExact(rows.size(), recordBytes()))
              .order(ByteOrder.LITTLE_ENDIAN);
      for (float[] row : rows) {
        int start = bytes.position();
        bytes.asFloatBuffer().put(row);
        bytes.position(start + 4 * row.length);
        CRC32 crc = new CRC32();
        crc.update(bytes.array(), start, 4 * row.length);
        bytes.putInt((int) crc.getValue());
      }
      bytes.flip();
      write(bytes, position(complete));
      channel.force(false);
      complete += rows.size();
      unlockIfWhole();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot write features to "
              + path
              + " ("
              + complete
              + " of "
              + wanted
              + " images are saved; is the disk full?)",
          e);
    }
  }

  private void writeHeader() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(headerBytes()).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).putInt(VERSION).put(key).putInt(wanted).putInt(shape.length);
    for (long size : shape) {
      header.putLong(size);
    }
    header.flip();
    write(header, 0);
  }

  /** How many records the file has, all from the first on. */
  int complete() {
    return complete;
  }

  @Override
  public int size() {
    return wanted;
  }

  @Override
  public long[] shape() {
    return shape.clone();
  }

  @Override
  public INDArray batch(int... indices) {
    List<float[]> rows = new ArrayList<>(indices.length);
    for (int index : indices) {
      rows.add(record(index));
    }
    return Rows.batch(rows, shape);
  }

  private float[] record(int index) {
    try {
      ByteBuffer bytes = read(position(index), recordBytes());
      if (!isWhole(bytes)) {
        throw new IOException(
            "record " + index + " is damaged; delete the file to compute it anew");
      }
      float[] row = new float[Rows.length(shape)];
      bytes.asFloatBuffer().get(row);
      return row;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read features from " + path, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the features " + path, e);
    }
  }
}
