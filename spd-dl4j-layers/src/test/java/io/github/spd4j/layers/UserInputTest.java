/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.layers.UserNetworks.Net;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Examples;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.dropout.Dropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** Numbers that users let into the layers: refused by name, or computed with. */
class UserInputTest {

  private static final DataType[] TYPES = {DataType.FLOAT, DataType.DOUBLE};

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  private static Layer convolution() {
    return new ConvolutionLayer.Builder(3, 3).nOut(5).activation(Activation.TANH).build();
  }

  private static Layer aggregation() {
    return new KernelAggregationLayer.Builder().build();
  }

  private static Layer transform() {
    return new SpdTransformLayer.Builder().nOut(3).build();
  }

  private static Layer vectorization() {
    return new SpdVectorizationLayer.Builder().build();
  }

  private static DataSet data(DataType type) {
    Nd4j.getRandom().setSeed(1);
    INDArray labels = Nd4j.eye(2).castTo(type);
    return new DataSet(Nd4j.randn(type, 2, 2, 6, 6), labels);
  }

  static Stream<Arguments> everyNetwork() {
    List<Arguments> all = new ArrayList<>();
    for (UserNetworks kind : UserNetworks.values()) {
      for (DataType type : TYPES) {
        all.add(Arguments.of(kind, type));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("everyNetwork")
  void aSingularMatrixHasNoCholeskyFactor(UserNetworks kind, DataType type) {
    Net net =
        kind.of(type, InputType.convolutional(2, 2, 1), new LogCholeskyLayer.Builder().build());
    INDArray singular = Nd4j.ones(type, 3, 1, 2, 2);
    assertThatThrownBy(() -> net.output(singular))
        .hasMessageContaining("LogCholeskyLayer 'layer0'")
        .hasMessageContaining("expected a positive definite matrix, got matrix 0 of 3")
        .hasMessageContaining("Give the KernelAggregationLayer a ridge");
  }

  @ParameterizedTest
  @MethodSource("everyNetwork")
  void aConvolutionOnTheMatrixIsRefused(UserNetworks kind, DataType type) {
    Layer same =
        new ConvolutionLayer.Builder(3, 3).nOut(1).convolutionMode(ConvolutionMode.Same).build();
    for (Layer layer :
        List.of(transform(), vectorization(), new MatrixSquareRootLayer.Builder().build())) {
      List<Layer> layers = new ArrayList<>(List.of(convolution(), aggregation(), same, layer));
      if (!(layer instanceof SpdVectorizationLayer)) {
        layers.add(vectorization());
      }
      Net net = kind.of(type, IMAGE, layers.toArray(new Layer[0]));
      INDArray before = net.params().dup();
      assertThatThrownBy(() -> net.output(data(type).getFeatures()))
          .isInstanceOf(DL4JInvalidInputException.class)
          .hasMessageContaining(layer.getClass().getSimpleName() + " 'layer3'")
          .hasMessageContaining("expected a symmetric matrix")
          .hasMessageContaining("put that layer before the KernelAggregationLayer");
      assertThatThrownBy(() -> net.fit(data(type))).hasMessageContaining("symmetric");
      assertThat(net.params()).isEqualTo(before);
    }
  }

  /** Dropout does nothing but in training. */
  @ParameterizedTest
  @MethodSource("everyNetwork")
  void dropoutOnTheMatrixIsRefusedInTraining(UserNetworks kind, DataType type) {
    Layer dropout = new DropoutLayer.Builder(new Dropout(0.5)).build();
    Net net =
        kind.of(type, IMAGE, convolution(), aggregation(), dropout, transform(), vectorization());
    assertThat(net.output(data(type).getFeatures()).sumNumber().doubleValue()).isFinite();
    assertThatThrownBy(() -> net.fit(data(type)))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("SpdTransformLayer 'layer3'")
        .hasMessageContaining("dropout");
  }

  /** A large matrix is only looked at here and there. */
  @Tag("once")
  @ParameterizedTest
  @EnumSource(UserNetworks.class)
  void matricesOfTheUserMayHaveRoundingErrorsAndNoMore(UserNetworks kind) {
    int size = 70;
    Net net =
        kind.of(
            DataType.FLOAT, InputType.convolutional(size, size, 1), transform(), vectorization());
    INDArray matrices = Examples.positiveMatrices(2, size).castTo(DataType.FLOAT);
    INDArray rounded = matrices.mul(Nd4j.rand(DataType.FLOAT, matrices.shape()).muli(1e-6).addi(1));
    assertClose(net.output(rounded), net.output(matrices), FLOAT_ROUNDING);
    INDArray triangle = matrices.dup();
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < i; j++) {
        triangle.putScalar(new int[] {1, 0, i, j}, 0); // only the upper triangle of the second
      }
    }
    assertThatThrownBy(() -> net.output(triangle)).hasMessageContaining("example 1 of the batch");
  }

  private static Net root(UserNetworks kind, DataType type, int size) {
    return kind.of(
        type,
        InputType.convolutional(size, size, 1),
        new MatrixSquareRootLayer.Builder().build(),
        vectorization());
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("everyNetwork")
  void matricesWithNegativeEigenvaluesHaveNoRoot(UserNetworks kind, DataType type) {
    Net net = root(kind, type, 3);
    for (double[] eigenvalues :
        new double[][] {{-1, -1, -1}, {1, -1, 0}, {1, -0.5, 0.3}, {1, 0.5, -0.02}, {1, -3, 1}}) {
      INDArray matrices = Examples.positiveMatrices(3, 3).castTo(type);
      matrices.slice(1).slice(0).assign(Nd4j.diag(Nd4j.createFromArray(eigenvalues)).castTo(type));
      DataSet data = new DataSet(matrices, Nd4j.ones(type, 3, 2).divi(2));
      assertThatThrownBy(() -> net.output(matrices))
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("MatrixSquareRootLayer 'layer0'")
          .hasMessageContaining("expected a positive semidefinite matrix")
          .hasMessageContaining("example 1 of the batch")
          .hasMessageContaining("Put a ReEigLayer before");
      assertThatThrownBy(() -> net.fit(data)).hasMessageContaining("semidefinite");
    }
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("everyNetwork")
  void semidefiniteMatricesHaveARoot(UserNetworks kind, DataType type) {
    Net net = root(kind, type, 40);
    INDArray thin = Nd4j.randn(type, 2, 40, 3);
    INDArray matrices = Nd4j.zeros(type, 3, 1, 40, 40); // of rank 3, 3 and 0
    for (int i = 0; i < 2; i++) {
      matrices.slice(i).slice(0).assign(thin.slice(i).mmul(thin.slice(i).transpose()));
    }
    for (double scale : new double[] {1e-8, 1, 1e8}) {
      assertThat(net.output(matrices.mul(scale)).sumNumber().doubleValue()).isFinite();
      net.fit(new DataSet(matrices.mul(scale), Nd4j.ones(type, 3, 2).divi(2)));
    }
  }

  static Stream<Head> heads() {
    return LayerCases.heads(Check.INPUT)
        // which computes only after it was fitted
        .filter(head -> !(head.layers().get(0) instanceof FisherVectorLayer));
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("heads")
  void aPixelThatIsNotFiniteIsRefused(Head head) {
    for (UserNetworks kind : UserNetworks.values()) {
      for (DataType type : TYPES) {
        for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
          Layer[] layers =
              Stream.concat(Stream.of(linear()), head.layers().stream()).toArray(Layer[]::new);
          Net net = kind.of(type, IMAGE, layers);
          INDArray before = net.params().dup();
          DataSet data = data(type);
          data.getFeatures().putScalar(new int[] {1, 0, 3, 3}, bad);
          assertThatThrownBy(() -> net.output(data.getFeatures()))
              .satisfies(e -> names(e, head.layers()));
          assertThatThrownBy(() -> net.fit(data)).satisfies(e -> names(e, head.layers()));
          assertThat(net.params()).isEqualTo(before);
          net.fit(data(type)); // nothing of the failed step is left behind
          assertThat(net.output(data(type).getFeatures()).sumNumber().doubleValue()).isFinite();
        }
      }
    }
  }

  private static Layer linear() {
    return new ConvolutionLayer.Builder(3, 3).nOut(5).activation(Activation.IDENTITY).build();
  }

  private static void names(Throwable thrown, List<Layer> head) {
    assertThat(thrown)
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining(head.get(0).getClass().getSimpleName())
        .hasMessageContaining("'layer1'")
        .hasMessageContaining("got NaN or infinity")
        .hasMessageContaining("no parameter was changed");
  }

  /** Matrices of the user's own: NaN away from what is looked at for symmetry. */
  @ParameterizedTest
  @MethodSource("everyNetwork")
  void aMatrixThatIsNotFiniteIsRefused(UserNetworks kind, DataType type) {
    int size = 70;
    for (Layer first :
        List.of(
            transform(),
            new SpdTransformLayer.Builder().nOut(3).rectifier(Rectifier.RELU).build(),
            vectorization(),
            new SpdVectorizationLayer.Builder().l2Normalization(false).build(),
            new MatrixSquareRootLayer.Builder().build(),
            new LogEigLayer.Builder().build())) {
      List<Layer> layers = new ArrayList<>(List.of(first));
      if (!(first instanceof SpdVectorizationLayer)) {
        layers.add(vectorization());
      }
      Net net = kind.of(type, InputType.convolutional(size, size, 1), layers.toArray(new Layer[0]));
      INDArray before = net.params().dup();
      INDArray matrices = Examples.positiveMatrices(2, size).castTo(type);
      matrices.putScalar(new int[] {1, 0, 2, 68}, Double.NaN);
      matrices.putScalar(new int[] {1, 0, 68, 2}, Double.NaN);
      assertThatThrownBy(() -> net.output(matrices))
          .isInstanceOf(NotFiniteException.class)
          .hasMessageContaining(first.getClass().getSimpleName() + " 'layer0'");
      DataSet data = new DataSet(matrices, Nd4j.eye(2).castTo(type));
      assertThatThrownBy(() -> net.fit(data)).isInstanceOf(NotFiniteException.class);
      assertThat(net.params()).isEqualTo(before);
    }
  }

  static Stream<Layer> scaleFree() {
    return Stream.of(
            new RbfKernel(),
            new RbfKernel(Bandwidth.meanDistance().times(0.5).learnt()),
            new RbfKernel(Bandwidth.meanDistance().differentiated()),
            new LaplacianKernel(),
            new LaplacianKernel(Bandwidth.meanDistance().differentiated().learnt()))
        .map(
            kernel ->
                new KernelAggregationLayer.Builder()
                    .kernel(kernel)
                    .dataFormat(CNN2DFormat.NCHW)
                    .build());
  }

  /** A kernel of a mean distance does not depend on the scale of the maps. */
  @Tag("once")
  @ParameterizedTest
  @MethodSource("scaleFree")
  void hugeMapsHaveTheSameKernel(Layer aggregation) {
    for (UserNetworks kind : UserNetworks.values()) {
      for (DataType type : TYPES) {
        INDArray images = data(type).getFeatures();
        INDArray expected = kind.of(type, IMAGE, aggregation, vectorization()).output(images);
        for (int exponent : new int[] {20, 62, 100, 120}) {
          INDArray huge = images.dup();
          huge.slice(1).muli(Math.scalb(1.0, exponent)); // the other one stays as it is
          Net net = kind.of(type, IMAGE, aggregation, vectorization());
          assertThat(net.output(huge)).isEqualTo(expected);
          net.fit(new DataSet(huge, data(type).getLabels()));
          assertThat(net.params().sumNumber().doubleValue()).isFinite();
        }
      }
    }
  }
}
