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
import org.nd4j.linalg.factory.Nd4j;

/**
 * What of a batch counts: all of it, or the examples that a mask names. What does not count may
 * hold any numbers, even NaN.
 *
 * <p>Examples that do not count are left out before the passes. Their output is 0, as is the
 * gradient by them.
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
    return places.length == counts.length ? ALL : new Some(places, counts.length);
  }

  /**
   * What counts of an input, of a gradient by the output, or of anything else with an entry for
   * each example.
   *
   * @param batch [N, …], not changed
   * @return the same array if all of it counts
   */
  public INDArray of(INDArray batch) {
    return batch;
  }

  /**
   * Where the passes put their results.
   *
   * @param results where the results of the layer go
   * @param type their type
   * @return the same if all of it counts
   */
  public Results within(Results results, DataType type) {
    return results;
  }

  /**
   * The inverse of {@link #of}, with 0 for what does not count.
   *
   * @param some a result of a pass
   * @param results makes the array for the whole
   * @return the result of the layer
   */
  public INDArray spread(INDArray some, Results results) {
    return some;
  }

  /** Not all examples. */
  private static final class Some extends Counted {
    private final int[] places;
    private final int examples;

    Some(int[] places, int examples) {
      this.places = places;
      this.examples = examples;
    }

    @Override
    public INDArray of(INDArray batch) {
      long[] shape = batch.shape().clone();
      shape[0] = places.length;
      return Nd4j.pullRows(rows(batch), 1, places, 'c').reshape('c', shape);
    }

    /** An array as a matrix with a row for each of its examples. */
    private static INDArray rows(INDArray batch) {
      return MatrixStack.inOrder(batch).reshape('c', batch.size(0), -1);
    }

    @Override
    public Results within(Results results, DataType type) {
      return shape -> Nd4j.createUninitialized(type, shape, 'c');
    }

    @Override
    public INDArray spread(INDArray some, Results results) {
      long[] shape = some.shape().clone();
      shape[0] = examples;
      INDArray rows = rows(some);
      INDArray last = Nd4j.zeros(some.dataType(), 1, rows.size(1));
      int[] origins = new int[examples];
      Arrays.fill(origins, places.length);
      for (int k = 0; k < places.length; k++) {
        origins[places[k]] = k;
      }
      INDArray whole = Nd4j.pullRows(Nd4j.concat(0, rows, last), 1, origins, 'c');
      INDArray result = results.create(shape);
      return result.assign(whole.reshape('c', shape));
    }
  }
}
