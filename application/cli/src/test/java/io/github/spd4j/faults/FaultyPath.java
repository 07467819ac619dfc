/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A path of the system, seen by a process whose {@link Disk} may fail. */
record FaultyPath(Path real, Disk disk) implements Path {

  private Path on(Path path) {
    return path == null ? null : new FaultyPath(path, disk);
  }

  static Path real(Path path) {
    return path instanceof FaultyPath faulty ? faulty.real : path;
  }

  @Override
  public FileSystem getFileSystem() {
    return disk;
  }

  @Override
  public boolean isAbsolute() {
    return real.isAbsolute();
  }

  @Override
  public Path getRoot() {
    return on(real.getRoot());
  }

  @Override
  public Path getFileName() {
    return on(real.getFileName());
  }

  @Override
  public Path getParent() {
    return on(real.getParent());
  }

  @Override
  public int getNameCount() {
    return real.getNameCount();
  }

  @Override
  public Path getName(int index) {
    return on(real.getName(index));
  }

  @Override
  public Path subpath(int begin, int end) {
    return on(real.subpath(begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    return real.startsWith(real(other));
  }

  @Override
  public boolean endsWith(Path other) {
    return real.endsWith(real(other));
  }

  @Override
  public Path normalize() {
    return on(real.normalize());
  }

  @Override
  public Path resolve(Path other) {
    return on(real.resolve(real(other)));
  }

  @Override
  public Path resolve(String other) {
    return on(real.resolve(other));
  }

  @Override
  public Path relativize(Path other) {
    return on(real.relativize(real(other)));
  }

  @Override
  public URI toUri() {
    return real.toUri();
  }

  @Override
  public Path toAbsolutePath() {
    return on(real.toAbsolutePath());
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    return on(real.toRealPath(options));
  }

  @Override
  public File toFile() {
    return real.toFile();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return real.compareTo(real(other));
  }

  @Override
  public String toString() {
    return real.toString();
  }
}
