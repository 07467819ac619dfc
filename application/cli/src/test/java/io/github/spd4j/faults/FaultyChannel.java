/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** An open file of a {@link Disk}. */
final class FaultyChannel extends FileChannel {

  private final FileChannel real;
  private final Path file;
  private final Disk disk;

  FaultyChannel(FileChannel real, Path file, Disk disk) {
    this.real = real;
    this.file = file;
    this.disk = disk;
    disk.opened(real);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    disk.read();
    return real.read(target);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    disk.read();
    return real.read(targets, offset, length);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    disk.read();
    return real.read(target, position);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return write(source, real.position(), true);
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    return write(source, position, false);
  }

  /** As systems do: of a disk that gets full some bytes are written, and the next call fails. */
  private int write(ByteBuffer source, long position, boolean moves) throws IOException {
    int whole = source.remaining();
    int some = disk.write("write " + file, whole);
    disk.lose(file, position);
    ByteBuffer part = source.slice(source.position(), some);
    int written = moves ? real.write(part) : real.write(part, position);
    source.position(source.position() + written);
    if (some < whole) {
      disk.wroteSome();
    }
    return written;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long written = 0;
    for (int i = offset; i < offset + length; i++) {
      written += write(sources[i]);
    }
    return written;
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    if (size < real.size()) {
      disk.change("truncate " + file, false);
      disk.lose(file, size);
      real.truncate(size);
    }
    return this;
  }

  /** The machine itself does not lose its power. */
  @Override
  public void force(boolean all) throws IOException {
    disk.change("force " + file, false);
    disk.forget(file);
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    disk.read();
    return real.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    disk.requireAlive();
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}
