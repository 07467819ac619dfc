/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.train.features.FeatureFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The features of a set of images as files of equally many images, {@code part-00000.bin} and so
 * on, each in the {@link FeatureFormat} with the key of the whole set. A part is there when all of
 * it is: it is written beside its place and renamed.
 */
final class FeatureParts implements Serializable {

  private static final long serialVersionUID = 1L;

  private final Hadoop hadoop;
  private final String folder;
  private final String key;
  private final int images;
  private final int perPart;
  private transient FeatureFormat format;

  FeatureParts(Hadoop hadoop, String folder, String key, int images, int perPart) {
    this.hadoop = hadoop;
    this.folder = folder;
    this.key = key;
    this.images = images;
    this.perPart = perPart;
  }

  int count() {
    return (images + perPart - 1) / perPart;
  }

  int first(int part) {
    return part * perPart;
  }

  int size(int part) {
    return Math.min(images, first(part) + perPart) - first(part);
  }

  Path path(int part) {
    return new Path(folder, String.format("part-%05d.bin", part));
  }

  /** Makes the folder, so that a mistake in its name is found before there is anything to write. */
  void makeFolder() throws IOException {
    Path path = new Path(folder);
    if (!hadoop.of(path).mkdirs(path)) {
      throw new IOException("it cannot be made");
    }
  }

  String folder() {
    return folder;
  }

  boolean exists(int part) throws IOException {
    return hadoop.length(path(part)) >= 0;
  }

  /**
   * Writes a part.
   *
   * @param attempt tells the tries of a task apart
   */
  void write(int part, Iterator<INDArray> batches, long attempt) throws IOException {
    Path temporary = new Path(folder, String.format(".part-%05d-%d.tmp", part, attempt));
    FileSystem files = hadoop.of(temporary);
    try (OutputStream out = files.create(temporary, true)) {
      FeatureFormat own = null;
      while (batches.hasNext()) {
        INDArray batch = batches.next();
        if (own == null) {
          long[] shape = batch.shape();
          own = new FeatureFormat(keyBytes(), size(part), withoutFirst(shape));
          out.write(own.header());
        }
        out.write(own.records(batch));
      }
    }
    if (!files.rename(temporary, path(part))) {
      files.delete(temporary, false);
      if (!exists(part)) {
        throw new IOException("cannot rename " + temporary + " to " + path(part));
      }
    }
  }

  private static long[] withoutFirst(long[] shape) {
    return java.util.Arrays.copyOfRange(shape, 1, shape.length);
  }

  private byte[] keyBytes() {
    byte[] bytes = new byte[key.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(key.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  /** The features of some images. */
  INDArray batch(int... indices) throws IOException {
    List<float[]> rows = new ArrayList<>(indices.length);
    for (int index : indices) {
      rows.add(record(index));
    }
    return format.batch(rows);
  }

  private float[] record(int index) throws IOException {
    int part = index / perPart;
    Path path = path(part);
    try (FSDataInputStream in = hadoop.of(path).open(path)) {
      FeatureFormat own = format(in, part);
      byte[] record = new byte[own.recordBytes()];
      in.readFully(own.position(index - first(part)), record);
      return own.features(record, index);
    } catch (IOException e) {
      throw new IOException("cannot read features from " + path + ": " + e.getMessage(), e);
    }
  }

  /** All parts have records of one shape; the last one may have another number of them. */
  private synchronized FeatureFormat format(FSDataInputStream in, int part) throws IOException {
    if (format == null) {
      byte[] start = new byte[FeatureFormat.mostHeaderBytes()];
      int read = in.read(0, start, 0, start.length);
      format =
          FeatureFormat.read(
              java.util.Arrays.copyOf(start, Math.max(0, read)), keyBytes(), size(part));
    }
    return format;
  }
}
