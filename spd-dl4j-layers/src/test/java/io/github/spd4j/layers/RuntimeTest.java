/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelSgd;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;

/** What DL4J's own runtime for SameDiff layers breaks, and ours does not. */
class RuntimeTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  static Stream<Head> heads() {
    return LayerCases.heads(Check.RUNTIME);
  }

  private static ComputationGraph net(DataType type) {
    return net(Networks.head(), type);
  }

  private static ComputationGraph net(Head head, DataType type) {
    return net(head.layers(), type);
  }

  private static ComputationGraph net(List<Layer> head, DataType type) {
    return Networks.convolutional(Networks.general(type, new Nesterovs(0.1, 0.9)), head, IMAGE);
  }

  @Test
  void setParamSetsTheParameter() {
    ComputationGraph net = net(DataType.DOUBLE);
    INDArray images = Networks.images(DataType.DOUBLE, 1, 3, 2, 6, 6).getFeatures();
    INDArray before = net.outputSingle(images).dup();
    INDArray w = Stiefel.identity(DataType.DOUBLE, 5, 3);
    net.setParam("layer1_W", w);
    assertThat(net.getParam("layer1_W")).isEqualTo(w);
    assertThat(net.outputSingle(images)).isNotEqualTo(before);

    ComputationGraph other = net(DataType.DOUBLE);
    other.setParamTable(net.paramTable());
    assertThat(other.outputSingle(images)).isEqualTo(net.outputSingle(images));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void batchSizesMayChange(Head head) {
    batchSizesMayChange(head, DataType.FLOAT);
    batchSizesMayChange(head, DataType.DOUBLE);
  }

  private static void batchSizesMayChange(Head head, DataType type) {
    ComputationGraph net = net(head, type);
    DataSet all = Networks.images(type, 1, 6, 2, 6, 6);
    INDArray together = net.outputSingle(all.getFeatures()).dup();
    List<INDArray> apart = new ArrayList<>();
    for (int[] range : new int[][] {{0, 1}, {1, 4}, {4, 6}}) {
      DataSet part = (DataSet) all.getRange(range[0], range[1]);
      apart.add(net.outputSingle(part.getFeatures()).dup());
      net.clone().fit(part);
    }
    INDArray joined = Nd4j.concat(0, apart.toArray(new INDArray[0]));
    assertClose(joined, together, type == DataType.FLOAT ? FLOAT_ROUNDING : ROUNDING);
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("heads")
  void imageSizesMayChange(Head head) {
    ComputationGraph net = net(head, DataType.DOUBLE);
    for (int size : new int[] {6, 9, 6, 4, 3, 12, 10, 8, 7, 5, 11, 6}) {
      DataSet data = Networks.images(DataType.DOUBLE, size, 2, 2, size, size + 1);
      ComputationGraph same = net(head, DataType.DOUBLE);
      same.setParams(net.params());
      INDArray fresh = same.outputSingle(data.getFeatures());
      assertThat(net.outputSingle(data.getFeatures())).isEqualTo(fresh);
      net.fit(data);
      assertThat(net.score()).isFinite();
    }
  }

  @ParameterizedTest
  @MethodSource("heads")
  void workspacesMakeNoDifference(Head head) {
    workspacesMakeNoDifference(head, DataType.FLOAT);
    workspacesMakeNoDifference(head, DataType.DOUBLE);
  }

  private static void workspacesMakeNoDifference(Head head, DataType type) {
    DataSet data = Networks.images(type, 1, 4, 2, 6, 6);
    INDArray[] params = new INDArray[2];
    for (WorkspaceMode mode : new WorkspaceMode[] {WorkspaceMode.NONE, WorkspaceMode.ENABLED}) {
      ComputationGraph net =
          Networks.convolutional(
              Networks.general(type, new Nesterovs(0.1, 0.9))
                  .trainingWorkspaceMode(mode)
                  .inferenceWorkspaceMode(mode),
              head.layers(),
              IMAGE);
      for (int i = 0; i < 5; i++) {
        net.fit(data);
      }
      net.outputSingle(data.getFeatures());
      params[mode == WorkspaceMode.NONE ? 0 : 1] = net.params().dup();
    }
    assertThat(params[0]).isEqualTo(params[1]);
  }

  @ParameterizedTest
  @MethodSource("heads")
  void bothDataTypesComputeTheSame(Head head) {
    DataSet data = Networks.images(DataType.DOUBLE, 1, 4, 2, 6, 6);
    ComputationGraph exact = net(head, DataType.DOUBLE);
    ComputationGraph single = net(head, DataType.FLOAT);
    single.setParams(exact.params().castTo(DataType.FLOAT));
    exact.fit(data);
    single.fit(inFloat(data));
    assertClose(single.params(), exact.params(), FLOAT_ROUNDING);
  }

  private static DataSet inFloat(DataSet data) {
    return new DataSet(
        data.getFeatures().castTo(DataType.FLOAT), data.getLabels().castTo(DataType.FLOAT));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void channelsLastComputesTheSame(Head head) {
    NetPair pair = new NetPair(head);
    INDArray images = Networks.images(DataType.DOUBLE, 1, 3, 5, 4, 3).getFeatures();
    assertClose(
        pair.last.outputSingle(images.permute(0, 2, 3, 1).dup()),
        pair.first.outputSingle(images),
        ROUNDING);
  }

  /** The same head on [N, C, H, W] and on [N, H, W, C]. */
  private static final class NetPair {
    final ComputationGraph first;
    final ComputationGraph last;

    NetPair(Head head) {
      first = net(head, CNN2DFormat.NCHW);
      last = net(head, CNN2DFormat.NHWC);
    }

    private static ComputationGraph net(Head head, CNN2DFormat format) {
      return Networks.plain(
          Networks.general(DataType.DOUBLE, new Sgd(0.1)),
          head.layers(),
          InputType.convolutional(4, 3, 5, format));
    }
  }

  /** DL4J lets a layer with dropout overwrite its input, which is our output. */
  @Test
  void theNextLayerMayOverwriteItsInput() {
    Layer aggregation = new KernelAggregationLayer.Builder().build();
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new NoOp()),
            List.of(aggregation, new SpdVectorizationLayer.Builder().build()),
            InputType.convolutional(3, 3, 4));
    org.deeplearning4j.nn.api.Layer layer = net.getLayer("layer0");
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    INDArray images = Networks.images(DataType.DOUBLE, 1, 2, 4, 3, 3).getFeatures();
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 2, 1, 4, 4);
    layer.activate(images, true, none);
    INDArray expected = layer.backpropGradient(epsilon, none).getSecond().dup();
    layer.activate(images, true, none).assign(77);
    assertThat(layer.backpropGradient(epsilon, none).getSecond()).isEqualTo(expected);
  }

  @Test
  void backwardWithoutForwardComputesTheForwardPassItself() {
    ComputationGraph net = net(DataType.DOUBLE);
    org.deeplearning4j.nn.api.Layer layer = net.getLayer("layer0");
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 4);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, 2, 1, 5, 5);
    layer.activate(maps, true, none);
    INDArray expected = layer.backpropGradient(epsilon, none).getSecond().dup();
    layer.activate(maps, false, none); // inference keeps nothing
    assertThat(layer.backpropGradient(epsilon, none).getSecond()).isEqualTo(expected);
  }

  /** The backward pass writes over what was kept, and is then refused. */
  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void backwardAfterOneThatFailed(DataType type) {
    ComputationGraph net = net(type);
    net.initGradientsView();
    org.deeplearning4j.nn.api.Layer layer = net.getLayer("layer1");
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    INDArray matrices = Matrices.symmetricPart(Nd4j.randn(type, 2, 5, 5)).reshape(2, 1, 5, 5);
    INDArray epsilon = Nd4j.randn(type, layer.activate(matrices, true, none).shape());
    layer.backpropGradient(epsilon, none);
    INDArray expected = net.getGradientsViewArray().dup();
    layer.activate(matrices, true, none);
    INDArray bad = epsilon.dup().putScalar(0, Double.NaN);
    assertThatThrownBy(() -> layer.backpropGradient(bad, none))
        .isInstanceOf(NotFiniteException.class);
    layer.backpropGradient(epsilon, none);
    assertThat(net.getGradientsViewArray()).isEqualTo(expected);
  }

  /** What another input has left behind is not used. */
  @ParameterizedTest
  @MethodSource("heads")
  void backwardOfAnotherInputThanTheLastOne(Head head) {
    ComputationGraph net = net(head, DataType.DOUBLE);
    net.initGradientsView();
    org.deeplearning4j.nn.api.Layer layer = net.getLayer("layer0");
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 4);
    INDArray other = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 4);
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, layer.activate(maps, true, none).shape());
    INDArray expected = layer.backpropGradient(epsilon, none).getSecond().dup();
    layer.activate(other, true, none);
    layer.setInput(maps, none);
    assertThat(layer.backpropGradient(epsilon, none).getSecond()).isEqualTo(expected);
  }

  /** Dropout that always drops the same entries, and doubles the others. */
  private static final class FixedDropout implements IDropout {
    private static final long serialVersionUID = 1L;

    private final INDArray mask;

    FixedDropout(INDArray mask) {
      this.mask = mask;
    }

    @Override
    public INDArray applyDropout(
        INDArray input, INDArray result, int iteration, int epoch, LayerWorkspaceMgr workspaceMgr) {
      return result.assign(input.mul(mask));
    }

    @Override
    public INDArray backprop(
        INDArray gradientAtOutput, INDArray gradientAtInput, int iteration, int epoch) {
      return gradientAtInput.assign(gradientAtOutput.mul(mask));
    }

    @Override
    public void clear() {
      // it remembers nothing
    }

    @Override
    public IDropout clone() {
      return this;
    }
  }

  @ParameterizedTest
  @MethodSource("heads")
  void dropoutOnFeatureMapsReachesTheirGradient(Head head) {
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 5, 4, 3);
    INDArray mask = Nd4j.rand(DataType.DOUBLE, maps.shape()).gt(0.4).castTo(DataType.DOUBLE);
    mask.muli(2);
    InputType input = InputType.convolutional(4, 3, 5);
    LayerWorkspaceMgr none = LayerWorkspaceMgr.noWorkspaces();
    ComputationGraph plain =
        Networks.plain(Networks.general(DataType.DOUBLE, new Sgd(0.1)), head.layers(), input);
    plain.initGradientsView();
    org.deeplearning4j.nn.api.Layer layer = plain.getLayer("layer0");
    INDArray output = layer.activate(maps.mul(mask), true, none).dup();
    INDArray epsilon = Nd4j.randn(DataType.DOUBLE, output.shape());
    INDArray expected = layer.backpropGradient(epsilon, none).getSecond().mul(mask);

    layer.conf().getLayer().setIDropout(new FixedDropout(mask));
    assertThat(layer.activate(maps.dup(), true, none)).isEqualTo(output);
    assertThat(layer.backpropGradient(epsilon, none).getSecond()).isEqualTo(expected);
    INDArray undisturbed = layer.activate(maps.dup(), false, none);
    assertThat(undisturbed).isNotEqualTo(output); // dropout is for training
  }

  @Test
  void aRuntimeLayerCanBeCloned() {
    ComputationGraph net = net(DataType.DOUBLE);
    SpdRuntimeLayer layer = (SpdRuntimeLayer) net.getLayer("layer1");
    org.deeplearning4j.nn.api.Layer copy = layer.clone();
    assertThat(copy.getParam("W")).isEqualTo(layer.getParam("W"));
    copy.getParam("W").assign(0);
    assertThat(Stiefel.distanceFromManifold(layer.getParam("W"))).isLessThan(1e-12);
  }

  @Test
  void dropoutOfTheWholeNetworkReachesFeatureMapsAndSparesMatrices() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1)).dropOut(0.5), Networks.head(), IMAGE);
    DataSet data = Networks.images(DataType.FLOAT, 1, 4, 2, 6, 6);
    Map<String, INDArray> activations = net.feedForward(data.getFeatures(), true);
    INDArray y = activations.get("layer1").slice(0).slice(0);
    assertThat(y.sub(y.transpose()).amaxNumber().doubleValue()).isLessThan(1e-6);
    assertThat(((SpdLayer) net.getLayer("layer0").conf().getLayer()).getIDropout()).isNotNull();
    assertThat(((SpdLayer) net.getLayer("layer1").conf().getLayer()).getIDropout()).isNull();
    net.fit(data);
    assertThat(net.score()).isFinite();
  }

  @ParameterizedTest
  @MethodSource("heads")
  void networksCanBeSummarisedAndTheirMemoryReported(Head head) {
    ComputationGraph net = net(head, DataType.FLOAT);
    String summary = net.summary(IMAGE);
    String report = net.getConfiguration().getMemoryReport(IMAGE).toString();
    List<Layer> layers = head.layers();
    for (int i = 0; i < layers.size(); i++) {
      String name = layers.get(i).getClass().getSimpleName();
      assertThat(summary).contains("layer" + i + " (" + name + "$");
      assertThat(report).containsPattern("\\d x " + name);
    }
  }

  @ParameterizedTest
  @MethodSource("heads")
  void theOutputTypesAreThoseOfTheArrays(Head head) {
    ComputationGraph net = net(head, DataType.FLOAT);
    INDArray images = Networks.images(DataType.FLOAT, 1, 7, 2, 6, 6).getFeatures();
    Map<String, INDArray> activations = net.feedForward(images, false);
    Map<String, InputType> types = net.getConfiguration().getLayerActivationTypes(IMAGE);
    for (int i = 0; i < head.layers().size(); i++) {
      long[] shape = activations.get("layer" + i).shape();
      InputType expected =
          shape.length == 2
              ? InputType.feedForward(shape[1])
              : InputType.convolutional(shape[2], shape[3], shape[1]);
      assertThat(shape[0]).isEqualTo(7);
      assertThat(types.get("layer" + i)).isEqualTo(expected);
    }
  }

  @Test
  void theThreeLayersMakeAMatrixASmallerOneAndItsTriangle() {
    ComputationGraph net = net(DataType.FLOAT);
    INDArray images = Networks.images(DataType.FLOAT, 1, 7, 2, 6, 6).getFeatures();
    Map<String, INDArray> activations = net.feedForward(images, false);
    assertThat(activations.get("layer0").shape()).containsExactly(7, 1, 5, 5);
    assertThat(activations.get("layer1").shape()).containsExactly(7, 1, 3, 3);
    assertThat(activations.get("layer2").shape()).containsExactly(7, 6);
  }

  @Test
  void theSeedDeterminesW() {
    assertThat(net(DataType.FLOAT).getParam("layer1_W"))
        .isEqualTo(net(DataType.FLOAT).getParam("layer1_W"));
    SpdTransformLayer identity =
        new SpdTransformLayer.Builder()
            .nIn(4)
            .nOut(2)
            .init(StiefelInit.IDENTITY)
            .updater(new StiefelSgd())
            .build();
    INDArray w = Nd4j.create(DataType.FLOAT, 4, 2);
    identity.initializeParameters(Map.of("W", w));
    assertThat(w).isEqualTo(Stiefel.identity(DataType.FLOAT, 4, 2));
  }
}
