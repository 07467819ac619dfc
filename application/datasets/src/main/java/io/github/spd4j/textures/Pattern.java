/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/**
 * A height in [0, 1] for every point of the plane, about one period per unit of length.
 *
 * <p>Only the order of the heights counts, for the tone of an image is laid on their ranks: the
 * highest 30 to 50 % become the figure, the others the ground. A pattern therefore rises steadily
 * towards its figure and has no plateaus.
 */
@FunctionalInterface
interface Pattern {

  double at(double x, double y);
}
