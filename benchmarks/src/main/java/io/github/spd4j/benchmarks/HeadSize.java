/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.stream.Stream;

/**
 * The sizes of a head, and the arithmetic that its formulas ask for.
 *
 * @param batch images at a time
 * @param channels C
 * @param outputs C'
 * @param side height and width of the feature maps
 */
record HeadSize(int batch, int channels, int outputs, int side, int classes) {

  /** Multiplication and addition. */
  private static final double OPERATIONS = 2;

  HeadSize withBatch(int size) {
    return new HeadSize(size, channels, outputs, side, classes);
  }

  HeadSize withChannels(int size) {
    return new HeadSize(batch, size, Math.min(outputs, size), side, classes);
  }

  HeadSize withOutputs(int size) {
    return new HeadSize(batch, channels, size, side, classes);
  }

  /** As an argument of another process. */
  String argument() {
    return batch + "," + channels + "," + outputs + "," + side + "," + classes;
  }

  /** What {@link #argument} has written. */
  static HeadSize parse(String argument) {
    int[] sizes = Stream.of(argument.split(",")).mapToInt(Integer::parseInt).toArray();
    return new HeadSize(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
  }

  /** GFLOP of a forward pass: F Fᵀ, K W, Wᵀ(KW) and the classifier. */
  double forwardGflop() {
    return gram() + timesW() + fromBothSides() + classifier();
  }

  /** GFLOP of a training step: forward, the products of the backward pass, and W's step. */
  double stepGflop() {
    double backward = fromBothSides() + timesW() + fromBothSides() + gram() + 2 * classifier();
    return forwardGflop() + backward + stiefel();
  }

  private double gram() {
    return giga(batch, channels, channels, side * (double) side);
  }

  private double timesW() {
    return giga(batch, channels, channels, outputs);
  }

  private double fromBothSides() {
    return giga(batch, channels, outputs, outputs);
  }

  private double classifier() {
    double triangle = outputs * (outputs + 1) / 2;
    return giga(batch, triangle, classes, 1);
  }

  /** The gradient in the metric, the transport of the momentum, and QR with Q made explicit. */
  private double stiefel() {
    double product = giga(1, channels, outputs, outputs);
    return 4 * product + 2 * product - giga(1, outputs, outputs, outputs) * 2 / 3;
  }

  private static double giga(double a, double b, double c, double d) {
    return OPERATIONS * a * b * c * d / 1e9;
  }

  @Override
  public String toString() {
    return String.format(
        "batch %d, C = %d, C' = %d, %d×%d, %d classes",
        batch, channels, outputs, side, side, classes);
  }
}
