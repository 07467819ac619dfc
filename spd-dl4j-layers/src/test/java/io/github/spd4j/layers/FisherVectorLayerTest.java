/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;

class FisherVectorLayerTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  private static FisherVectorLayer.Builder layer() {
    return new FisherVectorLayer.Builder().components(3).dimensions(4);
  }

  private static Layer runtime(FisherVectorLayer layer, DataType type) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(type).layer(layer).build();
    long size = conf.getLayer().initializer().numParams(conf);
    INDArray view = Nd4j.create(type, 1, size);
    return conf.getLayer().instantiate(conf, null, 0, view, true, type);
  }

  /**
   * Under the mixture that fits best, the gradient of the likelihood of all descriptors is zero,
   * and so is their Fisher vector.
   */
  @Test
  void theFisherVectorOfWhatTheMixtureWasFittedToIsZero() {
    FisherVectorLayer conf =
        layer().nIn(4).powerNormalization(false).l2Normalization(false).build();
    Nd4j.getRandom().setSeed(6);
    INDArray image = Nd4j.randn(DataType.DOUBLE, 1, 4, 12, 12);
    image.tensorAlongDimension(0, 2, 3).slice(0).addi(9); // three heaps, in which it is soon found
    image.tensorAlongDimension(1, 2, 3).slice(1).addi(9);
    INDArray rows = conf.descriptorsOf(image);
    PrincipalComponents components = PrincipalComponents.of(rows, 4);
    Layer layer = runtime(conf, DataType.DOUBLE);
    FisherVectorLayer.store(
        layer,
        components,
        new ExpectationMaximization()
            .components(3)
            .steps(200)
            .tolerance(0)
            .fit(components.project(rows))
            .mixture());
    INDArray vector = layer.activate(image, false, LayerWorkspaceMgr.noWorkspaces());
    assertSmall(vector.norm2Number().doubleValue(), DERIVATIVE);
    INDArray other = Nd4j.randn(DataType.DOUBLE, 1, 4, 12, 12);
    INDArray of = layer.activate(other, false, LayerWorkspaceMgr.noWorkspaces());
    assertThat(of.norm2Number().doubleValue()).isGreaterThan(0.1);
  }

  static Stream<IUpdater> updaters() {
    return Stream.of(
        new Sgd(0.1),
        new Nesterovs(0.1, 0.9),
        new Adam(0.1),
        new AMSGrad(0.1),
        new RmsProp(0.1),
        new NoOp());
  }

  /**
   * Whatever the network's updater and penalties are, the layers around it learn and it does not.
   */
  @ParameterizedTest
  @MethodSource("updaters")
  void noUpdaterOrPenaltyChangesTheParameters(IUpdater updater) {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, updater).l1(1e-2).l2(1e-2).weightDecay(1e-2),
            List.of(layer().build()),
            IMAGE);
    assertConstantWhileOthersLearn(net);
  }

  @ParameterizedTest
  @EnumSource(GradientNormalization.class)
  void noGradientNormalisationDoesEither(GradientNormalization normalization) {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Nesterovs(0.1, 0.9))
                .gradientNormalization(normalization)
                .gradientNormalizationThreshold(0.5),
            List.of(layer().build()),
            IMAGE);
    assertConstantWhileOthersLearn(net);
  }

  private static void assertConstantWhileOthersLearn(ComputationGraph net) {
    INDArray fisher = net.getLayer("layer0").params().dup();
    INDArray convolution = net.getLayer("conv").params().dup();
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 2, 6, 6);
    for (int i = 0; i < 3; i++) {
      net.fit(data);
    }
    assertSmall(net.getLayer("layer0").params().distance2(fisher), 0);
    assertThat(net.getLayer("conv").params()).isNotEqualTo(convolution);
    assertThat(net.score()).isFinite();
  }

  @Test
  void refusesToComputeBeforeItIsFitted() {
    FisherVectorLayer conf = layer().name("fv").nIn(5).build();
    INDArray maps = Nd4j.ones(DataType.FLOAT, 2, 5, 3, 3);
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    Layer layer = runtime(conf, DataType.FLOAT);
    assertThatThrownBy(() -> layer.activate(maps, false, none))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("FisherVectorLayer 'fv'")
        .hasMessageContaining("only after its mixture was fitted to training images");
    Nd4j.getRandom().setSeed(1);
    PrincipalComponents components = PrincipalComponents.of(Nd4j.randn(DataType.DOUBLE, 20, 5), 4);
    FisherVectorLayer.store(layer, components, Mixtures.random(3, 4));
    assertThat(layer.activate(maps, false, none).shape()).containsExactly(2, 24);
  }

  @Test
  void unlessSetItKeepsAllDimensions() {
    FisherVectorLayer conf = new FisherVectorLayer.Builder().build();
    assertThat(conf.getComponents()).isEqualTo(64);
    InputType maps = InputType.convolutional(14, 14, 512);
    assertThat(conf.getOutputType(0, maps)).isEqualTo(InputType.feedForward(65536));
  }

  /** Position by position: what the layer sees and what a sample is drawn from are the same. */
  @Test
  void descriptorsAreWhatTheMapsShowAtAPosition() {
    INDArray images = Networks.images(DataType.DOUBLE, 1, 2, 5, 3, 2).getFeatures();
    INDArray rows = layer().nIn(5).build().descriptorsOf(images);
    assertThat(rows.shape()).containsExactly(12, 5);
    for (int c = 0; c < 5; c++) {
      assertSmall(rows.getDouble(6 + 3, c) - images.getDouble(1, c, 1, 1), ROUNDING);
    }
  }

  @Test
  void refusesWhatItCannotUse() {
    refusesConfig(
        () -> layer().build().getOutputType(0, InputType.convolutional(2, 2, 3)),
        "expected at most 3 dimensions");
    assertThatThrownBy(() -> layer().nIn(5).build().descriptorsOf(Nd4j.ones(2, 5)))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining("rank 4");
    Layer layer = runtime(layer().nIn(5).build(), DataType.DOUBLE);
    PrincipalComponents components = PrincipalComponents.of(Nd4j.randn(DataType.DOUBLE, 20, 5), 4);
    assertThatThrownBy(() -> FisherVectorLayer.store(layer, components, Mixtures.random(2, 4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected weights of shape [1, 3], got [1, 2]");
    FisherVectorLayer.store(layer, components, Mixtures.random(3, 4));
    assertClose(layer.getParam("pcaBasis"), components.basis(), ROUNDING);
    layer.getParam("means").putScalar(0, Double.NaN);
    assertThatThrownBy(
            () ->
                layer.activate(
                    Nd4j.ones(DataType.DOUBLE, 2, 5, 3, 3),
                    false,
                    LayerWorkspaceMgr.noWorkspaces()))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("got NaN or infinity in means");
  }

  private static void refusesConfig(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("FisherVectorLayer")
        .hasMessageContaining(message);
  }
}
