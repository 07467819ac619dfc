/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.layers.LogMetric;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/**
 * A case of {@code reference/log-metrics.json}: batch normalisation or classification of SPD
 * matrices. The {@code README.md} beside that file tells what is in it.
 */
public final class LogMetricsCase {

  private static final String RESOURCE = "/reference/log-metrics.json";

  private final JsonNode json;

  private LogMetricsCase(JsonNode json) {
    this.json = json;
  }

  /** The cases of one kind, in the order of the file. */
  public static List<LogMetricsCase> of(String kind) {
    List<LogMetricsCase> cases = new ArrayList<>();
    try (InputStream file = LogMetricsCase.class.getResourceAsStream(RESOURCE)) {
      for (JsonNode json : new ObjectMapper().readTree(file).get("cases")) {
        if (json.get("kind").asText().equals(kind)) {
          cases.add(new LogMetricsCase(json));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  /** The metric. */
  public LogMetric metric() {
    return LogMetric.valueOf(json.get("metric").asText());
  }

  /** What the file has under a key. */
  public INDArray array(String key) {
    return SecondOrderCase.array(json.get(key));
  }

  /** What the file has under a key. */
  public double number(String key) {
    return json.get(key).doubleValue();
  }

  /** The name of the case. */
  @Override
  public String toString() {
    return json.get("name").asText();
  }
}
