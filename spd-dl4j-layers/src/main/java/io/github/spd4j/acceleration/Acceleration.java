/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.dl4j.WrappedLayers;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.convolution.ConvolutionHelper;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.deeplearning4j.nn.layers.mkldnn.MKLDNNConvHelper;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Lets the convolutions of a network use a fast library that DL4J by itself does not: on a CPU the
 * one that ND4J's backend was built with, the Arm Compute Library on ARM, oneDNN on x86 (in the
 * backend's {@code onednn} builds); on an NVIDIA GPU cuBLAS, with {@code spd-dl4j-cuda} on the
 * class path.
 *
 * <pre>{@code
 * Acceleration acceleration = Acceleration.applyTo(net);
 * log.info("{}", acceleration);   // Arm Compute Library for 10 of 10 convolutions
 * }</pre>
 *
 * <p>Results stay the same to rounding. Nothing changes in networks of other types than FLOAT, for
 * a layer that has a helper already, and where the backend has no such library. It is a property of
 * the network in memory: apply it again after loading one. The {@code TwoStageTrainer} keeps it for
 * the parts that it trains.
 */
public final class Acceleration {

  private enum Library {
    ARM_COMPUTE("Arm Compute Library"),
    ONE_DNN("oneDNN"),
    CUBLAS("cuBLAS"),
    NONE("no library");

    private final String title;

    Library(String title) {
      this.title = title;
    }

    /** What the backend was built with, by its own account. */
    static Library ofBackend() {
      if (Backend.device().isPresent()) {
        return CUBLAS;
      }
      String build = String.valueOf(Nd4j.getBackend().buildInfo()).toUpperCase(Locale.ROOT);
      if (build.contains("ARMCOMPUTE")) {
        return ARM_COMPUTE;
      }
      return build.contains("ONEDNN") || build.contains("MKLDNN") ? ONE_DNN : NONE;
    }

    ConvolutionHelper helper() {
      switch (this) {
        case CUBLAS:
          return new GemmConvolution(Backend.device().orElseThrow());
        case ARM_COMPUTE:
          return new NativeConvolution();
        default:
          return new MKLDNNConvHelper(DataType.FLOAT);
      }
    }
  }

  private final Library library;
  private final int accelerated;
  private final int convolutions;

  private Acceleration(Library library, int accelerated, int convolutions) {
    this.library = library;
    this.accelerated = accelerated;
    this.convolutions = convolutions;
  }

  /**
   * Accelerates a network as far as possible.
   *
   * @param net an initialised network; its parameters and configuration are not changed
   * @return what was found and done
   */
  public static Acceleration applyTo(ComputationGraph net) {
    Library library = Library.ofBackend();
    boolean possible =
        library != Library.NONE && net.getConfiguration().getDataType() == DataType.FLOAT;
    List<ConvolutionLayer> convolutions = convolutionsOf(net);
    for (ConvolutionLayer convolution : convolutions) {
      if (possible && convolution.getHelper() == null) {
        install(library.helper(), convolution);
      }
    }
    long accelerated = convolutions.stream().filter(Acceleration::isAccelerated).count();
    return new Acceleration(library, (int) accelerated, convolutions.size());
  }

  /**
   * Accelerates a network if another is accelerated.
   *
   * @param from the other network
   * @param to an initialised network
   */
  public static void carryOver(ComputationGraph from, ComputationGraph to) {
    if (isAppliedTo(from)) {
      applyTo(to);
    }
  }

  /**
   * Whether a network is accelerated.
   *
   * @param net an initialised network
   * @return true if any of its convolutions is
   */
  public static boolean isAppliedTo(ComputationGraph net) {
    return convolutionsOf(net).stream().anyMatch(Acceleration::isAccelerated);
  }

  private static List<ConvolutionLayer> convolutionsOf(ComputationGraph net) {
    return Arrays.stream(net.getLayers())
        .map(WrappedLayers::unwrapped)
        // Not its subclasses, which do other things with a helper.
        .filter(layer -> layer.getClass() == ConvolutionLayer.class)
        .map(ConvolutionLayer.class::cast)
        .collect(Collectors.toList());
  }

  private static boolean isAccelerated(ConvolutionLayer layer) {
    return layer.getHelper() instanceof LibraryConvolution
        || layer.getHelper() instanceof MKLDNNConvHelper;
  }

  /** DL4J makes its helpers itself, by fixed names, so there is no other way in. */
  static void install(ConvolutionHelper helper, ConvolutionLayer layer) {
    try {
      Field field = ConvolutionLayer.class.getDeclaredField("helper");
      field.setAccessible(true);
      field.set(layer, helper);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "expected a ConvolutionLayer of DL4J with the field 'helper', got another version", e);
    }
  }

  /**
   * How many convolutions have the library at hand. What it cannot do, such as strides and kernels
   * of 7×7 with the Arm Compute Library, they still leave to DL4J.
   *
   * @return at most {@link #convolutions()}
   */
  public int accelerated() {
    return accelerated;
  }

  /**
   * How many convolutions the network has.
   *
   * @return the number of convolution layers
   */
  public int convolutions() {
    return convolutions;
  }

  /** One line for people: what was found and done. */
  @Override
  public String toString() {
    return library.title + " for " + accelerated + " of " + convolutions + " convolutions";
  }
}
