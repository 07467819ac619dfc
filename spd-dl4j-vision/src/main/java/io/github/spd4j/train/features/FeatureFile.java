/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import io.github.spd4j.train.progress.TrainingProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Features in a file, in the {@link FeatureFormat}; it may be larger than the heap. */
final class FeatureFile extends StoredFeatures {

  private static final long MOST_NOT_FORCED = 256L << 20;
  private static final String TAKEN = "another training is writing to it";

  /**
   * The files that this process writes to. It may not even open them again: the lock of a file is
   * lost as soon as its process closes any channel to it.
   */
  private static final Set<Path> WRITTEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final byte[] key;
  private final int wanted;
  private final FileChannel channel;
  private FileLock lock;
  private FeatureFormat format;
  private int complete;

  /** How many bytes the disk may not have yet. */
  private long notForced;

  private FeatureFile(Path path, byte[] key, int wanted, FileChannel channel) {
    this.path = path;
    this.key = key.clone();
    this.wanted = wanted;
    this.channel = channel;
  }

  /**
   * Opens a file, or begins one. While another process writes to it, this one waits.
   *
   * @param path the file
   * @param key what the features depend on; a file with another key is refused
   * @param wanted how many records it has when it is whole
   * @param progress is told if there is something to wait for
   */
  static synchronized FeatureFile open(
      Path path, byte[] key, int wanted, TrainingProgress progress) {
    FileChannel channel = null;
    try {
      if (WRITTEN.contains(path.toAbsolutePath())) {
        throw new IOException(TAKEN);
      }
      Files.createDirectories(path.toAbsolutePath().getParent());
      channel =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              LinkOption.NOFOLLOW_LINKS);
      FeatureFile file = new FeatureFile(path, key, wanted, channel);
      file.lock(progress);
      WRITTEN.add(path.toAbsolutePath());
      file.readHeader();
      file.findEnd();
      file.unlockIfWhole();
      return file;
    } catch (IOException e) {
      throw closing(
          channel,
          path,
          new UncheckedIOException(
              "cannot open the features " + path + "; delete it to compute them anew", e));
    } catch (RuntimeException e) {
      throw closing(channel, path, e);
    }
  }

  private static RuntimeException closing(FileChannel channel, Path path, RuntimeException e) {
    try {
      if (channel != null) {
        WRITTEN.remove(path.toAbsolutePath());
        channel.close();
      }
    } catch (IOException second) {
      e.addSuppressed(second);
    }
    return e;
  }

  /**
   * Two that append would spoil each other's records. A whole file is free for all. Within one
   * process nothing waits, since it might wait for itself.
   */
  private void lock(TrainingProgress progress) throws IOException {
    try {
      lock = channel.tryLock();
      if (lock == null) {
        progress.message("Waits for another process, which writes to " + path);
        lock = channel.lock();
      }
    } catch (OverlappingFileLockException e) {
      throw new IOException(TAKEN, e);
    }
  }

  private void unlockIfWhole() throws IOException {
    if (complete == wanted && lock.isValid()) {
      lock.release();
      WRITTEN.remove(path.toAbsolutePath());
    }
  }

  private void readHeader() throws IOException {
    int bytes = (int) Math.min(channel.size(), FeatureFormat.mostHeaderBytes());
    format = FeatureFormat.read(read(0, bytes), key, wanted).orElse(null);
  }

  /** Drops what comes after the last record that is whole. */
  private void findEnd() throws IOException {
    if (format == null) {
      channel.truncate(0);
      return;
    }
    long records = (channel.size() - format.headerBytes()) / format.recordBytes();
    complete = (int) Math.min(wanted, records);
    if (complete == wanted) {
      return; // each record is checked when it is read
    }
    while (complete > 0 && !format.isWhole(bytes(complete - 1), complete - 1)) {
      complete--;
    }
    channel.truncate(format.position(complete));
  }

  private byte[] bytes(int record) throws IOException {
    return read(format.position(record), format.recordBytes());
  }

  private byte[] read(long position, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        throw new IOException("it ends too early, at byte " + channel.size());
      }
    }
    return buffer.array();
  }

  private void write(byte[] bytes, long position) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer, position + buffer.position());
    }
  }

  /**
   * Appends the features of the next images. Now and then, and at the end, it waits until the disk
   * has them: if the power fails, some are computed anew.
   */
  @Override
  void append(INDArray batch) {
    try {
      if (format == null) {
        format = new FeatureFormat(key, wanted, FeatureFormat.shapeOf(batch));
        write(format.header(), 0);
      }
      byte[] records = format.records(complete, batch);
      write(records, format.position(complete));
      complete += (int) batch.size(0);
      notForced += records.length;
      if (notForced > MOST_NOT_FORCED || complete == wanted) {
        channel.force(false);
        notForced = 0;
      }
      unlockIfWhole();
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.format(
              "cannot write features to %s (%d of %d images are saved; is the disk full?)",
              path, complete, wanted),
          e);
    }
  }

  @Override
  int complete() {
    return complete;
  }

  @Override
  public int size() {
    return wanted;
  }

  @Override
  public long[] shape() {
    return format.shape();
  }

  @Override
  void copy(int index, float[] target, int place) {
    try {
      format.copy(bytes(index), index, target, place);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read features from " + path, e);
    }
  }

  @Override
  public void close() {
    try {
      if (lock.isValid()) {
        WRITTEN.remove(path.toAbsolutePath());
      }
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the features " + path, e);
    }
  }
}
