/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.inference;

import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Makes of a network what computes its output elsewhere than in DL4J. Found as a service. */
public interface Compiler {

  /**
   * What computes the output of a network.
   *
   * @param net a network with one input and one output, in single precision
   * @param images what it takes
   * @return takes a batch and gives the output, FLOAT
   * @throws UnsupportedOperationException if the network has a layer that cannot be computed so
   * @throws IllegalStateException if what would compute it is not on the class path
   */
  UnaryOperator<INDArray> compile(ComputationGraph net, InputType images);
}
