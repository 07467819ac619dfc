/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import io.github.spd4j.layers.EigenvalueLayer;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.manifold.Stiefel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.optimize.solvers.BaseOptimizer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Collects the figures of one iteration: from the forward pass, the backward pass, and the updated
 * parameters. It keeps numbers only, no arrays.
 */
final class HealthReportBuilder {

  private final int iteration;
  private final int epoch;
  private final int sample;
  private final Map<LayerProbe, Map<Figure, Double>> figures = new LinkedHashMap<>();
  private Double gradientNorm;

  HealthReportBuilder(Model model, int iteration, int sample) {
    this.iteration = iteration;
    this.epoch = BaseOptimizer.getEpochCount(model);
    this.sample = sample;
    for (LayerProbe probe : LayerProbe.of(model)) {
      figures.put(probe, new EnumMap<>(Figure.class));
    }
  }

  boolean isOf(int iteration) {
    return this.iteration == iteration;
  }

  /** Measures what goes into and comes out of each layer. */
  void forward(Map<String, INDArray> outputs) {
    forEachLayer((probe, into) -> forward(probe, outputs.get(probe.key), into));
  }

  private void forEachLayer(BiConsumer<LayerProbe, Map<Figure, Double>> measurement) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      figures.forEach(measurement);
    }
  }

  private void forward(LayerProbe probe, INDArray all, Map<Figure, Double> into) {
    INDArray output = counting(all, probe.layer.getMaskArray());
    SpdLayer conf = probe.configuration();
    INDArray input = probe.layer.input();
    if (input != null && conf instanceof KernelAggregationLayer) {
      Map<String, INDArray> parameters = probe.layer.paramTable();
      Measurements.maps((KernelAggregationLayer) conf, parameters, input, sample, into);
    }
    if (input != null && conf instanceof EigenvalueLayer) {
      Measurements.floored(input, ((EigenvalueLayer) conf).getFloor(), sample, into);
    }
    if (input != null && conf instanceof MatrixSquareRootLayer) {
      Measurements.withoutRoot(input, sample, into);
    }
    if (output != null && (conf instanceof KernelAggregationLayer || hasW(probe))) {
      Measurements.spectrum(output, sample, into);
    }
  }

  /** An output without the examples that a mask leaves out, where it is 0. */
  private static INDArray counting(INDArray output, INDArray mask) {
    if (output == null || mask == null || mask.length() != output.size(0)) {
      return output;
    }
    int[] places =
        IntStream.range(0, (int) mask.length()).filter(i -> mask.getDouble(i) != 0).toArray();
    long[] shape = output.shape().clone();
    shape[0] = places.length;
    INDArray rows = output.dup('c').reshape('c', output.size(0), -1);
    return Nd4j.pullRows(rows, 1, places, 'c').reshape('c', shape);
  }

  private static boolean hasW(LayerProbe probe) {
    return probe.configuration() instanceof SpdTransformLayer;
  }

  /** Measures the gradients, which DL4J has summed over the batch. */
  void backward(Model model) {
    double examples = model.conf().isMiniBatch() ? Math.max(1, model.batchSize()) : 1;
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      gradientNorm = model.getGradientsViewArray().norm2Number().doubleValue() / examples;
    }
    Map<String, INDArray> gradients = model.gradient().gradientForVariable();
    forEachLayer(
        (probe, into) -> {
          INDArray gradient = gradients.get(probe.gradientName(SpdTransformLayer.W));
          if (hasW(probe) && gradient != null) {
            INDArray w = probe.layer.getParam(SpdTransformLayer.W);
            Measurements.gradient(w, gradient, examples, into);
          }
        });
  }

  /** Measures the parameters. */
  void parameters() {
    forEachLayer(
        (probe, into) -> {
          if (hasW(probe)) {
            INDArray w = probe.layer.getParam(SpdTransformLayer.W);
            into.put(Figure.OFF_MANIFOLD, Stiefel.distanceFromManifold(w));
          }
          if (probe.configuration() instanceof FisherVectorLayer) {
            Measurements.variances(probe.layer.getParam(FisherVectorLayer.VARIANCES), into);
          }
        });
  }

  /**
   * The report.
   *
   * @param type the network's data type
   * @param wrong takes up what is wrong, by a key that stays the same while the figures change
   */
  HealthReport report(DataType type, Map<String, String> wrong) {
    List<LayerHealth> layers = new ArrayList<>();
    figures.forEach(
        (probe, measured) -> {
          if (!measured.isEmpty()) {
            String kind = probe.configuration().getClass().getSimpleName();
            LayerHealth health = new LayerHealth(probe.name, kind, measured);
            layers.add(health);
            wrong.putAll(Diagnosis.of(probe.configuration(), health, type));
          }
        });
    if (gradientNorm != null && gradientNorm.isNaN()) {
      wrong.put("gradient", "the gradient of the network is not a number");
    }
    return new HealthReport(
        iteration, epoch, gradientNorm, layers, new ArrayList<>(wrong.values()));
  }
}
