/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.Generator;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;

/** Heads drawn at random by a seed: shapes, data types, options and degenerate feature maps. */
class RandomisedTest {

  /** How many heads are drawn. */
  private static final int CASES = Math.min(60, Generator.times(25));

  static IntStream seeds() {
    return IntStream.rangeClosed(1, CASES);
  }

  /** One drawn case; its name tells what was drawn. */
  private static final class Case {
    private final Random random;
    private final boolean channelsLast;
    private final int batch;
    private final int channels;
    private final int height;
    private final int width;
    private final List<Layer> head = new ArrayList<>();
    private final String degenerate;

    Case(int seed) {
      random = new Random(seed * 7919L);
      channelsLast = random.nextBoolean();
      batch = pick(1, 1, 2, 5);
      channels = pick(1, 2, 3, 6, 11);
      height = pick(1, 2, 4);
      width = pick(1, 3, 4);
      degenerate = new String[] {"none", "none", "dead", "equal", "constant"}[random.nextInt(5)];
      head.add(aggregation());
      int size = channels;
      for (int i = random.nextInt(3); i > 0; i--) {
        size = pick(1, size, 1 + random.nextInt(size));
        head.add(transform(size));
      }
      head.add(vectorization());
      head.addAll(head.size() - 1, functions());
    }

    /** Drawn last, and mostly none. */
    private List<Layer> functions() {
      boolean definite = head.stream().noneMatch(RandomisedTest::isRectified);
      Layer reEig = new ReEigLayer.Builder().floor(0.05).build();
      Layer logEig = new LogEigLayer.Builder().floor(0.05).build();
      Layer power = new MatrixPowerLayer.Builder().exponent(0.25).floor(0.05).build();
      Layer root = new MatrixSquareRootLayer.Builder().iterations(pick(1, 3, 5)).build();
      switch (random.nextInt(6)) {
        case 0:
          return definite ? List.of(root) : List.of(reEig, root);
        case 1:
          return List.of(logEig);
        case 2:
          return List.of(reEig, logEig);
        case 3:
          return List.of(power);
        default:
          return List.of();
      }
    }

    private int pick(int... values) {
      return values[random.nextInt(values.length)];
    }

    private KernelAggregationLayer aggregation() {
      return new KernelAggregationLayer.Builder()
          .kernel(kernel())
          .ridge(random.nextBoolean() ? 0 : 0.01)
          .build();
    }

    private Kernel kernel() {
      Bandwidth[] bandwidths = {
        Bandwidth.meanDistance(),
        Bandwidth.meanDistance().differentiated(),
        Bandwidth.meanDistance().times(0.5),
        Bandwidth.fixed(1.3)
      };
      Bandwidth bandwidth = bandwidths[random.nextInt(bandwidths.length)];
      Kernel[] kernels = {
        new RbfKernel(bandwidth),
        new RbfKernel(bandwidth),
        new LaplacianKernel(bandwidth),
        PolynomialKernel.degree(1 + random.nextInt(3)).offset(random.nextInt(2)).scale(0.1),
        new CovarianceKernel()
      };
      return kernels[random.nextInt(kernels.length)];
    }

    private SpdTransformLayer transform(int nOut) {
      return new SpdTransformLayer.Builder()
          .nOut(nOut)
          .init(random.nextInt(4) == 0 ? StiefelInit.IDENTITY : StiefelInit.RANDOM)
          .rectifier(random.nextInt(4) == 0 ? Rectifier.RELU : Rectifier.NONE)
          .updater(random.nextBoolean() ? new StiefelSgd(0.02, 0.9) : new StiefelAdam(0.01))
          .build();
    }

    private SpdVectorizationLayer vectorization() {
      return new SpdVectorizationLayer.Builder()
          .powerNormalization(random.nextInt(4) != 0)
          .l2Normalization(random.nextInt(4) != 0)
          .scale(random.nextBoolean() ? 1 : 10)
          .build();
    }

    ComputationGraph net(DataType type) {
      InputType input =
          InputType.convolutional(
              height, width, channels, channelsLast ? CNN2DFormat.NHWC : CNN2DFormat.NCHW);
      List<Layer> copy = new ArrayList<>();
      head.forEach(layer -> copy.add(layer.clone()));
      return Networks.plain(Networks.general(type, new Nesterovs(0.02, 0.9)).l2(1e-3), copy, input);
    }

    DataSet data(DataType type, int seed) {
      DataSet data = Networks.images(type, seed, batch, channels, height, width);
      INDArray maps = data.getFeatures();
      for (int b = 0; b < batch; b++) {
        INDArray image = maps.slice(b);
        if (degenerate.equals("dead")) {
          image.slice(0).assign(0);
          image.slice(channels - 1).assign(0);
        } else if (degenerate.equals("equal")) {
          image.slice(channels / 2).assign(image.slice(0));
        } else if (degenerate.equals("constant")) {
          image.assign(0.7);
        }
      }
      return channelsLast ? new DataSet(maps.permute(0, 2, 3, 1).dup(), data.getLabels()) : data;
    }

    List<String> transforms() {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < head.size(); i++) {
        if (head.get(i) instanceof SpdTransformLayer) {
          names.add("layer" + i + "_W");
        }
      }
      return names;
    }

    @Override
    public String toString() {
      return Arrays.asList(batch, channels, height, width, channelsLast, degenerate, head) + "";
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void trainsOnTheManifoldInBothTypes(int seed) {
    Case c = new Case(seed);
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net = c.net(type);
      for (int i = 0; i < 3; i++) {
        net.fit(c.data(type, i));
        assertThat(net.score()).as("%s", c).isFinite();
      }
      for (String name : c.transforms()) {
        assertSmall(Stiefel.distanceFromManifold(net.getParam(name)), onManifold(type));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void matricesAreSymmetricAndSemidefiniteUnlessRectifiedOrLogarithms(int seed) {
    Case c = new Case(seed);
    ComputationGraph net = c.net(DataType.DOUBLE);
    Map<String, INDArray> activations =
        net.feedForward(c.data(DataType.DOUBLE, 1).getFeatures(), false);
    boolean indefinite = false;
    for (int i = 0; i < c.head.size() - 1; i++) {
      Layer layer = c.head.get(i);
      indefinite |= isRectified(layer) || layer instanceof LogEigLayer;
      indefinite &= !(layer instanceof ReEigLayer || layer instanceof MatrixPowerLayer);
      for (int b = 0; b < c.batch; b++) {
        INDArray matrix = activations.get("layer" + i).slice(b).slice(0);
        double size = Math.max(1, matrix.norm2Number().doubleValue());
        assertSmall(Spd.asymmetry(matrix) / size, ROUNDING);
        if (!indefinite) {
          assertThat(Spd.smallestEigenvalue(matrix) / size).as("%s", c).isGreaterThan(-ROUNDING);
        }
      }
    }
  }

  private static boolean isRectified(Layer layer) {
    return layer instanceof SpdTransformLayer
        && ((SpdTransformLayer) layer).getRectifier() == Rectifier.RELU;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void derivativesByWAgreeWithFiniteDifferences(int seed) {
    Case c = new Case(seed);
    ComputationGraph net = c.net(DataType.DOUBLE);
    DataSet data = c.data(DataType.DOUBLE, 1);
    // Away from an identity start: at an entry of Y that is exactly 0 the power normalisation has a
    // derivative but bends sharply, and differences converge slowly.
    for (String name : c.transforms()) {
      long[] shape = net.getParam(name).shape();
      net.setParam(name, Stiefel.random(DataType.DOUBLE, shape[0], shape[1]));
    }
    net.setInput(0, data.getFeatures());
    net.setLabel(0, data.getLabels());
    net.computeGradientAndScore();
    for (String name : c.transforms()) {
      INDArray w = net.getParam(name).dup();
      INDArray byW = net.gradient().getGradientFor(name).div(c.batch);
      INDArray tangent = Stiefel.projection(w, Nd4j.randn(DataType.DOUBLE, w.shape()));
      double actual = byW.mul(tangent).sumNumber().doubleValue();
      double expected = FiniteDifferences.along(x -> score(net, name, x, data), w, tangent);
      net.setParam(name, w);
      double error = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
      assertThat(error).as("%s", c).isLessThanOrEqualTo(DERIVATIVE);
    }
  }

  private static double score(ComputationGraph net, String name, INDArray w, DataSet data) {
    net.setParam(name, w);
    return net.score(data);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void survivesJsonAndABatchComputesWhatItsExamplesDo(int seed) {
    Case c = new Case(seed);
    ComputationGraph net = c.net(DataType.DOUBLE);
    ComputationGraphConfiguration conf = net.getConfiguration();
    ComputationGraph copy =
        new ComputationGraph(ComputationGraphConfiguration.fromJson(conf.toJson()));
    copy.init();
    copy.setParams(net.params());
    INDArray images = c.data(DataType.DOUBLE, 1).getFeatures();
    INDArray expected = net.outputSingle(images);
    assertThat(copy.outputSingle(images)).isEqualTo(expected);
    for (int b = 0; b < c.batch; b++) {
      long[] shape = images.shape().clone();
      shape[0] = 1;
      INDArray one = net.outputSingle(images.slice(b).dup().reshape(shape));
      assertClose(one, expected.getRow(b, true), ROUNDING);
    }
  }
}
