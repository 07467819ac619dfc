/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.BroadcastOp;
import org.nd4j.linalg.api.ops.impl.broadcast.BroadcastAddOp;
import org.nd4j.linalg.api.ops.impl.broadcast.BroadcastMulOp;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Multiplies each feature map by a number of its own and adds another: a batch normalisation whose
 * statistics are constants, in training as well.
 *
 * <pre>
 * y = s ∘ x + t,  or max(s ∘ x + t, 0) where it is rectified
 * s = γ / √(variance + ε),  t = β − s ∘ mean
 * </pre>
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → the same. s begins as 1 and t as 0; both learn.
 *
 * <p>For pretrained networks that are trained further with few images in a batch, where DL4J's
 * {@code BatchNormalization} would take the statistics of the batch, and for pre-activation
 * networks (ResNet v2), where no convolution before it can take the normalisation in.
 */
public final class ScaleShiftLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The name of s [1, C]. */
  public static final String SCALE = "scale";

  /** The name of t [1, C]. */
  public static final String SHIFT = "shift";

  private boolean rectified;

  private ScaleShiftLayer(Builder builder) {
    super(builder);
    this.rectified = builder.rectified;
  }

  private ScaleShiftLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MAPS;
  }

  /**
   * Whether a ReLU follows.
   *
   * @return true if so
   */
  public boolean isRectified() {
    return rectified;
  }

  @Override
  long outputSize(long channels) {
    return channels;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    params.addWeightParam(SCALE, 1, getNIn());
    params.addBiasParam(SHIFT, 1, getNIn());
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    params.get(SCALE).assign(1);
    params.get(SHIFT).assign(0);
  }

  /** A device would wait in each of a backbone's layers; there the head refuses what comes out. */
  @Override
  Runnable validateNumbers(INDArray input, Algebra algebra, boolean wasChecked) {
    return algebra.isOnDevice()
        ? LayerInput.NO_CHECK
        : super.validateNumbers(input, algebra, wasChecked);
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long channels = maps().channelsOf(input);
    long[] shape =
        maps().channelsLast() ? new long[] {1, 1, 1, channels} : new long[] {1, channels, 1, 1};
    SDVariable scale = sd.reshape(params.get(SCALE), shape);
    SDVariable scaled = input.mul(scale).add(sd.reshape(params.get(SHIFT), shape));
    return rectified ? sd.nn().relu(scaled, 0) : scaled;
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new ScaleShift(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class ScaleShift extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Algebra algebra;

    ScaleShift(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.algebra = backend.algebra();
    }

    /** On a device, as {@link #validateNumbers} says. */
    @Override
    protected boolean checksParams() {
      return algebra.isOnDevice();
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray output = results.create(input.shape());
      scaleAndShift(input, saved, output);
      return rectified ? Transforms.relu(output, false) : output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray input = saved.input();
      INDArray byScaled = gradient;
      if (rectified) {
        INDArray scaled = Nd4j.createUninitialized(input.dataType(), input.shape());
        scaleAndShift(input, saved, scaled);
        byScaled = gradient.mul(scaled.gt(0).castTo(gradient.dataType()));
      }
      int[] others = maps().channelsLast() ? new int[] {0, 1, 2} : new int[] {0, 2, 3};
      assign(paramGradients.get(SCALE), byScaled.mul(input).sum(others));
      assign(paramGradients.get(SHIFT), byScaled.sum(others));
      INDArray result = results.create(input.shape());
      exec(new BroadcastMulOp(byScaled, flat(saved, SCALE), result, axis()));
      return result;
    }
  }

  private void scaleAndShift(INDArray input, ForwardPass saved, INDArray output) {
    exec(new BroadcastMulOp(input, flat(saved, SCALE), output, axis()));
    exec(new BroadcastAddOp(output, flat(saved, SHIFT), output, axis()));
  }

  private static void exec(BroadcastOp op) {
    Nd4j.getExecutioner().exec(op);
  }

  private INDArray flat(ForwardPass saved, String name) {
    return saved.param(name).reshape(getNIn());
  }

  private static void assign(INDArray gradient, INDArray value) {
    gradient.assign(value.reshape(gradient.shape()));
  }

  private int axis() {
    return maps().channelsLast() ? 3 : 1;
  }

  @Override
  long savedElements(InputType inputType) {
    return inputType.arrayElementsPerExample();
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", rectified=" + rectified + ")";
  }

  /** Builds a {@link ScaleShiftLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private boolean rectified;

    /** A builder without a ReLU. */
    public Builder() {}

    /**
     * Whether a ReLU follows.
     *
     * @param on false unless set
     * @return this builder
     */
    public Builder rectified(boolean on) {
      this.rectified = on;
      return this;
    }

    @Override
    public ScaleShiftLayer build() {
      return checked(new ScaleShiftLayer(this), this);
    }
  }
}
