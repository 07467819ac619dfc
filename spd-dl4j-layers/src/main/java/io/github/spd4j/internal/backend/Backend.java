/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import io.github.spd4j.internal.backend.host.BlasCheck;
import io.github.spd4j.internal.backend.host.HostFloats;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way in which layers compute: which {@link Algebra} operators take, and whether FLOAT arrays
 * on a CPU take the fused loops of the host instead; or the definitions in SameDiff, forward and
 * backward.
 *
 * <p>Whoever computes is given one: layers and updaters when a network is made. They hand it on to
 * the operators, and, by a {@link #pass}, to public functions such as {@code linalg.Matrices},
 * whose callers have none. A layer that was made for one backend never computes on another.
 */
public final class Backend {

  /**
   * The system property that forces a way of computing: {@value #HOST}, {@value #ND4J}, {@value
   * #DEVICE} or {@value #SAMEDIFF}.
   */
  public static final String PROPERTY = "spd4j.backend";

  /** Fused FLOAT loops on the CPU, and ND4J for everything else. */
  public static final String HOST = "host";

  /** ND4J alone. */
  public static final String ND4J = "nd4j";

  /** The library of a device, such as {@code spd-dl4j-cuda}. */
  public static final String DEVICE = "device";

  /**
   * The definitions of the layers, which SameDiff computes and differentiates: slow, to compare.
   */
  public static final String SAMEDIFF = "samediff";

  private static final Logger LOG = LoggerFactory.getLogger(Backend.class);

  private static final Algebra ON_ND4J = new Nd4jAlgebra();

  /** What the passes of this thread have handed on to the public functions that they call. */
  private static final ThreadLocal<Backend> HANDED_ON = new ThreadLocal<>();

  /** By name; process-wide, since neither the device nor the class path changes. */
  private static final Map<String, Backend> BY_NAME = new ConcurrentHashMap<>();

  private final Algebra algebra;
  private final boolean fused;
  private final boolean defined;

  private Backend(Algebra algebra, boolean fused, boolean defined) {
    this.algebra = algebra;
    this.fused = fused;
    this.defined = defined;
  }

  /**
   * The backend for a caller that was given none: that of the layer or updater in whose pass it is
   * called, otherwise that of this process. The latter is what {@link #PROPERTY} says, or the
   * library of the device if there is one, or the host's loops on a CPU, or ND4J.
   *
   * @return the backend; the log says once which that of the process is
   */
  public static Backend current() {
    Backend handedOn = HANDED_ON.get();
    return handedOn != null
        ? handedOn
        : BY_NAME.computeIfAbsent(System.getProperty(PROPERTY, ""), Backend::named);
  }

  /** A pass, in which functions that were given no backend take that of the pass. */
  public interface Pass extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Begins a pass of this thread: until it is closed, this is its {@link #current} backend.
   *
   * @return the pass
   */
  public Pass pass() {
    Backend before = HANDED_ON.get();
    HANDED_ON.set(this);
    return () -> {
      if (before == null) {
        HANDED_ON.remove();
      } else {
        HANDED_ON.set(before);
      }
    };
  }

  /**
   * A backend that computes with an algebra alone.
   *
   * @param algebra the algebra
   * @return a new backend
   */
  public static Backend of(Algebra algebra) {
    return new Backend(algebra, false, false);
  }

  /**
   * The backend that computes layers by their definitions in SameDiff, and all else with ND4J.
   *
   * @return a new backend
   */
  public static Backend definitions() {
    return new Backend(ON_ND4J, false, true);
  }

  private static Backend named(String name) {
    Optional<Algebra> device = device();
    boolean isHostPossible = HostFloats.isPossible(Nd4j.scalar(DataType.FLOAT, 0));
    if (isHostPossible) {
      BlasCheck.limitThreads();
    }
    String chosen = name;
    if (name.isEmpty()) {
      chosen = device.isPresent() ? DEVICE : isHostPossible ? HOST : ND4J;
    }
    LOG.info(
        "SPD layers compute on '{}'{} (-D{} forces another way)",
        chosen,
        chosen.equals(HOST) ? ", with " + blas() : "",
        PROPERTY);
    if (chosen.equals(DEVICE) && device.isPresent()) {
      return of(device.get());
    }
    if (chosen.equals(HOST) && isHostPossible) {
      return new Backend(new HostAlgebra(), true, false);
    }
    if (chosen.equals(ND4J)) {
      return of(ON_ND4J);
    }
    if (chosen.equals(SAMEDIFF)) {
      return definitions();
    }
    throw new IllegalStateException(
        String.format(
            "expected -D%s=%s or %s%s%s, got '%s': leave the property out to have one chosen",
            PROPERTY,
            ND4J,
            SAMEDIFF,
            isHostPossible ? " or " + HOST : "",
            device.isPresent() ? " or " + DEVICE : "",
            name));
  }

  /** What ND4J calls the library that computes products, such as OPENBLAS or MKL. */
  private static String blas() {
    return Nd4j.getExecutioner().getEnvironmentInformation().getProperty("blas.vendor");
  }

  /**
   * The library for the device that ND4J runs on.
   *
   * @return the library, or nothing on a CPU or without {@code spd-dl4j-cuda}
   */
  public static Optional<Algebra> device() {
    return Device.LIBRARY;
  }

  /** Looks for it when it is first asked for. */
  private static final class Device {
    static final Optional<Algebra> LIBRARY =
        DeviceService.find(Algebra.class, Algebra::isForBackend);
  }

  /**
   * What operators are written in.
   *
   * @return the algebra
   */
  public Algebra algebra() {
    return algebra;
  }

  /**
   * Whether arrays of a type are computed with by the fused loops of the host.
   *
   * @param type FLOAT or DOUBLE
   * @return true for FLOAT on a CPU
   */
  public boolean isFused(DataType type) {
    return fused && type == DataType.FLOAT;
  }

  /**
   * Whether layers are computed and differentiated by their definitions in SameDiff.
   *
   * @return false unless {@link #PROPERTY} says so
   */
  public boolean isDefined() {
    return defined;
  }
}
