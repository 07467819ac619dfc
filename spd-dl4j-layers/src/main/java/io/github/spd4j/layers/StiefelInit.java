/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.manifold.Stiefel;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** How a W with orthonormal columns starts. */
public enum StiefelInit {

  /** A uniformly distributed point of the manifold, by the network's seed. */
  RANDOM {
    @Override
    INDArray create(DataType type, long rows, long columns) {
      return Stiefel.random(type, rows, columns);
    }
  },

  /** The first columns of the identity: Y starts as the leading block of K. */
  IDENTITY {
    @Override
    INDArray create(DataType type, long rows, long columns) {
      return Stiefel.identity(type, rows, columns);
    }
  };

  abstract INDArray create(DataType type, long rows, long columns);
}
