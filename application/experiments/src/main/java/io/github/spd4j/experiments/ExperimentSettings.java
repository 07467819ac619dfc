/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.models.Engine;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Which runs an experiment has, and where they go. */
public final class ExperimentSettings {

  /** The protocol, or null for that of each data set. */
  public ExperimentKind kind;

  /** The methods, each once. */
  public List<Method> methods = List.of(Method.SPD);

  /** The backbone by its name, see {@link BackboneChoice}. */
  public String backbone = BackboneChoice.AUTO;

  /** Why it is another backbone than the one that is preferred; null if it is not. */
  public String substitute;

  /** Where to cut the backbone, or null for the usual place. */
  public String cut;

  /** What computes the features of a frozen backbone. */
  public Engine engine = Engine.AUTO;

  /** How colours become numbers, or null for what the backbone was made for. */
  public PixelFormat pixels;

  /** Height and width of the images, or 0 for what the backbone was made for. */
  public int size;

  /** The seeds of the runs. */
  public List<Long> seeds = List.of(1L);

  /** The numbers of the partitions of each split, or none for all. */
  public List<Integer> partitions = List.of();

  /** The seeds of partitions and crops. */
  public List<Long> splits = List.of(1L);

  /** The share of the training images that is used for validation. */
  public double validation;

  /** What is seen of a training image, or null for the paper's protocol. */
  public Views trainingViews;

  /** What is seen of a validation or test image, or null for the paper's protocol. */
  public Views testViews;

  /** What is tried in place of {@link #head} and {@link #training}. */
  public List<Candidate> tries = List.of();

  /** How many folds there are for what is tried. */
  public int folds = 3;

  /** Where the runs go. */
  public Path out = Path.of("runs");

  /** Where a run goes, by its name: a folder in {@link #out}, unless set. */
  public Function<String, Path> place = run -> out.resolve(run);

  /** Whether all images train, none for validation or test: for a model to be used. */
  public boolean all;

  /**
   * Whether the images are somebody's own, for a model to be used: then it knows how sure its
   * answers may be, and can go on with more images later.
   */
  public boolean own;

  /** The run that is gone on with, or null for none. */
  public EarlierRun earlier;

  /** Whether what the backbone makes of each picture is kept, to go on with. */
  public boolean keepFeatures;

  /** Whether trained networks are deleted after the test. */
  public boolean dropModels;

  /** How the heads are made. */
  public final HeadSettings head = new HeadSettings();

  /** How the networks are trained. */
  public final TrainingSettings training = new TrainingSettings();

  /** Which machines are used. */
  public final ClusterSettings cluster = new ClusterSettings();

  /** The defaults. */
  public ExperimentSettings() {}

  ExperimentKind kind(DataSetKind dataSet) {
    return kind == null ? ExperimentKind.of(dataSet) : kind;
  }

  /**
   * What keeps the features of each picture and knows those of an earlier run, if anything does.
   */
  Optional<PictureFeatures> pictures() {
    Path known = earlier == null ? null : earlier.features();
    Path kept = keepFeatures ? out.resolve(PictureFeatures.FOLDER) : null;
    return known == null && kept == null
        ? Optional.empty()
        : Optional.of(new PictureFeatures(known, kept, training.precision));
  }

  /** What was asked for, as it is. */
  Candidate given() {
    return new Candidate("as given", head, training);
  }

  /**
   * What was asked for, and what is tried in its place.
   *
   * @return the candidates of a search, or a single one
   */
  public List<Candidate> candidates() {
    return Stream.concat(Stream.of(given()), tries.stream()).toList();
  }
}
