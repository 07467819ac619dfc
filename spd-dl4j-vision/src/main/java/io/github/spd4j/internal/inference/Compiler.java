/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.inference;

import java.util.List;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** Makes of a network what computes its outputs elsewhere than in DL4J. Found as a service. */
public interface Compiler {

  /**
   * Whether what would compute is there.
   *
   * @return false if it is not on the class path, or not for this machine
   */
  boolean isPossible();

  /**
   * What computes outputs of a network.
   *
   * @param net a network with one input, in single precision
   * @param images what it takes
   * @param vertices whose outputs are asked for
   * @return what computes them
   * @throws UnsupportedOperationException if the network has a layer that cannot be computed so
   */
  Compiled compile(ComputationGraph net, InputType images, List<String> vertices);
}
