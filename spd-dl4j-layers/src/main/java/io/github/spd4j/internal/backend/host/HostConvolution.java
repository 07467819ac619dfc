/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution of FLOAT images by matrix products, with any stride and dilation.
 *
 * <p>What lies under the kernel at one place of the output is a column of a matrix P, with a row
 * for each channel and tap. The output is {@code Y = W P + b}, with a row for each of its channels;
 * the gradients are {@code ∂L/∂W = ∂L/∂Y Pᵀ} and {@code ∂L/∂P = Wᵀ ∂L/∂Y}. P is written for a few
 * rows of the output at a time, so that it stays in the processor's cache. For a kernel of 1×1 that
 * moves by one, P is the image itself.
 *
 * <p>All arrays are FLOAT arrays in C order.
 */
public final class HostConvolution {

  /** A megabyte. */
  private static final int ROOM = 1 << 18;

  private final int threads;
  private final int channels;
  private final int outputs;
  private final WindowAxis vertical;
  private final WindowAxis horizontal;
  private final int taps;
  private final int blockRows;
  private final int blocks;

  /** Whether P is the image itself. */
  private final boolean direct;

  /**
   * A convolution.
   *
   * @param channels how many channels the images have
   * @param outputs how many channels the output has
   * @param vertical how the kernel moves over the rows
   * @param horizontal how it moves over the columns
   */
  public HostConvolution(int channels, int outputs, WindowAxis vertical, WindowAxis horizontal) {
    this(channels, outputs, vertical, horizontal, Workers.count(), ROOM);
  }

  /**
   * A convolution with given resources.
   *
   * @param room how many numbers of P are written at a time, if possible
   */
  HostConvolution(
      int channels,
      int outputs,
      WindowAxis vertical,
      WindowAxis horizontal,
      int threads,
      int room) {
    this.threads = threads;
    this.channels = channels;
    this.outputs = outputs;
    this.vertical = vertical;
    this.horizontal = horizontal;
    this.taps = Math.multiplyExact(channels, vertical.kernel * horizontal.kernel);
    int fitting = room / Math.multiplyExact(taps, horizontal.output);
    this.blockRows = Math.max(1, Math.min(vertical.output, fitting));
    this.blocks = (vertical.output + blockRows - 1) / blockRows;
    this.direct = vertical.isIdentity() && horizontal.isIdentity();
  }

  /**
   * Computes the output.
   *
   * @param images [N, C, H, W]
   * @param weights [outputs, C, kernel height, kernel width]
   * @param bias a number for each output
   * @param output computed
   */
  public void forward(INDArray images, INDArray weights, float[] bias, INDArray output) {
    HostMatrix w = matrix(weights);
    HostFloats from = new HostFloats(images);
    HostFloats to = new HostFloats(output);
    forEachImage(
        images,
        (patches, image) -> {
          for (int block = 0; block < blocks; block++) {
            patches.move(image, block);
            HostMatrix p = patches.of(from);
            patches.fillPlaces(to, bias);
            patches.places(to).setProduct(1, w.plain(), p.plain(), 1);
          }
        });
  }

  /**
   * Computes the gradient by the weights.
   *
   * @param images [N, C, H, W]
   * @param delta the gradient by the output
   * @param gradient computed
   */
  public void weightGradient(INDArray images, INDArray delta, INDArray gradient) {
    HostFloats from = new HostFloats(images);
    HostFloats deltas = new HostFloats(delta);
    try (Room room = new Room(parts(images), (long) outputs * taps)) {
      room.array.assign(0);
      forEachImage(
          images,
          (patches, image) -> {
            HostMatrix sum = HostMatrix.of(room.numbers, patches.worker, outputs, taps);
            for (int block = 0; block < blocks; block++) {
              patches.move(image, block);
              HostMatrix p = patches.of(from);
              sum.setProduct(1, patches.places(deltas).plain(), p.transposed(), 1);
            }
          });
      gradient.assign(room.array.sum(0).reshape(gradient.shape()));
    }
  }

  /**
   * Computes the gradient by the images.
   *
   * @param weights [outputs, C, kernel height, kernel width]
   * @param delta the gradient by the output
   * @param gradient computed
   */
  public void inputGradient(INDArray weights, INDArray delta, INDArray gradient) {
    HostMatrix w = matrix(weights);
    HostFloats deltas = new HostFloats(delta);
    HostFloats to = new HostFloats(gradient);
    forEachImage(
        gradient,
        (patches, image) -> {
          for (int block = 0; block < blocks; block++) {
            patches.move(image, block);
            HostMatrix p = direct ? patches.places(to, channels) : patches.matrix();
            p.setProduct(1, w.transposed(), patches.places(deltas).plain(), 0);
            if (!direct) {
              patches.add();
            }
          }
          if (!direct) {
            patches.writeSums(to);
          }
        });
  }

  private HostMatrix matrix(INDArray weights) {
    return HostMatrix.of(new HostFloats(weights), 0, outputs, taps);
  }

  /** What is done with an image. */
  private interface Work {
    void on(Patches patches, int image);
  }

  private void forEachImage(INDArray images, Work work) {
    int parts = parts(images);
    try (Room room = new Room(parts, direct ? 1 : (long) taps * blockRows * horizontal.output)) {
      Workers.shareProducts(
          parts,
          (int) images.size(0),
          (worker, first, end) -> {
            Patches patches = new Patches(room.numbers, worker);
            for (int image = first; image < end; image++) {
              work.on(patches, image);
            }
          });
    }
  }

  /** How many threads take part. */
  private int parts(INDArray images) {
    return images.size(0) < threads ? 1 : threads;
  }

  /** Memory for each thread, outside of all workspaces. */
  private static final class Room implements AutoCloseable {
    private final INDArray array;
    private final HostFloats numbers;

    Room(int parts, long length) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        array = Nd4j.createUninitialized(DataType.FLOAT, parts, length);
      }
      numbers = new HostFloats(array);
    }

    @Override
    public void close() {
      array.close();
    }
  }

  /** P for some rows of the output of an image. */
  private final class Patches {
    private final HostFloats numbers;
    private final int worker;
    private final long start;

    /** A row of P. */
    private final float[] row = new float[blockRows * horizontal.output];

    /** The rows of one channel of the image that some rows of the output need. */
    private final float[] band;

    /** The gradient of an image; or null. */
    private float[] sums;

    private int image;
    private int top;
    private int rows;

    Patches(HostFloats numbers, int worker) {
      this.numbers = numbers;
      this.worker = worker;
      this.start = (long) worker * taps * row.length;
      int needed = vertical.place(vertical.kernel - 1, blockRows - 1) - vertical.place(0, 0) + 1;
      this.band = new float[Math.min(vertical.input, needed) * horizontal.input];
    }

    void move(int toImage, int toBlock) {
      image = toImage;
      top = toBlock * blockRows;
      rows = Math.min(blockRows, vertical.output - top);
    }

    /** P of images. */
    HostMatrix of(HostFloats images) {
      if (direct) {
        return places(images, channels);
      }
      read(images);
      return matrix();
    }

    HostMatrix matrix() {
      int columns = rows * horizontal.output;
      return new HostMatrix(numbers, start, taps, columns, columns);
    }

    /** These rows of the output. */
    HostMatrix places(HostFloats output) {
      return places(output, outputs);
    }

    /** These rows of maps of the output's size, a row of the matrix for each map. */
    HostMatrix places(HostFloats maps, int count) {
      int pitch = vertical.output * horizontal.output;
      return new HostMatrix(maps, place(count, 0), count, rows * horizontal.output, pitch);
    }

    private long place(int count, int map) {
      long row = ((long) image * count + map) * vertical.output + top;
      return row * horizontal.output;
    }

    void fillPlaces(HostFloats output, float[] bias) {
      for (int channel = 0; channel < outputs; channel++) {
        Arrays.fill(row, bias[channel]);
        output.write(row, place(outputs, channel), rows * horizontal.output);
      }
    }

    private void read(HostFloats images) {
      int first = Math.max(0, vertical.place(0, top));
      int last = Math.min(vertical.input - 1, vertical.place(vertical.kernel - 1, top + rows - 1));
      long to = start;
      for (int channel = 0; channel < channels; channel++) {
        long from = ((long) image * channels + channel) * vertical.input + first;
        int lines = Math.max(0, last - first + 1); // 0: only zeros around the image
        images.read(from * horizontal.input, band, lines * horizontal.input);
        for (int i = 0; i < vertical.kernel; i++) {
          for (int j = 0; j < horizontal.kernel; j++) {
            readTap(i, j, first);
            numbers.write(row, to, rows * horizontal.output);
            to += (long) rows * horizontal.output;
          }
        }
      }
    }

    private void readTap(int i, int j, int first) {
      Arrays.fill(row, 0);
      for (int y = Math.max(top, vertical.first(i)); y < end(i); y++) {
        int line = (vertical.place(i, y) - first) * horizontal.input;
        int from = line + horizontal.place(j, horizontal.first(j));
        int to = (y - top) * horizontal.output + horizontal.first(j);
        int count = horizontal.end(j) - horizontal.first(j);
        for (int x = 0; x < count; x++) {
          row[to + x] = band[from + x * horizontal.stride];
        }
      }
    }

    private int end(int tap) {
      return Math.min(top + rows, vertical.end(tap));
    }

    /** Adds P to the gradient of the image, where its numbers come from. */
    void add() {
      if (sums == null) {
        sums = new float[Math.multiplyExact(channels, vertical.input * horizontal.input)];
      }
      long from = start;
      for (int channel = 0; channel < channels; channel++) {
        for (int i = 0; i < vertical.kernel; i++) {
          for (int j = 0; j < horizontal.kernel; j++) {
            numbers.read(from, row, rows * horizontal.output);
            addTap(i, j, channel);
            from += (long) rows * horizontal.output;
          }
        }
      }
    }

    /** Writes the gradient of the image, and clears it. */
    void writeSums(HostFloats gradient) {
      gradient.write(sums, (long) image * sums.length, sums.length);
      Arrays.fill(sums, 0);
    }

    private void addTap(int i, int j, int channel) {
      for (int y = Math.max(top, vertical.first(i)); y < end(i); y++) {
        int line = (channel * vertical.input + vertical.place(i, y)) * horizontal.input;
        int to = line + horizontal.place(j, horizontal.first(j));
        int from = (y - top) * horizontal.output + horizontal.first(j);
        int count = horizontal.end(j) - horizontal.first(j);
        for (int x = 0; x < count; x++) {
          sums[to + x * horizontal.stride] += row[from + x];
        }
      }
    }
  }
}
