/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.predictions.Classification;
import java.nio.file.Path;

/**
 * What a model says of a picture, or why nobody could ask it.
 *
 * @param picture the picture, as the user calls it
 * @param classification null if the picture cannot be read
 * @param problem why it cannot; null if it can
 * @param doubt why the answer is doubtful; empty if it is not
 */
record Answer(Path picture, Classification classification, String problem, String doubt) {

  boolean isThere() {
    return classification != null;
  }
}
