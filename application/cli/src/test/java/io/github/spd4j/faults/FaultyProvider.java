/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.faults;

import static io.github.spd4j.faults.FaultyPath.real;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** The system's files, with the faults of a {@link Disk}. */
final class FaultyProvider extends FileSystemProvider {

  private final Disk disk;
  private final FileSystemProvider system = Path.of("").getFileSystem().provider();

  FaultyProvider(Disk disk) {
    this.disk = disk;
  }

  @Override
  public String getScheme() {
    return "faulty";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return disk;
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Path file = real(path);
    if (!options.contains(StandardOpenOption.WRITE)
        && !options.contains(StandardOpenOption.APPEND)) {
      disk.read();
      return new FaultyChannel(FileChannel.open(file, options, attributes), file, disk);
    }
    boolean isNew = !Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    disk.change("open " + file, isNew);
    FileChannel channel = FileChannel.open(file, options, attributes);
    if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      disk.lose(file, 0);
    }
    return new FaultyChannel(channel, file, disk);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path folder, DirectoryStream.Filter<? super Path> filter) throws IOException {
    disk.read();
    DirectoryStream<Path> stream = Files.newDirectoryStream(real(folder));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        Iterator<Path> all = stream.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return all.hasNext();
          }

          @Override
          public Path next() {
            return folder.resolve(all.next().getFileName().toString());
          }
        };
      }

      @Override
      public void close() throws IOException {
        stream.close();
      }
    };
  }

  @Override
  public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
    disk.change("create " + folder, true);
    system.createDirectory(real(folder), attributes);
  }

  @Override
  public void delete(Path path) throws IOException {
    disk.change("delete " + path, false);
    system.delete(real(path));
    disk.forget(real(path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    disk.change("copy " + target, true);
    system.copy(real(source), real(target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    disk.change("move " + source, false);
    system.move(real(source), real(target), options);
    disk.moved(real(source), real(target));
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    return system.isSameFile(real(path), real(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return system.isHidden(real(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return system.getFileStore(real(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    disk.requireAlive();
    system.checkAccess(real(path), modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return system.getFileAttributeView(real(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    disk.requireAlive();
    return system.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    disk.requireAlive();
    return system.readAttributes(real(path), names, options);
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options)
      throws IOException {
    disk.requireAlive();
    system.setAttribute(real(path), name, value, options);
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    return disk.path(system.readSymbolicLink(real(link)).toString());
  }
}
