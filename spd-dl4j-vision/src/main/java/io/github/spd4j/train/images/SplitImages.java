/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.SafeImageLoader;
import io.github.spd4j.images.SeededRandom;
import io.github.spd4j.internal.files.Digest;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.datavec.api.io.labels.PathLabelGenerator;
import org.datavec.api.split.InputSplit;
import org.datavec.image.data.ImageWritable;
import org.datavec.image.transform.ImageTransform;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The image files of a DataVec {@link InputSplit}, with labels by a {@link PathLabelGenerator}.
 * Each is read when it is asked for, as {@link Pixels} reads it, whole and in one size.
 *
 * <p>Files are in the order of their paths, whatever the split's, so that a split that shuffles
 * gives the same set every time. The classes are given, because DataVec would number them by what a
 * split happens to contain; {@link #classes(PathLabelGenerator, InputSplit...)} finds them.
 */
public final class SplitImages implements LabelledImages {

  private final List<File> files;
  private final int[] labels;
  private final List<String> classes;
  private final int size;
  private final PixelFormat format;
  private final ImageTransform transform;
  private boolean checked;

  /**
   * The images of a split.
   *
   * @param split where the files are; those of every part of a data set make a split each
   * @param labels tells the class of a file
   * @param classes the names of the classes, in the order of their numbers
   * @param size height and width of the images
   * @param format how colours become the numbers that the backbone expects
   */
  public SplitImages(
      InputSplit split,
      PathLabelGenerator labels,
      List<String> classes,
      int size,
      PixelFormat format) {
    this(files(split), labels(split, labels, classes), List.copyOf(classes), size, format, null);
  }

  private SplitImages(
      List<File> files,
      int[] labels,
      List<String> classes,
      int size,
      PixelFormat format,
      ImageTransform transform) {
    if (size < 1) {
      throw new IllegalArgumentException("expected a size of at least 1, got " + size);
    }
    this.files = files;
    this.labels = labels;
    this.classes = classes;
    this.size = size;
    this.format = format;
    this.transform = transform;
  }

  /**
   * The classes of some splits together.
   *
   * @param labels tells the class of a file
   * @param splits all parts of a data set
   * @return the names of the classes, sorted
   */
  public static List<String> classes(PathLabelGenerator labels, InputSplit... splits) {
    return Stream.of(splits)
        .flatMap(split -> Stream.of(split.locations()))
        .map(place -> labels.getLabelForPath(place).toString())
        .distinct()
        .sorted()
        .collect(Collectors.toList());
  }

  /**
   * The same images, with variants by a transform for the second stage of a training. It is applied
   * to the file's picture, before that is resized. All its random numbers must come from the
   * generator that {@link ImageTransform#transform(ImageWritable, Random)} is given, which is
   * checked on the first image: some of DataVec's, such as {@code RandomCropTransform}, draw from
   * one of their own, or seed that of the whole process.
   *
   * @param variants the transform
   * @return new images; these stay as they are
   */
  public SplitImages withVariants(ImageTransform variants) {
    return new SplitImages(files, labels, classes, size, format, variants);
  }

  private static List<File> files(InputSplit split) {
    return places(split).map(File::new).collect(Collectors.toList());
  }

  private static Stream<URI> places(InputSplit split) {
    return Stream.of(split.locations()).sorted();
  }

  private static int[] labels(InputSplit split, PathLabelGenerator labels, List<String> classes) {
    return places(split)
        .mapToInt(
            place -> {
              String label = labels.getLabelForPath(place).toString();
              int number = classes.indexOf(label);
              if (number < 0) {
                throw new IllegalArgumentException(
                    place + ": expected one of the classes " + classes + ", got " + label);
              }
              return number;
            })
        .toArray();
  }

  @Override
  public int size() {
    return labels.length;
  }

  @Override
  public int classes() {
    return classes.size();
  }

  /** The path and length of the file, the size and the format. */
  @Override
  public String name(int index) {
    File file = files.get(index);
    return String.format("%s, %d bytes, %d pixels, %s", file, file.length(), size, format);
  }

  @Override
  public String digest(int index) {
    try {
      return Digest.of(files.get(index).toPath());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + files.get(index), e);
    }
  }

  @Override
  public int label(int index) {
    return labels[index];
  }

  @Override
  public INDArray image(int index) {
    try {
      return format.array(Pixels.read(files.get(index).toPath()).resize(size, size));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public INDArray variant(int index, long seed) {
    if (transform == null) {
      return image(index);
    }
    requireRepeatable(index, seed);
    return transformed(index, seed);
  }

  private synchronized void requireRepeatable(int index, long seed) {
    if (!checked && !transformed(index, seed).equals(transformed(index, seed))) {
      throw new IllegalArgumentException(
          "expected a transform that gives the same image for the same seed, got others from "
              + transform.getClass().getName()
              + ": it must draw from the Random that it is given");
    }
    checked = true;
  }

  /** A transform keeps its last image, so that only one thread can use it. */
  private synchronized INDArray transformed(int index, long seed) {
    try {
      SafeImageLoader loader = new SafeImageLoader(size, size, 3);
      ImageWritable picture = loader.asWritable(files.get(index));
      Random random = SeededRandom.of(seed, "variant");
      INDArray colours = loader.asMatrix(transform.transform(picture, random));
      float[][] planes = new float[3][];
      Arrays.setAll(planes, c -> colours.slice(0).slice(c).dup('c').data().asFloat());
      return format.array(new Pixels(planes, size, size));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
