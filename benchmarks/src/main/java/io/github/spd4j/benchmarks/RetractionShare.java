/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelGeometry;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.memory.conf.WorkspaceConfiguration;
import org.nd4j.linalg.api.memory.enums.AllocationPolicy;
import org.nd4j.linalg.api.memory.enums.LearningPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * How much of a training step the way back to the manifold takes.
 *
 * @param step milliseconds of a whole training step of this size
 */
record RetractionShare(Retraction retraction, String size, Sample retract, double step) {

  /** About as far as a step at a common learning rate goes. */
  private static final double STEP = 0.01;

  /** A workspace learns its size in its first uses. */
  private static final int WARM_UP = 5;

  private static final WorkspaceConfiguration WORKSPACE =
      WorkspaceConfiguration.builder()
          .policyLearning(LearningPolicy.FIRST_LOOP)
          .policyAllocation(AllocationPolicy.OVERALLOCATE)
          .build();

  /** Measures a retraction as an updater calls it. */
  static RetractionShare measure(Retraction retraction, HeadSize size, double step, int repeats) {
    INDArray w = Stiefel.random(DataType.FLOAT, size.channels(), size.outputs()).dup('c');
    INDArray noise = Nd4j.randn(DataType.FLOAT, size.channels(), size.outputs());
    INDArray tangent = Stiefel.projection(w, noise);
    tangent.muli(STEP / tangent.norm2Number().doubleValue() * Math.sqrt(size.outputs()));
    StiefelGeometry geometry = new StiefelGeometry();
    Runnable once = () -> inWorkspace(() -> geometry.retract(retraction, w, 1, tangent));
    for (int i = 0; i < WARM_UP; i++) {
      once.run();
    }
    String shape = size.channels() + "×" + size.outputs();
    return new RetractionShare(retraction, shape, Duel.sample(once, repeats), step);
  }

  /** As DL4J calls an updater: memory of the step before is used again. */
  private static void inWorkspace(Runnable work) {
    try (MemoryWorkspace updater =
        Nd4j.getWorkspaceManager().getAndActivateWorkspace(WORKSPACE, "RetractionShare")) {
      work.run();
    }
  }

  @JsonProperty
  double share() {
    return retract.median() / step;
  }
}
