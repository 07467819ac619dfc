/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.type.TypeReference;
import io.github.spd4j.internal.files.Digest;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.internal.files.RegularFile;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The files of one run. {@code result.json} is written when all is known; the run is finished when
 * {@code settings.json} is gone after that. All records have checksums.
 */
record RunFolder(Path path) {

  private static final String SETTINGS = "settings.json";
  private static final String LOCK = "lock";

  static final String PREDICTIONS = "predictions.csv";
  static final String REPORT = "report.html";

  /** What only a run that is not finished needs; first what makes it one. */
  private static final String[] UNFINISHED = {
    SETTINGS, TwoStageTrainer.CHECKPOINT, Search.FILE, RunClock.FILE, LOCK
  };

  private static final String[] ALL =
      Stream.concat(
              Stream.of(UNFINISHED),
              Stream.of(
                  RunResult.FILE,
                  TwoStageTrainer.MODEL,
                  ModelCard.FILE,
                  PREDICTIONS,
                  EarlierRun.PICTURES,
                  REPORT))
          .toArray(String[]::new);

  /** A name for a folder, made of letters, digits, dots, hyphens and underscores. */
  static String slug(String... parts) {
    return String.join("_", parts).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9._]+", "-");
  }

  Path file(String name) {
    return path.resolve(name);
  }

  long size(String name) {
    try {
      return Files.size(file(name));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file(name), e);
    }
  }

  /** The result, if the run is finished. Refuses that of a run with other settings, and damage. */
  Optional<RunResult> finished(Map<String, String> settings) {
    boolean stopped =
        Files.exists(file(SETTINGS)) && Files.exists(file(TwoStageTrainer.CHECKPOINT));
    if (!Files.exists(file(RunResult.FILE)) || stopped) {
      return Optional.empty();
    }
    RunResult result = RunResult.read(file(RunResult.FILE));
    requireEqual(result.settings(), settings);
    result.files().digests().forEach(this::requireUnchanged);
    if (hasLeftOvers() && !isTaken()) {
      deleteLeftOvers();
    }
    return Optional.of(result);
  }

  /** Otherwise what has these names, a lock among them, is somebody else's. */
  private boolean hasLeftOvers() {
    return OwnFolder.find(path)
        .filter(own -> Arrays.stream(UNFINISHED).anyMatch(own::owns))
        .isPresent();
  }

  /** Whether a process works on the run; nothing is written to find out. */
  boolean isTaken() {
    boolean ours = OwnFolder.find(path).filter(own -> own.owns(LOCK)).isPresent();
    return ours && Lock.isHeld(file(LOCK));
  }

  private void requireUnchanged(String name, String digest) {
    Path file = file(name);
    if (Files.exists(file) && !digest.equals(digest(file))) {
      throw new UserException(
          "%s: its checksum is not that in %s: it is damaged, was edited, or is another's;"
                  .formatted(file, RunResult.FILE)
              + " delete the folder %s to run again".formatted(path));
    }
  }

  static String digest(Path file) {
    try {
      return Files.isRegularFile(file) ? Digest.of(file) : "no file";
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** What to say of a finished run. */
  String statement(RunResult result) {
    List<String> gone =
        result.files().digests().keySet().stream()
            .filter(name -> !Files.exists(file(name)))
            .toList();
    return gone.isEmpty()
        ? "was finished before"
        : "was finished before; %s is gone, delete the folder %s to run again"
            .formatted(String.join(", ", gone), path);
  }

  /** The checksums of some files, by name. */
  Map<String, String> digests(List<String> names) {
    Map<String, String> digests = new LinkedHashMap<>();
    names.forEach(name -> digests.put(name, digest(file(name))));
    return digests;
  }

  /**
   * Deletes the run, and the folder if nothing else is in it. Features that other runs use stay.
   *
   * @throws TakenException if another process works on it
   */
  void delete() {
    if (hasLeftOvers()) { // otherwise no process does anything here
      lock().close();
      deleteLeftOvers();
    }
    OwnFolder.find(path)
        .ifPresent(
            own -> {
              OwnFolder.find(file(PictureFeatures.FOLDER)).ifPresent(OwnFolder::deleteAll);
              own.deleteAll();
            });
  }

  /** Whether there is a run, finished or not. */
  boolean hasBegun() {
    return Stream.of(SETTINGS, RunResult.FILE).anyMatch(name -> Files.exists(file(name)));
  }

  /** The same of what nobody else has put there. */
  boolean isOurs() {
    return OwnFolder.find(path)
        .filter(
            own ->
                Stream.of(SETTINGS, RunResult.FILE)
                    .anyMatch(name -> own.owns(name) && Files.exists(file(name))))
        .isPresent();
  }

  /**
   * Keeps other processes from the folder until it is closed.
   *
   * @throws TakenException if another process does so
   */
  Lock lock() {
    OwnFolder.claim("a run", path).own(ALL);
    return new Lock(file(LOCK));
  }

  /** Begins the run or goes on with it; the folder is locked. */
  void begin(Map<String, String> settings) {
    OwnFolder.find(path).ifPresent(own -> own.deleteTemporary(ALL));
    if (Files.exists(file(SETTINGS))) {
      requireEqual(begun(), settings);
    } else {
      Json.keep(file(SETTINGS), settings, "");
    }
  }

  /** The settings that the run was begun with. */
  private Map<String, String> begun() {
    return Json.kept(
        file(SETTINGS),
        new TypeReference<>() {},
        "",
        "delete it and run the same command again: with the options that it had, the run goes on");
  }

  /** Stands for the settings; what another run left has another. */
  String identity() {
    return digest(file(SETTINGS));
  }

  /** Another process works on the run. */
  static final class TakenException extends UserException {

    private static final long serialVersionUID = 1L;

    TakenException(String message) {
      super(message);
    }
  }

  /** Held by the process that works on a run. The system takes it back when the process ends. */
  static final class Lock implements AutoCloseable {

    /** A process loses its lock of a file when it closes any channel to it. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    /** The first byte belongs to who works; the second tells who asks, and hinders nobody. */
    private static final int BYTE = 1;

    /** Asks whether a process works. */
    static boolean isHeld(Path file) {
      synchronized (OWN) { // closing a channel would give up a lock that is being taken
        return OWN.contains(file.toAbsolutePath().normalize()) || isHeldByOthers(file);
      }
    }

    private static boolean isHeldByOthers(Path file) {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return false;
      }
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        return channel.tryLock(BYTE, BYTE, true) == null;
      } catch (OverlappingFileLockException e) {
        return true;
      } catch (NoSuchFileException e) { // it has just ended
        return false;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }

    private Lock(Path file) {
      this.file = file.toAbsolutePath().normalize();
      synchronized (OWN) {
        if (!OWN.add(this.file)) {
          throw taken(" (this one)");
        }
      }
      try {
        if (Files.exists(file)) {
          RegularFile.require(file);
        }
        channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        try {
          take();
        } catch (IOException | TakenException e) {
          channel.close(); // which gives up the lock
          throw e;
        }
      } catch (IOException e) {
        OWN.remove(this.file);
        throw new UncheckedIOException("cannot write " + file, e);
      } catch (TakenException e) {
        OWN.remove(this.file);
        throw e;
      }
    }

    private void take() throws IOException {
      if (!isFree(channel)) {
        String who = Files.readString(file);
        throw taken(who.isBlank() ? "" : " (" + who.strip() + ")");
      }
      String who =
          "process %d since %s"
              .formatted(
                  ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
      channel.truncate(0).write(UTF_8.encode(who));
    }

    private TakenException taken(String who) {
      return new TakenException(
          "another process works on the run in %s%s; wait for it, or choose another --out"
              .formatted(file.getParent(), who));
    }

    private static boolean isFree(FileChannel channel) throws IOException {
      try {
        return channel.tryLock(0, BYTE, false) != null
            && channel.lock(BYTE, BYTE, false).isValid(); // waits for who asks, a moment
      } catch (OverlappingFileLockException e) { // another thread has it
        return false;
      }
    }

    @Override
    public void close() {
      try {
        Files.deleteIfExists(file); // before somebody else can have it
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot delete " + file, e);
      } finally {
        OWN.remove(file);
      }
    }
  }

  private void requireEqual(Map<String, String> found, Map<String, String> expected) {
    Map<String, String> wanted = new LinkedHashMap<>(expected);
    RunSettings.OPTIONAL.stream()
        .filter(found::containsKey)
        .forEach(name -> wanted.putIfAbsent(name, "none"));
    wanted.forEach(
        (name, value) -> {
          if (!value.equals(found.get(name))) {
            throw new UserException(
                "%s holds a run with %s; choose another --out, or delete that folder"
                    .formatted(path, difference(name, found.get(name), value)));
          }
        });
  }

  private static String difference(String name, String found, String expected) {
    return switch (name) {
      case "images" -> "images of other names, or divided otherwise";
      case RunSettings.CONTENTS -> "images of these names whose content was another";
      default -> "%s = %s, expected %s".formatted(name, found, expected);
    };
  }

  /** Writes the result; from now on nothing can be lost. */
  void keep(RunResult result) {
    Json.keep(file(RunResult.FILE), result, "");
  }

  /** Ends the run; from now on it will not be repeated. */
  void finish(boolean dropModel) {
    deleteLeftOvers();
    if (dropModel) {
      OwnFolder.find(path)
          .ifPresent(
              own -> {
                own.delete(TwoStageTrainer.MODEL, ModelCard.FILE);
                own.release(TwoStageTrainer.MODEL, ModelCard.FILE);
              });
    }
  }

  /** Features that other runs could use lie beside the folder of the run, not in it. */
  private void deleteLeftOvers() {
    OwnFolder.find(path)
        .ifPresent(
            own -> {
              own.delete(UNFINISHED);
              own.deleteTemporary(ALL);
              FeatureCache.delete(file(Experiment.FEATURES));
              own.release(UNFINISHED);
            });
  }
}
