/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A file that a command writes where the user says. It takes the place of nothing but an earlier
 * file of its kind, which begins the same: no input is lost, and nobody's file.
 */
public final class OutputFile {

  private static final String EMPTY_LIST = "[ ]";

  /** A kind of files. */
  public interface Kind {

    /**
     * Whether a file is of this kind.
     *
     * @param text its content
     * @param half whether it may end anywhere: a process died while it wrote it
     * @return whether it is
     */
    boolean has(String text, boolean half);
  }

  private final Path path;

  private OutputFile(Path path) {
    this.path = path;
  }

  /**
   * Makes sure of a place before there is anything to write, and makes its folder.
   *
   * @param option the option that names the place, for the message
   * @param path the place
   * @param beginning what all files of the kind begin with
   * @return the file to come
   * @throws UncheckedIOException if something else is there, or the folder cannot be written
   */
  public static OutputFile at(String option, Path path, String beginning) {
    return at(option, path, beginning, (text, half) -> true);
  }

  /**
   * Makes sure of a place before there is anything to write, and makes its folder.
   *
   * @param option the option that names the place, for the message
   * @param path the place
   * @param beginning what all files of the kind begin with
   * @param kind what else they have in common: a file that somebody else wrote may begin the same
   * @return the file to come
   * @throws UncheckedIOException if something else is there, or the folder cannot be written
   */
  public static OutputFile at(String option, Path path, String beginning, Kind kind) {
    try {
      if (Files.isDirectory(path)) {
        throw new IOException(option + " needs a file, got the folder " + path);
      }
      if (isOfARun(path) || !isEarlier(path, beginning, kind)) {
        requireAbsent(option, path);
      }
      Path temporary = AtomicFile.beside(path);
      if (isHalf(temporary, beginning, kind)) {
        if (AtomicFile.isBeingWritten(temporary)) {
          String text = "%s: another process writes %s; wait for it, or choose another name";
          throw new IOException(text.formatted(option, path));
        }
        Files.delete(temporary);
      }
      requireAbsent(option, temporary);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    createFolder(option, path.toAbsolutePath().getParent());
    return new OutputFile(path);
  }

  private static boolean isOfARun(Path path) {
    return OwnFolder.find(path.toAbsolutePath().getParent())
        .filter(own -> own.owns(path.getFileName().toString()))
        .isPresent();
  }

  private static boolean isEarlier(Path path, String beginning, Kind kind) throws IOException {
    return Files.isRegularFile(path)
        && (isEmpty(path)
            || start(path, beginning).equals(beginning) && kind.has(text(path), false));
  }

  private static String text(Path path) throws IOException {
    return new String(Files.readAllBytes(path), UTF_8);
  }

  /** Nothing, or a list of nothing. */
  private static boolean isEmpty(Path path) throws IOException {
    return Files.size(path) <= EMPTY_LIST.length() + 2
        && List.of("", EMPTY_LIST).contains(Files.readString(path).strip());
  }

  /** What a process that died was writing. */
  private static boolean isHalf(Path path, String beginning, Kind kind) throws IOException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    String start = start(path, beginning);
    return beginning.startsWith(start)
        && (start.length() < beginning.length() || kind.has(text(path), true));
  }

  /** As much of a file as such a file begins with. */
  private static String start(Path path, String beginning) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return new String(in.readNBytes(beginning.getBytes(UTF_8).length), UTF_8);
    }
  }

  private static void requireAbsent(String option, Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      String text = "%s would take the place of %s; choose another name, or move that away";
      throw new FileAlreadyExistsException(text.formatted(option, path));
    }
  }

  /** It may be there, and read-only. */
  private static void createFolder(String option, Path folder) {
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, ".spd", null));
    } catch (IOException e) {
      throw new UncheckedIOException(
          option + " needs a folder that can be written, got " + folder, e);
    }
  }

  /**
   * Writes the file.
   *
   * @param text its content
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public void write(String text) {
    AtomicFile.write(path, text);
  }

  /**
   * Begins to write the file, piece by piece; until the last it has {@linkplain AtomicFile#beside
   * another name}.
   *
   * @return what writes it
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public AtomicFile.Growing grow() {
    return AtomicFile.grow(path);
  }

  /**
   * Lets something else write the file, in place of what was there.
   *
   * @param writer is given the place
   */
  public void write(Consumer<Path> writer) {
    writer.accept(path);
  }
}
