/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.layers.RnnToMapsPreProcessor;
import java.util.stream.LongStream;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;

/** What stands before layers of DL4J to bring activations into another shape. */
final class PreProcessors {

  private PreProcessors() {}

  /**
   * Adds a preprocessor.
   *
   * @param type what comes in
   * @param output what goes out
   * @throws NotExportable if it has no translation
   */
  static String translate(
      OnnxGraph graph,
      InputPreProcessor preProcessor,
      String input,
      InputType type,
      InputType output) {
    if (preProcessor instanceof FeedForwardToCnnPreProcessor
        && type instanceof InputTypeConvolutional) {
      return input;
    }
    if (preProcessor instanceof CnnToFeedForwardPreProcessor
        || preProcessor instanceof FeedForwardToCnnPreProcessor
        || preProcessor instanceof RnnToMapsPreProcessor) {
      long[] sizes = LayerSite.shape(output);
      return graph.reshape(
          input, LongStream.concat(LongStream.of(-1), LongStream.of(sizes)).toArray());
    }
    throw new NotExportable(
        "the preprocessor " + preProcessor.getClass().getSimpleName() + " has no translation yet");
  }
}
