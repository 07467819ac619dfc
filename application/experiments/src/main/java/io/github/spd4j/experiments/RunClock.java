/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import com.fasterxml.jackson.core.type.TypeReference;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How long a run takes, together with the parts before it was interrupted, each of which counts up
 * to its last epoch. As the progress of the run it is told of epochs, and tells the user's.
 *
 * <p>{@code clock.json} has the seconds up to the last epoch, by a clock that does not jump.
 */
final class RunClock implements Progress {

  static final String FILE = "clock.json";

  private static final double NANOS = 1e9;

  private final RunFolder folder;
  private final Progress user;
  private final double before;
  private final long start = System.nanoTime();

  private RunClock(RunFolder folder, Progress user, double before) {
    this.folder = folder;
    this.user = user;
    this.before = before;
  }

  /** The content of the file. */
  record Time(double seconds) {}

  /** Begins a part of a run. The time of parts that nobody knows any more does not count. */
  static RunClock start(RunFolder folder, Progress user) {
    Path file = folder.file(FILE);
    double before = 0;
    if (Files.exists(file)) {
      try {
        Time last =
            Json.kept(
                file,
                new TypeReference<>() {},
                folder.identity(),
                "the time before this part of the run is not counted");
        before = last.seconds();
      } catch (UserException e) {
        user.message(e.getMessage());
      }
    }
    RunClock clock = new RunClock(folder, user, before);
    clock.keep();
    return clock;
  }

  private void keep() {
    Json.keep(folder.file(FILE), new Time(seconds()), folder.identity());
  }

  /** The seconds of all parts up to now. */
  double seconds() {
    return before + (System.nanoTime() - start) / NANOS;
  }

  @Override
  public void epochDone(EpochRecord record) {
    keep();
    user.epochDone(record);
  }

  @Override
  public void planned(List<String> phases) {
    user.planned(phases);
  }

  @Override
  public void featuresDone(int done, int total) {
    user.featuresDone(done, total);
  }

  @Override
  public void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {
    user.stageStarted(stage, epochs, imagesPerEpoch);
  }

  @Override
  public void stageResumed(int epochsDone) {
    user.stageResumed(epochsDone);
  }

  @Override
  public void batchDone(int images, double loss, double accuracy) {
    user.batchDone(images, loss, accuracy);
  }

  @Override
  public void fitDone(long done, long total) {
    user.fitDone(done, total);
  }

  @Override
  public void message(String text) {
    user.message(text);
  }

  @Override
  public void imagesDone(long images, long descriptors) {
    user.imagesDone(images, descriptors);
  }

  @Override
  public void iterationDone(int iteration, double meanLogLikelihood) {
    user.iterationDone(iteration, meanLogLikelihood);
  }

  @Override
  public void componentReseeded(int component) {
    user.componentReseeded(component);
  }
}
