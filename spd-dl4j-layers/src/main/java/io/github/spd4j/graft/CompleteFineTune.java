/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;

/**
 * A fine-tune configuration, completed by what DL4J would otherwise forget: transfer learning makes
 * a network of type FLOAT with default workspaces, and with the time of day as its seed unless the
 * configuration has one.
 *
 * <p>It delegates instead of changing the configuration, which is the caller's and cannot be
 * copied: its JSON loses its optional fields.
 */
final class CompleteFineTune extends FineTuneConfiguration {

  private final FineTuneConfiguration given;
  private final ComputationGraphConfiguration backbone;
  private final long usedSeed;

  CompleteFineTune(FineTuneConfiguration given, Long seed, ComputationGraphConfiguration backbone) {
    this.given = given;
    this.backbone = backbone;
    this.usedSeed = seed != null ? seed : seedOf(given, backbone);
  }

  private static long seedOf(FineTuneConfiguration given, ComputationGraphConfiguration backbone) {
    Long seed = given.getSeed();
    return seed != null ? seed : backbone.getDefaultConfiguration().getSeed();
  }

  @Override
  public NeuralNetConfiguration.Builder appliedNeuralNetConfigurationBuilder() {
    NeuralNetConfiguration.Builder builder =
        given
            .appliedNeuralNetConfigurationBuilder()
            .seed(usedSeed)
            .dataType(backbone.getDataType());
    if (given.getTrainingWorkspaceMode() == null) {
      builder.trainingWorkspaceMode(backbone.getTrainingWorkspaceMode());
    }
    if (given.getInferenceWorkspaceMode() == null) {
      builder.inferenceWorkspaceMode(backbone.getInferenceWorkspaceMode());
    }
    return builder;
  }

  @Override
  public void applyToNeuralNetConfiguration(NeuralNetConfiguration layer) {
    given.applyToNeuralNetConfiguration(layer);
    layer.setSeed(usedSeed);
  }

  @Override
  public boolean equals(Object o) {
    return this == o;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
