/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The files of the system as one process sees them, to which one fault comes at a certain change or
 * at a certain reading. What happens is that of real disks and kernels: a process that is killed
 * leaves half a file, what was not forced is lost with the power, and a full disk takes some bytes
 * before it refuses the next.
 */
final class Disk extends FileSystem {

  /** What can happen. */
  enum Fault {
    NONE,
    /** The process ends, within a writing or between two. */
    KILL,
    /** The same, and what no file was forced to keep is lost in part. */
    POWER,
    /** From now on nothing has room. */
    FULL,
    /** One change fails. */
    WRITE_ERROR,
    /** One reading fails. */
    READ_ERROR
  }

  /** In place of the end of the process. */
  static final class Killed extends RuntimeException {

    private static final long serialVersionUID = 1L;
  }

  private final FileSystem system = Path.of("").getFileSystem();
  private final FaultyProvider provider = new FaultyProvider(this);
  private final Fault fault;
  private final int moment;
  private final Random random;

  private final List<FileChannel> open = new ArrayList<>();
  private final Map<Path, Long> notForced = new HashMap<>();
  private final List<String> changes = new ArrayList<>();
  private int readings;
  private boolean dead;
  private boolean full;

  Disk(Fault fault, int moment, Random random) {
    this.fault = fault;
    this.moment = moment;
    this.random = random;
  }

  Path path(String word) {
    return new FaultyPath(Path.of(word), this);
  }

  synchronized boolean isDead() {
    return dead;
  }

  synchronized int readings() {
    return readings;
  }

  /** What was changed, one after the other. */
  synchronized List<String> changes() {
    return List.copyOf(changes);
  }

  synchronized void requireAlive() {
    if (dead) {
      throw new Killed();
    }
  }

  synchronized void opened(FileChannel channel) {
    open.add(channel);
  }

  synchronized void read() throws IOException {
    requireAlive();
    if (++readings == moment && fault == Fault.READ_ERROR) {
      throw new IOException("Input/output error");
    }
  }

  private boolean isNow() {
    return changes.size() == moment;
  }

  synchronized void change(String what, boolean needsRoom) throws IOException {
    requireAlive();
    changes.add(what);
    if (isNow()) {
      strike();
    }
    if (full && needsRoom) {
      throw new IOException("No space left on device");
    }
  }

  private void strike() throws IOException {
    switch (fault) {
      case KILL, POWER -> {
        die();
        throw new Killed();
      }
      case FULL -> full = true;
      case WRITE_ERROR -> throw new IOException("Input/output error");
      default -> {
        // Another time, or never.
      }
    }
  }

  /** How many of so many bytes are written. */
  synchronized int write(String what, int bytes) throws IOException {
    requireAlive();
    changes.add(what);
    if (full) {
      throw new IOException("No space left on device");
    }
    if (isNow() && fault == Fault.WRITE_ERROR) {
      strike();
    }
    boolean torn = isNow() && (fault == Fault.KILL || fault == Fault.POWER || fault == Fault.FULL);
    if (!torn || bytes == 0) {
      return bytes;
    }
    int some = random.nextInt(bytes);
    if (fault == Fault.FULL && some == 0) {
      strike();
      throw new IOException("No space left on device");
    }
    return some;
  }

  /** After a write that was torn. */
  synchronized void wroteSome() throws IOException {
    strike();
  }

  /** Bytes of a file from some place on may be lost with the power. */
  synchronized void lose(Path file, long from) {
    notForced.merge(file, from, Math::min);
  }

  synchronized void forget(Path file) {
    notForced.remove(file);
  }

  synchronized void moved(Path source, Path target) {
    notForced.remove(target);
    Long from = notForced.remove(source);
    if (from != null) {
      notForced.put(target, from);
    }
  }

  /** As the system does with the files of a process that ends. */
  private void die() throws IOException {
    dead = true;
    for (FileChannel channel : open) {
      channel.close();
    }
    if (fault == Fault.POWER) {
      for (Map.Entry<Path, Long> entry : notForced.entrySet()) {
        losePart(entry.getKey(), entry.getValue());
      }
    }
  }

  private void losePart(Path file, long from) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long size = channel.size();
      if (from >= size) {
        return;
      }
      long kept = from + (long) (random.nextDouble() * (size - from + 1));
      channel.truncate(kept);
      if (random.nextBoolean()) { // the length reached the disk, and the bytes did not
        channel.write(ByteBuffer.allocate((int) (size - kept)), kept);
      }
    }
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return system.getSeparator();
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(path("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return system.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public Path getPath(String first, String... more) {
    return new FaultyPath(system.getPath(first, more), this);
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    PathMatcher matcher = system.getPathMatcher(pattern);
    return path -> matcher.matches(FaultyPath.real(path));
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
