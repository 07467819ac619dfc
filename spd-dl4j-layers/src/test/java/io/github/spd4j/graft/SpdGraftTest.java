/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.SpdDropout;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.FrozenLayer;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.learning.regularization.L2Regularization;
import org.nd4j.linalg.learning.regularization.WeightDecay;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

class SpdGraftTest {

  static Stream<Head> heads() {
    return Stream.of(
        Head.spd(),
        Head.spd().transforms(4),
        Head.spd().convolution(6).transforms(5, 4, 4).scale(10),
        Head.spd()
            .convolution(8)
            .identityStart()
            .kernel(new CovarianceKernel())
            .ridge(0.01)
            .transforms(5)
            .transformStart(StiefelInit.IDENTITY)
            .rectifier(Rectifier.RELU)
            .powerFloor(0.1),
        Head.kernelOnly(),
        Head.kernelOnly().convolution(5),
        Head.spd().kernel(new RbfKernel(Bandwidth.meanDistance().learnt())).transforms(4),
        Head.bilinear(),
        Head.bilinear().convolution(5).scale(10),
        Head.deepTen().words(4),
        Head.deepTen().convolution(5).words(3).scale(2),
        Head.covarianceRoot(),
        Head.dropCov().convolution(5),
        Head.partialCorrelation().convolution(5),
        Head.covarianceRoot().convolution(5).squareRoot(3).l2Normalization(false),
        Head.covariancePower(0.25).convolution(5),
        Head.logEuclidean(),
        Head.logEuclidean().kernel(new CovarianceKernel()).ridge(0.1).logarithm(0.01),
        Head.logCholesky().convolution(5),
        Head.covarianceRoot().kernel(new LedoitWolfKernel()),
        Head.partialCorrelation().convolution(4),
        Head.spdNet(5, 4).ridge(0.1),
        Head.spdNet(4).ridge(0.1).matrixNormalization(LogMetric.CHOLESKY),
        Head.spdNet(4).ridge(0.1).matrixDropout(new SpdDropout(0.9, 0.1)),
        Head.spdNet(5).convolution(5).ridge(0.1).residual(),
        Head.logEuclidean().kernel(new CovarianceKernel()).shrinkage(0.1).convolution(5),
        Head.compactBilinear(16),
        Head.compactBilinear(9).sketchSeed(3).convolution(5),
        Head.averagePooling(),
        Head.averagePooling().convolution(5),
        Head.fullyConnected());
  }

  private static DataSet images(DataType type) {
    return Networks.images(type, 1, SmallBackbone.IMAGES);
  }

  private static SpdGraft graft(ComputationGraph backbone, Head head) {
    return SpdGraft.onto(backbone).after("last").head(head).classes(Networks.CLASSES).seed(1);
  }

  private static FineTuneConfiguration fineTune() {
    return new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).build();
  }

  @ParameterizedTest
  @MethodSource("heads")
  void everyHeadTrainsAndStaysOnTheManifold(Head head) {
    FineTuneConfiguration slowly = // for the heads whose vectors are ten times as long
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.005, 0.9)).build();
    ComputationGraph net = graft(SmallBackbone.create(), head).fineTune(slowly).build();
    DataSet data = images(DataType.FLOAT);
    double before = net.score(data);
    fit(net, data);
    assertThat(net.score(data)).isLessThan(before);
    assertThat(net.outputSingle(data.getFeatures()).shape())
        .containsExactly(SmallBackbone.IMAGES[0], Networks.CLASSES);
    for (INDArray w : transforms(net)) {
      assertSmall(Stiefel.distanceFromManifold(w), onManifold(DataType.FLOAT));
    }
  }

  /** Some steps: the classifier begins at zero, and in the first one it learns alone. */
  private static void fit(ComputationGraph net, DataSet data) {
    for (int step = 0; step < 10; step++) {
      net.fit(data);
    }
  }

  private static List<INDArray> transforms(ComputationGraph net) {
    return net.paramTable().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(SpdGraft.TRANSFORM))
        .map(Map.Entry::getValue)
        .collect(Collectors.toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"conv1", "norm", "pool", "left", "merge", "last"})
  void channelsAreThoseOfAForwardPass(String cut) {
    ComputationGraph backbone = SmallBackbone.create();
    INDArray image = images(DataType.FLOAT).getFeatures();
    INDArray maps = backbone.feedForward(image, false).get(cut);
    ComputationGraph net = graft(backbone, Head.averagePooling()).after(cut).build();
    assertThat(layer(net, SpdGraft.CLASSIFIER, FeedForwardLayer.class).getNIn())
        .isEqualTo(maps.size(1));
    assertClose(net.feedForward(image, false).get(cut), maps, FLOAT_ROUNDING);
    assertThat(net.feedForward(image, false).get(SpdGraft.VECTOR).size(1)).isEqualTo(maps.size(1));
  }

  private static <L extends Layer> L layer(ComputationGraph net, String name, Class<L> type) {
    return type.cast(net.getLayer(name).conf().getLayer());
  }

  @ParameterizedTest
  @MethodSource("heads")
  void channelsLastIsChannelsFirst(Head head) {
    if (head instanceof FullyConnectedHead) {
      return; // flattens in another order
    }
    ComputationGraph first = SmallBackbone.create();
    ComputationGraph last = SmallBackbone.of(DataType.FLOAT).format(CNN2DFormat.NHWC).build();
    last.setParams(first.params());
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray expected = graft(first, head).build().outputSingle(images);
    ComputationGraph net = graft(last, head).build();
    INDArray permuted = images.permute(0, 2, 3, 1).dup();
    assertClose(net.outputSingle(permuted), expected, FLOAT_ROUNDING);
    net.fit(new DataSet(permuted, images(DataType.FLOAT).getLabels()));
  }

  @Test
  void aResidualConnectionAddsTheLogarithmOfTheKernelMatrix() {
    Head head = Head.spdNet(5).convolution(5).ridge(0.1).residual();
    ComputationGraph net = graft(SmallBackbone.of(DataType.DOUBLE).build(), head).build();
    Map<String, INDArray> outputs =
        net.feedForward(images(DataType.DOUBLE).getFeatures().castTo(DataType.DOUBLE), false);
    INDArray kernels = outputs.get(SpdGraft.AGGREGATION);
    INDArray expected =
        Spd.logarithm(kernels.reshape(kernels.size(0), 5, 5))
            .reshape(kernels.shape())
            .add(outputs.get(SpdGraft.FUNCTION));
    assertClose(outputs.get(SpdGraft.SUM), expected, ROUNDING);
  }

  @Test
  void aResidualConnectionNeedsALogarithmOfTheSameSize() {
    ComputationGraph backbone = SmallBackbone.create();
    assertThatThrownBy(() -> graft(backbone, Head.spdRoot(4).residual()).build())
        .hasMessageContaining("expected a head with logarithm() for residual()");
    assertThatThrownBy(() -> graft(backbone, Head.spdNet(4).convolution(5).residual()).build())
        .hasMessageContaining("expected transforms that keep the size of the matrix");
  }

  @ParameterizedTest
  @MethodSource("headsWithMatrixDropout")
  void matrixDropoutComesBeforeWhatFollowsTheTransforms(Head head, String layer) {
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    IDropout found = layer(net, layer, SpdLayer.class).getIDropout();
    assertThat(found).isEqualTo(new SpdDropout(0.9));
  }

  static Stream<Arguments> headsWithMatrixDropout() {
    SpdDropout dropout = new SpdDropout(0.9);
    return Stream.of(
        Arguments.of(Head.spdNet(4).matrixDropout(dropout), SpdGraft.FUNCTION),
        Arguments.of(Head.spd().matrixDropout(dropout), SpdGraft.VECTOR),
        Arguments.of(Head.logCholesky().matrixDropout(dropout), SpdGraft.VECTOR),
        Arguments.of(
            Head.spdNet(4).matrixNormalization(LogMetric.CHOLESKY).matrixDropout(dropout),
            SpdGraft.MATRIX_NORMALIZATION));
  }

  @Test
  void layersHaveTheirSizesAndNames() {
    Head head = Head.spd().convolution(6).transforms(5, 4).scale(10);
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    KernelAggregationLayer aggregation =
        layer(net, SpdGraft.AGGREGATION, KernelAggregationLayer.class);
    assertThat(aggregation.getNIn()).isEqualTo(6);
    assertThat(aggregation.getDataFormat()).isEqualTo(CNN2DFormat.NCHW);
    assertThat(net.getParam(SpdGraft.CONVOLUTION + "_W").shape())
        .containsExactly(6, SmallBackbone.LAST_CHANNELS, 1, 1);
    assertThat(net.getParam(SpdGraft.transform(0) + "_W").shape()).containsExactly(6, 5);
    assertThat(net.getParam(SpdGraft.transform(1) + "_W").shape()).containsExactly(5, 4);
    SpdVectorizationLayer vector = layer(net, SpdGraft.VECTOR, SpdVectorizationLayer.class);
    assertThat(vector.getScale()).isEqualTo(10);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(10, Networks.CLASSES);
    assertThat(net.getConfiguration().getNetworkOutputs()).containsExactly(SpdGraft.CLASSIFIER);
    assertThat(net.getConfiguration().getVertices()).doesNotContainKeys("fc", "out");
  }

  @Test
  void spdNetHasItsLayersInOrder() {
    Head head = Head.spdNet(6, 4).eigenvalueRectifier(0.2).logarithm(0.1);
    ComputationGraph net = graft(SmallBackbone.create(), head).build();
    assertThat(net.getConfiguration().getVertexInputs())
        .containsEntry(SpdGraft.transform(0), List.of(SpdGraft.AGGREGATION))
        .containsEntry(SpdGraft.rectifier(0), List.of(SpdGraft.transform(0)))
        .containsEntry(SpdGraft.transform(1), List.of(SpdGraft.rectifier(0)))
        .containsEntry(SpdGraft.rectifier(1), List.of(SpdGraft.transform(1)))
        .containsEntry(SpdGraft.FUNCTION, List.of(SpdGraft.rectifier(1)))
        .containsEntry(SpdGraft.VECTOR, List.of(SpdGraft.FUNCTION));
    assertThat(layer(net, SpdGraft.AGGREGATION, KernelAggregationLayer.class).getKernel())
        .isEqualTo(new CovarianceKernel());
    assertThat(layer(net, SpdGraft.rectifier(1), ReEigLayer.class).getFloor()).isEqualTo(0.2);
    assertThat(layer(net, SpdGraft.FUNCTION, LogEigLayer.class).getFloor()).isEqualTo(0.1);
    SpdVectorizationLayer vector = layer(net, SpdGraft.VECTOR, SpdVectorizationLayer.class);
    assertThat(vector.isPowerNormalization()).isFalse();
    assertThat(vector.isL2Normalization()).isTrue();
  }

  @Test
  void compactBilinearRefusesASketchOfNothing() {
    assertThatThrownBy(() -> Head.compactBilinear(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a sketch size of at least 1, got 0");
  }

  @Test
  void kernelOnlyGivesTheClassifierTheKernelMatrixAsItIs() {
    ComputationGraph net = graft(SmallBackbone.create(), Head.kernelOnly()).build();
    Map<String, INDArray> activations =
        net.feedForward(images(DataType.FLOAT).getFeatures(), false);
    INDArray matrix = activations.get(SpdGraft.AGGREGATION).slice(0).slice(0);
    INDArray vector = activations.get(SpdGraft.VECTOR).getRow(0);
    assertThat(vector.getDouble(0)).isEqualTo(matrix.getDouble(0, 0));
    assertSmall(vector.getDouble(1) - Math.sqrt(2) * matrix.getDouble(0, 1), FLOAT_ROUNDING);
  }

  @Test
  void theImagesMayHaveAnySize() {
    SpdGraft graft = graft(SmallBackbone.create(), Head.spd().transforms(4)).fineTune(fineTune());
    ComputationGraph net = graft.build();
    DataSet usual = images(DataType.FLOAT);
    DataSet larger = Networks.images(DataType.FLOAT, 2, 3, 2, 12, 10);
    for (DataSet data : List.of(usual, larger, usual)) {
      double before = net.score(data);
      fit(net, data);
      assertThat(net.score(data)).isLessThan(before);
      ComputationGraph fresh = graft.build(); // has seen no other size
      fresh.setParams(net.params());
      INDArray output = net.outputSingle(data.getFeatures());
      assertThat(output).isEqualTo(fresh.outputSingle(data.getFeatures()));
      assertThat(output.shape()).containsExactly(data.numExamples(), Networks.CLASSES);
      assertThat(output.getRow(0)).isNotEqualTo(output.getRow(1));
    }
  }

  @Test
  void auxiliaryClassifiersAreLeftOut() {
    ComputationGraph backbone = SmallBackbone.of(DataType.FLOAT).withAuxiliaryClassifier().build();
    ComputationGraph net = graft(backbone, Head.bilinear()).build();
    assertThat(net.getConfiguration().getVertices()).doesNotContainKeys("aux", "out");
    net.fit(images(DataType.FLOAT));
  }

  @Test
  void theBackboneIsCopiedAndStaysAsItWas() {
    ComputationGraph backbone = SmallBackbone.create();
    INDArray params = backbone.params().dup();
    String json = backbone.getConfiguration().toJson();
    ComputationGraph net =
        graft(backbone, Head.spd().transforms(4)).fineTune(fineTune()).frozenBackbone().build();
    for (String name : List.of("conv1", "left", "right", "last")) {
      assertThat(net.getLayer(name).params()).isEqualTo(backbone.getLayer(name).params());
    }
    net.fit(images(DataType.FLOAT));
    assertThat(backbone.params()).isEqualTo(params);
    assertThat(backbone.getConfiguration().toJson()).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyATrainableBackboneMoves(boolean frozen) {
    ComputationGraph backbone = SmallBackbone.create();
    SpdGraft graft = graft(backbone, Head.spd().transforms(4)).fineTune(fineTune());
    assertMoves(backbone, (frozen ? graft.frozenBackbone() : graft).build(), frozen);
  }

  /** DL4J itself would wrap the layers twice, or leave them frozen. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFrozenBackboneIsTakenAsIfItWereNot(boolean frozen) throws IOException {
    ComputationGraph backbone =
        new TransferLearning.GraphBuilder(SmallBackbone.create())
            .setFeatureExtractor("merge")
            .build();
    SpdGraft graft = graft(backbone, Head.spd().transforms(4)).fineTune(fineTune());
    ComputationGraph net = (frozen ? graft.frozenBackbone() : graft).build();
    assertMoves(backbone, net, frozen);
    assertThat(net.getConfiguration().toJson().split("misc.FrozenLayer\"", -1))
        .hasSize(1 + (frozen ? 6 : 0));
  }

  @Test
  void aBackboneFrozenForItselfAloneIsTrained() {
    GraphBuilder graph =
        Networks.general(DataType.FLOAT, new Sgd(0.1)).graphBuilder().addInputs("in");
    Layer convolution =
        new ConvolutionLayer.Builder(3, 3).nIn(2).nOut(4).activation(Activation.TANH).build();
    graph.addLayer("last", new FrozenLayerWithBackprop(convolution), "in").setOutputs("last");
    ComputationGraph backbone = new ComputationGraph(graph.build());
    backbone.init();
    ComputationGraph net = graft(backbone, Head.spd()).fineTune(fineTune()).build();
    fit(net, images(DataType.FLOAT));
    assertThat(net.getLayer("last").params()).isNotEqualTo(backbone.getLayer("last").params());
  }

  private static void assertMoves(ComputationGraph backbone, ComputationGraph net, boolean frozen) {
    DataSet data = images(DataType.FLOAT);
    INDArray w = net.getParam(SpdGraft.transform(0) + "_W").dup();
    net.fit(data);
    net.fit(data);
    for (String name : List.of("conv1", "left", "right", "last")) {
      boolean same = net.getLayer(name).params().equals(backbone.getLayer(name).params());
      assertThat(same).as(name).isEqualTo(frozen);
      assertThat(net.getLayer(name) instanceof FrozenLayer).as(name).isEqualTo(frozen);
    }
    assertThat(net.getParam(SpdGraft.transform(0) + "_W")).isNotEqualTo(w);
  }

  @Test
  void anIdentityStartIsTheBackbonesOwnMaps() {
    ComputationGraph backbone = SmallBackbone.create();
    INDArray image = images(DataType.FLOAT).getFeatures();
    for (int channels : new int[] {SmallBackbone.LAST_CHANNELS, 3}) {
      Head head = Head.spd().convolution(channels).identityStart();
      Map<String, INDArray> maps = graft(backbone, head).build().feedForward(image, false);
      for (int i = 0; i < channels; i++) {
        INDArray actual = maps.get(SpdGraft.CONVOLUTION).tensorAlongDimension(i, 0, 2, 3);
        INDArray expected = maps.get("last").tensorAlongDimension(i, 0, 2, 3);
        assertThat(actual).isEqualTo(expected);
      }
    }
  }

  @Test
  void fullyConnectedKeepsWhatTheBackboneHas() {
    ComputationGraph backbone = SmallBackbone.create();
    ComputationGraph net =
        graft(backbone, Head.fullyConnected()).frozenBackbone().fineTune(fineTune()).build();
    assertThat(net.getLayer("fc").params()).isEqualTo(backbone.getLayer("fc").params());
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape())
        .containsExactly(SmallBackbone.FC_WIDTH, Networks.CLASSES);
    fit(net, images(DataType.FLOAT));
    assertThat(net.getLayer("last").params()).isEqualTo(backbone.getLayer("last").params());
    assertThat(net.getLayer("fc").params()).isNotEqualTo(backbone.getLayer("fc").params());
  }

  /**
   * A network from elsewhere has a softmax layer and a loss behind it instead of our output layer.
   */
  @Test
  void fullyConnectedKnowsAClassifierWithALossOfItsOwn() {
    ComputationGraph backbone =
        new TransferLearning.GraphBuilder(SmallBackbone.create())
            .removeVertexAndConnections("out")
            .addLayer("predictions", softmax(), "fc")
            .addLayer("loss", new LossLayer.Builder(LossFunction.MCXENT).build(), "predictions")
            .setOutputs("loss")
            .validateOutputLayerConfig(false)
            .build();
    ComputationGraph net = graft(backbone, Head.fullyConnected()).build();
    assertThat(net.getConfiguration().getVertices())
        .containsKey("fc")
        .doesNotContainKeys("predictions", "loss", SpdGraft.POOLING);
    net.fit(images(DataType.FLOAT));
  }

  private static DenseLayer softmax() {
    return new DenseLayer.Builder()
        .nIn(SmallBackbone.FC_WIDTH)
        .nOut(5)
        .activation(Activation.SOFTMAX)
        .build();
  }

  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void fullyConnectedAddsWhatTheBackboneHasNot(CNN2DFormat format) {
    ComputationGraph backbone =
        SmallBackbone.of(DataType.FLOAT).format(format).withoutTop().build();
    SpdGraft graft = graft(backbone, Head.fullyConnected().width(7));
    assertThatThrownBy(graft::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("need inputType(InputType.convolutional(height, width, channels))");
    ComputationGraph net = graft.inputType(InputType.convolutional(8, 8, 2, format)).build();
    assertThat(net.getParam(SpdGraft.FULLY_CONNECTED + "0_W").shape())
        .containsExactly(SmallBackbone.LAST_CHANNELS * 2 * 2, 7);
    assertThat(net.getParam(SpdGraft.FULLY_CONNECTED + "1_W").shape()).containsExactly(7, 7);
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(7, 3);
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray input = format == CNN2DFormat.NHWC ? images.permute(0, 2, 3, 1).dup() : images;
    net.fit(new DataSet(input, images(DataType.FLOAT).getLabels()));
  }

  @Test
  void partsHaveTheirOwnUpdatersAndPenalties() {
    ComputationGraph net =
        graft(SmallBackbone.create(), Head.spd().convolution(6).transforms(5, 4))
            .fineTune(fineTune())
            .classifierUpdater(new Adam(0.1))
            .classifierWeightDecay(5e-4)
            .convolutionUpdater(new Sgd(0.2))
            .convolutionL2(1e-3)
            .transformUpdater(new StiefelSgd(0.3))
            .build();
    BaseLayer classifier = layer(net, SpdGraft.CLASSIFIER, BaseLayer.class);
    BaseLayer convolution = layer(net, SpdGraft.CONVOLUTION, BaseLayer.class);
    assertThat(classifier.getIUpdater()).isEqualTo(new Adam(0.1));
    assertThat(classifier.getRegularization()).containsExactly(new WeightDecay(5e-4, true));
    assertThat(convolution.getIUpdater()).isEqualTo(new Sgd(0.2));
    assertThat(convolution.getRegularization()).containsExactly(new L2Regularization(1e-3));
    for (int i = 0; i < 2; i++) {
      assertThat(layer(net, SpdGraft.transform(i), SpdTransformLayer.class).getUpdater())
          .isEqualTo(new StiefelSgd(0.3));
    }
    assertThat(layer(net, "last", BaseLayer.class).getIUpdater())
        .isEqualTo(new Nesterovs(0.05, 0.9));
  }

  @Test
  void theFineTuneConfigurationHoldsForThePartsThatHaveNothingOfTheirOwn() {
    FineTuneConfiguration fineTune =
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).l2(1e-4).build();
    FineTuneConfiguration same =
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).l2(1e-4).build();
    ComputationGraph net =
        graft(SmallBackbone.create(), Head.spd().convolution(6).transforms(5))
            .fineTune(fineTune)
            .build();
    for (String name : List.of("last", SpdGraft.CONVOLUTION, SpdGraft.CLASSIFIER)) {
      BaseLayer layer = layer(net, name, BaseLayer.class);
      assertThat(layer.getIUpdater()).isEqualTo(new Nesterovs(0.05, 0.9));
      assertThat(layer.getRegularization()).containsExactly(new L2Regularization(1e-4));
    }
    assertThat(layer(net, SpdGraft.transform(0), SpdTransformLayer.class).getUpdater())
        .isEqualTo(new StiefelSgd(0.05, 0.9));
    assertThat(fineTune).isEqualTo(same);
  }

  static Stream<Arguments> updatersWithoutFineTuning() {
    return Stream.of(
        Arguments.of(new Nesterovs(0.1, 0.9), new Nesterovs(0.1, 0.9), new StiefelSgd(0.1, 0.9)),
        Arguments.of(new Adam(0.01), new Adam(0.01), new StiefelAdam(0.01)),
        Arguments.of(new AdaDelta(), new AdaDelta(), new StiefelAdam()),
        // These say nothing, or do not learn.
        Arguments.of(new Sgd(), new Adam(), new StiefelAdam(1e-3)),
        Arguments.of(new Sgd(0), new Adam(), new StiefelAdam(1e-3)),
        Arguments.of(new NoOp(), new Adam(), new StiefelAdam(1e-3)));
  }

  @ParameterizedTest
  @MethodSource("updatersWithoutFineTuning")
  void withoutFineTuningTheHeadHasTheUpdaterOfTheBackbone(
      IUpdater backbone, IUpdater head, IUpdater transform) {
    for (SpdGraft graft :
        List.of(
            graft(backbone(backbone), Head.spd().convolution(6).transforms(5)),
            graft(backbone(backbone), Head.spd().convolution(6).transforms(5))
                .fineTune(new FineTuneConfiguration.Builder().seed(7).build())
                .frozenBackbone())) {
      ComputationGraph net = graft.build();
      for (String name : List.of(SpdGraft.CONVOLUTION, SpdGraft.CLASSIFIER)) {
        assertThat(layer(net, name, BaseLayer.class).getIUpdater()).isEqualTo(head);
      }
      assertThat(layer(net, SpdGraft.transform(0), SpdTransformLayer.class).getUpdater())
          .isEqualTo(transform);
      assertThat(layer(net, "last", BaseLayer.class).getIUpdater()).isEqualTo(backbone);
    }
  }

  private static ComputationGraph backbone(IUpdater updater) {
    return SmallBackbone.of(DataType.FLOAT).updater(updater).build();
  }

  static Stream<Arguments> backboneUpdaters() {
    return Stream.of(
        Arguments.of(new Nesterovs(0.01, 0.9), 0.5),
        Arguments.of(new Adam(0.01), 0.5),
        Arguments.of(new Sgd(), 0.9));
  }

  /** The loss falls to a part of what it was. By DL4J's default updater it would hardly fall. */
  @ParameterizedTest
  @MethodSource("backboneUpdaters")
  void withoutFineTuningTheHeadLearns(IUpdater updater, double part) {
    ComputationGraph net =
        graft(backbone(updater), Head.spd().transforms(6).scale(10)).frozenBackbone().build();
    DataSet data = images(DataType.FLOAT);
    double before = net.score(data);
    for (int step = 0; step < 60; step++) {
      net.fit(data);
    }
    assertThat(net.score(data)).isLessThan(part * before);
  }

  @Test
  void theSeedDecides() {
    SpdGraft graft = graft(SmallBackbone.create(), Head.spd().convolution(6).transforms(5));
    INDArray params = graft.seed(5).build().params();
    assertThat(graft.seed(5).build().params()).isEqualTo(params);
    assertThat(graft.seed(6).build().params()).isNotEqualTo(params);
  }

  @Test
  void withoutASeedItIsThatOfTheFineTuneConfigurationOrTheBackbone() {
    ComputationGraph backbone = SmallBackbone.create();
    Head head = Head.spd().transforms(5);
    long seed = backbone.getConfiguration().getDefaultConfiguration().getSeed();
    INDArray params = graft(backbone, head).seed(seed).build().params();
    SpdGraft graft = SpdGraft.onto(backbone).after("last").head(head).classes(3);
    assertThat(graft.build().params()).isEqualTo(params);
    graft.fineTune(new FineTuneConfiguration.Builder().seed(77).build());
    assertThat(graft.build().params()).isEqualTo(graft(backbone, head).seed(77).build().params());
  }

  /** DL4J's transfer learning by itself makes FLOAT of it. */
  @Test
  void theDataTypeIsTheBackbones() {
    ComputationGraph backbone = SmallBackbone.of(DataType.DOUBLE).build();
    ComputationGraph net =
        graft(backbone, Head.spd().transforms(4)).fineTune(fineTune()).frozenBackbone().build();
    net.fit(images(DataType.DOUBLE));
    assertThat(net.params().dataType()).isEqualTo(DataType.DOUBLE);
    assertThat(net.getLayer("last").params()).isEqualTo(backbone.getLayer("last").params());
    assertSmall(
        Stiefel.distanceFromManifold(net.getParam(SpdGraft.transform(0) + "_W")),
        onManifold(DataType.DOUBLE));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void theNetworkCanBeSavedAndRead(Head head, @TempDir Path directory) throws IOException {
    ComputationGraph net =
        graft(SmallBackbone.create(), head).fineTune(fineTune()).frozenBackbone().build();
    DataSet data = images(DataType.FLOAT);
    net.fit(data);
    File file = directory.resolve("net.zip").toFile();
    ModelSerializer.writeModel(net, file, true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file);
    assertThat(read.outputSingle(data.getFeatures()))
        .isEqualTo(net.outputSingle(data.getFeatures()));
    read.fit(data);
  }

  @Test
  void anotherHeadCanTakeTheFirstOnesPlace() {
    ComputationGraph first =
        graft(SmallBackbone.create(), Head.spd().convolution(6).transforms(4)).build();
    ComputationGraph second = graft(first, Head.bilinear().convolution(5)).build();
    second.fit(images(DataType.FLOAT));
    assertThat(second.getConfiguration().getVertices())
        .doesNotContainKeys(SpdGraft.AGGREGATION, SpdGraft.transform(0));
    assertThatThrownBy(
            () -> graft(first, Head.bilinear().convolution(5)).after(SpdGraft.CONVOLUTION).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'spd-conv'")
        .hasMessageContaining("cut before it");
  }

  @Test
  void anUnknownNameIsAnsweredWithTheNamesThereAre() {
    assertThatThrownBy(() -> SpdGraft.onto(SmallBackbone.create()).after("conv5_3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected the name of a layer of the backbone, one of [conv1, norm, pool, left, right,"
                + " merge, last, fc, out], got conv5_3");
  }

  @Test
  void refusesACutWithoutFeatureMaps() {
    assertThatThrownBy(() -> graft(SmallBackbone.create(), Head.spd()).after("fc").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a layer whose output is feature maps, got 'fc' with InputType");
  }

  @Test
  void refusesImagesWithoutFeatureMapsAtTheCut() {
    ComputationGraph backbone =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)),
            Networks.head(),
            InputType.convolutional(8, 8, 2));
    SpdGraft graft = SpdGraft.onto(backbone).after("conv").head(Head.spd()).classes(3);
    assertThatThrownBy(graft.inputType(InputType.convolutional(2, 2, 2))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "expected images for which the backbone has feature maps at 'conv', got")
        .hasMessageContaining("h=2,w=2,c=2");
    assertThatThrownBy(graft.inputType(InputType.convolutional(8, 8, 3))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "expected images of 2 channels in NCHW, which the backbone takes, got");
    assertThatThrownBy(graft.inputType(InputType.feedForward(3))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a convolutional input type, got InputTypeFeedForward");
  }

  @Test
  void refusesABackboneWithTwoInputs() {
    GraphBuilder graph =
        Networks.general(DataType.FLOAT, new Sgd(0.1)).graphBuilder().addInputs("a", "b");
    graph.addLayer("conv", new ConvolutionLayer.Builder(1, 1).nIn(2).nOut(3).build(), "a", "b");
    ComputationGraph backbone = new ComputationGraph(graph.setOutputs("conv").build());
    backbone.init();
    refuses(
        SpdGraft.onto(backbone).after("conv").head(Head.spd()).classes(3)::build,
        "expected a backbone with one input, got [a, b]");
  }

  /** Only a pooling: nothing in the network knows how many channels there are. */
  @Test
  void asksForTheInputTypeWhereNoLayerTells() {
    GraphBuilder graph =
        Networks.general(DataType.FLOAT, new Sgd(0.1)).graphBuilder().addInputs("in");
    graph.addLayer("pool", new SubsamplingLayer.Builder(2, 2).build(), "in").setOutputs("pool");
    ComputationGraph backbone = new ComputationGraph(graph.build());
    backbone.init();
    SpdGraft graft = SpdGraft.onto(backbone).after("pool").head(Head.bilinear()).classes(3);
    refuses(graft::build, "no layer of the backbone tells how many channels its images have");
    ComputationGraph net = graft.inputType(InputType.convolutional(8, 8, 2)).build();
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(4, 3);
    net.fit(images(DataType.FLOAT));
  }

  @Test
  void refusesWhatIsMissingOrDoesNotFit() {
    ComputationGraph backbone = SmallBackbone.create();
    refuses(() -> SpdGraft.onto(null), "an initialised backbone, got null");
    refuses(() -> SpdGraft.onto(backbone).classes(1), "expected at least 2 classes, got 1");
    refuses(() -> SpdGraft.onto(backbone).seed(0), "expected a seed other than 0");
    refuses(() -> SpdGraft.onto(backbone).head(Head.spd()).classes(3).build(), "after(layer)");
    refuses(() -> SpdGraft.onto(backbone).after("last").classes(3).build(), "head(…), got none");
    refuses(
        () -> SpdGraft.onto(backbone).after("last").head(Head.spd()).build(),
        "expected classes(n)");
    refuses(() -> Head.spd().convolution(0), "at least 1 channel, got 0");
    refuses(
        () -> graft(backbone, Head.spd().identityStart()).build(),
        "as there are at the cut, got none");
    refuses(
        () -> graft(backbone, Head.spd().convolution(9).identityStart()).build(),
        "needs a convolution to at most 8 channels, as many as there are at the cut, got 9");
    refuses(() -> graft(backbone, Head.spd()).classifierL2(-1), "l2 penalty of the classifier");
    refuses(
        () -> graft(backbone, Head.spd()).classifierL2(1e-3).classifierWeightDecay(1e-3).build(),
        "weight decay or an l2 penalty of the classifier, got both");
    assertThatThrownBy(() -> graft(backbone, Head.spd().transforms(9)).build())
        .hasMessageContaining(
            "SpdTransformLayer 'spd-transform-0': expected nOut ≤ 8, the size of its input, got"
                + " nOut = 9");
    assertThatThrownBy(
            () -> graft(backbone, Head.spd().transforms(4)).transformUpdater(new Sgd(0.1)).build())
        .hasMessageContaining("expected StiefelSgd, StiefelAdam or NoOp as its updater, got Sgd");
  }

  private static void refuses(Runnable attempt, String message) {
    assertThatThrownBy(attempt::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
