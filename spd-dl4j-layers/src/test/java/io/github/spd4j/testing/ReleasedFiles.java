/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Files of every release, which the present version must read, and files that it writes itself.
 *
 * <p>A release keeps what its tests write: {@code -Dspd4j.release=0.1.0} puts it where later
 * versions look for it, see {@code src-test-resources/released}.
 */
public final class ReleasedFiles {

  private static final Path RELEASES =
      Path.of(System.getProperty("spd4j.root"), "src-test-resources/released");

  private static final Map<String, Path> WRITTEN = new ConcurrentHashMap<>();

  /** Writes the files of one kind. */
  public interface Writer {

    /** Writes into a folder that exists and is empty. */
    void write(Path folder) throws IOException;
  }

  private ReleasedFiles() {}

  /**
   * The folders with files of one kind: one for each release, and one of this version. Only files
   * for the present version of DL4J: it does not read all networks of others.
   *
   * @param kind what the files are, a word
   * @param writer writes the files of this version
   */
  public static Stream<Named<Path>> folders(String kind, Writer writer) {
    List<Named<Path>> folders = new ArrayList<>();
    folders.add(Named.of("this version", WRITTEN.computeIfAbsent(kind, k -> written(k, writer))));
    for (Path release : releases()) {
      Path folder = place(release, kind);
      if (Files.exists(folder)) {
        folders.add(Named.of("release " + release.getFileName(), folder));
      }
    }
    return folders.stream();
  }

  private static Path place(Path release, String kind) {
    return release.resolve(System.getProperty("spd4j.dl4j.version")).resolve(kind);
  }

  private static List<Path> releases() {
    try (Stream<Path> all = Files.list(RELEASES)) {
      List<Path> releases = new ArrayList<>();
      all.filter(Files::isDirectory).forEach(releases::add);
      Collections.sort(releases);
      return releases;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path written(String kind, Writer writer) {
    try {
      Path folder = Files.createTempDirectory("written");
      deleteAtExit(folder);
      writer.write(folder);
      String release = System.getProperty("spd4j.release");
      Path place = release == null ? null : place(RELEASES.resolve(release), kind);
      if (place != null && !Files.exists(place)) { // a release writes once
        copy(folder, place);
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteAtExit(Path folder) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
  }

  /** Deletes a folder and all that is in it. */
  public static void delete(Path place) {
    try (Stream<Path> all = Files.walk(place)) {
      List<Path> deepestLast = new ArrayList<>();
      all.forEach(deepestLast::add);
      Collections.reverse(deepestLast);
      for (Path file : deepestLast) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The content of an {@code .npy} file. */
  public static INDArray numbers(Path file) {
    return Nd4j.createFromNpyFile(file.toFile());
  }

  /** Writes an {@code .npy} file. */
  public static void write(INDArray numbers, Path file) throws IOException {
    Nd4j.writeAsNumpy(numbers, file.toFile());
  }

  /** Copies a folder and all that is in it, for tests that write to it. */
  public static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (Files.isRegularFile(file)) {
          Path copy = target.resolve(source.relativize(file));
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
  }
}
