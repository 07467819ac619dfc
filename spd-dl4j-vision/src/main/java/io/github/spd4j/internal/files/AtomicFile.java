/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Replaces files so that at any moment there is either the old one or the new one, whole. */
public final class AtomicFile {

  private static final Set<OpenOption> NEW =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  private static final Set<OpenOption> FRESH =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  private AtomicFile() {}

  /** Writes the content of a file. */
  public interface Content {

    /**
     * Writes all of it.
     *
     * @param out where to; must not be closed
     * @throws IOException if that fails
     */
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Writes text as UTF-8, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @param text its content
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, String text) {
    write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes bytes, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @param bytes its content
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, byte[] bytes) {
    write(file, out -> out.write(bytes));
  }

  /**
   * Writes a file beside its place, waits until the disk has it, and moves it there. A link at the
   * file is followed, unless it is in a {@linkplain OwnFolder folder of ours}; a link or a folder
   * beside it, where the new file would be written, is left as it is.
   *
   * @param file the file, in a folder that exists
   * @param content what to write
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, Content content) {
    write(file, content, written -> {});
  }

  /**
   * The same for a file that is looked at before it takes its place.
   *
   * @param file the file, in a folder that exists
   * @param content what to write
   * @param check is given the file beside its place; if it throws, what was there stays
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, Content content, Consumer<Path> check) {
    Growing growing = grow(file);
    try {
      OutputStream buffered =
          new BufferedOutputStream(Channels.newOutputStream(growing.channel), 1 << 16);
      content.writeTo(buffered);
      buffered.flush();
      growing.finish(check);
    } catch (IOException e) {
      throw failure(file, growing.dropped(e));
    } catch (RuntimeException | Error e) {
      growing.dropped(e);
      throw e;
    }
  }

  /**
   * Begins a file beside its place, in which all lies that was added, whatever happens.
   *
   * @param file the file, in a folder that exists
   * @return what writes it
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static Growing grow(Path file) {
    return new Growing(file);
  }

  /**
   * A file that is written piece by piece beside its place, and takes it when all is there. The
   * system knows until then that a process writes it.
   */
  public static final class Growing implements Closeable {

    private final Path file;
    private final Path place;
    private final Path temporary;
    private final FileChannel channel;

    private Growing(Path file) {
      this.file = file;
      this.place = place(file);
      Path usual = temporary(place);
      try {
        Path free = usual;
        FileChannel open = open(usual, FRESH);
        if (open == null) {
          free = inPlaceOf(usual, place);
          open = FileChannel.open(free, NEW);
        }
        this.temporary = free;
        this.channel = open;
        lock();
      } catch (IOException e) {
        throw failure(file, e);
      }
    }

    /** Null if there is something. */
    private static FileChannel open(Path file, Set<OpenOption> how) throws IOException {
      try {
        return FileChannel.open(file, how);
      } catch (FileAlreadyExistsException e) {
        return null;
      }
    }

    /** Waits only for who asks {@link #isBeingWritten}, which takes no time. */
    private void lock() {
      try {
        channel.lock();
      } catch (IOException | OverlappingFileLockException e) {
        return; // this file system has no locks, or another thread asks
      }
    }

    /**
     * Where the file is while it grows.
     *
     * @return a name beside its place
     */
    public Path soFar() {
      return temporary;
    }

    /**
     * Adds text as UTF-8.
     *
     * @param text the next piece
     * @throws UncheckedIOException if it cannot be written; what was added before stays
     */
    public void add(String text) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      try {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      } catch (IOException e) {
        close();
        throw failure(file, e);
      }
    }

    /** Lets go of the file; what was added stays where it is. */
    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        return; // nothing more is written
      }
    }

    /**
     * Puts the file into its place, when the disk has it.
     *
     * @throws UncheckedIOException if that fails; then what was there stays
     */
    public void finish() {
      try {
        finish(written -> {});
      } catch (IOException e) {
        throw failure(file, e);
      } finally {
        close();
      }
    }

    private void finish(Consumer<Path> check) throws IOException {
      channel.force(true);
      channel.close();
      check.accept(temporary);
      Files.move(
          temporary, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      syncFolder(place.getParent());
    }

    private <T extends Throwable> T dropped(T reason) {
      try (channel) {
        Files.deleteIfExists(temporary);
      } catch (IOException e) {
        reason.addSuppressed(e);
      }
      return reason;
    }
  }

  private static UncheckedIOException failure(Path file, IOException reason) {
    String line =
        Files.isDirectory(file)
            ? "cannot write " + file + ": it is a folder; delete it, or choose another name"
            : String.format(
                "cannot write %s%s: expected a folder that is writable and a disk that is not full",
                file, Files.exists(file) ? " (what was there before is untouched)" : "");
    return new UncheckedIOException(line, reason);
  }

  /**
   * The file itself, if there is one; a pipe or a device would be lost if a file took its place.
   */
  private static Path place(Path file) {
    try {
      if (Files.isSymbolicLink(file)
          && OwnFolder.find(file.toAbsolutePath().getParent()).isPresent()) {
        throw new IOException("it is a link, in a folder of ours");
      }
      Path place = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
      if (Files.exists(place) && Files.readAttributes(place, BasicFileAttributes.class).isOther()) {
        throw new IOException("it is no ordinary file");
      }
      return place;
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.format("cannot write %s: %s; choose another name", file, Reason.of(e)), e);
    }
  }

  /** What a process of ours left is taken over; what somebody else has there stays. */
  private static Path inPlaceOf(Path usual, Path file) throws IOException {
    boolean ours =
        OwnFolder.find(file.getParent())
            .filter(own -> own.owns(file.getFileName().toString()))
            .isPresent();
    if (ours && !Files.isRegularFile(usual, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(usual + " is in the way: move it away");
    }
    return ours ? usual : file.resolveSibling(".spd" + UUID.randomUUID() + ".tmp");
  }

  /**
   * Where {@link #write} has a file while it is written: beside what a link leads to.
   *
   * @param file the file
   * @return the file that would be replaced
   * @throws UncheckedIOException if the file could not be written
   */
  public static Path beside(Path file) {
    return temporary(place(file));
  }

  /**
   * Where a file is while it is written; what lies there otherwise was left by a process that died.
   *
   * @param file the file
   * @return a name beside it
   */
  static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + ".tmp");
  }

  /**
   * Whether a process is writing a file that {@link #beside} named.
   *
   * @param temporary a file that is there
   * @return whether it grows
   * @throws IOException if it cannot be read
   */
  public static boolean isBeingWritten(Path temporary) throws IOException {
    try (FileChannel channel =
            FileChannel.open(temporary, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (OverlappingFileLockException e) { // this one
      return true;
    }
  }

  /** The rename itself must reach the disk; not every system can open a folder for that. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // The file is complete either way; at worst a power failure brings the old one back.
    }
  }
}
