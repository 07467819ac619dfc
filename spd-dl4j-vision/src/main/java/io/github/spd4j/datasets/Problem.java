/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

/**
 * Why an image of a data set is left out.
 *
 * @param image the image's path below the root of the data set
 * @param reason one line, which also names the file
 */
public record Problem(String image, String reason) {

  @Override
  public String toString() {
    return reason;
  }
}
