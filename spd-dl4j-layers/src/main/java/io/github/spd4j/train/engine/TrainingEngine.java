/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import org.deeplearning4j.nn.graph.ComputationGraph;

/** Lets a network learn from images, each once: on this machine, or on several. */
public interface TrainingEngine {

  /**
   * Makes the steps of an epoch, or of half of one.
   *
   * @param net the network, ready to learn, which is changed
   * @param lesson what to learn from, and whom to tell about it
   * @throws io.github.spd4j.linalg.NotFiniteException if there is a number that is not finite; the
   *     epoch is then undone
   */
  void learn(ComputationGraph net, TrainingPass lesson);
}
