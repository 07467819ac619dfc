/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.deploy.SparkHadoopUtil;

/**
 * Lets Java's {@link java.nio.file.Files} read what Hadoop can: HDFS, object stores and so on, with
 * the settings that Spark has. URIs are Hadoop's, with {@code hadoop:} before them.
 */
public final class HadoopFileSystemProvider extends FileSystemProvider {

  static final String SCHEME = "hadoop";

  /** For Java's service loader. */
  public HadoopFileSystemProvider() {}

  /** A path for what a user wrote, such as {@code hdfs://namenode/images}. */
  static Path path(String place) {
    return new HadoopFileSystemProvider().getPath(URI.create(SCHEME + ":" + place));
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
    return getFileSystem(uri);
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    URI inner = URI.create(uri.getSchemeSpecificPart());
    String authority = inner.getAuthority() == null ? "" : inner.getAuthority();
    return new HadoopFileSystem(this, inner.getScheme() + "://" + authority);
  }

  @Override
  public Path getPath(URI uri) {
    return getFileSystem(uri).getPath(URI.create(uri.getSchemeSpecificPart()).getPath());
  }

  private static org.apache.hadoop.fs.FileSystem system(org.apache.hadoop.fs.Path path)
      throws IOException {
    Configuration settings = SparkHadoopUtil.get().conf();
    try {
      return path.getFileSystem(settings);
    } catch (IllegalArgumentException e) { // such as a host that is not known
      throw new IOException(e.getMessage(), e);
    }
  }

  private static org.apache.hadoop.fs.Path inHadoop(Path path) {
    return ((HadoopPath) path).inHadoop();
  }

  @Override
  public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
    org.apache.hadoop.fs.Path file = inHadoop(path);
    return system(file).open(file);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path folder, DirectoryStream.Filter<? super Path> filter) throws IOException {
    org.apache.hadoop.fs.Path place = inHadoop(folder);
    List<Path> found = new ArrayList<>();
    for (FileStatus status : system(place).listStatus(place)) {
      Path path = folder.resolve(status.getPath().getName());
      if (filter.accept(path)) {
        found.add(path);
      }
    }
    return new Listing(found);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    if (type != BasicFileAttributes.class) {
      throw new UnsupportedOperationException("attributes " + type.getName());
    }
    org.apache.hadoop.fs.Path place = inHadoop(path);
    try {
      return type.cast(new HadoopAttributes(system(place).getFileStatus(place)));
    } catch (FileNotFoundException e) {
      throw new NoSuchFileException(path.toString());
    }
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    readAttributes(path, BasicFileAttributes.class);
  }

  @Override
  public boolean isSameFile(Path path, Path path2) {
    return path.equals(path2);
  }

  @Override
  public boolean isHidden(Path path) {
    return path.getFileName().toString().startsWith(".");
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attrs) {
    throw new UnsupportedOperationException("Hadoop's files are read as streams");
  }

  @Override
  public void createDirectory(Path dir, FileAttribute<?>... attrs) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void delete(Path path) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException("stores of Hadoop's files");
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return null; // none but reading
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
    throw new UnsupportedOperationException("attributes by name");
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
    throw new ReadOnlyFileSystemException();
  }

  /** What a folder holds. */
  private static final class Listing implements DirectoryStream<Path> {
    private final List<Path> paths;

    Listing(List<Path> paths) {
      this.paths = paths;
    }

    @Override
    public Iterator<Path> iterator() {
      return paths.iterator();
    }

    @Override
    public void close() {
      // all was read
    }
  }
}
