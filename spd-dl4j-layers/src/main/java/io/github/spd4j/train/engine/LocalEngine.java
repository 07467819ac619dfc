/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.linalg.NotFiniteException;
import java.util.Arrays;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One step after the other, on this machine. */
public final class LocalEngine implements TrainingEngine {

  @Override
  public void learn(ComputationGraph net, TrainingPass lesson) {
    Meter meter = new Meter(net, lesson);
    TrainingListener[] listeners = net.getListeners().toArray(new TrainingListener[0]);
    TrainingListener[] withMeter = Arrays.copyOf(listeners, listeners.length + 1);
    withMeter[listeners.length] = meter;
    net.setListeners(withMeter);
    try {
      int[] order = lesson.order();
      for (int start = 0; start < order.length; start += lesson.batchSize()) {
        int end = Math.min(order.length, start + lesson.batchSize());
        step(net, lesson, Arrays.copyOfRange(order, start, end), meter);
      }
    } finally {
      net.setListeners(listeners);
    }
  }

  private static void step(ComputationGraph net, TrainingPass lesson, int[] indices, Meter meter) {
    meter.labels = Arrays.stream(indices).map(lesson::label).toArray();
    INDArray inputs = lesson.inputs(indices);
    net.fit(new INDArray[] {inputs}, new INDArray[] {lesson.labels(indices)});
    if (!Double.isFinite(net.score())) {
      throw new NotFiniteException("the loss of a batch is " + net.score());
    }
    lesson.tell();
  }

  /**
   * Takes the network's answers to a training batch from the step itself: before DL4J clears the
   * layers, the output layer still has its input, so only that layer runs again.
   */
  private static final class Meter extends BaseTrainingListener {
    private final ComputationGraph net;
    private final TrainingPass lesson;
    private int[] labels;

    Meter(ComputationGraph net, TrainingPass lesson) {
      this.net = net;
      this.lesson = lesson;
    }

    @Override
    public void onBackwardPass(Model model) {
      lesson.learnt(
          net.getOutputLayer(0).activate(false, LayerWorkspaceMgr.noWorkspaces()), labels);
    }
  }
}
