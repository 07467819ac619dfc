/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.DeviceLibrary.Rounding;
import io.github.spd4j.internal.backend.Backend;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.deeplearning4j.nn.layers.convolution.ConvolutionHelper;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingHelper;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What convolutions can be computed by, and how exactly. */
enum NativeLibrary {
  ARM_COMPUTE("Arm Compute Library"),
  ONE_DNN("oneDNN"),
  CUDNN("cuDNN"),
  CUDNN_TF32("cuDNN in TF32", Precision.TF32),
  CUDNN_MIXED("cuDNN in mixed precision", Precision.MIXED),
  CUBLAS("cuBLAS"),
  BLAS("BLAS"),
  NONE("no library");

  private static final Logger LOG = LoggerFactory.getLogger(Acceleration.class);

  /** What was said already. */
  static final Set<Precision> MISSED = ConcurrentHashMap.newKeySet();

  /** What the device has; tests put another in its place. */
  static Optional<DeviceLibrary> device = DeviceLibrary.ofDevice();

  private final String title;
  private final Precision precision;

  NativeLibrary(String title) {
    this(title, Precision.FLOAT);
  }

  NativeLibrary(String title, Precision precision) {
    this.title = title;
    this.precision = precision;
  }

  /**
   * What the backend was built with, by its own account; every one for a CPU has a BLAS.
   *
   * @param precision what is asked for; where it is not there, one line says so
   */
  static NativeLibrary ofBackend(Precision precision) {
    NativeLibrary exact = device.isPresent() ? CUDNN : withoutDevice();
    if (precision != Precision.FLOAT && precision.isAvailable()) {
      return precision == Precision.TF32 ? CUDNN_TF32 : CUDNN_MIXED;
    }
    if (precision != Precision.FLOAT && MISSED.add(precision)) {
      LOG.info(
          "Convolutions compute in FLOAT: {} needs an NVIDIA card of compute capability 8.0,"
              + " spd-dl4j-cuda and cuDNN 8",
          precision.name());
    }
    return exact;
  }

  /** What a device has for rounded operands. */
  static Optional<DeviceLibrary> rounded(Rounding rounding) {
    return device.flatMap(library -> library.rounding(rounding));
  }

  private static NativeLibrary withoutDevice() {
    if (Backend.device().isPresent()) {
      return CUBLAS;
    }
    if (Nd4j.getExecutioner().type() != ExecutionerType.NATIVE_CPU) {
      return NONE;
    }
    String build = String.valueOf(Nd4j.getBackend().buildInfo()).toUpperCase(Locale.ROOT);
    if (build.contains("ARMCOMPUTE")) {
      return ARM_COMPUTE;
    }
    return build.contains("ONEDNN") || build.contains("MKLDNN") ? ONE_DNN : BLAS;
  }

  /** How exactly it computes. */
  Precision precision() {
    return precision;
  }

  /** Whether networks of this type can be accelerated. */
  boolean supports(DataType type) {
    return this != NONE && type == DataType.FLOAT;
  }

  private boolean isCudnn() {
    return this == CUDNN || this == CUDNN_TF32 || this == CUDNN_MIXED;
  }

  private DeviceLibrary device() {
    return precision.rounding().flatMap(NativeLibrary::rounded).orElseGet(device::orElseThrow);
  }

  /** A helper for one pooling; or null for DL4J's own way. */
  SubsamplingHelper poolingHelper() {
    return isCudnn() ? new DevicePooling(device()) : null;
  }

  /** The activation function of a convolution, or one that computes the same. */
  IActivation activation(IActivation function) {
    return isCudnn() ? DeviceRectifier.of(function, device()) : function;
  }

  /** A helper for a convolution. */
  ConvolutionHelper helper(ConvolutionLayer layer) {
    switch (this) {
      case CUDNN:
      case CUDNN_TF32:
      case CUDNN_MIXED:
        return new DeviceConvolution(
            device(), precision, () -> layer.layerConf().getActivationFn());
      case CUBLAS:
        return new GemmConvolution(Backend.device().orElseThrow());
      case ARM_COMPUTE:
        return new ArmConvolution();
      case ONE_DNN:
        return new OneDnnConvolution();
      default:
        return new PatchConvolution();
    }
  }

  @Override
  public String toString() {
    return title;
  }
}
