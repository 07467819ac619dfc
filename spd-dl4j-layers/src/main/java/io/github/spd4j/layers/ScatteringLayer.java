/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.scattering.Filters;
import io.github.spd4j.internal.operators.scattering.ScatteringGraph;
import io.github.spd4j.internal.operators.scattering.ScatteringHost;
import io.github.spd4j.internal.runtime.DefinitionGraphs;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * A wavelet scattering network: feature maps for textures from fixed filters, without anything
 * learnt.
 *
 * <pre>
 * D a       = the maps a, blurred by a Gaussian and halved
 * x_0       = the mean of the channels,   x_j = D^j x_0
 * U1_j,k    = |x_j ∗ ψ_k|                                        0 ≤ j &lt; J
 * U2_j,k,m,l = |D^(m−j) U1_j,k ∗ ψ_l|                             j &lt; m &lt; J
 * output    = D^J x_0,  log(1 + D^(J−j) U1_j,k / c),  log(1 + D^(J−m) U2_j,k,m,l / c)
 * </pre>
 *
 * <p>ψ_k is a complex Morlet wavelet in the k-th of L directions ({@link Filters}), J the number of
 * scales, and c the contrast below which a map counts as flat. Images are mirrored at their edges.
 *
 * <p>Shapes: [N, C, H, W] → [N, M, H/2^J, W/2^J], rounded up, with M = 1 + JL + L²J(J−1)/2;
 * likewise [N, H, W, C]. H and W may differ from batch to batch, but must be at least 7·2^(J−1).
 *
 * <p>Paper: Bruna, Mallat, <i>Invariant Scattering Convolution Networks</i>, PAMI 2013. There the
 * wavelets grow; here they stay and the image shrinks, which gives nearly the same filters and
 * costs less. The logarithm is that of Sifre, Mallat, <i>Rotation, Scaling and Deformation
 * Invariant Scattering for Texture Discrimination</i>, CVPR 2013.
 *
 * <p>There are no parameters, and no gradient goes through: as before a frozen layer of DL4J,
 * nothing learns that comes before it.
 *
 * <p>When not to use it: where pretrained weights can be had and images show objects. It knows no
 * colour.
 */
public final class ScatteringLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** As many numbers lie in memory for a convolution at a time, for large images a few more. */
  private static final long MOST_NEIGHBOURS = 1 << 24;

  /** More than any images have been given. */
  private static final long MOST_MAPS = 1 << 16;

  private int scales;
  private int directions;
  private double contrast;

  private ScatteringLayer(Builder builder) {
    super(builder);
    this.scales = builder.scales;
    this.directions = builder.directions;
    this.contrast = builder.contrast;
  }

  @Override
  void requireSound() {
    if (scales < 1 || directions < 1) {
      throw invalidConfig(
          "at least one scale and one direction",
          "scales = " + scales + ", directions = " + directions);
    }
    double maps = 1 + (double) scales * directions * (1 + directions * (scales - 1.0) / 2);
    if (maps > MOST_MAPS) {
      throw invalidConfig("at most " + MOST_MAPS + " maps", String.format("%.0f", maps));
    }
    if (!(contrast > 0) || Double.isInfinite(contrast)) {
      throw invalidConfig("a finite contrast > 0", "contrast = " + contrast);
    }
  }

  private ScatteringLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MAPS;
  }

  /**
   * The number of scales J, each twice as coarse as the one before.
   *
   * @return J
   */
  public int getScales() {
    return scales;
  }

  /**
   * The number of directions L of the wavelets.
   *
   * @return L
   */
  public int getDirections() {
    return directions;
  }

  /**
   * The contrast c below which a map counts as flat, in the unit of the pixels.
   *
   * @return c
   */
  public double getContrast() {
    return contrast;
  }

  @Override
  long outputSize(long size) {
    long paths = (long) directions * directions * scales * (scales - 1) / 2;
    return 1 + (long) scales * directions + paths;
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    InputTypeConvolutional maps =
        (InputTypeConvolutional) super.getOutputType(layerIndex, inputType);
    return InputType.convolutional(
        reduced(maps.getHeight()), reduced(maps.getWidth()), maps.getChannels(), maps.getFormat());
  }

  /** Each position of the output is in the middle of the pixels it is made of. */
  @Override
  INDArray maskOfPixels(INDArray mask) {
    int step = 1 << scales;
    return mask.get(
            NDArrayIndex.all(),
            NDArrayIndex.all(),
            NDArrayIndex.interval(0, step, mask.size(2)),
            NDArrayIndex.interval(0, step, mask.size(3)))
        .dup('c');
  }

  private long reduced(long size) {
    long last = size;
    for (int j = 0; j < scales; j++) {
      if (last < Filters.WAVELET_RADIUS) {
        throw invalidConfig(
            String.format(
                "images of at least %d pixels for %d scales",
                Filters.WAVELET_RADIUS << (scales - 1), scales),
            size + " pixels; give larger images or fewer scales");
      }
      last = halved(last);
    }
    return last;
  }

  private static long halved(long size) {
    return (size + 1) / 2;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    int channelAxis = maps().channelsLast() ? 3 : 1;
    long[] shape = input.getShape();
    int height = (int) shape[maps().channelsLast() ? 1 : 2];
    int width = (int) shape[maps().channelsLast() ? 2 : 3];
    reduced(Math.min(height, width)); // refuses what is too small
    SDVariable grey = sd.reshape(sd.mean(input, channelAxis), -1, 1, height, width);
    SDVariable maps = ScatteringGraph.define(sd, grey, height, width, scales, directions, contrast);
    return maps().channelsLast() ? sd.permute(maps, 0, 2, 3, 1) : maps;
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return backend.isFused(type)
        ? new OnHost(conf, type, backend)
        : new InParts(conf, type, backend);
  }

  @Override
  SpdRuntimeLayer defined(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new InParts(conf, type, backend);
  }

  /** The mean of the channels, [N, 1, H, W]. */
  private INDArray grey(INDArray input) {
    INDArray mean = input.mean(maps().channelsLast() ? 3 : 1);
    return mean.reshape('c', mean.size(0), 1, mean.size(1), mean.size(2));
  }

  /** Nothing goes back, as through a frozen layer of DL4J. */
  private abstract static class WithoutGradient extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    WithoutGradient(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    public Pair<Gradient, INDArray> backpropGradient(
        INDArray epsilon, LayerWorkspaceMgr workspaceMgr) {
      return new Pair<>(new DefaultGradient(), null);
    }

    @Override
    protected final INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      throw new UnsupportedOperationException("a ScatteringLayer has no gradient");
    }
  }

  /** The loops of the host. */
  private final class OnHost extends WithoutGradient {
    private static final long serialVersionUID = 1L;

    private final transient ScatteringHost network =
        new ScatteringHost(scales, directions, contrast);

    OnHost(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray grey = grey(input);
      long[] shape = {grey.size(0), getNOut(), reduced(grey.size(2)), reduced(grey.size(3))};
      if (!maps().channelsLast()) {
        INDArray output = results.create(shape);
        network.forward(grey, output);
        return output;
      }
      INDArray output = Nd4j.create(DataType.FLOAT, shape);
      network.forward(grey, output);
      return results
          .create(shape[0], shape[2], shape[3], shape[1])
          .assign(output.permute(0, 2, 3, 1));
    }
  }

  /** A few images at a time, because a convolution lays out each pixel's neighbours in memory. */
  private final class InParts extends WithoutGradient {
    private static final long serialVersionUID = 1L;

    private final transient DefinitionGraphs whole =
        new DefinitionGraphs(ScatteringLayer.this::define, List.of());

    InParts(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      long images = input.size(0);
      long part = imagesAtOnce(input);
      if (images <= part) {
        return whole.forward(input, saved, results);
      }
      INDArray output = null;
      for (long from = 0; from < images; from += part) {
        INDArrayIndex range = NDArrayIndex.interval(from, Math.min(images, from + part));
        INDArray some = whole.forward(input.get(range), saved, this::array);
        if (output == null) {
          long[] shape = some.shape().clone();
          shape[0] = images;
          output = results.create(shape);
        }
        output.get(range).assign(some);
      }
      return output;
    }

    private INDArray array(long... shape) {
      return Nd4j.create(dataType, shape);
    }

    private long imagesAtOnce(INDArray input) {
      long neighbours = Filters.WAVELET_AREA * input.length() / input.size(0) / getNIn();
      return Math.max(1, MOST_NEIGHBOURS / (neighbours * Math.max(1, directions / 4)));
    }
  }

  @Override
  long savedElements(InputType inputType) {
    InputTypeConvolutional images = maps().typeOf(inputType);
    return images.getHeight() * images.getWidth() * 2 * directions;
  }

  @Override
  public String toString() {
    return String.format(
        "%s(scales=%d, directions=%d, contrast=%s)", describe(), scales, directions, contrast);
  }

  /** Builds a {@link ScatteringLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private int scales = 4;
    private int directions = 8;
    private double contrast = 1e-3;

    /** A builder with four scales and eight directions, for pixels of deviation 1. */
    public Builder() {}

    /**
     * The number of scales J, each twice as coarse as the one before.
     *
     * @param number at least 1, by default 4
     * @return this builder
     */
    public Builder scales(int number) {
      this.scales = number;
      return this;
    }

    /**
     * The number of directions L of the wavelets.
     *
     * @param number at least 1, by default 8
     * @return this builder
     */
    public Builder directions(int number) {
      this.directions = number;
      return this;
    }

    /**
     * The contrast c below which a map counts as flat.
     *
     * @param unit in the unit of the pixels, by default 0.001, for pixels of deviation 1
     * @return this builder
     */
    public Builder contrast(double unit) {
      this.contrast = unit;
      return this;
    }

    @Override
    public ScatteringLayer build() {
      return checked(new ScatteringLayer(this), this);
    }
  }
}
