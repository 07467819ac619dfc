/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.deeplearning4j.gradientcheck.GradientCheckUtil;
import org.deeplearning4j.gradientcheck.GradientCheckUtil.GraphConfig;
import org.deeplearning4j.gradientcheck.GradientCheckUtil.MLNConfig;
import org.deeplearning4j.gradientcheck.GradientCheckUtil.PrintMode;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** DL4J's own gradient check. */
public final class GradientChecks {

  /** Below this, a central difference in double precision is rounding. */
  private static final double ABSOLUTE_FLOOR = 1e-9;

  private GradientChecks() {}

  /** Checks every parameter of a network. */
  public static void check(ComputationGraph net, DataSet data) {
    check(net, data, Set.of());
  }

  /** Checks every parameter of a network but some, by name. */
  public static void check(ComputationGraph net, DataSet data, Set<String> unchecked) {
    check(config(net, data).excludeParams(unchecked));
  }

  /** Checks every parameter of a network but the weights of its output layer, which are DL4J's. */
  public static void checkHead(ComputationGraph net, DataSet data) {
    Set<String> unchecked = new HashSet<>(Mixtures.parametersOf(net));
    unchecked.add(net.getConfiguration().getNetworkOutputs().get(0) + "_W");
    check(net, data, unchecked);
  }

  /** Checks every parameter of a network with dropout, which draws the same in every pass. */
  public static void checkFrozen(ComputationGraph net, DataSet data, long seed) {
    check(config(net, data).callEachIter(any -> Nd4j.getRandom().setSeed(seed)));
  }

  private static GraphConfig config(ComputationGraph net, DataSet data) {
    INDArray mask = data.getFeaturesMaskArray();
    return new GraphConfig()
        .inputMask(mask == null ? null : new INDArray[] {mask})
        .net(net)
        .inputs(new INDArray[] {data.getFeatures()})
        .labels(new INDArray[] {data.getLabels()})
        .maxRelError(Tolerances.DERIVATIVE)
        .minAbsoluteError(ABSOLUTE_FLOOR)
        .print(PrintMode.FAILURES_ONLY);
  }

  private static void check(GraphConfig config) {
    inDouble(() -> assertThat(GradientCheckUtil.checkGradients(config)).isTrue());
  }

  /** Checks every parameter of a network. */
  public static void check(MultiLayerNetwork net, DataSet data) {
    check(net, data, Set.of());
  }

  /** Checks every parameter of a network but the weights of its output layer, which are DL4J's. */
  public static void checkHead(MultiLayerNetwork net, DataSet data) {
    Set<String> unchecked = new HashSet<>(Mixtures.parametersOf(net.getLayers()));
    unchecked.add(net.getnLayers() - 1 + "_W");
    check(net, data, unchecked);
  }

  private static void check(MultiLayerNetwork net, DataSet data, Set<String> unchecked) {
    MLNConfig config =
        new MLNConfig()
            .net(net)
            .input(data.getFeatures())
            .labels(data.getLabels())
            .inputMask(data.getFeaturesMaskArray())
            .excludeParams(unchecked)
            .maxRelError(Tolerances.DERIVATIVE)
            .minAbsoluteError(ABSOLUTE_FLOOR)
            .print(PrintMode.FAILURES_ONLY);
    inDouble(() -> assertThat(GradientCheckUtil.checkGradients(config)).isTrue());
  }

  /** The utility wants DOUBLE as the default type; what it was is restored. */
  private static void inDouble(Runnable check) {
    DataType before = Nd4j.defaultFloatingPointType();
    Nd4j.setDefaultDataTypes(DataType.DOUBLE, DataType.DOUBLE);
    try {
      check.run();
    } finally {
      Nd4j.setDefaultDataTypes(before, before);
    }
  }
}
