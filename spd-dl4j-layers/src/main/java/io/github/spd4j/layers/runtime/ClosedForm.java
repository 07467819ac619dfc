/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer configuration whose forward pass is a SameDiff definition and whose backward is given.
 */
public interface ClosedForm {

  /**
   * Defines the forward pass; see {@link
   * org.deeplearning4j.nn.conf.layers.samediff.SameDiffLayer#defineLayer}.
   *
   * @param sd where to define it
   * @param input the input, a placeholder of known shape but for the batch size (−1)
   * @param params the parameters
   * @param mask not used; masks are refused
   * @return the output
   */
  SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask);

  /**
   * The names of the variables of the definition whose values the backward pass needs.
   *
   * @return variable names
   */
  List<String> savedVariables();

  /**
   * The backward pass.
   *
   * @param saved what the forward pass kept, none of it to be changed
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to the parameters, by name
   * @return the gradient with respect to the input, in the shape of the input
   */
  INDArray backward(Saved saved, INDArray gradient, Map<String, INDArray> paramGradients);

  /**
   * Another way to compute the same, if there is one for this configuration.
   *
   * @return new fused passes for one runtime layer, or null
   */
  default Fused fused() {
    return null;
  }

  /**
   * Refuses input of the wrong shape.
   *
   * @param input the layer's input
   */
  void validateInput(INDArray input);

  /**
   * Refuses parameters that are not finite.
   *
   * @param params the parameters by name
   */
  void validateParams(Map<String, INDArray> params);

  /**
   * What error messages call the layer: its type and name.
   *
   * @return for example {@code SpdTransformLayer 'spd1'}
   */
  String describe();

  /**
   * Refuses a data type that the layer cannot compute with.
   *
   * @param type the network's data type
   */
  void validateDataType(DataType type);
}
