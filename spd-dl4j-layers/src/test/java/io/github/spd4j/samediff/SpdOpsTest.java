/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.samediff;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_DOUBLE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.FiniteDifferences;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.TrainingConfig;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Sgd;

class SpdOpsTest {

  private static final long C = 6;

  /** A graph from feature maps to class probabilities, with the loss. */
  private static SameDiff graph(IUpdater updater) {
    Nd4j.getRandom().setSeed(7);
    SameDiff sd = SameDiff.create();
    SDVariable maps = sd.placeHolder("maps", DataType.DOUBLE, -1, C, 4, 4);
    SDVariable labels = sd.placeHolder("labels", DataType.DOUBLE, -1, 2);
    SDVariable w = sd.var("w", Stiefel.random(DataType.DOUBLE, C, 4));
    SDVariable weights = sd.var("weights", Nd4j.randn(DataType.DOUBLE, 10, 2).muli(0.1));
    SDVariable k = SpdOps.kernel(sd, maps);
    SDVariable y = SpdOps.transform(sd, k, w);
    SDVariable v = SpdOps.vectorize(sd, SpdOps.logarithm(sd, y));
    SDVariable logits = sd.mmul("logits", v, weights);
    sd.loss().softmaxCrossEntropy("loss", labels, logits, null);
    sd.setLossVariables("loss");
    sd.setTrainingConfig(
        TrainingConfig.builder()
            .updater(updater)
            .dataSetFeatureMapping("maps")
            .dataSetLabelMapping("labels")
            .build());
    return sd;
  }

  /** Two classes that differ in which maps are alike. */
  private static DataSet data(int examples, int seed) {
    Nd4j.getRandom().setSeed(seed);
    INDArray maps = Nd4j.randn(DataType.DOUBLE, examples, C, 4, 4);
    INDArray labels = Nd4j.zeros(DataType.DOUBLE, examples, 2);
    for (int i = 0; i < examples; i++) {
      int label = i % 2;
      labels.putScalar(i, label, 1);
      INDArray image = maps.slice(i);
      image.slice(label).addi(image.slice(2 + label).mul(2));
    }
    return new DataSet(maps, labels);
  }

  static Stream<IUpdater> updaters() {
    return Stream.of(new Sgd(0.5), new Adam(0.02));
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void aGraphLearnsWithWOnTheManifold(IUpdater updater) {
    SameDiff sd = graph(updater);
    DataSet data = data(40, 1);
    DataSet unseen = data(100, 2);
    INDArray start = sd.getVariable("w").getArr().dup();
    sd.setListeners(new StiefelVariables("w"));
    double before = loss(sd, data);
    for (int epoch = 0; epoch < 30; epoch++) {
      sd.fit(data);
    }
    assertThat(loss(sd, data)).isLessThan(0.7 * before);
    INDArray w = sd.getVariable("w").getArr();
    assertSmall(Stiefel.distanceFromManifold(w), ON_MANIFOLD_DOUBLE);
    assertThat(Stiefel.chordalDistance(w, start).getDouble(0)).isGreaterThan(0.05);
    assertThat(accuracy(sd, unseen)).isGreaterThan(0.8);
  }

  private static Map<String, INDArray> placeholders(DataSet data) {
    return Map.of("maps", data.getFeatures(), "labels", data.getLabels());
  }

  private static double loss(SameDiff sd, DataSet data) {
    return sd.output(placeholders(data), "loss").get("loss").sumNumber().doubleValue();
  }

  private static double accuracy(SameDiff sd, DataSet data) {
    INDArray logits = sd.output(placeholders(data), "logits").get("logits");
    INDArray right = logits.argMax(1).eq(data.getLabels().argMax(1));
    return right.castTo(DataType.DOUBLE).meanNumber().doubleValue();
  }

  @Test
  void itsGradientsAreThoseOfFiniteDifferences() {
    SameDiff sd = graph(new Sgd(0.1));
    DataSet data = data(3, 1);
    Map<String, INDArray> gradients = sd.calculateGradients(placeholders(data), "w", "weights");
    for (String name : new String[] {"w", "weights"}) {
      INDArray value = sd.getVariable(name).getArr().dup();
      INDArray expected =
          FiniteDifferences.gradient(
              x -> {
                sd.getVariable(name).setArray(x.dup());
                return loss(sd, data);
              },
              value);
      sd.getVariable(name).setArray(value);
      assertClose(gradients.get(name), expected, DERIVATIVE);
    }
  }

  static Stream<Arguments> operations() {
    return Stream.<BiFunction<SameDiff, SDVariable, SDVariable>>of(
            (sd, maps) -> SpdOps.kernel(sd, maps, new RbfKernel(Bandwidth.fixed(3))),
            (sd, maps) ->
                SpdOps.kernel(
                    sd, maps, new LaplacianKernel(Bandwidth.meanDistance().differentiated())),
            (sd, maps) -> SpdOps.squareRoot(sd, covariance(sd, maps)),
            (sd, maps) -> SpdOps.squareRoot(sd, covariance(sd, maps), 2),
            (sd, maps) -> SpdOps.logarithm(sd, covariance(sd, maps)),
            (sd, maps) ->
                SpdOps.function(sd, covariance(sd, maps), SpectralFunction.rectifier(0.7)),
            (sd, maps) -> SpdOps.logCholesky(sd, covariance(sd, maps)),
            (sd, maps) -> SpdOps.triangle(sd, covariance(sd, maps)))
        .map(Arguments::of);
  }

  private static SDVariable covariance(SameDiff sd, SDVariable maps) {
    return SpdOps.kernel(sd, maps, new CovarianceKernel());
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("operations")
  void gradients(BiFunction<SameDiff, SDVariable, SDVariable> operation) {
    Nd4j.getRandom().setSeed(3);
    INDArray point = Nd4j.randn(DataType.DOUBLE, 2, 3, 5);
    SameDiff sd = SameDiff.create();
    SDVariable maps = sd.var("maps", point.dup());
    SDVariable result = operation.apply(sd, maps);
    INDArray weights = Nd4j.rand(DataType.DOUBLE, result.eval().shape());
    result.mul(sd.constant(weights)).sum().rename("loss").markAsLoss();
    INDArray gradient = sd.calculateGradients(null, "maps").get("maps");
    INDArray expected =
        FiniteDifferences.gradient(
            x -> {
              sd.getVariable("maps").setArray(x.dup());
              return sd.output(new HashMap<>(), "loss").get("loss").getDouble(0);
            },
            point);
    assertClose(gradient, expected, DERIVATIVE);
  }

  @Test
  void valuesAreThoseOfTheFunctions() {
    SameDiff sd = SameDiff.create();
    INDArray signals = Nd4j.randn(DataType.DOUBLE, 3, 4, 20);
    SDVariable k = covariance(sd, sd.constant(signals));
    INDArray covariances = k.eval();
    assertClose(SpdOps.logarithm(sd, k).eval(), Spd.logarithm(covariances), 1e-9);
    assertClose(SpdOps.squareRoot(sd, k, 30).eval(), Spd.power(covariances, 0.5), 1e-9);
  }

  @Test
  void aGraphMayHaveTheSameOperationTwice() {
    SameDiff sd = SameDiff.create();
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 4, 3, 3);
    SDVariable in = sd.placeHolder("in", DataType.DOUBLE, -1, 4, 3, 3);
    SDVariable one = SpdOps.vectorize(sd, SpdOps.kernel(sd, in));
    SDVariable two = SpdOps.vectorize(sd, SpdOps.kernel(sd, in));
    Map<String, INDArray> both = sd.output(Map.of("in", maps), one.name(), two.name());
    assertClose(both.get(one.name()), both.get(two.name()), ROUNDING);
  }

  @Test
  void aBandwidthIsLearnt() {
    SameDiff sd = SameDiff.create();
    SDVariable maps = sd.constant(Nd4j.randn(DataType.DOUBLE, 2, 4, 9));
    SDVariable theta = sd.var("theta", Nd4j.zeros(DataType.DOUBLE, 1, 1));
    RbfKernel kernel = new RbfKernel(Bandwidth.meanDistance().learnt());
    SDVariable k = SpdOps.kernel(sd, maps, kernel, Map.of(RadialKernel.LOG_BANDWIDTH, theta));
    k.sum().markAsLoss();
    assertThat(sd.calculateGradients(null, "theta").get("theta").sumNumber().doubleValue())
        .isGreaterThan(0);
    assertThatThrownBy(() -> SpdOps.kernel(sd, maps, kernel, Map.of()))
        .hasMessageContaining("logBandwidth");
  }

  @Test
  void aGraphIsStoredAndLoaded() throws IOException {
    SameDiff sd = SameDiff.create();
    SDVariable maps = sd.placeHolder("maps", DataType.DOUBLE, -1, C, 4, 4);
    SpdOps.vectorize(sd, SpdOps.squareRoot(sd, SpdOps.kernel(sd, maps))).rename("vectors");
    Map<String, INDArray> data = Map.of("maps", data(5, 4).getFeatures());
    SameDiff loaded = SameDiff.fromFlatBuffers(sd.asFlatBuffers(true));
    assertClose(
        loaded.output(data, "vectors").get("vectors"),
        sd.output(data, "vectors").get("vectors"),
        ROUNDING);
  }

  @Test
  void refusals() {
    SameDiff sd = SameDiff.create();
    SDVariable flat = sd.placeHolder("flat", DataType.DOUBLE, -1, 5);
    SDVariable matrices = sd.placeHolder("matrices", DataType.DOUBLE, -1, 5, 5);
    assertThatThrownBy(() -> SpdOps.kernel(sd, flat))
        .hasMessage(
            "maps: expected feature maps [N, C, H, W] or [N, C, P] with C, H and W known, got flat"
                + " [-1, 5]");
    assertThatThrownBy(() -> SpdOps.logarithm(sd, flat)).hasMessageContaining("got flat [-1, 5]");
    assertThatThrownBy(
            () -> SpdOps.transform(sd, matrices, sd.var("w", Nd4j.ones(DataType.DOUBLE, 4, 2))))
        .hasMessage("w: expected W [5, C'] for matrices of 5 rows, got w [4, 2]");
    assertThatThrownBy(() -> SpdOps.squareRoot(sd, matrices, 0)).hasMessageContaining("got 0");
    assertThatThrownBy(() -> SpdOps.kernel(sd, null)).hasMessage("maps");
    SDVariable ofFloat = sd.var("float", Nd4j.ones(DataType.FLOAT, 5, 2));
    assertThatThrownBy(() -> SpdOps.transform(sd, matrices, ofFloat))
        .hasMessage("w: expected DOUBLE as the matrices have, got FLOAT");
    for (DataType type : List.of(DataType.INT32, DataType.FLOAT16, DataType.BFLOAT16)) {
      SDVariable wrong = sd.placeHolder("wrong" + type, type, -1, 5, 5);
      assertThatThrownBy(() -> SpdOps.logarithm(sd, wrong))
          .hasMessage("matrices: expected FLOAT or DOUBLE, got " + type);
      assertThatThrownBy(() -> SpdOps.kernel(sd, wrong))
          .hasMessage("maps: expected FLOAT or DOUBLE, got " + type);
    }
    SDVariable maps = sd.placeHolder("maps", DataType.DOUBLE, -1, 5, 4);
    assertThatThrownBy(() -> SpdOps.kernel(sd, maps, new RbfKernel(), null))
        .hasMessage("parameters");
    assertThatThrownBy(() -> SpdOps.kernel(sd, flat, null)).hasMessage("kernel");
  }

  @Test
  void variablesMustBeThereAndOnTheManifold() {
    SameDiff sd = graph(new Sgd(0.1));
    sd.setListeners(new StiefelVariables("v"));
    assertThatThrownBy(() -> sd.fit(data(4, 1))).hasMessageContaining("a variable 'v'");
    sd.setListeners(new StiefelVariables("w"));
    sd.getVariable("w").getArr().muli(2);
    assertThatThrownBy(() -> sd.fit(data(4, 1))).hasMessageContaining("the Stiefel manifold");
  }
}
