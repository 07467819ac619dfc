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
 * A case of {@code reference/log-metrics.json}, {@code reference/matrix-layers.json} or {@code
 * reference/signals.json}, whose cases are of several kinds. The {@code README.md} beside those
 * files tells what is in them.
 */
public final class KindCase {

  private final JsonNode json;

  private KindCase(JsonNode json) {
    this.json = json;
  }

  /** Batch normalisation or classification of SPD matrices, in the order of the file. */
  public static List<KindCase> ofLogMetrics(String kind) {
    return of("/reference/log-metrics.json", kind);
  }

  /** Dropout, learnt shrinkage or residuals of SPD matrices, in the order of the file. */
  public static List<KindCase> ofMatrixLayers(String kind) {
    return of("/reference/matrix-layers.json", kind);
  }

  /** Covariance, transform and logarithm of signals, in the order of the file. */
  public static List<KindCase> ofSignals() {
    return of("/reference/signals.json", "signals");
  }

  private static List<KindCase> of(String resource, String kind) {
    List<KindCase> cases = new ArrayList<>();
    try (InputStream file = KindCase.class.getResourceAsStream(resource)) {
      for (JsonNode json : new ObjectMapper().readTree(file).get("cases")) {
        if (json.get("kind").asText().equals(kind)) {
          cases.add(new KindCase(json));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return cases;
  }

  /** The metric; of another one, the one whose coordinates it is stored in. */
  public LogMetric metric() {
    return isAffineInvariant()
        ? LogMetric.EUCLIDEAN
        : LogMetric.valueOf(json.get("metric").asText());
  }

  /** Whether the metric is the affine-invariant one. */
  public boolean isAffineInvariant() {
    return json.get("metric").asText().equals("AFFINE_INVARIANT");
  }

  /** What the file has under a key. */
  public INDArray array(String key) {
    return SecondOrderCase.array(json.get(key));
  }

  /** What the file has under a key. */
  public double number(String key) {
    return json.get(key).doubleValue();
  }

  /** What the file has under a key. */
  public boolean flag(String key) {
    return json.get(key).booleanValue();
  }

  /** The name of the case. */
  @Override
  public String toString() {
    return json.get("name").asText();
  }
}
