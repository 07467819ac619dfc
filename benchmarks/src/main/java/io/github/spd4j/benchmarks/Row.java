/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** One line of the table: a piece of work, timed on both sides. Times are in milliseconds. */
@JsonInclude(JsonInclude.Include.NON_NULL)
final class Row {

  @JsonProperty final String work;
  @JsonProperty final String size;
  @JsonProperty final double gflop;
  @JsonProperty final Sample ours;

  /** Null without PyTorch. */
  @JsonProperty final Sample torch;

  /** What our own rate of matrix products would allow. */
  @JsonProperty final double roofline;

  Row(String work, String size, double gflop, Sample ours, Sample torch, double gflopsPerSecond) {
    this.work = work;
    this.size = size;
    this.gflop = gflop;
    this.ours = ours;
    this.torch = torch;
    this.roofline = 1e3 * gflop / gflopsPerSecond;
  }

  /** Our time as a share of PyTorch's. */
  @JsonProperty
  Double ratio() {
    return torch == null ? null : ours.median() / torch.median();
  }
}
