/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.transforms.comparison.CompareAndReplace;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.conditions.Conditions;

/**
 * What of a batch counts: all of it, or what a mask names. The rest may hold any numbers, even NaN.
 *
 * <p>Examples that do not count are left out before the passes; their output is 0, as is the
 * gradient by them. Pixels that do not count are set to 0 before the passes, which know the mask.
 */
public class Counted {

  /** All of it counts. */
  public static final Counted ALL = new Counted();

  Counted() {}

  /**
   * Some examples.
   *
   * @param counts for each example whether it counts; one does at least
   * @return these examples
   */
  public static Counted examples(boolean[] counts) {
    int[] places = IntStream.range(0, counts.length).filter(i -> counts[i]).toArray();
    return places.length == counts.length ? ALL : new SomeExamples(places, counts.length);
  }

  /**
   * Some pixels of feature maps.
   *
   * @param mask 1 where a pixel counts, 0 elsewhere [N, 1, H, W], of the type of the maps
   * @param channelsLast whether the maps are [N, H, W, C]
   * @return these pixels
   */
  public static Counted pixels(INDArray mask, boolean channelsLast) {
    return new SomePixels(mask, channelsLast);
  }

  /**
   * What the passes take for the input.
   *
   * @param input the layer's input, not changed
   * @param results makes the array for it
   * @return the same array if all of it counts
   */
  public INDArray of(INDArray input, Results results) {
    return input;
  }

  /**
   * Sets to 0 again what a dropout has made of pixels that do not count.
   *
   * @param input changed
   */
  public void restore(INDArray input) {
    // nothing to do
  }

  /**
   * The pixels that count.
   *
   * @return the mask [N, 1, H, W]; null if all count
   */
  public INDArray mask() {
    return null;
  }

  /**
   * What of a gradient by the output is one by the output of the passes.
   *
   * @param gradient [N, …], not changed
   * @return the same array if all of it is
   */
  public INDArray ofOutput(INDArray gradient) {
    return gradient;
  }

  /**
   * Where the passes put their results.
   *
   * @param results where the results of the layer go
   * @param type their type
   * @return the same if these are the results
   */
  public Results within(Results results, DataType type) {
    return results;
  }

  /**
   * The result for the whole batch.
   *
   * @param some what a pass has made; it may be changed
   * @param results makes the array for it
   * @return the result of the layer, 0 where an example does not count
   */
  public INDArray spread(INDArray some, Results results) {
    return some;
  }

  /** Not all examples. */
  private static final class SomeExamples extends Counted {
    private final int[] places;
    private final int examples;

    SomeExamples(int[] places, int examples) {
      this.places = places;
      this.examples = examples;
    }

    @Override
    public INDArray of(INDArray input, Results results) {
      INDArray some = ofOutput(input);
      return results.create(some.shape()).assign(some);
    }

    @Override
    public INDArray ofOutput(INDArray gradient) {
      return Nd4j.pullRows(rows(gradient), 1, places, 'c')
          .reshape('c', withExamples(places.length, gradient));
    }

    @Override
    public Results within(Results results, DataType type) {
      return shape -> Nd4j.createUninitialized(type, shape, 'c');
    }

    @Override
    public INDArray spread(INDArray some, Results results) {
      long[] shape = withExamples(examples, some);
      INDArray rows = rows(some);
      INDArray last = Nd4j.zeros(some.dataType(), 1, rows.size(1));
      int[] origins = new int[examples];
      Arrays.fill(origins, places.length);
      for (int k = 0; k < places.length; k++) {
        origins[places[k]] = k;
      }
      INDArray whole = Nd4j.pullRows(Nd4j.concat(0, rows, last), 1, origins, 'c');
      return results.create(shape).assign(whole.reshape('c', shape));
    }

    /** An array as a matrix with a row for each of its examples. */
    private static INDArray rows(INDArray batch) {
      return MatrixStack.inOrder(batch).reshape('c', batch.size(0), -1);
    }

    private static long[] withExamples(long number, INDArray batch) {
      long[] shape = batch.shape().clone();
      shape[0] = number;
      return shape;
    }
  }

  /** Not all pixels. */
  private static final class SomePixels extends Counted {
    private final INDArray mask;

    /** The mask in the format of the input. */
    private final INDArray inFormat;

    SomePixels(INDArray mask, boolean channelsLast) {
      this.mask = mask;
      this.inFormat = channelsLast ? mask.permute(0, 2, 3, 1) : mask;
    }

    /** No product: that of 0 and NaN is NaN. */
    @Override
    public INDArray of(INDArray input, Results results) {
      INDArray counts =
          inFormat.broadcast(Nd4j.createUninitialized(mask.dataType(), input.shape()));
      INDArray result = results.create(input.shape());
      INDArray numbers = MatrixStack.inOrder(input);
      Nd4j.getExecutioner()
          .exec(new CompareAndReplace(counts, numbers, result, Conditions.equals(1)));
      return result;
    }

    @Override
    public void restore(INDArray input) {
      input.muli(inFormat);
    }

    @Override
    public INDArray mask() {
      return mask;
    }
  }
}
