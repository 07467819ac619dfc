/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A folder that this program may write to, so that nobody's files are lost.
 *
 * <ul>
 *   <li>A folder is ours if it holds our {@linkplain #MARK mark}, which is written first. One that
 *       has no mark and is not empty is refused, and nothing in it is changed.
 *   <li>The mark names the files that are ours. What it does not name is neither replaced nor
 *       deleted; a name that somebody else has taken is refused. Lines are only added to it, so
 *       that processes do not undo what others write.
 *   <li>Links in a folder of ours are not followed. The path of a folder may have some.
 * </ul>
 *
 * <p>Several processes may work in one folder.
 */
public final class OwnFolder {

  /** The name of the mark: a line that says what it is, then a line for each file that is ours. */
  public static final String MARK = ".spd";

  private static final String TITLE =
      "Files named below belong to spd, which may replace and delete them, and no others.\n";

  /** Begins the line of a name that is not ours from there on. */
  private static final String NO_LONGER = "\0";

  /** Makes what is before it a line that is no name. */
  private static final String NO_NAME = "\0\n";

  private final Path path;

  private OwnFolder(Path path) {
    this.path = path;
  }

  /**
   * Makes a folder ours: one that is not there, is empty, or is ours already.
   *
   * @param what what the folder is for, such as an option; begins the message
   * @param folder the folder, which is made if it is not there
   * @return the folder
   * @throws UncheckedIOException if it is somebody else's, or cannot be written
   */
  public static OwnFolder claim(String what, Path folder) {
    requireFree(what, folder);
    try {
      Files.createDirectories(folder);
      OwnFolder own = new OwnFolder(folder.toRealPath());
      try (FileChannel mark = own.openMark(StandardOpenOption.CREATE)) {
        if (!own.isMarked()) {
          mark.write(UTF_8.encode(TITLE), 0); // the same of all who come at once
          mark.force(true);
        }
      }
      return own;
    } catch (IOException e) {
      throw new UncheckedIOException(
          what + " needs a folder that can be written, got " + folder, e);
    }
  }

  /**
   * Refuses a folder that could not be claimed; changes nothing.
   *
   * @param what what the folder is for
   * @param folder the folder
   * @throws UncheckedIOException if it is somebody else's
   */
  public static void requireFree(String what, Path folder) {
    try {
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      if (!Files.isDirectory(folder) || isLinkInside(folder)) {
        throw new IOException("it is not a folder");
      }
      List<String> inside = list(folder); // before the mark is read: who writes, marks first
      OwnFolder own = new OwnFolder(folder.toRealPath());
      boolean free = inside.isEmpty() || own.isMarked();
      if (!free && !(inside.equals(List.of(MARK)) && own.isMarkBegun())) {
        throw new IOException("it holds " + inside.get(0) + ", and no " + MARK);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.format(
              "%s needs a folder that is empty or was made by spd, got %s (%s); choose another",
              what, folder, Reason.of(e)),
          e);
    }
  }

  /**
   * A folder that was claimed before.
   *
   * @param folder a folder, or nothing
   * @return the folder if it is ours
   */
  public static Optional<OwnFolder> find(Path folder) {
    OwnFolder own = new OwnFolder(folder);
    return own.isMarked() && !isLinkInside(folder) ? Optional.of(own) : Optional.empty();
  }

  /** A link in a folder of ours was made by somebody else. */
  private static boolean isLinkInside(Path folder) {
    return Files.isSymbolicLink(folder)
        && new OwnFolder(folder.toAbsolutePath().getParent()).isMarked();
  }

  private static List<String> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
    }
  }

  /**
   * Where the folder is.
   *
   * @return its path
   */
  public Path path() {
    return path;
  }

  /**
   * Makes names ours, before files of these names are written.
   *
   * @param names names of files or folders
   * @throws UncheckedIOException if somebody else has a file of such a name
   */
  public void own(String... names) {
    try {
      Set<String> fresh = new LinkedHashSet<>(Arrays.asList(names));
      fresh.removeAll(names());
      for (String name : fresh) {
        requireFree(path.resolve(name));
        requireFree(AtomicFile.temporary(path.resolve(name)));
      }
      if (!fresh.isEmpty()) {
        append(String.join("\n", fresh) + "\n");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + path + ": " + Reason.of(e), e);
    }
  }

  private void append(String lines) throws IOException {
    try (FileChannel mark = openMark(StandardOpenOption.APPEND)) {
      mark.write(UTF_8.encode(isMarkTorn() ? NO_NAME + lines : lines));
      mark.force(true);
    }
  }

  /**
   * Leaves names to others, once no process writes files of these names any more: what somebody
   * else puts there stays. A name whose file is there remains ours.
   *
   * @param names names of files or folders
   */
  public void release(String... names) {
    Set<String> ours = names();
    String lines =
        Arrays.stream(names)
            .filter(ours::contains)
            .filter(name -> !Files.exists(path.resolve(name), LinkOption.NOFOLLOW_LINKS))
            .map(name -> NO_LONGER + name + "\n")
            .collect(Collectors.joining());
    try {
      if (!lines.isEmpty()) {
        append(lines);
      }
    } catch (IOException e) {
      return; // a disk is full: they are left the next time
    }
  }

  private static void requireFree(Path file) throws IOException {
    if (file.getFileName().toString().chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("expected a name without control characters");
    }
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(
          String.format("%s was not made by spd; move it away, or choose another folder", file));
    }
  }

  /** Opens the mark to write, if it is not a link. */
  private FileChannel openMark(OpenOption how) throws IOException {
    return FileChannel.open(
        path.resolve(MARK), StandardOpenOption.WRITE, how, LinkOption.NOFOLLOW_LINKS);
  }

  private String readMark() {
    Path mark = path.resolve(MARK);
    try {
      if (!Files.isRegularFile(mark, LinkOption.NOFOLLOW_LINKS)) {
        return null;
      }
      return UTF_8.decode(ByteBuffer.wrap(Files.readAllBytes(mark))).toString();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + mark, e);
    }
  }

  private boolean isMarked() {
    String mark = readMark();
    return mark != null && mark.startsWith(TITLE);
  }

  /** A process died when it was about to write the mark. */
  private boolean isMarkBegun() {
    String mark = readMark();
    return mark != null && TITLE.startsWith(mark);
  }

  /** A process died when it was about to add names. */
  private boolean isMarkTorn() {
    return !readMark().endsWith("\n");
  }

  /** The names that are ours; what is not whole, or leads out of the folder, is nobody's. */
  private Set<String> names() {
    String mark = readMark();
    Set<String> names = new LinkedHashSet<>();
    if (mark != null && mark.startsWith(TITLE)) {
      for (String line : mark.substring(TITLE.length(), mark.lastIndexOf('\n') + 1).split("\n")) {
        if (line.startsWith(NO_LONGER)) {
          names.remove(line.substring(NO_LONGER.length()));
        } else if (isName(line)) {
          names.add(line);
        }
      }
    }
    return names;
  }

  /** A mark may be damaged, or somebody else's. */
  private static boolean isName(String line) {
    try {
      Path name = Path.of(line);
      return !line.isEmpty()
          && line.chars().noneMatch(Character::isISOControl)
          && !name.isAbsolute()
          && name.getNameCount() == 1
          && name.equals(name.normalize())
          && !line.equals("..");
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /**
   * Whether a name is ours.
   *
   * @param name the name of a file or folder in this folder
   * @return whether the mark names it
   */
  public boolean owns(String name) {
    return name.equals(MARK) || names().contains(name);
  }

  /**
   * Deletes files of ours, whole or half written. Links, folders, and files that are not ours stay.
   *
   * @param names their names
   * @throws UncheckedIOException if that fails
   */
  public void delete(String... names) {
    Set<String> ours = names();
    for (String name : names) {
      if (ours.contains(name)) {
        deleteFile(path.resolve(name));
      }
    }
    deleteTemporary(names);
  }

  /**
   * Deletes what processes that died were writing.
   *
   * @param names the names of files, of which those that are ours count
   * @throws UncheckedIOException if that fails
   */
  public void deleteTemporary(String... names) {
    Set<String> ours = names();
    for (String name : names) {
      if (ours.contains(name)) {
        deleteFile(AtomicFile.temporary(path.resolve(name)));
      }
    }
  }

  private static void deleteFile(Path file) {
    try {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + file, e);
    }
  }

  /**
   * Whether one of our names is of a kind.
   *
   * @param kind says so of a name
   * @return whether there is one
   */
  public boolean ownsAny(Predicate<String> kind) {
    return names().stream().anyMatch(kind);
  }

  /**
   * Deletes all that is ours, and the folder if nothing else is in it.
   *
   * @throws UncheckedIOException if that fails
   */
  public void deleteAll() {
    deleteAll(name -> true);
  }

  /**
   * Deletes what is ours of one kind, and the folder if nothing else is in it.
   *
   * @param kind which of our names
   * @throws UncheckedIOException if that fails
   */
  public void deleteAll(Predicate<String> kind) {
    try {
      String[] names = names().stream().filter(kind).toArray(String[]::new);
      delete(names);
      if (list(path).equals(List.of(MARK))) {
        Files.delete(path.resolve(MARK));
        Files.delete(path);
      } else {
        release(names);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the folder " + path, e);
    }
  }
}
