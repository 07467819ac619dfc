/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * Compares the gradients of a network with differences of its loss, parameter by parameter.
 *
 * <pre>{@code
 * GradientCheck check = GradientCheck.of(net, data);   // a few examples are enough
 * System.out.println(check);   // which parameter disagrees, by how much, and why
 * assert check.passes();
 * }</pre>
 *
 * <p>The network stays as it is, and may be of any type and have any updater. What is checked is a
 * copy in DOUBLE, without dropout and weight noise, in training mode: the derivatives of the loss,
 * before penalties, gradient normalisation and the updater.
 *
 * <p>A bandwidth of {@code Bandwidth.meanDistance()} is a constant in the backward pass, on
 * purpose, and the gradients of all layers before it are not the whole derivatives. If they are
 * with {@code differentiated()} in its place, that explains the difference, and the check passes.
 *
 * <p>ND4J's softmax of DOUBLE is NaN where all numbers of a row are far below zero, and that of
 * FLOAT is not. In the copy, DL4J's layers with that activation subtract the largest number first;
 * a softmax within a SameDiff layer, or in a layer or loss of yours, is as it is. If the network is
 * of DOUBLE, and its own loss is NaN for that reason, the check says so and does not pass.
 *
 * <p>DL4J's {@code GradientCheckUtil} knows none of this.
 */
public final class GradientCheck {

  /** How many entries of a parameter are checked unless said otherwise. */
  public static final int DEFAULT_ENTRIES = 20;

  private final List<ParameterCheck> parameters;
  private final List<String> notes;
  private final boolean hasLoss;

  private GradientCheck(List<ParameterCheck> parameters, List<String> notes, boolean hasLoss) {
    this.parameters = List.copyOf(parameters);
    this.notes = List.copyOf(notes);
    this.hasLoss = hasLoss;
  }

  /**
   * Checks {@value #DEFAULT_ENTRIES} entries of every parameter.
   *
   * @param net an initialised network, which is not changed
   * @param data some examples with labels, in a few of which the gradients are not all zero
   * @return what was found
   */
  public static GradientCheck of(ComputationGraph net, DataSet data) {
    Objects.requireNonNull(data, "data");
    return of(net, data.toMultiDataSet(), DEFAULT_ENTRIES);
  }

  /**
   * Checks {@value #DEFAULT_ENTRIES} entries of every parameter.
   *
   * @param net an initialised network, which is not changed
   * @param data some examples with labels
   * @return what was found
   */
  public static GradientCheck of(MultiLayerNetwork net, DataSet data) {
    return of(net, data, DEFAULT_ENTRIES);
  }

  /**
   * Checks some entries of every parameter.
   *
   * @param net an initialised network, which is not changed
   * @param data some examples with labels
   * @param entries how many entries of each parameter, at least 1; they are drawn, and the one with
   *     the largest gradient is always among them
   * @return what was found
   */
  public static GradientCheck of(ComputationGraph net, MultiDataSet data, int entries) {
    requireInitialised(Objects.requireNonNull(net, "net").getVertices());
    Objects.requireNonNull(data, "data");
    requireExamples(data.getFeatures(), data.getLabels());
    DataType type = net.getConfiguration().getDataType();
    return run(change -> NetworkCopy.of(net, data, change), entries, type);
  }

  /**
   * Checks some entries of every parameter.
   *
   * @param net an initialised network, which is not changed
   * @param data some examples with labels
   * @param entries how many entries of each parameter, at least 1; they are drawn, and the one with
   *     the largest gradient is always among them
   * @return what was found
   */
  public static GradientCheck of(MultiLayerNetwork net, DataSet data, int entries) {
    requireInitialised(Objects.requireNonNull(net, "net").getLayers());
    Objects.requireNonNull(data, "data");
    requireExamples(new INDArray[] {data.getFeatures()}, new INDArray[] {data.getLabels()});
    DataType type = net.getLayerWiseConfigurations().getDataType();
    return run(change -> NetworkCopy.of(net, data, change), entries, type);
  }

  private static void requireInitialised(Object[] parts) {
    if (parts == null) {
      throw new IllegalArgumentException(
          "net: expected an initialised network, got one without init()");
    }
  }

  private static void requireExamples(INDArray[] features, INDArray[] labels) {
    if (isMissing(features) || isMissing(labels)) {
      throw new IllegalArgumentException(
          "data: expected examples with labels, got no "
              + (isMissing(features) ? "features" : "labels"));
    }
  }

  private static boolean isMissing(INDArray[] arrays) {
    return arrays == null
        || arrays.length == 0
        || Arrays.stream(arrays).anyMatch(array -> array == null || array.isEmpty());
  }

  /** Makes a copy of the network in which each layer is replaced by something. */
  private interface Copying {
    NetworkCopy with(UnaryOperator<Layer> change);
  }

  private static GradientCheck run(Copying copying, int entries, DataType type) {
    if (entries < 1) {
      throw new IllegalArgumentException("expected at least 1 entry to check, got " + entries);
    }
    WithoutNoise calm = new WithoutNoise();
    NetworkCopy copy = copying.with(calm);
    Map<String, ParameterCheck> found = new LinkedHashMap<>();
    Differences differences = new Differences(copy, entries);
    copy.parameters().forEach(name -> found.put(name, differences.of(name)));
    if (found.values().stream().anyMatch(ParameterCheck::isApart)) {
      explain(found, copying, calm, entries);
    }
    boolean hasLoss = type != DataType.DOUBLE || !Double.isFinite(copy.loss()) || !isNaN(copying);
    return new GradientCheck(new ArrayList<>(found.values()), calm.notes(), hasLoss);
  }

  /** Whether the network as it is has no loss. */
  private static boolean isNaN(Copying copying) {
    return Double.isNaN(copying.with(UnaryOperator.identity()).loss());
  }

  /** Finds whether what disagrees would agree if no bandwidth were a constant. */
  private static void explain(
      Map<String, ParameterCheck> found, Copying copying, WithoutNoise calm, int entries) {
    WholeDerivatives whole = new WholeDerivatives(calm);
    NetworkCopy copy = copying.with(whole);
    if (whole.changed().isEmpty()) {
      return;
    }
    Differences differences = new Differences(copy, entries);
    found.replaceAll(
        (name, check) -> check.isApart() ? check.explainedBy(whole, differences.of(name)) : check);
  }

  /**
   * Whether every gradient agrees with the differences, or is known not to, and the network has a
   * loss.
   *
   * @return true if nothing is wrong
   */
  public boolean passes() {
    return hasLoss && parameters.stream().noneMatch(ParameterCheck::isWrong);
  }

  /**
   * What was found.
   *
   * @return one entry for each parameter, in the network's order
   */
  public List<ParameterCheck> parameters() {
    return parameters;
  }

  /** A line for each parameter: its name, the largest difference, and why. */
  @Override
  public String toString() {
    long wrong = parameters.stream().filter(ParameterCheck::isWrong).count();
    StringBuilder text = new StringBuilder();
    text.append(
        wrong == 0
            ? "The gradients are right"
            : "The gradients of " + wrong + " of " + parameters.size() + " parameters are wrong");
    text.append(", checked in DOUBLE");
    notes.forEach(note -> text.append(", ").append(note));
    if (!hasLoss) {
      text.append(
          ". But the loss of this network is NaN: ND4J's softmax, in DOUBLE, does not subtract the"
              + " largest number if all are negative; train in FLOAT, or normalise what goes into the softmax");
    }
    parameters.forEach(check -> text.append("\n  ").append(check));
    return text.toString();
  }
}
