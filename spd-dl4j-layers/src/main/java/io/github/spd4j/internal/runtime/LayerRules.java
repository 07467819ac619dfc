/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.Algebra;
import java.util.Map;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.nd4j.linalg.api.ndarray.INDArray;

/** What a runtime layer asks of its layer: what to refuse, and what learns. */
public interface LayerRules {

  /**
   * Refuses input of the wrong shape.
   *
   * @param input the layer's input
   */
  void validateInput(INDArray input);

  /**
   * The mask of the output, for a mask of the input.
   *
   * @param mask the mask as DL4J hands it on; one that the layer cannot use is refused
   * @return the mask for the layer behind; null if the mask ends here
   */
  INDArray maskBehind(INDArray mask);

  /**
   * What a mask leaves of an input.
   *
   * @param mask the mask; one that does not fit the input is refused
   * @param input the layer's input, of the right shape
   * @return what counts
   */
  Counted counted(INDArray mask, INDArray input);

  /**
   * Refuses input whose numbers the layer cannot compute with: now, or when what it returns is run.
   *
   * @param input the layer's input, of the right shape
   * @param algebra what to check with
   * @param wasChecked whether an earlier pass of the training was checked, so that what is unlikely
   *     to change may be left out: on a GPU each check waits for the card
   * @return a check that is left for the end of the forward pass, when fewer waits are needed
   */
  Runnable validateNumbers(INDArray input, Algebra algebra, boolean wasChecked);

  /**
   * Refuses parameters that are not finite, or not where they belong.
   *
   * @param params the parameters by name
   */
  void validateParams(Map<String, INDArray> params);

  /**
   * Refuses an array with NaN or infinity in it.
   *
   * @param array any
   * @param what what error messages call it
   */
  void requireFinite(INDArray array, String what);

  /**
   * Refuses an algorithm that would take the parameters away from where they belong.
   *
   * @param algorithm how the network is trained
   */
  void validateTraining(OptimizationAlgorithm algorithm);

  /**
   * Whether a parameter is learnt by its gradient. Others are kept with the network all the same:
   * what was fitted, or what passes write into them, such as running statistics. Their gradient is
   * zero, whatever the passes leave there.
   *
   * @param param the parameter's name
   * @return false if no gradient, updater or penalty changes it
   */
  boolean isLearnt(String param);

  /**
   * What error messages call the layer: its type and name.
   *
   * @return for example {@code SpdTransformLayer 'spd1'}
   */
  String describe();
}
