/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.testing.SmallBackbone;
import io.github.spd4j.updater.StiefelAdam;
import io.github.spd4j.updater.StiefelSgd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.FrozenLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.learning.regularization.L2Regularization;

class SpdGraftTest {

  static DataSet images(DataType type) {
    return Networks.images(type, 1, SmallBackbone.IMAGES);
  }

  static SpdGraft graft(ComputationGraph backbone, Head head) {
    return graft(Backbone.of(backbone, "last"), head);
  }

  private static SpdGraft graft(Backbone backbone, Head head) {
    return SpdGraft.onto(backbone).head(head).classes(Networks.CLASSES).seed(1);
  }

  static FineTuneConfiguration fineTune() {
    return new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).build();
  }

  /** Some steps: the classifier begins at zero, and in the first one it learns alone. */
  static void fit(ComputationGraph net, DataSet data) {
    for (int step = 0; step < 10; step++) {
      net.fit(data);
    }
  }

  static List<INDArray> transforms(ComputationGraph net) {
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
    ComputationGraph net = graft(Backbone.of(backbone, cut), Head.averagePooling()).build();
    assertThat(layer(net, SpdGraft.CLASSIFIER, FeedForwardLayer.class).getNIn())
        .isEqualTo(maps.size(1));
    assertClose(net.feedForward(image, false).get(cut), maps, FLOAT_ROUNDING);
    assertThat(net.feedForward(image, false).get(SpdGraft.VECTOR).size(1)).isEqualTo(maps.size(1));
  }

  static <L extends Layer> L layer(ComputationGraph net, String name, Class<L> type) {
    return type.cast(net.getLayer(name).conf().getLayer());
  }

  @Test
  void theImagesMayHaveAnySize() {
    SpdGraft graft = graft(SmallBackbone.create(), Head.spd(4)).fineTune(fineTune());
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
        graft(backbone, Head.spd(4)).fineTune(fineTune()).frozenBackbone().build();
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
    SpdGraft graft = graft(backbone, Head.spd(4)).fineTune(fineTune());
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
    SpdGraft graft = graft(backbone, Head.spd(4)).fineTune(fineTune());
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
  void theFineTuneConfigurationHoldsForThePartsThatHaveNothingOfTheirOwn() {
    FineTuneConfiguration fineTune =
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).l2(1e-4).build();
    FineTuneConfiguration same =
        new FineTuneConfiguration.Builder().updater(new Nesterovs(0.05, 0.9)).l2(1e-4).build();
    ComputationGraph net =
        graft(SmallBackbone.create(), Head.spd(5).convolution(6)).fineTune(fineTune).build();
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
            graft(backbone(backbone), Head.spd(5).convolution(6)),
            graft(backbone(backbone), Head.spd(5).convolution(6))
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
    ComputationGraph net = graft(backbone(updater), Head.spd(6).scale(10)).frozenBackbone().build();
    DataSet data = images(DataType.FLOAT);
    double before = net.score(data);
    for (int step = 0; step < 60; step++) {
      net.fit(data);
    }
    assertThat(net.score(data)).isLessThan(part * before);
  }

  @Test
  void theSeedDecides() {
    SpdGraft graft = graft(SmallBackbone.create(), Head.spd(5).convolution(6));
    INDArray params = graft.seed(5).build().params();
    assertThat(graft.seed(5).build().params()).isEqualTo(params);
    assertThat(graft.seed(6).build().params()).isNotEqualTo(params);
  }

  @Test
  void withoutASeedItIsThatOfTheFineTuneConfigurationOrTheBackbone() {
    ComputationGraph backbone = SmallBackbone.create();
    Head head = Head.spd(5);
    long seed = backbone.getConfiguration().getDefaultConfiguration().getSeed();
    INDArray params = graft(backbone, head).seed(seed).build().params();
    SpdGraft graft = SpdGraft.onto(Backbone.of(backbone, "last")).head(head).classes(3);
    assertThat(graft.build().params()).isEqualTo(params);
    graft.fineTune(new FineTuneConfiguration.Builder().seed(77).build());
    assertThat(graft.build().params()).isEqualTo(graft(backbone, head).seed(77).build().params());
  }

  /** DL4J's transfer learning by itself makes FLOAT of it. */
  @Test
  void theDataTypeIsTheBackbones() {
    ComputationGraph backbone = SmallBackbone.of(DataType.DOUBLE).build();
    ComputationGraph net =
        graft(backbone, Head.spd(4)).fineTune(fineTune()).frozenBackbone().build();
    net.fit(images(DataType.DOUBLE));
    assertThat(net.params().dataType()).isEqualTo(DataType.DOUBLE);
    assertThat(net.getLayer("last").params()).isEqualTo(backbone.getLayer("last").params());
    assertSmall(
        Stiefel.distanceFromManifold(net.getParam(SpdGraft.transform(0) + "_W")),
        onManifold(DataType.DOUBLE));
  }

  @Test
  void anotherHeadCanTakeTheFirstOnesPlace() {
    ComputationGraph first = graft(SmallBackbone.create(), Head.spd(4).convolution(6)).build();
    ComputationGraph second = graft(first, Head.bilinear().convolution(5)).build();
    second.fit(images(DataType.FLOAT));
    assertThat(second.getConfiguration().getVertices())
        .doesNotContainKeys(SpdGraft.AGGREGATION, SpdGraft.transform(0));
    assertThatThrownBy(
            graft(Backbone.of(first, SpdGraft.CONVOLUTION), Head.bilinear().convolution(5))::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'spd-conv'")
        .hasMessageContaining("cut before it");
  }

  @Test
  void anUnknownNameIsAnsweredWithTheNamesThereAre() {
    assertThatThrownBy(() -> Backbone.of(SmallBackbone.create(), "conv5_3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected the name of a layer of the backbone, one of [conv1, norm, pool, left, right,"
                + " merge, last, fc, out], got conv5_3");
  }

  @Test
  void refusesACutWithoutFeatureMaps() {
    assertThatThrownBy(() -> graft(Backbone.of(SmallBackbone.create(), "fc"), Head.spd()).build())
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
    SpdGraft graft = SpdGraft.onto(Backbone.of(backbone, "conv")).head(Head.spd()).classes(3);
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
        SpdGraft.onto(Backbone.of(backbone, "conv")).head(Head.spd()).classes(3)::build,
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
    SpdGraft graft = SpdGraft.onto(Backbone.of(backbone, "pool")).head(Head.bilinear()).classes(3);
    refuses(graft::build, "no layer of the backbone tells how many channels its images have");
    ComputationGraph net = graft.inputType(InputType.convolutional(8, 8, 2)).build();
    assertThat(net.getParam(SpdGraft.CLASSIFIER + "_W").shape()).containsExactly(4, 3);
    net.fit(images(DataType.FLOAT));
  }

  @Test
  void refusesWhatIsMissingOrDoesNotFit() {
    ComputationGraph net = SmallBackbone.create();
    Backbone backbone = Backbone.of(net, "last");
    refuses(
        () -> Backbone.of((ComputationGraph) null, "last"), "an initialised backbone, got null");
    refuses(
        () -> Backbone.of(new ComputationGraph(net.getConfiguration()), "last"),
        "an initialised backbone, got one without init");
    refuses(() -> backbone.withSize(-1), "expected images of at least 1 pixel, got -1");
    refuses(() -> SpdGraft.onto(backbone).classes(1), "expected at least 2 classes, got 1");
    refuses(() -> SpdGraft.onto(backbone).seed(0), "expected a seed other than 0");
    refuses(() -> SpdGraft.onto(backbone).classes(3).build(), "head(…), got none");
    refuses(() -> SpdGraft.onto(backbone).head(Head.spd()).build(), "expected classes(n)");
    refuses(
        () -> graft(net, Head.spd().convolution(9).identityStart()).build(),
        "needs a convolution to at most 8 channels, as many as there are at the cut, got 9");
    assertThatThrownBy(() -> graft(net, Head.spd(9)).build())
        .hasMessageContaining(
            "SpdTransformLayer 'spd-transform-0': expected nOut ≤ 8, the size of its input, got"
                + " nOut = 9");
  }

  private static List<String> cut(ComputationGraph net) {
    return net.getConfiguration().getVertexInputs().get(Backbone.MAPS);
  }

  /** Copies and model files know it too, and DL4J alone reads such files. */
  @Test
  void theNetworkRemembersWhereItsBackboneEnds(@TempDir Path folder) throws IOException {
    ComputationGraph net = graft(Backbone.of(SmallBackbone.create(), "merge"), Head.spd(4)).build();
    assertThat(cut(net)).containsExactly("merge");
    net.fit(images(DataType.FLOAT));
    Path file = folder.resolve("model.zip");
    ModelSerializer.writeModel(net, file.toFile(), true);
    ComputationGraph read = ModelSerializer.restoreComputationGraph(file.toFile(), true);
    ComputationGraph tuned =
        new TransferLearning.GraphBuilder(read).setFeatureExtractor("merge").build();
    for (ComputationGraph same : List.of(net.clone(), read, tuned)) {
      assertThat(cut(same)).containsExactly("merge");
      assertThat(same.params()).isEqualTo(net.params());
    }
  }

  @Test
  void theBackboneOfAGraftEndsAtItsOwnCut() {
    ComputationGraph net = graft(Backbone.of(SmallBackbone.create(), "merge"), Head.spd(4)).build();
    String[] cuts = {"pool", "merge", Backbone.MAPS, SpdGraft.CONVOLUTION};
    ComputationGraph first =
        graft(Backbone.of(SmallBackbone.create(), "merge"), Head.spd(4).convolution(5)).build();
    for (String cut : cuts) {
      ComputationGraph second = graft(Backbone.of(first, cut), Head.bilinear()).build();
      assertThat(cut(second)).containsExactly(cut.equals(Backbone.MAPS) ? "merge" : cut);
      second.fit(images(DataType.FLOAT));
    }
    assertThat(net.getConfiguration().getVertexInputs())
        .containsEntry(SpdGraft.AGGREGATION, List.of(Backbone.MAPS));
  }

  /** The layers between cut and classifier are the head's. */
  @Test
  void fullyConnectedLayersOfTheBackboneComeAfterItsEnd() {
    ComputationGraph backbone = SmallBackbone.create();
    ComputationGraph net =
        graft(Backbone.of(backbone, "merge"), Head.fullyConnected()).fineTune(fineTune()).build();
    assertThat(net.getConfiguration().getVertexInputs())
        .containsEntry(Backbone.MAPS, List.of("merge"))
        .containsEntry("last", List.of(Backbone.MAPS));
    INDArray image = images(DataType.FLOAT).getFeatures();
    assertThat(net.feedForward(image, false).get("fc"))
        .isEqualTo(backbone.feedForward(image, false).get("fc"));
    net.fit(images(DataType.FLOAT));
  }

  @Test
  void aNetworkThatIsNoGraftCanBeMarked() {
    ComputationGraph net = SmallBackbone.create();
    INDArray image = images(DataType.FLOAT).getFeatures();
    ComputationGraph marked = Backbone.of(net, "pool").marked();
    assertThat(cut(marked)).containsExactly("pool");
    assertThat(marked.getConfiguration().getVertexInputs())
        .containsEntry("left", List.of(Backbone.MAPS))
        .containsEntry("right", List.of(Backbone.MAPS));
    assertThat(marked.outputSingle(image)).isEqualTo(net.outputSingle(image));
    ComputationGraph again = Backbone.of(marked, "last").marked();
    assertThat(cut(again)).containsExactly("last");
    assertThat(again.getConfiguration().getVertexInputs()).containsEntry("left", List.of("pool"));
    assertThat(again.outputSingle(image)).isEqualTo(net.outputSingle(image));
    assertThat(net.getConfiguration().getVertices()).doesNotContainKey(Backbone.MAPS);
    refuses(() -> Backbone.of(net, "out").marked(), "expected a cut before the output [out]");
  }

  /** Its layers are found by their names, and by their numbers where they have none. */
  @Test
  void aBackboneOfLayers() {
    MultiLayerNetwork layers =
        new MultiLayerNetwork(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .list()
                .layer(new ConvolutionLayer.Builder(3, 3).nOut(5).name("first").build())
                .layer(new ConvolutionLayer.Builder(2, 2).nOut(6).build())
                .layer(new GlobalPoolingLayer.Builder().build())
                .layer(new OutputLayer.Builder().nOut(3).activation(Activation.SOFTMAX).build())
                .setInputType(InputType.convolutional(8, 8, 2))
                .build());
    layers.init();
    INDArray images = Nd4j.randn(DataType.FLOAT, 2, 2, 8, 8);
    INDArray before = layers.params().dup();
    for (int cut = 0; cut < 2; cut++) {
      String name = layers.getLayerNames().get(cut);
      ComputationGraph net =
          graft(Backbone.of(layers, cut == 0 ? "first" : "1").withSize(8), Head.spd(3)).build();
      assertClose(
          net.feedForward(images, false).get(Backbone.MAPS),
          layers.feedForward(images).get(cut + 1),
          FLOAT_ROUNDING);
      assertThat(Backbone.of(layers, name).cut()).isEqualTo(String.valueOf(cut));
      net.fit(new DataSet(images, Nd4j.eye(3).getRows(0, 1).castTo(DataType.FLOAT)));
    }
    assertThat(layers.params()).isEqualTo(before);
    refuses(() -> Backbone.of(layers, "last"), "expected the name of a layer of the backbone");
    refuses(() -> Backbone.of((MultiLayerNetwork) null, "0"), "an initialised backbone, got null");
    MultiLayerNetwork raw = new MultiLayerNetwork(layers.getLayerWiseConfigurations());
    refuses(() -> Backbone.of(raw, "0"), "an initialised backbone, got one without init");
  }

  @Tag("once")
  @Test
  void theCardOfABackboneShowsTheWholeImage() {
    Backbone backbone =
        Backbone.of(SmallBackbone.create(), "pool").withSize(32).withPixels(PixelFormat.TORCH);
    assertThat(backbone.card(List.of("cat", "dog")).views()).isEqualTo(Views.PLAIN);
  }

  private static void refuses(Runnable attempt, String message) {
    assertThatThrownBy(attempt::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
