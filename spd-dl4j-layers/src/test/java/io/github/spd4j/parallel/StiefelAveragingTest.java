/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.parallel;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.operators.orthonormal.OrthonormalFactor;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import io.github.spd4j.updater.StiefelUpdater;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.ejml.data.DMatrixRMaj;
import org.ejml.simple.SimpleMatrix;
import org.ejml.simple.SimpleSVD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

class StiefelAveragingTest {

  private static final OrthonormalFactor FACTOR = OrthonormalFactor.on(Backend.current());

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  static Stream<StiefelUpdater> updaters() {
    return Stream.of(new StiefelSgd(0.05), new StiefelSgd(0.02, 0.9), new StiefelAdam(0.02));
  }

  /** Two neighbouring Ws that share one block of the updater. */
  private static List<Layer> head(StiefelUpdater updater) {
    return List.of(
        new KernelAggregationLayer.Builder().build(),
        new SpdTransformLayer.Builder().nOut(4).updater(updater).build(),
        new SpdTransformLayer.Builder().nOut(3).updater(updater.clone()).build(),
        new SpdVectorizationLayer.Builder().build());
  }

  private static ComputationGraph worker(DataType type, StiefelUpdater updater, long seed) {
    ComputationGraph net =
        Networks.convolutional(Networks.general(type, new Sgd(0.01)), head(updater), IMAGE);
    for (int step = 0; step < 3; step++) {
      net.fit(Networks.images(type, 10 * seed + step, 4, 2, 6, 6));
    }
    return net;
  }

  /** The first network with the mean of two. */
  private static ComputationGraph averaged(ComputationGraph a, ComputationGraph b) {
    ComputationGraph mean = a.clone();
    mean.params().addi(b.params()).divi(2);
    INDArray state = mean.getUpdater().getStateViewArray();
    if (state != null) {
      state.addi(b.getUpdater().getStateViewArray()).divi(2);
    }
    return mean;
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void takesTheMeanToTheNearestPointThatEjmlFinds(StiefelUpdater updater) {
    ComputationGraph a = worker(DataType.DOUBLE, updater, 1);
    ComputationGraph b = worker(DataType.DOUBLE, updater, 2);
    ComputationGraph net = averaged(a, b);
    INDArray conv = net.getParam("conv_W").dup();
    INDArray expected1 = nearest(net.getParam("layer1_W"));
    INDArray expected2 = nearest(net.getParam("layer2_W"));
    double before = Stiefel.distanceFromManifold(net.getParam("layer1_W"));

    double reported = StiefelAveraging.restore(net);

    assertThat(reported).isGreaterThanOrEqualTo(before).isGreaterThan(1e-6);
    assertClose(net.getParam("layer1_W"), expected1, ROUNDING);
    assertClose(net.getParam("layer2_W"), expected2, ROUNDING);
    assertThat(net.getParam("conv_W")).isEqualTo(conv);
  }

  private static INDArray nearest(INDArray mean) {
    DMatrixRMaj matrix = new DMatrixRMaj(mean.toDoubleMatrix());
    SimpleSVD<SimpleMatrix> svd = SimpleMatrix.wrap(matrix).svd(true);
    SimpleMatrix polar = svd.getU().mult(svd.getV().transpose());
    INDArray result = Nd4j.create(DataType.DOUBLE, mean.shape());
    for (int i = 0; i < mean.rows(); i++) {
      for (int j = 0; j < mean.columns(); j++) {
        result.putScalar(i, j, polar.get(i, j));
      }
    }
    return result;
  }

  @Test
  void momentumIsTheNearestTangentVectorAtTheNewW() {
    ComputationGraph net =
        averaged(
            worker(DataType.DOUBLE, new StiefelSgd(0.05, 0.9), 1),
            worker(DataType.DOUBLE, new StiefelSgd(0.05, 0.9), 2));
    INDArray mean = net.getUpdater().getStateViewArray().dup().reshape(5 * 4 + 4 * 3);

    StiefelAveraging.restore(net);

    INDArray state = net.getUpdater().getStateViewArray().reshape(5 * 4 + 4 * 3);
    requireNearestTangent(net.getParam("layer1_W"), state, mean, 0);
    requireNearestTangent(net.getParam("layer2_W"), state, mean, 5 * 4);
  }

  /** What was taken away is orthogonal to the tangent space: W times a symmetric matrix. */
  private static void requireNearestTangent(INDArray w, INDArray state, INDArray mean, int start) {
    INDArray v = matrix(state, start, w);
    INDArray removed = matrix(mean, start, w).sub(v);
    assertSmall(Stiefel.distanceFromTangentSpace(w, v), ROUNDING);
    assertThat(removed.norm2Number().doubleValue()).isGreaterThan(1e-6);
    INDArray symmetric = w.transpose().mmul(removed);
    assertClose(symmetric, symmetric.transpose(), ROUNDING);
    assertClose(w.mmul(symmetric), removed, ROUNDING);
  }

  private static INDArray matrix(INDArray flat, int start, INDArray like) {
    INDArray result = Nd4j.create(DataType.DOUBLE, like.shape());
    for (int k = 0; k < like.length(); k++) {
      result.putScalar(k / like.columns(), k % like.columns(), flat.getDouble(start + k));
    }
    return result;
  }

  @Test
  void adamKeepsItsScalars() {
    ComputationGraph net =
        averaged(
            worker(DataType.DOUBLE, new StiefelAdam(0.02), 1),
            worker(DataType.DOUBLE, new StiefelAdam(0.02), 2));
    INDArray before = net.getUpdater().getStateViewArray().dup();
    StiefelAveraging.restore(net);
    INDArray after = net.getUpdater().getStateViewArray();
    for (int scalar : new int[] {20, 21, 22 + 12, 22 + 13}) {
      assertThat(after.getDouble(scalar)).isEqualTo(before.getDouble(scalar));
    }
    assertThat(after.getDouble(21)).isEqualTo(3); // steps
    assertThat(after).isNotEqualTo(before);
  }

  @Test
  void losesLessThanTheQFactor() {
    INDArray a = Stiefel.random(DataType.DOUBLE, 12, 8);
    INDArray b = FACTOR.qr(a.add(Nd4j.randn(DataType.DOUBLE, 12, 8).mul(0.2)));
    INDArray mean = a.add(b).div(2);
    assertThat(spread(FACTOR.polar(mean), a, b)).isLessThan(spread(FACTOR.qr(mean), a, b));
  }

  private static double spread(INDArray w, INDArray a, INDArray b) {
    return Math.pow(w.distance2(a), 2) + Math.pow(w.distance2(b), 2);
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void whatIsOnTheManifoldStays(StiefelUpdater updater) {
    ComputationGraph net = worker(DataType.DOUBLE, updater, 1);
    INDArray before = net.params().dup();
    assertSmall(StiefelAveraging.restore(net), onManifold(DataType.DOUBLE));
    assertClose(net.params(), before, ROUNDING);
  }

  @Test
  void worksInAMultiLayerNetwork() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.FLOAT, new StiefelSgd(0.02, 0.9))
                .list()
                .layer(new KernelAggregationLayer.Builder().build())
                .layer(new SpdTransformLayer.Builder().nOut(2).build())
                .layer(new SpdVectorizationLayer.Builder().build())
                .layer(
                    new OutputLayer.Builder(LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .updater(new Sgd(0.1))
                        .nOut(Networks.CLASSES)
                        .build())
                .setInputType(InputType.convolutional(4, 4, 3))
                .build());
    net.init();
    DataSet data = Networks.images(DataType.FLOAT, 3, 4, 3, 4, 4);
    net.fit(data);
    net.getParam("1_W").muli(0.9);
    assertThat(StiefelAveraging.restore(net)).isGreaterThan(0.1);
    assertSmall(Stiefel.distanceFromManifold(net.getParam("1_W")), onManifold(DataType.FLOAT));
  }

  @Test
  void oppositeWsAreRefused() {
    ComputationGraph net = worker(DataType.FLOAT, new StiefelSgd(0.05), 1);
    net.getParam("layer1_W").assign(0);
    assertThatThrownBy(() -> StiefelAveraging.restore(net))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("layer1")
        .hasMessageContaining("expected averaging more often");
  }
}
