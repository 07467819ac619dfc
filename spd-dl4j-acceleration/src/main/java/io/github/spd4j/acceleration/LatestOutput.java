/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The latest output of a convolution, from one call of DL4J to the next. In a training step it
 * calls
 *
 * <pre>
 * forward    preOutput, activate
 * backward   preOutput, backpropGradient
 * </pre>
 *
 * <p>and the second {@code preOutput} is there because the activation function has overwritten the
 * first one's. Where the derivative of the function can be told from its value, that value is a
 * good answer. But the second may as well begin another forward pass of the same input, perhaps
 * with other weights: only the call after it tells.
 */
final class LatestOutput {

  private enum State {
    /** There is none. */
    NONE,
    /** It was computed for {@code preOutput}. */
    COMPUTED,
    /** Its function was applied in a pass for training; it serves the way back. */
    ACTIVATED,
    /** It was given to a second {@code preOutput}. */
    GIVEN_AGAIN
  }

  private State state = State.NONE;
  private Convolution asked;
  private INDArray output;

  /** Takes what was computed for a convolution. */
  void computed(Convolution convolution, INDArray result) {
    state = State.COMPUTED;
    asked = convolution;
    output = result;
  }

  /** Whether the output answers a call for this convolution, should it be the way back. */
  boolean answers(Convolution convolution) {
    return (state == State.ACTIVATED || state == State.GIVEN_AGAIN)
        && asked.input == convolution.input;
  }

  /** The answer to a second call. */
  INDArray givenAgain(Convolution convolution) {
    state = State.GIVEN_AGAIN;
    asked = convolution;
    return output;
  }

  /**
   * What has to be computed before its function is applied.
   *
   * @return a convolution that was answered although it was another forward pass; or null
   */
  Convolution owed() {
    return state == State.GIVEN_AGAIN ? asked : null;
  }

  /** The function overwrites the output, and its value serves the way back. */
  void activated() {
    if (state == State.COMPUTED) {
      state = State.ACTIVATED;
    } else {
      forget();
    }
  }

  /** Leaves nothing. */
  void forget() {
    state = State.NONE;
    asked = null;
    output = null;
  }
}
