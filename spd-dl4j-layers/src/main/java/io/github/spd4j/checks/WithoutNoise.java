/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.CnnLossLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.RnnLossLayer;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;

/**
 * Takes from layers what makes two forward passes differ, or the loss flat: dropout, weight noise,
 * and the clipping of probabilities.
 */
final class WithoutNoise implements UnaryOperator<Layer> {

  private final TreeSet<String> dropout = new TreeSet<>();
  private final TreeSet<String> noise = new TreeSet<>();

  @Override
  public Layer apply(Layer layer) {
    if (layer.getIDropout() != null) {
      dropout.add(String.valueOf(layer.getLayerName()));
      layer.setIDropout(null);
    }
    if (layer instanceof BaseLayer && ((BaseLayer) layer).getWeightNoise() != null) {
      noise.add(String.valueOf(layer.getLayerName()));
      ((BaseLayer) layer).setWeightNoise(null);
    }
    removeClipping(lossOf(layer));
    if (layer instanceof BaseLayer) {
      replaceSoftmax(((BaseLayer) layer).getActivationFn(), ((BaseLayer) layer)::setActivationFn);
    } else if (layer instanceof ActivationLayer) {
      ActivationLayer activation = (ActivationLayer) layer;
      replaceSoftmax(activation.getActivationFn(), activation::setActivationFn);
    }
    return layer;
  }

  private static void replaceSoftmax(IActivation activation, Consumer<IActivation> setter) {
    if (activation instanceof ActivationSoftmax) {
      setter.accept(new NearSoftmax());
    }
  }

  /** The loss of an output layer, null of any other. */
  private static ILossFunction lossOf(Layer layer) {
    return layer instanceof BaseOutputLayer
        ? ((BaseOutputLayer) layer).getLossFn()
        : layer instanceof LossLayer
            ? ((LossLayer) layer).getLossFn()
            : layer instanceof RnnLossLayer
                ? ((RnnLossLayer) layer).getLossFn()
                : layer instanceof CnnLossLayer ? ((CnnLossLayer) layer).getLossFn() : null;
  }

  private static void removeClipping(ILossFunction loss) {
    if (loss instanceof LossMCXENT) {
      ((LossMCXENT) loss).setSoftmaxClipEps(0);
    } else if (loss instanceof LossBinaryXENT) {
      ((LossBinaryXENT) loss).setClipEps(0);
    }
  }

  /** What was taken away, for people. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (!dropout.isEmpty()) {
      notes.add("without the dropout of " + dropout);
    }
    if (!noise.isEmpty()) {
      notes.add("without the weight noise of " + noise);
    }
    return notes;
  }
}
