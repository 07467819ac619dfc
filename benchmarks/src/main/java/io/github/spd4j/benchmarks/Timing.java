/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A piece of work, timed on both sides. Times are in milliseconds.
 *
 * @param gflop its counted arithmetic
 * @param torch null without PyTorch
 * @param roofline what our own rate of matrix products would allow
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Timing(String work, String size, double gflop, Sample ours, Sample torch, double roofline) {

  /** Our time as a share of PyTorch's. */
  @JsonProperty
  Double ratio() {
    return torch == null ? null : ours.median() / torch.median();
  }
}
