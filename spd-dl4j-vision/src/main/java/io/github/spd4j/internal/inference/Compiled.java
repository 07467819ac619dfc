/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.inference;

import java.util.List;
import java.util.function.UnaryOperator;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A network that is computed elsewhere than in DL4J. Whoever forgets to close it loses nothing. */
public interface Compiled extends AutoCloseable {

  /**
   * Computes the outputs.
   *
   * @param images a batch
   * @return new arrays, FLOAT
   */
  List<INDArray> run(INDArray images);

  @Override
  void close();

  /**
   * The same with something done to the outputs.
   *
   * @param change what
   * @return closes this one, too
   */
  default Compiled then(UnaryOperator<List<INDArray>> change) {
    return new Compiled() {
      @Override
      public List<INDArray> run(INDArray images) {
        return change.apply(Compiled.this.run(images));
      }

      @Override
      public void close() {
        Compiled.this.close();
      }
    };
  }
}
