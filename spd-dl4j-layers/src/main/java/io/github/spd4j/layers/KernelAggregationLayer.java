/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.radial.Radial;
import io.github.spd4j.internal.operators.radial.RadialKernels;
import io.github.spd4j.internal.runtime.DefinedRuntimeLayer;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.kernel.ClosedKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Aggregates the C feature maps of an image into a kernel matrix.
 *
 * <pre>
 * K_ij = k(f_i, f_j) + ε·1[i = j]
 * </pre>
 *
 * <p>f_i is the i-th feature map as a vector of its H·W pixels; k is a {@link Kernel}, by default
 * {@code exp(−‖f_i − f_j‖² / 2σ²)} with σ the mean distance of the image's maps; ε is the {@link
 * Builder#ridge ridge}, by default 0.
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, 1, C, C]. H and W may differ from batch to batch;
 * a mask [N, 1, H, W] says which pixels count. There are no parameters but those of the kernel:
 * with a {@linkplain io.github.spd4j.kernel.Bandwidth#learnt learnt} bandwidth one number, [1, 1],
 * which the updater of the layer trains. The network's L1, L2, weight decay and constraints do not
 * touch it.
 *
 * <p>Paper: Gao, Wu, Bu, Jia, <i>Learning a Robust Representation via a Deep Network on Symmetric
 * Positive Definite Manifolds</i>, section "Kernel Aggregation Layer", Eq. {@code forwardmatrix}
 * and {@code backwardmatrix}.
 *
 * <p>When not to use it: K costs C² numbers an image and C²·H·W multiplications; above about 1024
 * channels put a 1×1 convolution before it. K is positive definite only if no two maps are equal;
 * where that matters (a logarithm, an inverse), give a ridge.
 */
public final class KernelAggregationLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  private Kernel kernel;
  private double ridge;

  private KernelAggregationLayer(Builder builder) {
    super(builder);
    this.kernel = Objects.requireNonNull(builder.kernel, "kernel");
    this.ridge = builder.ridge;
  }

  @Override
  void requireSound() {
    if (!(ridge >= 0) || Float.isInfinite((float) ridge)) { // networks of FLOAT have it, too
      throw invalidConfig("a finite ridge that is not negative", "ridge = " + ridge);
    }
  }

  private KernelAggregationLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The kernel k.
   *
   * @return the kernel
   */
  public Kernel getKernel() {
    return kernel;
  }

  /**
   * The same layer with another kernel.
   *
   * @param other a kernel with parameters of the same names
   * @return a copy; this layer is not changed
   */
  public KernelAggregationLayer withKernel(Kernel other) {
    if (!other.parameters().equals(kernel.parameters())) {
      throw invalidConfig("a kernel with the parameters " + kernel.parameters(), other.toString());
    }
    KernelAggregationLayer copy = (KernelAggregationLayer) clone();
    copy.kernel = other;
    return copy;
  }

  /**
   * What is added to the diagonal.
   *
   * @return ε
   */
  public double getRidge() {
    return ridge;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    kernel.parameters().forEach(name -> params.addWeightParam(name, 1, 1));
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    params.values().forEach(parameter -> parameter.assign(0));
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long channels = maps().channelsOf(input);
    SDVariable maps = maps().rows(sd, input, mask);
    SDVariable ones = MapsInput.maskOfRows(sd, mask);
    SDVariable matrix;
    try {
      matrix = kernel.define(sd, maps, ones, channels, maps().pixelsOf(input), params);
    } catch (UnsupportedOperationException e) {
      throw new DL4JInvalidInputException(describe() + ": " + e.getMessage());
    }
    if (ridge > 0) {
      matrix = matrix.add(sd.constant(diagonal(input.dataType(), channels)));
    }
    return sd.reshape(matrix, -1, 1, channels, channels);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    if (kernel instanceof RadialKernel) {
      return new OfRadial((RadialKernel) kernel, conf, type, backend);
    }
    return kernel instanceof ClosedKernel
        ? new OfClosed((ClosedKernel) kernel, conf, type, backend)
        : defined(conf, type, backend);
  }

  /** Executes a radial kernel by its operator. */
  private final class OfRadial extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient RadialKernel radial;
    private final transient Radial operator;

    OfRadial(RadialKernel radial, NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.radial = radial;
      this.operator = RadialKernels.operator(radial, backend, type);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray maps = MatrixStack.inOrder(maps().rows(input));
      long channels = maps.size(1);
      INDArray output = results.create(maps.size(0), 1, channels, channels);
      INDArray matrices = output.reshape(-1, channels, channels);
      named(() -> operator.forward(maps, radial.scale(saved.params()), matrices, saved));
      if (ridge > 0) {
        matrices.addi(diagonal(input.dataType(), channels));
      }
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = results.create(maps().rows(saved.input()).shape());
      long channels = result.size(1);
      INDArray byMatrix = MatrixStack.inOrder(gradient).reshape(-1, channels, channels);
      INDArray byTheta = paramGradients.get(RadialKernel.LOG_BANDWIDTH);
      operator.backward(byMatrix, result, byTheta, saved);
      return maps().fromRows(result, saved.input());
    }
  }

  /** Executes a kernel by its definition and its backward pass. */
  private final class OfClosed extends DefinedRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient ClosedKernel closed;

    OfClosed(ClosedKernel closed, NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend, KernelAggregationLayer.this::define, closed.saved());
      this.closed = closed;
    }

    @Override
    protected INDArray backward(
        ForwardPass saved, INDArray gradient, Map<String, INDArray> paramGradients) {
      INDArray maps = maps().rows(saved.input());
      INDArray byMatrix = gradient.reshape(maps.size(0), maps.size(1), maps.size(1));
      INDArray mask = MapsInput.maskOfRows(saved.mask());
      INDArray byMaps = closed.backward(maps, mask, saved.values(), byMatrix, paramGradients);
      return maps().fromRows(mask == null ? byMaps : byMaps.muli(mask), saved.input());
    }
  }

  /** The operator of a radial kernel notices by itself. */
  @Override
  Runnable validateNumbers(INDArray input, Algebra algebra, boolean wasChecked) {
    return kernel instanceof RadialKernel
        ? LayerInput.NO_CHECK
        : super.validateNumbers(input, algebra, wasChecked);
  }

  /** εI [1, C, C]. */
  private INDArray diagonal(DataType type, long channels) {
    return Nd4j.eye(channels).castTo(type).muli(ridge).reshape(1, channels, channels);
  }

  @Override
  long savedElements(InputType inputType) {
    InputTypeConvolutional type = maps().typeOf(inputType);
    long channels = type.getChannels();
    return channels * type.getHeight() * type.getWidth() + 2 * channels * channels;
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, kernel=%s, ridge=%s%s)",
        describe(), getNIn(), kernel, ridge, iDropout == null ? "" : ", dropout=" + iDropout);
  }

  /** Builds a {@link KernelAggregationLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private Kernel kernel = new RbfKernel();
    private double ridge;

    /** A builder with an {@link RbfKernel}. */
    public Builder() {}

    /**
     * The kernel, an {@link RbfKernel} unless set.
     *
     * @param kernel the kernel
     * @return this builder
     */
    public Builder kernel(Kernel kernel) {
      this.kernel = kernel;
      return this;
    }

    /**
     * Adds εI to the kernel matrix, so that it is positive definite even if two maps are equal.
     *
     * @param epsilon not negative; 0 unless set
     * @return this builder
     */
    public Builder ridge(double epsilon) {
      this.ridge = epsilon;
      return this;
    }

    @Override
    public KernelAggregationLayer build() {
      return checked(new KernelAggregationLayer(this), this);
    }
  }
}
