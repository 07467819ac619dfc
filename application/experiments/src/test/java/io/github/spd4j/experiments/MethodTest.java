/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.graft.Head;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.EnumSource;

class MethodTest {

  private static final Backbone BACKBONE =
      BackboneChoice.of("random").load(ExperimentKind.TEXTURE, null, null);

  private static ComputationGraph net(Method method) {
    return net(method, new HeadSettings());
  }

  private static ComputationGraph net(Method method, HeadSettings settings) {
    return SpdGraft.onto(BACKBONE)
        .head(method.recipe(settings, BACKBONE).head())
        .classes(3)
        .build();
  }

  @ParameterizedTest
  @EnumSource(Method.class)
  void everyMethodHasAHeadAFigureAndAKey(Method method) {
    assertThat(net(method).getConfiguration().getVertices().containsKey(SpdGraft.CONVOLUTION))
        .isEqualTo(method.convolution > 0);
    assertThat(method.paperFigure(DataSetKind.KTH_TIPS)).isEmpty();
    assertThat(Method.find(method.key())).contains(method);
    assertThat(method.title(false)).doesNotContain("Ours", "VGG"); // it may be any backbone
  }

  /** Whoever changes a head changes a line of this file, too; a new method needs none. */
  @ParameterizedTest
  @CsvFileSource(resources = "heads.txt", delimiter = '|')
  void headsAreMadeOfTheseParts(String key, String parts) {
    Method method = Method.find(key).orElseThrow();
    assertThat(method.recipe(new HeadSettings(), BACKBONE).head()).hasToString(parts);
  }

  /** What else a new method needs is in docs/extending.md, "A head". */
  @ParameterizedTest
  @EnumSource(Method.class)
  void everyMethodIsInTheDocuments(Method method) throws IOException {
    Path page = Path.of(System.getProperty("spd4j.root"), "docs/experiments.md");
    assertThat(Files.readString(page).lines())
        .as("a row of %s with `%s`", page, method.key())
        .anyMatch(line -> line.startsWith("|") && line.contains("`" + method.key() + "`"));
  }

  @ParameterizedTest
  @EnumSource(BackboneKind.class)
  void everyBackboneIsInTheDocuments(BackboneKind backbone) throws IOException {
    Path page = Path.of(System.getProperty("spd4j.root"), "docs/experiments.md");
    for (String name : backbone.names().toList()) {
      assertThat(Files.readString(page).lines())
          .as("a row of %s with `%s`", page, name)
          .anyMatch(line -> line.startsWith("|") && line.contains("`" + name + "`"));
    }
  }

  /** Programs to copy name the figures themselves. */
  @Test
  void theExamplesHaveThePapersFigures() throws IOException {
    assertThat(figuresIn("texture/src/main/java/io/github/spd4j/examples/Textures.java"))
        .isEqualTo(figures(DataSetKind.DTD, DataSetKind.FMD, DataSetKind.KTH_TIPS_2B));
    assertThat(figuresIn("fine-grained/src/main/java/io/github/spd4j/examples/FineGrained.java"))
        .isEqualTo(figures(DataSetKind.CUB, DataSetKind.AIRCRAFT));
  }

  private static Map<String, String> figuresIn(String program) throws IOException {
    Path source = Path.of(System.getProperty("spd4j.root"), "examples", program);
    return Pattern.compile("new Row\\([^\"]*\"([^\"]+)\",((?:\\s*(?:nan|[0-9.]+),)+)")
        .matcher(Files.readString(source))
        .results()
        .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2).replaceAll("\\s", "")));
  }

  private static Map<String, String> figures(DataSetKind... sets) {
    Map<String, String> all = new HashMap<>();
    for (Method method : Method.values()) {
      List<OptionalDouble> figures = Stream.of(sets).map(method::paperFigure).toList();
      if (figures.stream().anyMatch(OptionalDouble::isPresent)) {
        String title =
            method
                .title(true)
                .replace("no conv 1×1 + ", "")
                .replace("Kernel Aggregation Layer", "kernel alone")
                .replace("Ours", "ours");
        all.put(
            title,
            figures.stream()
                .map(it -> (it.isPresent() ? it.getAsDouble() : "nan") + ",")
                .collect(Collectors.joining()));
      }
    }
    return all;
  }

  @Test
  void aHeadThatCannotBeIsAMistakeOfTheUser() {
    HeadSettings settings = new HeadSettings();
    assertThatThrownBy(() -> Method.SPD_ROOT.recipe(settings, 1, false)) // half of one map
        .isInstanceOf(UserException.class)
        .hasMessageStartingWith("no network can be made so: ")
        .hasMessageContaining("expected nOut(C') of at least 1");
    settings.scale = Double.POSITIVE_INFINITY;
    assertThatThrownBy(() -> Method.B_CNN.recipe(settings, 8, false))
        .isInstanceOf(UserException.class)
        .hasMessageContaining("expected a finite scale");
  }

  @Test
  void everySettingIsForSomeMethod() {
    assertThat(Json.texts(new HeadSettings()).keySet())
        .allSatisfy(
            setting ->
                assertThat(Method.values())
                    .as(setting)
                    .anyMatch(method -> method.asksFor(setting, new HeadSettings())));
  }

  @Test
  void aBandwidthIsLearntOnlyIfAskedFor() {
    HeadSettings settings = new HeadSettings();
    assertThat(settings.byName()).containsEntry("learnBandwidth", "false");
    String theta = SpdGraft.AGGREGATION + "_" + RadialKernel.LOG_BANDWIDTH;
    assertThat(net(Method.SPD, settings).paramTable()).doesNotContainKey(theta);
    settings.learnBandwidth = true;
    settings.differentiateBandwidth = true;
    assertThat(settings.byName()).containsEntry("learnBandwidth", "true");
    assertThat(net(Method.SPD, settings).paramTable()).containsKey(theta);
    settings.kernel = KernelChoice.COVARIANCE; // has no bandwidth
    assertThat(net(Method.SPD, settings).paramTable()).doesNotContainKey(theta);
  }

  @Test
  void aConvolutionThatStartsAtRandomTakesSmallStepsBeforeSensitiveHeads() {
    assertThat(convolutionRate(Method.CONV_512_KERNEL, true)).isEqualTo(3e-4);
    assertThat(convolutionRate(Method.CONV_512_VGG_16, true)).isEqualTo(3e-4);
    assertThat(convolutionRate(Method.CONV_512_KERNEL, false)).isEqualTo(1e-3);
    assertThat(convolutionRate(Method.SPD, true)).isEqualTo(1e-3);
    assertThat(convolutionRate(Method.CONV_512_B_CNN, true)).isEqualTo(1e-3);
    assertThat(convolutionRate(Method.SPD_ROOT, true)).isEqualTo(1e-3);
    assertThat(convolutionRate(Method.DEEP_TEN, true)).isEqualTo(1e-3);
  }

  @Test
  void whoSetsTheClassifiersRateGetsIt() {
    Head head = Method.SPD.recipe(new HeadSettings(), BACKBONE).head();
    TrainingSettings training = new TrainingSettings();
    assertThat(training.plan(head, 1).limitsClassifierRate()).isTrue();
    assertThat(training.byName(head, 1)).containsEntry("limitClassifierRate", "true");
    training.headRates.put(LayerGroup.CLASSIFIER, 0.01);
    assertThat(training.plan(head, 1).limitsClassifierRate()).isFalse();
  }

  private static double convolutionRate(Method method, boolean randomStart) {
    HeadSettings settings = new HeadSettings();
    settings.randomStart = randomStart;
    Head head = method.recipe(settings, BACKBONE).head();
    TrainingSettings training = new TrainingSettings();
    TrainingPlan plan = training.plan(head, 1);
    assertThat(training.byName(head, 1)).containsEntry("ratesHead", rates(plan));
    assertThat(plan.rate(Stage.HEAD, LayerGroup.TRANSFORM)).isEqualTo(1e-3);
    assertThat(plan.rate(Stage.WHOLE, LayerGroup.CONVOLUTION)).isEqualTo(3e-4);
    training.headRates.put(LayerGroup.CONVOLUTION, 0.5);
    assertThat(training.plan(head, 1).rate(Stage.HEAD, LayerGroup.CONVOLUTION)).isEqualTo(0.5);
    training.headRates.clear();
    training.preset = TrainingSettings.Preset.PAPER;
    assertThat(training.plan(head, 1).rate(Stage.HEAD, LayerGroup.CONVOLUTION)).isEqualTo(0.1);
    return plan.rate(Stage.HEAD, LayerGroup.CONVOLUTION);
  }

  private static String rates(TrainingPlan plan) {
    return Arrays.stream(LayerGroup.values())
        .map(group -> group + "=" + plan.rate(Stage.HEAD, group))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  @Test
  void anExponentBelongsToThePower() {
    HeadSettings settings = new HeadSettings();
    settings.exponent = 0.25;
    assertThat(Method.MPN_COV.recipe(settings, BACKBONE).byName())
        .containsEntry("exponent", "0.25");
    assertThat(Method.ISQRT_COV.recipe(settings, BACKBONE).byName()).doesNotContainKey("exponent");
    MatrixPowerLayer power =
        (MatrixPowerLayer)
            net(Method.MPN_COV, settings).getLayer(SpdGraft.FUNCTION).conf().getLayer();
    assertThat(power.getExponent()).isEqualTo(0.25);
  }

  @Test
  void logCholeskyEndsInItsOwnVector() {
    assertThat(net(Method.LOG_CHOLESKY).getLayer(SpdGraft.VECTOR).conf().getLayer())
        .isInstanceOf(LogCholeskyLayer.class);
  }

  @Test
  void classifiersOfMatricesTakeNoVector() {
    ComputationGraph net = net(Method.SPD_CLASSIFIER_CHOLESKY);
    assertThat(net.getConfiguration().getVertices()).doesNotContainKey(SpdGraft.VECTOR);
    assertThat(((SpdOutputLayer) net.getOutputLayer(0).conf().getLayer()).getMetric())
        .isEqualTo(LogMetric.CHOLESKY);
    assertThat(net.getLayer(SpdGraft.CLASSIFIER).params().sumNumber().doubleValue()).isZero();
  }

  @Test
  void thePaperHasFiguresForItsOwnRows() {
    assertThat(Method.SPD.paperFigure(DataSetKind.CUB)).hasValue(72.4);
    assertThat(Method.FV_CNN.paperFigure(DataSetKind.DTD)).hasValue(67.3);
    assertThat(Method.FV_CNN.paperFigure(DataSetKind.AIRCRAFT)).isEmpty();
    assertThat(Method.DEEP_TEN.paperFigure(DataSetKind.FMD)).hasValue(80.2);
    assertThat(Method.ISQRT_COV.paperFigure(DataSetKind.CUB)).isEmpty();
    assertThat(Method.areInPaper(DataSetKind.CUB)).isTrue();
    assertThat(Method.areInPaper(DataSetKind.FOLDERS)).isFalse();
    assertThat(Method.SPD.title(true)).isEqualTo("Ours");
  }

  @Test
  void theBackboneTellsItsMapsAndItsFullyConnectedLayers() {
    assertThat(SpdGraft.onto(BACKBONE).featureMaps()).isEqualTo(12);
    assertThat(SpdGraft.onto(BACKBONE).hasFullyConnected()).isFalse();
  }

  @Test
  void unknownBackbonesAreMistakes() {
    for (String name :
        new String[] {
          "resnet",
          "googlenet",
          "random:x",
          "resnet50v2",
          "resnet50v2:no-such.npz",
          "scattering:x",
          "vgg16:no-such.zip",
          "resnet50:no-such.zip"
        }) {
      assertThatThrownBy(() -> BackboneChoice.of(name).load(ExperimentKind.TEXTURE, null, null))
          .isInstanceOf(UserException.class)
          .hasMessageStartingWith("--backbone");
    }
  }

  @Test
  void scatteringTakesThePlaceOfWeightsThatCannotBeHad() {
    BackboneChoice missing = BackboneChoice.of("vgg16:no-such.zip");
    BackboneChoice choice = BackboneChoice.available("auto", () -> missing);
    assertThat(choice.name()).isEqualTo("scattering");
    assertThat(choice.notice().orElseThrow()).contains("no-such.zip", "scattering is used");
    Backbone backbone = choice.load(ExperimentKind.TEXTURE, null, null);
    assertThat(backbone.size()).isEqualTo(128);
    assertThat(SpdGraft.onto(backbone).featureMaps()).isEqualTo(417);

    BackboneChoice there = BackboneChoice.of("random");
    assertThat(BackboneChoice.available("auto", () -> there)).isSameAs(there);
    assertThat(there.notice()).isEmpty();
    assertThat(BackboneChoice.available("random", () -> missing).name()).isEqualTo("random");
  }
}
