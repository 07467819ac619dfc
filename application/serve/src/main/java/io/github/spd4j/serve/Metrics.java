/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.IntSupplier;

/** What a server counts, as Prometheus reads it. */
final class Metrics {

  static final String TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  private final PrometheusRegistry registry = new PrometheusRegistry();

  private final Counter requests =
      Counter.builder()
          .name("spd_requests_total")
          .help("Requests by path and status.")
          .labelNames("path", "status")
          .register(registry);

  private final Histogram seconds =
      Histogram.builder()
          .name("spd_predict_seconds")
          .help("Seconds from a picture's last byte to its answer.")
          .classicOnly()
          .classicUpperBounds(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
          .register(registry);

  private final Histogram pictures =
      Histogram.builder()
          .name("spd_batch_pictures")
          .help("Pictures in one pass of the network.")
          .classicOnly()
          .classicUpperBounds(1, 2, 4, 8, 16, 32)
          .register(registry);

  /**
   * Starts at zero.
   *
   * @param inHand how many predictions are in hand
   */
  Metrics(IntSupplier inHand) {
    GaugeWithCallback.builder()
        .name("spd_predictions_in_hand")
        .help("Predictions that are being received, wait, or are computed.")
        .callback(gauge -> gauge.call(inHand.getAsInt()))
        .register(registry);
  }

  void request(String path, int status) {
    requests.labelValues(path, String.valueOf(status)).inc();
  }

  void answered(double taken) {
    seconds.observe(taken);
  }

  void batch(int size) {
    pictures.observe(size);
  }

  String text() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return bytes.toString(java.nio.charset.StandardCharsets.UTF_8);
  }
}
