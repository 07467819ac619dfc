/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

/** How a kernel moves over the rows or the columns of an image. */
public final class WindowAxis {
  final int kernel;
  final int stride;
  private final int pad;
  private final int dilation;
  final int input;
  final int output;

  /**
   * Rows or columns.
   *
   * @param kernel how many taps
   * @param stride how far the kernel moves at a time
   * @param pad how many zeros lie before the image; behind it there are as many as needed
   * @param dilation how far apart the taps are
   * @param input the size of the image
   * @param output the size of the output
   */
  public WindowAxis(int kernel, int stride, int pad, int dilation, int input, int output) {
    this.kernel = kernel;
    this.stride = stride;
    this.pad = pad;
    this.dilation = dilation;
    this.input = input;
    this.output = output;
  }

  boolean isIdentity() {
    return kernel == 1 && stride == 1 && pad == 0 && input == output;
  }

  /** Where in the image a tap lies for a place of the output; perhaps outside. */
  int place(int tap, int place) {
    return place * stride + tap * dilation - pad;
  }

  /** The first place of the output for which a tap does not lie before the image. */
  int first(int tap) {
    return Math.max(0, -Math.floorDiv(place(tap, 0), stride));
  }

  /** The place after the last for which a tap does not lie behind the image. */
  int end(int tap) {
    return Math.min(output, Math.floorDiv(input - 1 - place(tap, 0), stride) + 1);
  }
}
