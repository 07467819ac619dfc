/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.acceleration.Acceleration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;

/**
 * A network that executors use but do not change. Spark sends it to each executor once; each of an
 * executor's threads makes its own network of it, once, because a network runs one batch at a time.
 */
final class SharedNet implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final ThreadLocal<Entry> LAST = new ThreadLocal<>();

  private final String id = UUID.randomUUID().toString();
  private final Broadcast<byte[]> model;
  private final boolean accelerated;

  SharedNet(JavaSparkContext spark, ComputationGraph net) {
    try (ByteArrayOutputStream out = new ByteArrayOutputStream()) {
      ModelSerializer.writeModel(net, out, false);
      this.model = spark.broadcast(out.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot pack the network", e);
    }
    this.accelerated = Acceleration.isAppliedTo(net);
  }

  /** This thread's network. */
  ComputationGraph get() throws IOException {
    Entry last = LAST.get();
    if (last == null || !last.id.equals(id)) {
      ComputationGraph net =
          ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(model.value()), false);
      if (accelerated) {
        Acceleration.applyTo(net);
      }
      last = new Entry(id, net);
      LAST.set(last);
    }
    return last.net;
  }

  /** Frees the memory of executors. */
  void discard() {
    model.destroy();
  }

  /** What a thread has at hand. */
  private static final class Entry {
    final String id;
    final ComputationGraph net;

    Entry(String id, ComputationGraph net) {
      this.id = id;
      this.net = net;
    }
  }
}
