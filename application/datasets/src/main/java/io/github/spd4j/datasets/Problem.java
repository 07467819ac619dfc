/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

/** Why an image of a data set is left out. */
public final class Problem {

  private final String image;
  private final String reason;

  /**
   * A problem.
   *
   * @param image the name of the image
   * @param reason one line, which also names the file
   */
  public Problem(String image, String reason) {
    this.image = image;
    this.reason = reason;
  }

  /**
   * The name of the image.
   *
   * @return its path below the root of the data set
   */
  public String image() {
    return image;
  }

  /**
   * The reason, which also names the file.
   *
   * @return one line
   */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return reason;
  }
}
