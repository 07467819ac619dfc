/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.backend.Backend;
import java.util.Locale;
import org.deeplearning4j.nn.layers.convolution.ConvolutionHelper;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingHelper;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** What convolutions can be computed by. */
enum NativeLibrary {
  ARM_COMPUTE("Arm Compute Library"),
  ONE_DNN("oneDNN"),
  CUDNN("cuDNN"),
  CUBLAS("cuBLAS"),
  BLAS("BLAS"),
  NONE("no library");

  private final String title;

  NativeLibrary(String title) {
    this.title = title;
  }

  /** What the backend was built with, by its own account; every one for a CPU has a BLAS. */
  static NativeLibrary ofBackend() {
    if (Backend.device().isPresent()) {
      return DeviceLibrary.ofDevice().isPresent() ? CUDNN : CUBLAS;
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

  /** Whether networks of this type can be accelerated. */
  boolean supports(DataType type) {
    return this != NONE && type == DataType.FLOAT;
  }

  /** A helper for one pooling; or null for DL4J's own way. */
  SubsamplingHelper poolingHelper() {
    return this == CUDNN ? new DevicePooling(DeviceLibrary.ofDevice().orElseThrow()) : null;
  }

  /** The activation function of a convolution, or one that computes the same. */
  IActivation activation(IActivation function) {
    return this == CUDNN
        ? DeviceRectifier.of(function, DeviceLibrary.ofDevice().orElseThrow())
        : function;
  }

  /** A helper for one convolution. */
  ConvolutionHelper helper() {
    switch (this) {
      case CUDNN:
        return new DeviceConvolution(DeviceLibrary.ofDevice().orElseThrow());
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
