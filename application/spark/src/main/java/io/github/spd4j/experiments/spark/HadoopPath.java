/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/** A path in a Hadoop file system. Names and their parts follow the rules of Unix paths. */
final class HadoopPath implements Path {

  private final HadoopFileSystem system;
  private final Path name;

  HadoopPath(HadoopFileSystem system, Path name) {
    this.system = system;
    this.name = name;
  }

  private Path with(Path other) {
    return other == null ? null : new HadoopPath(system, other);
  }

  private static Path nameOf(Path path) {
    return path instanceof HadoopPath ? ((HadoopPath) path).name : path;
  }

  /** The same as Hadoop's path. */
  org.apache.hadoop.fs.Path inHadoop() {
    return new org.apache.hadoop.fs.Path(system.root() + name);
  }

  @Override
  public FileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return name.isAbsolute();
  }

  @Override
  public Path getRoot() {
    return with(name.getRoot());
  }

  @Override
  public Path getFileName() {
    return with(name.getFileName());
  }

  @Override
  public Path getParent() {
    return with(name.getParent());
  }

  @Override
  public int getNameCount() {
    return name.getNameCount();
  }

  @Override
  public Path getName(int index) {
    return with(name.getName(index));
  }

  @Override
  public Path subpath(int beginIndex, int endIndex) {
    return with(name.subpath(beginIndex, endIndex));
  }

  @Override
  public boolean startsWith(Path other) {
    return name.startsWith(nameOf(other));
  }

  @Override
  public boolean endsWith(Path other) {
    return name.endsWith(nameOf(other));
  }

  @Override
  public Path normalize() {
    return with(name.normalize());
  }

  @Override
  public Path resolve(Path other) {
    return with(name.resolve(nameOf(other)));
  }

  @Override
  public Path resolve(String other) {
    return with(name.resolve(other));
  }

  @Override
  public Path relativize(Path other) {
    return with(name.relativize(nameOf(other)));
  }

  /** An opaque URI: the scheme of the provider, then Hadoop's URI. */
  @Override
  public URI toUri() {
    return URI.create(HadoopFileSystemProvider.SCHEME + ":" + inHadoop().toUri());
  }

  @Override
  public Path toAbsolutePath() {
    return this;
  }

  @Override
  public Path toRealPath(LinkOption... options) {
    return this;
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers)
      throws IOException {
    throw new UnsupportedOperationException("Hadoop's files are not watched");
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HadoopPath && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    return name.isAbsolute() ? system.root() + name : name.toString();
  }
}
