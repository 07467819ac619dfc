/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.train.features.FeatureFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.util.SerializableConfiguration;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The features of a set of images as files of equally many images, {@code part-00000.bin} and so
 * on, each in the {@link FeatureFormat} with the key of the whole set. A part is there when all of
 * it is: it is written beside its place and renamed.
 */
final class FeatureParts implements Serializable {

  private static final long serialVersionUID = 1L;

  private final SerializableConfiguration hadoop;
  private final String folder;
  private final byte[] key;
  private final int images;
  private final int perPart;
  private transient FeatureFormat format;

  /** Parts in a folder below the given one. */
  FeatureParts(
      SerializableConfiguration hadoop, String parent, byte[] key, int images, int perPart) {
    this.hadoop = hadoop;
    this.folder = parent + "/" + FeatureFormat.name(key);
    this.key = key;
    this.images = images;
    this.perPart = perPart;
  }

  private FileSystem files(Path path) throws IOException {
    return path.getFileSystem(hadoop.value());
  }

  private Path path(int part) {
    return new Path(folder, String.format("part-%05d.bin", part));
  }

  private int first(int part) {
    return part * perPart;
  }

  /** The images of a part. */
  int[] indices(int part) {
    return IntStream.range(first(part), Math.min(images, first(part) + perPart)).toArray();
  }

  /** The parts that are still to be written. */
  List<Integer> missing() {
    int parts = (images + perPart - 1) / perPart;
    return IntStream.range(0, parts)
        .filter(part -> !exists(part))
        .boxed()
        .collect(Collectors.toList());
  }

  private boolean exists(int part) {
    try {
      return files(path(part)).exists(path(part));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for the features " + path(part), e);
    }
  }

  /** Makes the folder, so that a mistake in its name is found before there is anything to write. */
  void makeFolder() {
    Path path = new Path(folder);
    try {
      if (!files(path).mkdirs(path)) {
        throw new IOException("it cannot be made");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.format(
              "expected a folder for features that can be written, got %s (%s)",
              folder, e.getMessage()),
          e);
    }
  }

  /**
   * Writes a part.
   *
   * @param attempt tells the tries of a task apart
   */
  void write(int part, Iterator<INDArray> batches, long attempt) throws IOException {
    Path temporary = new Path(folder, String.format(".part-%05d-%d.tmp", part, attempt));
    FileSystem files = files(temporary);
    try (OutputStream out = files.create(temporary, true)) {
      FeatureFormat own = null;
      int index = first(part);
      while (batches.hasNext()) {
        INDArray batch = batches.next();
        if (own == null) {
          long[] shape = Arrays.copyOfRange(batch.shape(), 1, batch.rank());
          own = new FeatureFormat(key, indices(part).length, shape);
          out.write(own.header());
        }
        out.write(own.records(index, batch));
        index += (int) batch.size(0);
      }
    }
    if (!files.rename(temporary, path(part))) {
      files.delete(temporary, false);
      if (!exists(part)) {
        throw new IOException("cannot rename " + temporary + " to " + path(part));
      }
    }
  }

  /** The features of some images. */
  INDArray batch(int... indices) {
    List<float[]> rows = new ArrayList<>(indices.length);
    for (int index : indices) {
      rows.add(record(index));
    }
    return format.batch(rows);
  }

  private float[] record(int index) {
    int part = index / perPart;
    Path path = path(part);
    try (FSDataInputStream in = files(path).open(path)) {
      FeatureFormat own = format(in, part);
      byte[] record = new byte[own.recordBytes()];
      in.readFully(own.position(index - first(part)), record);
      return own.features(record, index);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read features from " + path + ": " + e.getMessage(), e);
    }
  }

  /** All parts have records of one shape; the last one may have another number of them. */
  private synchronized FeatureFormat format(FSDataInputStream in, int part) throws IOException {
    if (format == null) {
      byte[] start = new byte[FeatureFormat.mostHeaderBytes()];
      int read = Math.max(0, in.read(0, start, 0, start.length));
      format =
          FeatureFormat.read(Arrays.copyOf(start, read), key, indices(part).length)
              .orElseThrow(() -> new IOException("it ends too early, at byte " + read));
    }
    return format;
  }
}
