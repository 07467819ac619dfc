/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/** One of Hadoop's file systems, to be read. */
final class HadoopFileSystem extends FileSystem {

  private final HadoopFileSystemProvider provider;
  private final String root;

  /**
   * A file system.
   *
   * @param root scheme and authority, such as {@code hdfs://namenode:8020}
   */
  HadoopFileSystem(HadoopFileSystemProvider provider, String root) {
    this.provider = provider;
    this.root = root;
  }

  String root() {
    return root;
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    // Hadoop keeps its own connections
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic");
  }

  @Override
  public Path getPath(String first, String... more) {
    return new HadoopPath(this, Path.of(first, more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    throw new UnsupportedOperationException("patterns of Hadoop's paths");
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException("users of Hadoop's files");
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException("Hadoop's files are not watched");
  }
}
