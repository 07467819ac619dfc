/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import io.github.spd4j.internal.images.Unmasked;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.CRC32;
import org.datavec.api.records.reader.RecordReader;
import org.deeplearning4j.datasets.datavec.RecordReaderDataSetIterator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The images of a {@link DataSetIterator} or of a DataVec {@link RecordReader}, by number.
 *
 * <p>The iterator is read twice: once to copy its images to a temporary file, once more after
 * {@code reset()} to see that the same images come in the same order. One that shuffles or draws
 * variants at random is refused: caches and interrupted trainings would not find their images
 * again. Memory holds one batch; the file is deleted by {@link #close}, or at the latest when the
 * process ends.
 *
 * <p>Images are taken as they come, so the iterator's preprocessor must make the numbers that the
 * backbone expects. DataVec numbers the labels of an image reader by what its split happens to
 * contain; where a part of a data set may lack a class, give every reader the labels of the whole
 * ({@code setLabels} after {@code initialize}), or use {@code SplitFiles}.
 */
public final class IteratorImages implements LabelledImages, Closeable {

  private static final int BATCH = 16;

  private final Path file;
  private final FileChannel channel;
  private final List<Integer> labels = new ArrayList<>();
  private final List<Long> sums = new ArrayList<>();
  private long[] shape;
  private int classes;

  /**
   * The images of an iterator.
   *
   * @param iterator gives images [N, channels, height, width] and labels [N, classes]; it is reset
   *     before, and stands at its end afterwards
   * @throws IllegalArgumentException if it cannot be reset, has no images, has masks, or has others
   *     after a reset
   */
  public IteratorImages(DataSetIterator iterator) {
    Objects.requireNonNull(iterator, "iterator");
    if (!iterator.resetSupported()) {
      throw new IllegalArgumentException(
          "expected an iterator that can be reset, got " + iterator.getClass().getName());
    }
    try {
      file = Files.createTempFile("spd4j-images", ".bin");
      file.toFile().deleteOnExit();
      channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      copy(iterator);
      compare(iterator);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * The images of a reader.
   *
   * @param reader gives records of an image and the number of its class, as an {@code
   *     ImageRecordReader} does; initialised
   * @param classes the number of classes
   * @return the images
   */
  public static IteratorImages of(RecordReader reader, int classes) {
    Objects.requireNonNull(reader, "reader");
    List<String> names = reader.getLabels();
    if (names != null && !names.isEmpty() && names.size() != classes) {
      throw new IllegalArgumentException(
          String.format(
              "expected a reader with %d labels, got %d: DataVec numbers labels by what a split"
                  + " contains; call setLabels with those of the whole data set",
              classes, names.size()));
    }
    return new IteratorImages(new RecordReaderDataSetIterator(reader, BATCH, 1, classes));
  }

  private void copy(DataSetIterator iterator) {
    iterator.reset();
    while (iterator.hasNext()) {
      DataSet batch = iterator.next();
      requireShapes(batch);
      int[] numbers = batch.getLabels().argMax(1).toIntVector();
      for (int i = 0; i < numbers.length; i++) {
        ByteBuffer bytes = bytes(batch.getFeatures().slice(i));
        sums.add(sum(bytes, numbers[i]));
        write(bytes, labels.size());
        labels.add(numbers[i]);
      }
    }
    if (labels.isEmpty()) {
      throw new IllegalArgumentException("expected an iterator with images, got none");
    }
  }

  private void requireShapes(DataSet batch) {
    long[] features = Unmasked.features(batch).shape();
    long[] one = features.clone();
    one[0] = 1;
    long outputs = batch.getLabels().size(1);
    boolean first = shape == null;
    boolean same = first || Arrays.equals(shape, one) && classes == outputs;
    if (features.length != 4 || batch.getLabels().rank() != 2 || !same) {
      throw new IllegalArgumentException(
          String.format(
              "expected images [N, channels, height, width] of one size and labels [N, classes],"
                  + " got %s and %s%s",
              Arrays.toString(features),
              Arrays.toString(batch.getLabels().shape()),
              first ? "" : " after " + Arrays.toString(shape) + " and " + classes + " classes"));
    }
    shape = one;
    classes = (int) outputs;
  }

  private void compare(DataSetIterator iterator) {
    iterator.reset();
    int index = 0;
    while (iterator.hasNext()) {
      DataSet batch = iterator.next();
      int[] numbers = batch.getLabels().argMax(1).toIntVector();
      for (int i = 0; i < numbers.length; i++) {
        boolean same =
            index < sums.size()
                && sums.get(index) == sum(bytes(batch.getFeatures().slice(i)), numbers[i]);
        if (!same) {
          throw refusal("number " + index + " is another one");
        }
        index++;
      }
    }
    if (index < sums.size()) {
      throw refusal("there are " + index + " instead of " + sums.size());
    }
  }

  private static IllegalArgumentException refusal(String what) {
    return new IllegalArgumentException(
        "expected the same images in the same order after reset(), but "
            + what
            + "; leave out shuffling and random transforms (FileImages takes transforms for"
            + " variants)");
  }

  private static ByteBuffer bytes(INDArray image) {
    float[] values = image.castTo(DataType.FLOAT).dup('c').data().asFloat();
    ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * values.length);
    bytes.asFloatBuffer().put(values);
    return bytes;
  }

  private static long sum(ByteBuffer bytes, int label) {
    CRC32 sum = new CRC32();
    sum.update(bytes.array());
    sum.update(label);
    return sum.getValue();
  }

  private void write(ByteBuffer bytes, long index) {
    try {
      long position = index * bytes.remaining();
      while (bytes.hasRemaining()) {
        position += channel.write(bytes, position);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be written: " + e.getMessage(), e);
    }
  }

  @Override
  public int size() {
    return labels.size();
  }

  @Override
  public int classes() {
    return classes;
  }

  /** The number of the image and a checksum of its content. */
  @Override
  public String name(int index) {
    return String.format(Locale.ROOT, "%d, %08x", index, sums.get(index));
  }

  @Override
  public int label(int index) {
    return labels.get(index);
  }

  @Override
  public INDArray image(int index) {
    int length = (int) (shape[1] * shape[2] * shape[3]);
    ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * length);
    try {
      long position = (long) index * bytes.capacity();
      while (bytes.hasRemaining() && channel.read(bytes, position + bytes.position()) > 0) {}
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be read: " + e.getMessage(), e);
    }
    float[] values = new float[length];
    bytes.flip();
    bytes.asFloatBuffer().get(values);
    return Nd4j.createFromArray(values).reshape(shape);
  }

  /** Deletes the temporary file; no image can be had afterwards. */
  @Override
  public void close() {
    try {
      channel.close();
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be deleted: " + e.getMessage(), e);
    }
  }
}
