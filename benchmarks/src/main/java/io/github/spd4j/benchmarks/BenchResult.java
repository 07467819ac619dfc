/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All that a run of the benchmark has found. */
@JsonInclude(JsonInclude.Include.NON_NULL)
final class BenchResult {

  @JsonProperty final Map<String, String> environment = new LinkedHashMap<>();
  @JsonProperty Sample ourGflops;
  @JsonProperty Sample torchGflops;
  @JsonProperty final List<Timing> rows = new ArrayList<>();
  @JsonProperty Long ourPeakBytes;
  @JsonProperty Long torchPeakBytes;
  @JsonProperty final List<RetractionShare> retractions = new ArrayList<>();

  /** What every head costs. */
  @JsonProperty final List<HeadCost> heads = new ArrayList<>();

  /** The growth curves, by what grows. */
  @JsonProperty final Map<String, List<Timing>> growth = new LinkedHashMap<>();
}
