/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Networks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.dropout.GaussianNoise;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.learning.config.NoOp;

/** Masks that say which pixels of feature maps count, as of images padded to one size. */
class MaskOfPixelsTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  /** Kernels of maps that are far apart underflow in one way or another. */
  private static final double NEXT_TO_NOTHING = 1e-100;

  /** Layers that pool feature maps of more than one pixel. */
  static Stream<Sample> layers() {
    return layers(Check.DEFINITION);
  }

  /** Those that automatic differentiation agrees on. */
  static Stream<Sample> smoothLayers() {
    return layers(Check.AUTODIFF);
  }

  private static Stream<Sample> layers(Check check) {
    return LayerCases.samples(check)
        .filter(each -> each.layer().input() instanceof MapsInput)
        .filter(each -> each.layer().maskOfPixels(Nd4j.ones(1, 1, 2, 2)) == null)
        .filter(each -> each.input().size(2) > 1);
  }

  private static boolean channelsLast(Sample sample) {
    return sample.layer().getDataFormat() == CNN2DFormat.NHWC;
  }

  /** A mask [N, 1, H, W] of which each image has another number of ones. */
  private static INDArray mask(Sample sample) {
    long[] shape = sample.input().shape();
    long height = shape[channelsLast(sample) ? 1 : 2];
    long width = shape[channelsLast(sample) ? 2 : 3];
    INDArray mask = Nd4j.ones(DataType.DOUBLE, shape[0], 1, height, width);
    for (long i = 0; i < shape[0]; i++) {
      for (long k = 0; k < Math.min(i + 1, height * width - 2); k++) {
        long place = (3 * i + 5 * k + 1) % (height * width);
        mask.putScalar(i, 0, place / width, place % width, 0);
      }
    }
    return mask;
  }

  /** The pixels of one image that count, [1, C, 1, P] or [1, 1, P, C]. */
  private static INDArray counting(Sample sample, INDArray batch, INDArray mask, int image) {
    boolean last = channelsLast(sample);
    INDArray ones = mask.slice(image).reshape(-1);
    INDArray maps = last ? batch.permute(0, 3, 1, 2) : batch;
    INDArray rows = maps.slice(image).dup('c').reshape('c', maps.size(1), -1);
    long[] places =
        IntStream.range(0, (int) ones.length())
            .filter(k -> ones.getDouble(k) == 1)
            .asLongStream()
            .toArray();
    INDArray result = Nd4j.create(batch.dataType(), maps.size(1), places.length);
    for (int k = 0; k < places.length; k++) {
      result.putColumn(k, rows.getColumn(places[k]));
    }
    INDArray cropped = result.reshape('c', 1, maps.size(1), 1, places.length);
    return last ? cropped.permute(0, 2, 3, 1).dup('c') : cropped;
  }

  private static INDArray withNaN(Sample sample, INDArray batch, INDArray mask) {
    INDArray result = batch.dup('c');
    boolean last = channelsLast(sample);
    for (long i = 0; i < mask.size(0); i++) {
      for (long y = 0; y < mask.size(2); y++) {
        for (long x = 0; x < mask.size(3); x++) {
          if (mask.getDouble(i, 0, y, x) == 0) {
            INDArrayIndex[] place = {
              point(i), last ? point(y) : all(), last ? point(x) : point(y), last ? all() : point(x)
            };
            INDArray pixel = result.get(place);
            for (long k = 0; k < pixel.length(); k++) {
              pixel.putScalar(k, k % 2 == 0 ? Double.NaN : Double.POSITIVE_INFINITY);
            }
          }
        }
      }
    }
    return result;
  }

  /** The oracle: each image cropped to the pixels that count. */
  @ParameterizedTest
  @MethodSource("layers")
  void pixelsThatDoNotCountMightAsWellNotBeThere(Sample sample) {
    INDArray mask = mask(sample);
    for (DataType type : List.of(DataType.DOUBLE, DataType.FLOAT)) {
      compare(sample, type, Backend.current(), mask);
    }
  }

  @ParameterizedTest
  @MethodSource("smoothLayers")
  void theDefinitionTakesTheSameMask(Sample sample) {
    compare(sample, DataType.DOUBLE, Backend.definitions(), mask(sample));
  }

  private static void compare(Sample sample, DataType type, Backend backend, INDArray mask) {
    Layer masked = sample.runtime(type, backend);
    Layer plain = sample.runtime(type, Backend.current());
    plain.paramTable().forEach((name, value) -> masked.getParam(name).assign(value));
    INDArray input = sample.input().castTo(type);
    int images = (int) input.size(0);
    assertThat(masked.feedForwardMaskArray(mask, MaskState.Active, images).getFirst()).isNull();
    INDArray output = masked.activate(withNaN(sample, input, mask), true, NO_WORKSPACES).dup('c');
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape()).castTo(type);
    Pair<Gradient, INDArray> whole = masked.backpropGradient(epsilon.dup(), NO_WORKSPACES);
    INDArray gradient = whole.getSecond().dup('c');
    Map<String, INDArray> byParams = new HashMap<>();
    for (int i = 0; i < input.size(0); i++) {
      INDArray image = counting(sample, input, mask, i);
      INDArray expected = plain.activate(image, true, NO_WORKSPACES);
      INDArrayIndex[] place = {interval(i, i + 1)};
      assertClose(output.get(place).reshape(expected.shape()), expected, rounding(type));
      INDArray byOutput = epsilon.get(place).dup('c').reshape('c', expected.shape());
      Pair<Gradient, INDArray> part = plain.backpropGradient(byOutput, NO_WORKSPACES);
      double cancelling =
          isOneNumber(expected) ? 10 : Math.max(sample.cancelling(), NEXT_TO_NOTHING);
      assertClose(
          counting(sample, gradient, mask, i), part.getSecond(), rounding(type), cancelling);
      part.getFirst()
          .gradientForVariable()
          .forEach((name, g) -> byParams.merge(name, g.dup(), (a, b) -> a.add(b)));
    }
    double cancelling = Math.max(sample.cancelling(), NEXT_TO_NOTHING);
    byParams.forEach(
        (name, g) ->
            assertClose(whole.getFirst().getGradientFor(name), g, rounding(type), cancelling));
    INDArray zeros = mask.rsub(1).castTo(type);
    INDArray inFormat = channelsLast(sample) ? zeros.permute(0, 2, 3, 1) : zeros;
    assertThat(gradient.mul(inFormat).norm2Number().doubleValue()).isZero();
  }

  /** Where one number is divided by its length, nothing but rounding is left of the gradient. */
  private static boolean isOneNumber(INDArray output) {
    return output.neq(0).castTo(DataType.DOUBLE).sumNumber().intValue() == 1;
  }

  /** A row or a column of a mask stands for all, as with DL4J's global pooling. */
  @Test
  void masksOfRowsAndColumns() {
    Sample sample = layers().findFirst().orElseThrow();
    INDArray input = sample.input();
    INDArray column = Nd4j.ones(DataType.DOUBLE, input.size(0), 1, input.size(2), 1);
    column.putScalar(1, 0, 2, 0, 0);
    INDArray row = Nd4j.ones(DataType.INT32, input.size(0), 1, 1, input.size(3));
    row.putScalar(new int[] {0, 0, 0, 1}, 0);
    for (INDArray part : List.of(column, row)) {
      INDArray whole =
          part.castTo(DataType.DOUBLE)
              .broadcast(input.size(0), 1, input.size(2), input.size(3))
              .dup('c');
      assertThat(output(sample, part)).isEqualTo(output(sample, whole));
    }
  }

  private static INDArray output(Sample sample, INDArray mask) {
    Layer layer = sample.runtime(DataType.DOUBLE, Backend.current());
    layer.feedForwardMaskArray(mask, MaskState.Active, (int) sample.input().size(0));
    return layer.activate(sample.input(), false, NO_WORKSPACES);
  }

  /** What a dropout adds to pixels that do not count is taken away again. */
  @Test
  void dropoutBeforeTheMask() {
    Sample sample = layers().findFirst().orElseThrow();
    INDArray mask = mask(sample);
    List<INDArray> outputs = new ArrayList<>();
    for (double number : new double[] {0, 5}) {
      Layer layer = sample.runtime(DataType.DOUBLE, Backend.current());
      layer.conf().getLayer().setIDropout(new GaussianNoise(0.5));
      layer.feedForwardMaskArray(mask, MaskState.Active, (int) mask.size(0));
      Nd4j.getRandom().setSeed(7);
      INDArray input = sample.input();
      input.addi(mask.rsub(1).muli(number));
      Nd4j.getRandom().setSeed(7);
      outputs.add(layer.activate(input, true, NO_WORKSPACES).dup());
    }
    assertClose(outputs.get(0), outputs.get(1), ROUNDING);
  }

  static Stream<Sample> firstLayers() {
    return LayerCases.firstSamples(Check.DEFINITION)
        .filter(each -> each.layer().input() instanceof MapsInput)
        .filter(each -> each.layer().maskOfPixels(Nd4j.ones(1, 1, 2, 2)) == null);
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("firstLayers")
  void masksThatDoNotFit(Sample sample) {
    INDArray mask = mask(sample);
    long images = mask.size(0);
    INDArray none = mask.dup();
    none.slice(1).assign(0);
    refuses(sample, none, "a mask with a pixel that counts in each image, not none in image 1");
    INDArray half = mask.dup();
    half.putScalar(0, 0, 0, 0, 0.5);
    refuses(sample, half, "a mask of zeros and ones, not 0.5");
    refuses(sample, Nd4j.ones(images, 1, 2, 2), "of the pixels of its input, [" + images + ", 1, ");
    refuses(sample, Nd4j.ones(images + 1, 1, 1, mask.size(3)), "of the pixels of its input");
    refuses(sample, Nd4j.ones(images, 2, 1, mask.size(3)), "or of the pixels, [N, 1, H, W]");
    refuses(sample, Nd4j.ones(images, 4), "or of the pixels, [N, 1, H, W], got shape");
  }

  private static void refuses(Sample sample, INDArray mask, String words) {
    refuses(sample, mask, null, words);
  }

  private static void refuses(Sample sample, INDArray mask, IDropout dropout, String words) {
    Layer layer = sample.runtime(DataType.FLOAT, Backend.current());
    layer.conf().getLayer().setIDropout(dropout);
    INDArray input = sample.input().castTo(DataType.FLOAT);
    assertThatThrownBy(
            () -> {
              layer.feedForwardMaskArray(mask, MaskState.Active, (int) input.size(0));
              layer.activate(input, false, NO_WORKSPACES);
            })
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageStartingWith(sample.name())
        .hasMessageContaining(words);
  }

  /** Its rate is a figure of all pixels. */
  @Test
  void dropCov() {
    Sample sample = layers().findFirst().orElseThrow();
    refuses(sample, mask(sample), new DropCov(), "beside a DropCov; take DL4J's SpatialDropout");
  }

  /** A kernel of one's own knows of masks if it says so. */
  private static class Plain implements Kernel {
    private static final long serialVersionUID = 1L;

    @Override
    public SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
      return sd.mmul(maps, maps, false, true, false);
    }

    @Override
    public String toString() {
      return getClass().getSimpleName();
    }
  }

  private static final class Masked extends Plain {
    private static final long serialVersionUID = 1L;

    @Override
    public SDVariable define(
        SameDiff sd,
        SDVariable maps,
        SDVariable mask,
        long channels,
        long pixels,
        Map<String, SDVariable> parameters) {
      return define(sd, maps, channels, pixels);
    }
  }

  @Test
  void kernelsOfOnesOwn() {
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 3, 4, 5);
    INDArray mask = Nd4j.ones(DataType.DOUBLE, 2, 1, 4, 5);
    mask.putScalar(0, 0, 1, 1, 0);
    Layer plain = ofKernel(new Plain());
    plain.feedForwardMaskArray(mask, MaskState.Active, 2);
    assertThatThrownBy(() -> plain.activate(maps, false, NO_WORKSPACES))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageStartingWith("KernelAggregationLayer: expected no mask of pixels")
        .hasMessageContaining("the kernel Plain")
        .hasMessageContaining("override its define with a mask");
    Layer masked = ofKernel(new Masked());
    masked.feedForwardMaskArray(mask, MaskState.Active, 2);
    INDArray actual = masked.activate(maps, false, NO_WORKSPACES);
    plain.feedForwardMaskArray(null, null, 2);
    INDArray expected = plain.activate(maps.mul(mask), false, NO_WORKSPACES);
    assertClose(actual, expected, ROUNDING);
  }

  private static Layer ofKernel(Kernel kernel) {
    KernelAggregationLayer layer =
        new KernelAggregationLayer.Builder().kernel(kernel).nIn(3).build();
    layer.setNIn(InputType.convolutional(4, 5, 3), true);
    return LayerCase.runtime(layer, DataType.DOUBLE, Backend.current());
  }

  /** What maps feature maps to feature maps hands the mask on. */
  @Test
  void layersThatDoNotPool() {
    for (SpdLayer conf :
        List.of(
            new ScaleShiftLayer.Builder().build(),
            new ScatteringLayer.Builder().scales(2).directions(2).build())) {
      INDArray maps = Nd4j.rand(DataType.FLOAT, 2, 3, 33, 40);
      conf.setNIn(InputType.convolutional(33, 40, 3), true);
      Layer layer = LayerCase.runtime(conf, DataType.FLOAT, Backend.current());
      INDArray mask = Nd4j.ones(2, 1, 33, 40);
      mask.get(point(0), all(), all(), interval(20, 40)).assign(0);
      INDArray behind = layer.feedForwardMaskArray(mask, MaskState.Active, 2).getFirst();
      INDArray output = layer.activate(maps, false, NO_WORKSPACES);
      assertThat(behind.shape()).isEqualTo(new long[] {2, 1, output.size(2), output.size(3)});
      INDArray counting = behind.get(point(0), point(0), point(3));
      long width = output.size(3);
      assertThat(counting.get(interval(0, width / 2)).minNumber().intValue()).isEqualTo(1);
      assertThat(counting.get(interval(width / 2, width)).maxNumber().intValue()).isZero();
    }
  }

  static Stream<org.deeplearning4j.nn.conf.layers.Layer> pooling() {
    return Stream.of(
        aggregation(new RbfKernel(Bandwidth.meanDistance().differentiated().learnt())),
        aggregation(new LaplacianKernel(Bandwidth.meanDistance().differentiated())),
        aggregation(PolynomialKernel.degree(3)),
        aggregation(new CovarianceKernel()),
        aggregation(new LedoitWolfKernel()),
        new BilinearPoolingLayer.Builder().build(),
        new CompactBilinearLayer.Builder().sketchSize(7).build(),
        new TextureEncodingLayer.Builder().words(3).build(),
        new FisherVectorLayer.Builder().components(2).dimensions(3).build());
  }

  /** A new layer or kernel belongs there, too. */
  @Test
  void allThatPoolAreChecked() {
    assertThat(pooling().map(LayerCase::kind))
        .containsAll(layers().map(Sample::kind).collect(Collectors.toSet()));
  }

  private static SpdLayer aggregation(Kernel kernel) {
    return new KernelAggregationLayer.Builder().kernel(kernel).build();
  }

  /** Finite differences, behind a convolution, which makes the mask smaller. */
  @Tag("once")
  @ParameterizedTest
  @MethodSource("pooling")
  void gradients(org.deeplearning4j.nn.conf.layers.Layer layer) {
    List<org.deeplearning4j.nn.conf.layers.Layer> head = new ArrayList<>(List.of(layer));
    if (layer instanceof KernelAggregationLayer) {
      head.add(new SpdVectorizationLayer.Builder().build());
    }
    ComputationGraph net = Networks.forGradientCheck(head, InputType.convolutional(6, 6, 1));
    DataSet data = Networks.images(DataType.DOUBLE, 1, 3, 1, 6, 6);
    INDArray mask = Nd4j.ones(DataType.DOUBLE, 3, 1, 6, 6);
    mask.get(point(0), all(), all(), interval(3, 6)).assign(0);
    mask.get(point(1), all(), interval(0, 4), all()).assign(0);
    data.setFeaturesMaskArray(mask);
    GradientChecks.checkHead(net, data);
  }

  /** A batch of pictures padded to one size says of each what it says of the picture alone. */
  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void paddedPictures(CNN2DFormat format) {
    InputType type = InputType.convolutional(8, 9, 3, format);
    ComputationGraph net =
        Networks.plain(Networks.general(DataType.FLOAT, new NoOp()), Networks.head(), type);
    INDArray batch = Nd4j.ones(DataType.FLOAT, 3, 3, 8, 9).muli(7);
    INDArray mask = Nd4j.zeros(DataType.FLOAT, 3, 1, 8, 9);
    INDArray[] expected = new INDArray[3];
    for (int i = 0; i < 3; i++) {
      int height = 4 + 2 * i;
      int width = 9 - 2 * i;
      INDArray picture = Nd4j.randn(DataType.FLOAT, 1, 3, height, width);
      INDArrayIndex[] place = {interval(i, i + 1), all(), interval(0, height), interval(0, width)};
      batch.put(place, picture);
      mask.get(place).assign(1);
      expected[i] = net.outputSingle(inFormat(picture, format));
    }
    INDArray[] masks = {mask};
    INDArray output = net.output(false, new INDArray[] {inFormat(batch, format)}, masks)[0];
    assertClose(output, Nd4j.concat(0, expected), rounding(DataType.FLOAT));
  }

  private static INDArray inFormat(INDArray maps, CNN2DFormat format) {
    return format == CNN2DFormat.NCHW ? maps : maps.permute(0, 2, 3, 1).dup('c');
  }
}
