/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelMetric;
import io.github.spd4j.testing.Generator;
import io.github.spd4j.testing.Networks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.constraint.NonNegativeConstraint;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
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
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/** The updaters in whole networks: W is on the manifold whenever anybody looks. */
class StiefelUpdaterTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 2);

  /** A thousand in a campaign. */
  private static final int STEPS = 5 * Generator.times(40);

  static Stream<StiefelUpdater> updaters() {
    List<StiefelUpdater> all = new ArrayList<>();
    for (StiefelMetric metric : StiefelMetric.values()) {
      for (Retraction retraction : Retraction.values()) {
        for (double momentum : new double[] {0, 0.9}) {
          all.add(
              StiefelSgd.builder()
                  .learningRate(momentum == 0 ? 0.05 : 0.005)
                  .momentum(momentum)
                  .metric(metric)
                  .retraction(retraction)
                  .build());
        }
        all.add(
            StiefelAdam.builder().learningRate(0.01).metric(metric).retraction(retraction).build());
      }
    }
    return all.stream();
  }

  private static SpdTransformLayer transform(int nOut, IUpdater updater) {
    return new SpdTransformLayer.Builder().nOut(nOut).updater(updater).build();
  }

  /** Two transforms, whose parameters lie side by side in one updater block. */
  private static List<Layer> head(IUpdater updater) {
    return List.of(
        new KernelAggregationLayer.Builder().build(),
        transform(4, updater),
        transform(3, updater),
        new SpdVectorizationLayer.Builder().scale(10).build());
  }

  private static ComputationGraph net(IUpdater updater, DataType type) {
    return Networks.convolutional(
        Networks.general(type, new Nesterovs(0.01, 0.9)), head(updater), IMAGE);
  }

  private static DataSet data(DataType type) {
    return Networks.images(type, 1, 6, 2, 6, 6);
  }

  private static double distance(ComputationGraph net) {
    return Math.max(
        Stiefel.distanceFromManifold(net.getParam("layer1_W")),
        Stiefel.distanceFromManifold(net.getParam("layer2_W")));
  }

  /** Records the largest distance from the manifold that a listener ever saw. */
  private static final class Watch extends BaseTrainingListener {
    private double largest;
    private int seen;

    @Override
    public void iterationDone(Model model, int iteration, int epoch) {
      largest = Math.max(largest, distance((ComputationGraph) model));
      seen++;
    }
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void keepTheManifoldAndLearn(StiefelUpdater updater) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net = net(updater, type);
      Watch watch = new Watch();
      net.setListeners(watch);
      INDArray start = net.getParam("layer1_W").dup();
      double before = net.score(data(type));
      train(net, data(type), 20);
      assertThat(net.score(data(type))).isLessThan(0.5 * before);
      assertThat(net.getParam("layer1_W").distance2(start)).isGreaterThan(1e-3);
      assertThat(watch.seen).isEqualTo(20);
      assertSmall(watch.largest, onManifold(type));
    }
  }

  static Stream<StiefelUpdater> longRuns() {
    return Stream.of(
        new StiefelSgd(0.1),
        new StiefelSgd(0.1, 0.9),
        StiefelSgd.builder().learningRate(0.1).retraction(Retraction.POLAR).build(),
        StiefelSgd.builder().learningRate(0.1).momentum(0.9).retraction(Retraction.POLAR).build(),
        new StiefelAdam(0.01));
  }

  /**
   * Steps with fresh random gradients, on a matrix larger than those of the networks. Rounding that
   * adds up would be seen after a hundred.
   */
  @Tag("once")
  @ParameterizedTest
  @MethodSource("longRuns")
  void manyStepsStayOnTheManifold(StiefelUpdater updater) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      Nd4j.getRandom().setSeed(3);
      UpdaterRun run = new UpdaterRun(updater, Stiefel.random(type, 48, 20));
      for (int i = 1; i <= STEPS; i++) {
        run.step(Nd4j.randn(type, 48, 20), i - 1);
        if (i % 100 == 0) {
          assertSmall(Stiefel.distanceFromManifold(run.w), onManifold(type));
        }
      }
    }
  }

  /** The size of the paper's W. */
  @Tag("once")
  @ParameterizedTest
  @MethodSource("longRuns")
  void aLargeWStaysOnTheManifoldToo(StiefelUpdater updater) {
    Nd4j.getRandom().setSeed(4);
    UpdaterRun run = new UpdaterRun(updater, Stiefel.random(DataType.FLOAT, 512, 512));
    for (int i = 0; i < 5; i++) {
      run.step(Nd4j.randn(DataType.FLOAT, 512, 512).muli(0.1), i);
      assertSmall(Stiefel.distanceFromManifold(run.w), onManifold(DataType.FLOAT));
    }
  }

  /** One parameter and one updater, driven as DL4J drives them. */
  private static final class UpdaterRun {
    private final INDArray w;
    private final StiefelHandOver handOver;
    private final org.nd4j.linalg.learning.GradientUpdater<?> updater;

    UpdaterRun(StiefelUpdater config, INDArray start) {
      w = start;
      handOver = new StiefelHandOver("the test's W", w.rows(), w.columns());
      long size = config.stateSize(w.length());
      INDArray state = size == 0 ? null : Nd4j.create(w.dataType(), size);
      updater = config.instantiate(state, true);
    }

    void step(INDArray gradient, int iteration) {
      INDArray flat = gradient.reshape(gradient.length());
      handOver.apply(w.reshape(w.length()), flat, Double.NaN, iteration, 0);
      updater.applyUpdater(flat, iteration, 0);
      w.subi(flat.reshape(w.shape()));
    }
  }

  /** The paper's update, written out. */
  @Test
  void sgdWithoutMomentumIsThePapersUpdate() {
    Nd4j.getRandom().setSeed(5);
    INDArray w = Stiefel.random(DataType.DOUBLE, 7, 3);
    INDArray g = Nd4j.randn(DataType.DOUBLE, 7, 3);
    INDArray tangent = g.sub(w.mmul(g.transpose()).mmul(w));
    INDArray expected = Retraction.QR.ontoManifold(w.sub(tangent.mul(0.2)));
    StiefelSgd updater =
        StiefelSgd.builder().learningRate(0.2).retraction(Retraction.QR).momentum(0).build();
    UpdaterRun run = new UpdaterRun(updater, w.dup());
    run.step(g.dup(), 0);
    assertClose(run.w, expected, ROUNDING);
  }

  @Test
  void momentumIsTransportedByProjection() {
    Nd4j.getRandom().setSeed(6);
    INDArray w = Stiefel.random(DataType.DOUBLE, 7, 3);
    INDArray g1 = Nd4j.randn(DataType.DOUBLE, 7, 3);
    INDArray g2 = Nd4j.randn(DataType.DOUBLE, 7, 3);
    INDArray v1 = StiefelMetric.CANONICAL.gradient(w, g1);
    INDArray w1 = Retraction.preferred().retract(w, v1.mul(-0.1));
    INDArray v2 = Stiefel.projection(w1, v1).mul(0.9).add(StiefelMetric.CANONICAL.gradient(w1, g2));
    INDArray w2 = Retraction.preferred().retract(w1, v2.mul(-0.1));
    UpdaterRun run = new UpdaterRun(new StiefelSgd(0.1, 0.9), w.dup());
    run.step(g1.dup(), 0);
    run.step(g2.dup(), 1);
    assertClose(run.w, w2, ROUNDING);
  }

  @Test
  void adamIsItsFormula() {
    Nd4j.getRandom().setSeed(7);
    INDArray w = Stiefel.random(DataType.DOUBLE, 7, 3);
    UpdaterRun run = new UpdaterRun(new StiefelAdam(0.01), w.dup());
    INDArray m = w.like();
    double s = 0;
    for (int t = 1; t <= 3; t++) {
      INDArray g = Nd4j.randn(DataType.DOUBLE, 7, 3);
      INDArray gradient = StiefelMetric.CANONICAL.gradient(w, g);
      m = Stiefel.projection(w, m).mul(0.9).add(gradient.mul(0.1));
      s = 0.999 * s + 0.001 * gradient.mul(gradient).sumNumber().doubleValue() / 21;
      INDArray corrected = m.div(1 - Math.pow(0.9, t));
      double root = Math.sqrt(s / (1 - Math.pow(0.999, t))) + 1e-8;
      w = Retraction.preferred().retract(w, corrected.mul(-0.01 / root));
      run.step(g.dup(), t - 1);
      assertClose(run.w, w, ROUNDING);
    }
  }

  private static void train(ComputationGraph net, DataSet data, int steps) {
    for (int i = 0; i < steps; i++) {
      net.fit(data);
    }
  }

  @Test
  void twoTransformsShareOneBlock() {
    ComputationGraph net = net(new StiefelSgd(0.1, 0.9), DataType.DOUBLE);
    net.fit(data(DataType.DOUBLE));
    long shared =
        net.getUpdater().getUpdaterBlocks().stream()
            .map(UpdaterBlock::getLayersAndVariablesInBlock)
            .filter(
                params ->
                    params.stream()
                            .filter(p -> p.getLayer().getConfig() instanceof SpdTransformLayer)
                            .count()
                        == 2)
            .count();
    assertThat(shared).isEqualTo(1);
  }

  /** The same two transforms in a block of their own each: nothing changes. */
  @ParameterizedTest
  @MethodSource("updaters")
  void blocksMakeNoDifference(StiefelUpdater updater) {
    StiefelUpdater almostEqual = updater.clone();
    almostEqual.setLrAndSchedule(
        Double.NaN,
        new MapSchedule(ScheduleType.EPOCH, java.util.Map.of(0, updater.getLearningRate(0, 0))));
    assertThat(almostEqual).isNotEqualTo(updater);
    List<Layer> apart =
        List.of(
            new KernelAggregationLayer.Builder().build(),
            transform(4, updater),
            transform(3, almostEqual),
            new SpdVectorizationLayer.Builder().scale(10).build());
    ComputationGraph together = net(updater, DataType.DOUBLE);
    ComputationGraph separate =
        Networks.convolutional(
            Networks.general(DataType.DOUBLE, new Nesterovs(0.01, 0.9)), apart, IMAGE);
    train(together, data(DataType.DOUBLE), 3);
    train(separate, data(DataType.DOUBLE), 3);
    assertThat(separate.params()).isEqualTo(together.params());
  }

  @ParameterizedTest
  @MethodSource("updaters")
  void clonesGoOnAlike(StiefelUpdater updater) {
    // DL4J's Nesterovs has no iteration count, so the whole network can be compared.
    ComputationGraph net = net(updater, DataType.DOUBLE);
    train(net, data(DataType.DOUBLE), 3);
    ComputationGraph copy = net.clone();
    train(net, data(DataType.DOUBLE), 3);
    train(copy, data(DataType.DOUBLE), 3);
    assertThat(copy.params()).isEqualTo(net.params());
  }

  @ParameterizedTest
  @EnumSource(GradientNormalization.class)
  void gradientClippingIsRespected(GradientNormalization clipping) {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Sgd(0.1))
                .gradientNormalization(clipping)
                .gradientNormalizationThreshold(1e-3),
            head(null),
            IMAGE);
    INDArray start = net.getParam("layer1_W").dup();
    net.fit(data(DataType.FLOAT));
    double moved = net.getParam("layer1_W").distance2(start);
    assertThat(moved).isPositive();
    if (clipping.name().startsWith("Clip")) {
      // |∇| ≤ 2 |G|, and the step is 0.1 ∇.
      double largest = clipping == GradientNormalization.ClipElementWiseAbsoluteValue ? 0.02 : 3e-4;
      assertThat(moved).isLessThan(largest);
    }
    assertSmall(distance(net), onManifold(DataType.FLOAT));
  }

  @Test
  void regularisationAndConstraintsOfTheNetworkNeverTouchW() {
    ComputationGraph plain = net(new StiefelSgd(0.1), DataType.DOUBLE);
    List<ComputationGraph> regularised =
        List.of(
            regularised(general().l2(0.5)),
            regularised(general().l1(0.5)),
            regularised(general().weightDecay(0.5)),
            regularised(general().constrainWeights(new NonNegativeConstraint())));
    plain.fit(data(DataType.DOUBLE));
    INDArray expected = plain.getParam("layer1_W");
    for (ComputationGraph net : regularised) {
      net.setParams(net(new StiefelSgd(0.1), DataType.DOUBLE).params());
      net.fit(data(DataType.DOUBLE));
      assertThat(net.getParam("layer1_W")).isEqualTo(expected);
      assertThat(net.getParam("conv_W")).isNotEqualTo(plain.getParam("conv_W"));
    }
  }

  private static org.deeplearning4j.nn.conf.NeuralNetConfiguration.Builder general() {
    return Networks.general(DataType.DOUBLE, new Nesterovs(0.01, 0.9));
  }

  private static ComputationGraph regularised(
      org.deeplearning4j.nn.conf.NeuralNetConfiguration.Builder general) {
    return Networks.convolutional(general, head(new StiefelSgd(0.1)), IMAGE);
  }

  @Test
  void schedulesAreFollowed() {
    ISchedule schedule = new StepSchedule(ScheduleType.ITERATION, 0.1, 0, 1);
    ComputationGraph net = net(new StiefelSgd(schedule), DataType.DOUBLE);
    net.fit(data(DataType.DOUBLE));
    INDArray afterOne = net.getParam("layer1_W").dup();
    train(net, data(DataType.DOUBLE), 3); // the rate is 0 from the second iteration on
    assertClose(net.getParam("layer1_W"), afterOne, ROUNDING);
  }

  @Test
  void worksInAMultiLayerNetwork() {
    ListBuilder list = Networks.general(DataType.FLOAT, new Adam(0.01)).list();
    head(null).forEach(list::layer);
    list.layer(
        new OutputLayer.Builder(LossFunction.MCXENT)
            .activation(Activation.SOFTMAX)
            .nOut(Networks.CLASSES)
            .build());
    MultiLayerNetwork net =
        new MultiLayerNetwork(list.setInputType(InputType.convolutional(3, 3, 5)).build());
    net.init();
    DataSet data = Networks.images(DataType.FLOAT, 1, 6, 5, 3, 3);
    double before = net.score(data);
    for (int i = 0; i < 50; i++) {
      net.fit(data);
    }
    assertThat(net.score(data)).isLessThan(before);
    assertSmall(Stiefel.distanceFromManifold(net.getParam("1_W")), onManifold(DataType.FLOAT));
    assertSmall(Stiefel.distanceFromManifold(net.getParam("2_W")), onManifold(DataType.FLOAT));
  }

  @Test
  void counterpartsOfTheUpdatersOfANetwork() {
    ISchedule schedule = new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2);
    assertThat(StiefelUpdaters.counterpartOf(new Sgd(0.3))).isEqualTo(new StiefelSgd(0.3));
    assertThat(StiefelUpdaters.counterpartOf(new Sgd(schedule)))
        .isEqualTo(new StiefelSgd(schedule));
    assertThat(StiefelUpdaters.counterpartOf(new Nesterovs(0.3, 0.8)))
        .isEqualTo(new StiefelSgd(0.3, 0.8));
    assertThat(StiefelUpdaters.counterpartOf(new Adam(0.02, 0.8, 0.9, 1e-5)))
        .isEqualTo(
            StiefelAdam.builder().learningRate(0.02).beta1(0.8).beta2(0.9).epsilon(1e-5).build());
    assertThat(StiefelUpdaters.counterpartOf(new NoOp())).isEqualTo(new NoOp());
    assertThat(StiefelUpdaters.counterpartOf(new RmsProp(0.02))).isEqualTo(new StiefelAdam(0.02));
    assertThat(StiefelUpdaters.counterpartOf(new AdaDelta())).isEqualTo(new StiefelAdam());
    assertThat(StiefelUpdaters.counterpartOf(null)).isEqualTo(new StiefelSgd());
  }

  @Test
  void counterpartsHaveTheScheduleOfTheNetwork() {
    ISchedule schedule = new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 2);
    assertThat(StiefelUpdaters.counterpartOf(new RmsProp(schedule)))
        .isEqualTo(StiefelAdam.builder().learningRate(schedule).build());
  }

  @Test
  void saysAllItsSettings() {
    assertThat(new StiefelSgd(0.3, 0.8))
        .hasToString("StiefelSgd(learningRate=0.3, momentum=0.8, metric=CANONICAL, retraction=QR)");
    assertThat(new StiefelSgd(0.3).toString()).contains("momentum=0.0");
    assertThat(StiefelAdam.builder().beta1(0.8).build().toString())
        .contains("beta1=0.8, beta2=0.999, epsilon=1.0E-8");
  }

  @Test
  void theNoOpOfAGradientCheckIsNotReplaced() {
    ComputationGraph net =
        Networks.convolutional(Networks.general(DataType.FLOAT, new NoOp()), head(null), IMAGE);
    assertThat(net.getLayer("layer1").conf().getLayer().getUpdaterByParam("W"))
        .isEqualTo(new NoOp());
    assertThat(net.getLayer("layer1").conf().getLayer().getRegularizationByParam("W")).isEmpty();
  }

  /** As the updater of a whole network it would meet parameters that live on no manifold. */
  @Test
  void refusesParametersThatAreNotOnTheManifold() {
    ComputationGraph net =
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new StiefelSgd(0.1)), head(null), IMAGE);
    INDArray before = net.params().dup();
    assertThatThrownBy(() -> net.fit(data(DataType.FLOAT)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("StiefelSgd needs parameters on the Stiefel manifold")
        .hasMessageContaining("Set it with updater(…) on those layers alone");
    assertThat(net.params()).isEqualTo(before);
  }

  @Test
  void refusesAGradientThatIsNotFinite() {
    ComputationGraph net = net(new StiefelSgd(0.1, 0.9), DataType.FLOAT);
    INDArray before = net.params().dup();
    DataSet bad = data(DataType.FLOAT);
    bad.getLabels().putScalar(0, Float.NaN); // a NaN in the images is refused before
    assertThatThrownBy(() -> net.fit(bad))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(
            "SpdTransformLayer 'layer2': got NaN or infinity in the gradient of W")
        .hasMessageContaining("no parameter was changed");
    assertThat(net.params()).isEqualTo(before);
    train(net, data(DataType.FLOAT), 3); // nothing of the failed step is left behind
    assertThat(net.score()).isFinite();
  }

  /** A layer of somebody else's that hands over a gradient unchecked. */
  @Test
  void refusesWhatItIsHandedIfThatIsNotFinite() {
    UpdaterRun run = new UpdaterRun(new StiefelSgd(0.1), Stiefel.identity(DataType.FLOAT, 4, 2));
    INDArray gradient = Nd4j.ones(DataType.FLOAT, 4, 2).putScalar(3, Float.NaN);
    assertThatThrownBy(() -> run.step(gradient, 17))
        .hasMessageContaining("the test's W: got NaN or infinity in the gradient of W")
        .hasMessageContaining("iteration 17");
    run.w.putScalar(0, Float.POSITIVE_INFINITY);
    assertThatThrownBy(() -> run.step(Nd4j.ones(DataType.FLOAT, 4, 2), 18))
        .hasMessageContaining("infinity in W at iteration 18");
  }

  @Test
  void refusesARateThatIsNotANumber() {
    ISchedule broken = new StepSchedule(ScheduleType.ITERATION, Double.NaN, 1, 1);
    ComputationGraph net = net(new StiefelSgd(broken), DataType.FLOAT);
    assertThatThrownBy(() -> net.fit(data(DataType.FLOAT)))
        .hasMessageContaining(
            "SpdTransformLayer 'layer1': expected a finite learning rate, got NaN");
  }

  @Test
  void refusesBadSettings() {
    assertThatThrownBy(() -> new StiefelSgd(-1))
        .hasMessage("learningRate: expected at least 0.0, got -1.0");
    assertThatThrownBy(() -> new StiefelSgd(0.1, 1)).hasMessageContaining("got 1.0");
    assertThatThrownBy(() -> StiefelAdam.builder().beta2(1).build())
        .hasMessage("beta2: expected at least 0 and less than 1, got 1.0");
    assertThatThrownBy(() -> new StiefelSgd().instantiate(java.util.Map.of(), true))
        .hasMessageContaining("StiefelSgd updates parameters of DL4J layers");
  }

  /** W that is a little off the manifold is back on it after one step. */
  @Test
  void oneStepBringsWBack() {
    ComputationGraph net = net(new StiefelSgd(1e-3), DataType.DOUBLE);
    net.getParam("layer1_W").addi(Nd4j.randn(DataType.DOUBLE, 5, 4).muli(1e-5));
    assertThat(distance(net)).isGreaterThan(1e-6);
    net.fit(data(DataType.DOUBLE));
    assertSmall(distance(net), onManifold(DataType.DOUBLE));
  }
}
