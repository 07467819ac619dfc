/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.layers.UserNetworks.Net;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.transferlearning.FineTuneConfiguration;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.deeplearning4j.nn.weights.WeightInit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** What users of DL4J build and change around the layers: sizes, formats, transfer learning. */
class UserChangesTest {

  private static final FineTuneConfiguration TUNE =
      new FineTuneConfiguration.Builder().updater(new Sgd(0.1)).build();

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  private static ConvolutionLayer convolution(CNN2DFormat format) {
    return new ConvolutionLayer.Builder(3, 3)
        .nIn(2)
        .nOut(4)
        .dataFormat(format)
        .activation(Activation.TANH)
        .build();
  }

  private static Layer vectorization() {
    return new SpdVectorizationLayer.Builder().build();
  }

  private static SpdTransformLayer.Builder transform() {
    return new SpdTransformLayer.Builder().nOut(3);
  }

  private static KernelAggregationLayer.Builder aggregation() {
    return new KernelAggregationLayer.Builder();
  }

  private static MultiLayerNetwork list(InputType input, Layer... layers) {
    ListBuilder builder = UserNetworks.general(DataType.FLOAT).list();
    for (Layer layer : layers) {
      builder.layer(layer);
    }
    MultiLayerNetwork net = new MultiLayerNetwork(builder.setInputType(input).build());
    net.init();
    return net;
  }

  private static MultiLayerNetwork list() {
    return list(
        IMAGE,
        convolution(CNN2DFormat.NCHW),
        aggregation().build(),
        transform().build(),
        vectorization(),
        UserNetworks.classifier().build());
  }

  private static ComputationGraph graph() {
    ComputationGraph net =
        new ComputationGraph(
            UserNetworks.general(DataType.FLOAT)
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(IMAGE)
                .addLayer("conv", convolution(CNN2DFormat.NCHW), "in")
                .addLayer("kernel", aggregation().build(), "conv")
                .addLayer("spd", transform().build(), "kernel")
                .addLayer("vector", vectorization(), "spd")
                .addLayer("out", UserNetworks.classifier().build(), "vector")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static INDArray images() {
    Nd4j.getRandom().setSeed(1);
    return Nd4j.randn(DataType.FLOAT, 3, 2, 6, 6);
  }

  /** The maps are [N, 4, 4, 4]: nothing but the format tells where the channels are. */
  @ParameterizedTest
  @EnumSource(UserNetworks.class)
  void theFormatOfTheNetworkIsTakenUp(UserNetworks kind) {
    Net first =
        kind.of(
            DataType.FLOAT,
            InputType.convolutional(6, 6, 2, CNN2DFormat.NCHW),
            convolution(CNN2DFormat.NCHW),
            aggregation().build(),
            vectorization());
    Net last =
        kind.of(
            DataType.FLOAT,
            InputType.convolutional(6, 6, 2, CNN2DFormat.NHWC),
            convolution(CNN2DFormat.NHWC),
            aggregation().build(),
            vectorization());
    assertThat(last.params()).isEqualTo(first.params());
    assertClose(
        last.output(images().permute(0, 2, 3, 1).dup()), first.output(images()), FLOAT_ROUNDING);
  }

  /** Without an input type DL4J tells the layer nothing. */
  @ParameterizedTest
  @EnumSource(UserNetworks.class)
  void aFormatThatNobodyToldIsAskedFor(UserNetworks kind) {
    for (Layer silent :
        new Layer[] {
          aggregation().nIn(4).build(),
          aggregation().build(),
          new BilinearPoolingLayer.Builder().nIn(4).build()
        }) {
      Layer[] layers =
          silent instanceof BilinearPoolingLayer
              ? new Layer[] {convolution(CNN2DFormat.NHWC), silent}
              : new Layer[] {convolution(CNN2DFormat.NHWC), silent, vectorization()};
      Net net = unTyped(kind, silent instanceof BilinearPoolingLayer ? 16 : 10, layers);
      INDArray last = images().permute(0, 2, 3, 1).dup();
      assertThatThrownBy(() -> net.output(last))
          .isInstanceOf(DL4JInvalidInputException.class)
          .hasMessageContaining(silent.getClass().getSimpleName() + " 'layer1'")
          .hasMessageContaining("dataFormat(NCHW) or dataFormat(NHWC)");
    }
    Layer told = aggregation().nIn(4).dataFormat(CNN2DFormat.NHWC).build();
    Net net = unTyped(kind, 10, convolution(CNN2DFormat.NHWC), told, vectorization());
    assertThat(net.output(images().permute(0, 2, 3, 1).dup()).size(0)).isEqualTo(3);
    // The maps of other images fit [N, C, H, W] alone, and no one needs to be told.
    Net wide =
        unTyped(kind, 10, convolution(CNN2DFormat.NCHW), aggregation().build(), vectorization());
    assertThat(wide.output(Nd4j.randn(DataType.FLOAT, 3, 2, 6, 7)).size(0)).isEqualTo(3);
  }

  private static Net unTyped(UserNetworks kind, int vector, Layer... layers) {
    Layer[] all = Arrays.copyOf(layers, layers.length + 1);
    all[layers.length] = UserNetworks.classifier().nIn(vector).build();
    return kind.make(DataType.FLOAT, null, List.of(all));
  }

  @Test
  void aFormatThatContradictsTheNetworkIsRefused() {
    Layer layer = aggregation().name("k").dataFormat(CNN2DFormat.NCHW).build();
    InputType last = InputType.convolutional(4, 4, 4, CNN2DFormat.NHWC);
    layer.setNIn(last, false);
    assertThatThrownBy(() -> layer.getOutputType(0, last))
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("KernelAggregationLayer 'k': expected dataFormat(NHWC)")
        .hasMessageContaining("got dataFormat(NCHW)");
  }

  /** A graph of transfer learning can be told input types; a list cannot. */
  @Test
  void aSizeThatNobodyToldIsAskedFor() {
    MultiLayerNetwork list = list();
    asksForNIn(
        () ->
            new TransferLearning.Builder(list)
                .fineTuneConfiguration(TUNE)
                .removeLayersFromOutput(3)
                .addLayer(transform().build())
                .addLayer(vectorization())
                .addLayer(UserNetworks.classifier().nIn(6).build())
                .build());
    asksForNIn(() -> withNewTransform(transform().build()).build());
    asksForNIn(
        () ->
            unTyped(
                UserNetworks.LIST,
                6,
                convolution(CNN2DFormat.NCHW),
                transform().build(),
                vectorization()));
    ComputationGraph inferred = withNewTransform(transform().build()).setInputTypes(IMAGE).build();
    assertThat(inferred.getParam("new_W").shape()).containsExactly(4, 3);
    ComputationGraph told = withNewTransform(transform().nIn(4).build()).build();
    assertThat(told.outputSingle(images()).size(0)).isEqualTo(3);
  }

  private static TransferLearning.GraphBuilder withNewTransform(Layer layer) {
    return new TransferLearning.GraphBuilder(graph())
        .fineTuneConfiguration(TUNE)
        .removeVertexAndConnections("out")
        .removeVertexAndConnections("vector")
        .removeVertexAndConnections("spd")
        .addLayer("new", layer, "kernel")
        .addLayer("vector2", vectorization(), "new")
        .addLayer("out2", UserNetworks.classifier().nIn(6).build(), "vector2")
        .setOutputs("out2");
  }

  private static void asksForNIn(ThrowingCallable build) {
    assertThatThrownBy(build)
        .isInstanceOf(DL4JInvalidConfigException.class)
        .hasMessageContaining("SpdTransformLayer '")
        .hasMessageContaining("expected nIn(C)")
        .hasMessageContaining("setInputType")
        .hasMessageContaining("got nIn = 0");
  }

  @Test
  void nOutReplaceOnALayerIsRefused() {
    for (String name : new String[] {"kernel", "spd", "vector"}) {
      assertThatThrownBy(
              () ->
                  new TransferLearning.GraphBuilder(graph())
                      .fineTuneConfiguration(TUNE)
                      .nOutReplace(name, 2, WeightInit.XAVIER))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("Layer '" + name + "'")
          .hasMessageContaining("nOutReplace")
          .hasMessageContaining("removeVertexAndConnections");
    }
    assertThatThrownBy(
            () ->
                new TransferLearning.Builder(list())
                    .fineTuneConfiguration(TUNE)
                    .nOutReplace(2, 2, WeightInit.XAVIER)
                    .build())
        .hasMessageContaining("nOutReplace")
        .hasMessageContaining("SpdTransformLayer");
  }

  /** DL4J tells the layer nothing of it; the first pass shows it. */
  @Test
  void nOutReplaceBeforeALayerIsRefusedWithTheRemedy() {
    MultiLayerNetwork list =
        new TransferLearning.Builder(list())
            .fineTuneConfiguration(TUNE)
            .nOutReplace(0, 5, WeightInit.XAVIER)
            .build();
    ComputationGraph graph =
        new TransferLearning.GraphBuilder(graph())
            .fineTuneConfiguration(TUNE)
            .nOutReplace("conv", 5, WeightInit.XAVIER)
            .build();
    for (Net net : new Net[] {UserNetworks.of(list), UserNetworks.of(graph)}) {
      DataSet data = new DataSet(images(), Nd4j.ones(3, 2).divi(2));
      assertThatThrownBy(() -> net.fit(data))
          .isInstanceOf(DL4JInvalidInputException.class)
          .hasMessageContaining("KernelAggregationLayer")
          .hasMessageContaining("with 4 channels")
          .hasMessageContaining("nOutReplace")
          .hasMessageContaining("removed and added anew, with nIn set");
    }
    // The remedy: the layers behind it are new, too.
    MultiLayerNetwork anew =
        new TransferLearning.Builder(list())
            .fineTuneConfiguration(TUNE)
            .nOutReplace(0, 5, WeightInit.XAVIER)
            .removeLayersFromOutput(4)
            .addLayer(aggregation().nIn(5).build())
            .addLayer(transform().nIn(5).build())
            .addLayer(vectorization())
            .addLayer(UserNetworks.classifier().nIn(6).build())
            .build();
    anew.fit(new DataSet(images(), Nd4j.ones(3, 2).divi(2)));
    assertThat(anew.score()).isFinite();
  }

  @Test
  void aHeadPutOnInTransferLearningReadsTheRightFormat() {
    MultiLayerNetwork backbone =
        list(
            InputType.convolutional(6, 6, 2, CNN2DFormat.NHWC),
            convolution(CNN2DFormat.NHWC),
            new GlobalPoolingLayer.Builder().build(),
            UserNetworks.classifier().build());
    MultiLayerNetwork net =
        new TransferLearning.Builder(backbone)
            .fineTuneConfiguration(TUNE)
            .removeLayersFromOutput(2)
            .addLayer(aggregation().nIn(4).build())
            .addLayer(vectorization())
            .addLayer(UserNetworks.classifier().nIn(10).build())
            .build();
    assertThatThrownBy(() -> net.output(images().permute(0, 2, 3, 1).dup()))
        .hasMessageContaining("dataFormat(NHWC)");
    // What can be done with a network that is there already.
    SpdLayer layer = (SpdLayer) net.getLayer(1).conf().getLayer();
    layer.setNIn(InputType.convolutional(4, 4, 4, CNN2DFormat.NHWC), false);
    assertThat(layer.getDataFormat()).isEqualTo(CNN2DFormat.NHWC);
    assertThat(net.output(images().permute(0, 2, 3, 1).dup()).size(0)).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(UserNetworks.class)
  void summariesNameTheLayers(UserNetworks kind) {
    Net net =
        kind.of(
            DataType.FLOAT,
            IMAGE,
            convolution(CNN2DFormat.NCHW),
            aggregation().build(),
            transform().build(),
            new MatrixSquareRootLayer.Builder().build(),
            new ReEigLayer.Builder().build(),
            new LogEigLayer.Builder().build(),
            vectorization());
    assertThat(net.summary())
        .contains("layer1 (KernelAggregationLayer")
        .contains("layer2 (SpdTransformLayer")
        .contains("W:{4,3}")
        .contains("layer3 (MatrixSquareRootLayer")
        .contains("layer4 (ReEigLayer")
        .contains("layer5 (LogEigLayer")
        .contains("layer6 (SpdVectorizationLayer");
    for (Layer pooling :
        new Layer[] {
          new BilinearPoolingLayer.Builder().build(),
          new CompactBilinearLayer.Builder().sketchSize(5).build(),
          new TextureEncodingLayer.Builder().words(3).build(),
          new FisherVectorLayer.Builder().components(2).build()
        }) {
      assertThat(kind.of(DataType.FLOAT, IMAGE, convolution(CNN2DFormat.NCHW), pooling).summary())
          .contains("layer1 (" + pooling.getClass().getSimpleName());
    }
  }

  @Test
  void summariesAndLayerSizesTellTheSizes() {
    MultiLayerNetwork net = list();
    assertThat(net.summary()).containsPattern("SpdTransformLayer[^\\n]* 4,3 ");
    assertThat(List.of(1, 2, 3)).map(net::layerSize).containsExactly(4, 3, 6);
    assertThat(List.of(1, 2, 3)).map(net::layerInputSize).containsExactly(4, 4, 3);
    Map<Layer, Long> sizes =
        Map.of(
            new MatrixSquareRootLayer.Builder().nIn(4).build(), 4L,
            new LogEigLayer.Builder().nIn(4).build(), 4L,
            new MatrixPowerLayer.Builder().nIn(4).build(), 4L,
            new LogCholeskyLayer.Builder().nIn(4).build(), 10L,
            new SpdBatchNormalizationLayer.Builder().nIn(4).build(), 4L,
            new BilinearPoolingLayer.Builder().nIn(4).build(), 16L,
            new CompactBilinearLayer.Builder().sketchSize(5).nIn(4).build(), 5L,
            new TextureEncodingLayer.Builder().words(3).nIn(4).build(), 12L,
            new FisherVectorLayer.Builder().components(2).dimensions(3).nIn(4).build(), 12L);
    sizes.forEach(
        (layer, size) -> assertThat(((SpdLayer) layer).getNOut()).as("%s", layer).isEqualTo(size));
    assertThat(new ShrinkageLayer.Builder().shrinkage(0.1).nIn(4).build().getNOut()).isEqualTo(4);
    assertThat(new SparseInverseLayer.Builder().nIn(4).build().getNOut()).isEqualTo(4);
    assertThat(new ScaleShiftLayer.Builder().nIn(4).build().getNOut()).isEqualTo(4);
    assertThat(aggregation().build().getNOut()).isZero();
  }

  @Test
  void anOutputSizeThatDoesNotFollowFromTheInputIsRefused() {
    assertThatThrownBy(() -> vectorizationOf(4).nOut(11).build())
        .hasMessageContaining("no nOut, which follows from the size of its input, got nOut = 11");
    assertThat(vectorizationOf(4).nOut(10).build().getNOut()).isEqualTo(10);
    assertThatThrownBy(() -> vectorizationOf(0).nOut(10).build())
        .hasMessageContaining("no nOut, which follows from the size of its input");
  }

  private static SpdVectorizationLayer.Builder vectorizationOf(int size) {
    return new SpdVectorizationLayer.Builder().nIn(size);
  }
}
