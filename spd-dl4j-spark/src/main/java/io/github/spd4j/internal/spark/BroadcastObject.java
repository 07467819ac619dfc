/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;

/**
 * Something that executors use but do not change. Spark sends it to each executor once, as bytes;
 * each of an executor's threads makes its own copy, once, because a network runs one batch at a
 * time.
 *
 * @param <T> what it is
 */
public final class BroadcastObject<T> implements Serializable {

  private static final long serialVersionUID = 1L;
  private static final int KEPT = 4;

  private static final ThreadLocal<Map<String, Object>> OWN =
      ThreadLocal.withInitial(
          () ->
              new LinkedHashMap<>(KEPT, 1, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Object> eldest) {
                  return size() > KEPT;
                }
              });

  /** Tells this object from others in an executor. */
  private final String id = UUID.randomUUID().toString();

  /** The object, serialised. */
  private final Broadcast<byte[]> bytes;

  /** What the bytes must add up to. */
  private final byte[] digest;

  /** Makes an object of the bytes. */
  private final Function<byte[], T> unpack;

  private BroadcastObject(JavaSparkContext spark, byte[] packed, Function<byte[], T> unpack) {
    this.bytes = spark.broadcast(packed);
    this.digest = digest(packed);
    this.unpack = unpack;
  }

  /**
   * Shares an object by Java's serialisation, whatever serialiser Spark has. Executors accept no
   * other classes than those that it has here.
   *
   * @param spark the context
   * @param value what is shared
   * @param <T> its type
   * @return the shared object
   * @throws IllegalArgumentException if it cannot be serialised
   */
  public static <T> BroadcastObject<T> of(JavaSparkContext spark, T value) {
    HashSet<String> classes = new HashSet<>();
    try {
      byte[] packed = FilteredObjects.write(value, classes);
      return new BroadcastObject<>(spark, packed, bytes -> unpack(bytes, classes));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Spark needs what it sends to be Serializable, got " + value.getClass().getName(), e);
    }
  }

  @SuppressWarnings("unchecked") // the bytes are those of a T
  private static <T> T unpack(byte[] bytes, HashSet<String> classes) throws Exception {
    return (T) FilteredObjects.read(bytes, classes);
  }

  /**
   * Shares a network, with its acceleration if it has one.
   *
   * @param spark the context
   * @param net the network
   * @return the shared network
   */
  public static BroadcastObject<ComputationGraph> of(JavaSparkContext spark, ComputationGraph net) {
    boolean accelerated = Acceleration.isAppliedTo(net);
    Precision precision = Acceleration.precisionOf(net);
    try (ByteArrayOutputStream out = new ByteArrayOutputStream()) {
      ModelSerializer.writeModel(net, out, false);
      return new BroadcastObject<>(
          spark, out.toByteArray(), packed -> restore(packed, accelerated, precision));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot pack the network", e);
    }
  }

  private static ComputationGraph restore(byte[] packed, boolean accelerated, Precision precision)
      throws IOException {
    ComputationGraph net =
        ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(packed), false);
    if (accelerated) {
      Acceleration.applyTo(net, precision);
    }
    return net;
  }

  /**
   * This thread's copy.
   *
   * @return the same one each time, unless others were asked for meanwhile
   * @throws Exception if it cannot be made
   */
  @SuppressWarnings("unchecked") // the id belongs to this T
  public T get() throws Exception {
    T own = (T) OWN.get().get(id);
    if (own == null) {
      byte[] packed = bytes.value();
      if (!MessageDigest.isEqual(digest(packed), digest)) {
        throw new IOException("expected what the driver sent, got other bytes");
      }
      own = unpack.call(packed);
      OWN.get().put(id, own);
    }
    return own;
  }

  private static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** Frees the memory of executors, and waits for it: who closes the cluster next interrupts it. */
  public void discard() {
    bytes.destroy(true);
  }
}
