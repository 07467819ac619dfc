/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelGeometry;
import java.util.Locale;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.memory.conf.WorkspaceConfiguration;
import org.nd4j.linalg.api.memory.enums.AllocationPolicy;
import org.nd4j.linalg.api.memory.enums.LearningPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** How much of a training step the way back to the manifold takes. */
final class RetractionShare {

  /** About as far as a step at a common learning rate goes. */
  private static final double STEP = 0.01;

  /** A workspace learns its size in its first uses. */
  private static final int WARM_UP = 5;

  private static final WorkspaceConfiguration WORKSPACE =
      WorkspaceConfiguration.builder()
          .policyLearning(LearningPolicy.FIRST_LOOP)
          .policyAllocation(AllocationPolicy.OVERALLOCATE)
          .build();

  @JsonProperty final String retraction;
  @JsonProperty final String size;
  @JsonProperty final Sample retract;
  @JsonProperty final double step;

  private RetractionShare(Retraction retraction, HeadSize size, Sample retract, double step) {
    this.retraction = retraction.name();
    this.size = String.format(Locale.ROOT, "%d×%d", size.channels, size.outputs);
    this.retract = retract;
    this.step = step;
  }

  /**
   * Measures a retraction.
   *
   * @param step milliseconds of a whole training step of this size
   */
  static RetractionShare measure(Retraction retraction, HeadSize size, double step, int repeats) {
    INDArray w = Stiefel.random(DataType.FLOAT, size.channels, size.outputs).dup('c');
    INDArray noise = Nd4j.randn(DataType.FLOAT, size.channels, size.outputs);
    INDArray tangent = Stiefel.projection(w, noise);
    tangent.muli(STEP / tangent.norm2Number().doubleValue() * Math.sqrt(size.outputs));
    double[] times = new double[repeats];
    StiefelGeometry geometry = StiefelGeometry.ofBackend();
    Duel.Work once = () -> inWorkspace(() -> geometry.retract(retraction, w, 1, tangent));
    for (int i = 0; i < WARM_UP; i++) {
      once.run();
    }
    for (int i = 0; i < repeats; i++) {
      times[i] = Duel.milliseconds(once);
    }
    return new RetractionShare(retraction, size, new Sample(times), step);
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
