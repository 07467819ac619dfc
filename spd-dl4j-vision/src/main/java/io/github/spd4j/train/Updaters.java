/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.updater.StiefelUpdater;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.samediff.AbstractSameDiffLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.regularization.L2Regularization;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * Gives the layers of a network their updaters and sets their rates.
 *
 * <p>DL4J merges neighbouring parameters with equal updaters into a block, and the block asks the
 * updater of its first layer for the rate, every time. Hence each layer gets an updater of its own,
 * and all rates change by one factor: what was equal when the blocks were built stays equal.
 */
final class Updaters {

  private final ComputationGraph net;
  private final TrainingPlan plan;
  private final Stage stage;
  private final double classifierLimit;
  private final boolean fixedClassifier;
  private final List<Learner> learners = new ArrayList<>();
  private int frozen;

  /**
   * Installs the plan's updaters, without any state.
   *
   * @param net the network, which is changed
   * @param head names of the vertices after the cut
   * @param stage the stage whose rates are set
   * @param classifierLimit the most that the classifier's inputs bear; NaN if that is not known
   * @param fixedClassifier whether the classifier does not learn
   */
  Updaters(
      ComputationGraph net,
      Set<String> head,
      TrainingPlan plan,
      Stage stage,
      double classifierLimit,
      boolean fixedClassifier) {
    this.net = net;
    this.plan = plan;
    this.stage = stage;
    this.classifierLimit = classifierLimit;
    this.fixedClassifier = fixedClassifier;
    for (GraphVertex vertex : net.getVertices()) {
      if (vertex.hasLayer() && vertex.getLayer().numParams() > 0) {
        add(vertex, head);
      }
    }
    learners.forEach(learner -> equip(learner.layer));
    setRates(1); // before the blocks are built: it decides what is equal
    reset();
  }

  /**
   * Whether there is anything but the classifier that learns.
   *
   * @param net a network
   * @param among which of its vertices count
   */
  static boolean learnMoreThanTheClassifier(ComputationGraph net, Predicate<String> among) {
    return Arrays.stream(net.getVertices())
        .filter(GraphVertex::hasLayer)
        .filter(vertex -> vertex.getLayer().numParams() > 0)
        .filter(vertex -> !WrappedLayers.isFrozen(vertex.getLayer()) && !isFitted(vertex))
        .map(GraphVertex::getVertexName)
        .filter(name -> !net.getConfiguration().getNetworkOutputs().contains(name))
        .anyMatch(among);
  }

  private static boolean isFitted(GraphVertex vertex) {
    return unwrapped(vertex) instanceof FisherVectorLayer;
  }

  private static Layer unwrapped(GraphVertex vertex) {
    return WrappedLayers.unwrapped(vertex.getLayer().conf().getLayer());
  }

  private void add(GraphVertex vertex, Set<String> head) {
    Layer layer = unwrapped(vertex);
    if (WrappedLayers.isFrozen(vertex.getLayer())) {
      frozen++;
    } else if (!isFitted(vertex)) {
      String name = vertex.getVertexName();
      Set<String> parameters = vertex.getLayer().paramTable().keySet();
      boolean output = net.getConfiguration().getNetworkOutputs().contains(name);
      LayerGroup group =
          head.contains(name) ? groupOf(layer, parameters, output) : LayerGroup.BACKBONE;
      learners.add(new Learner(layer, parameters, group));
    }
  }

  private static LayerGroup groupOf(Layer layer, Set<String> names, boolean output) {
    if (output) {
      return LayerGroup.CLASSIFIER;
    }
    if (layer instanceof SpdTransformLayer || isOnManifold(layer, names)) {
      return LayerGroup.TRANSFORM;
    }
    return layer instanceof ConvolutionLayer ? LayerGroup.CONVOLUTION : LayerGroup.REST;
  }

  private static boolean isOnManifold(Layer layer, Set<String> names) {
    return names.stream().anyMatch(p -> layer.getUpdaterByParam(p) instanceof StiefelUpdater);
  }

  private void equip(Layer layer) {
    List<Regularization> decay =
        plan.weightDecay() == 0 ? List.of() : List.of(new L2Regularization(plan.weightDecay()));
    if (layer instanceof BaseLayer) {
      BaseLayer base = (BaseLayer) layer;
      base.setIUpdater(updater(layer, base.getIUpdater()));
      if (plan.keepsUpdaters()) {
        IUpdater forBiases = base.getBiasUpdater();
        requireSteps(layer, forBiases);
        base.setBiasUpdater(forBiases == null ? null : forBiases.clone());
      } else {
        base.setBiasUpdater(null);
        base.setRegularization(decay);
        base.setRegularizationBias(List.of());
      }
    } else if (layer instanceof AbstractSameDiffLayer) {
      AbstractSameDiffLayer sameDiff = (AbstractSameDiffLayer) layer;
      boolean onManifold = sameDiff.getUpdater() instanceof StiefelUpdater;
      sameDiff.setUpdater(updater(layer, sameDiff.getUpdater()));
      if (!plan.keepsUpdaters() && !onManifold) {
        sameDiff.setRegularization(decay);
      }
    }
  }

  /** The plan's updater in the place of another. */
  private IUpdater updater(Layer layer, IUpdater present) {
    requireSteps(layer, present);
    if (plan.keepsUpdaters()) {
      return present.clone();
    }
    if (present instanceof StiefelUpdater) {
      StiefelUpdater stiefel = (StiefelUpdater) present;
      return plan.optimizer()
          .onManifold(plan.momentum())
          .metric(stiefel.getMetric())
          .retraction(stiefel.getRetraction())
          .build();
    }
    return plan.optimizer().updater(plan.momentum());
  }

  private static void requireSteps(Layer layer, IUpdater updater) {
    Validate.isTrue(
        !(updater instanceof NoOp),
        "layer '%s' has the updater NoOp, with which DL4J subtracts the gradient as it is, by a rate"
            + " of 1; freeze the layer if it is not to learn, or give it another updater",
        layer.getLayerName());
  }

  /** How many layers with parameters are frozen in the network's configuration. */
  int frozenLayers() {
    return frozen;
  }

  /** Sets every rate to the plan's rate times a factor, and returns the rates by group. */
  Map<LayerGroup, Double> setRates(double factor) {
    return setRates(factor, fixedClassifier);
  }

  /** Sets every rate, that of the classifier to 0 if it is fixed. */
  Map<LayerGroup, Double> setRates(double factor, boolean fixedClassifier) {
    Map<LayerGroup, Double> rates = new EnumMap<>(LayerGroup.class);
    for (Learner learner : learners) {
      boolean fixed = fixedClassifier && learner.group == LayerGroup.CLASSIFIER;
      double rate = fixed ? 0 : rate(learner.group) * factor;
      rates.put(learner.group, rate);
      for (String parameter : learner.parameters) {
        setRate(learner.layer.getUpdaterByParam(parameter), rate);
      }
    }
    return rates;
  }

  private double rate(LayerGroup group) {
    double rate = plan.rate(stage, group);
    return group == LayerGroup.CLASSIFIER && classifierLimit < rate ? classifierLimit : rate;
  }

  private static void setRate(IUpdater updater, double rate) {
    if (updater != null && updater.hasLearningRate()) {
      updater.setLrAndSchedule(rate, null);
    }
  }

  /** Drops the state of the updaters, such as momentum. */
  void reset() {
    net.setUpdater(null);
    net.getUpdater();
  }

  /** The state of the updaters, or null if they have none; a view. */
  INDArray state() {
    return net.getUpdater().getStateViewArray();
  }

  /** Takes up an earlier state, if there is one. */
  void restore(INDArray earlier) {
    if (earlier != null && state() != null) {
      state().assign(earlier.reshape(state().shape()));
    }
  }

  /** A layer that learns. */
  private static final class Learner {
    final Layer layer;
    final Set<String> parameters;
    final LayerGroup group;

    Learner(Layer layer, Set<String> parameters, LayerGroup group) {
      this.layer = layer;
      this.parameters = parameters;
      this.group = group;
    }
  }
}
