/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.Predictions;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.manifold.Stiefel;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class QuickstartTest {

  private static QuickstartResult tiny() {
    QuickstartSettings settings = new QuickstartSettings();
    settings.imageSize = 32;
    settings.trainPerClass = 2;
    settings.validationPerClass = 1;
    settings.testPerClass = 2;
    settings.directions = 1;
    settings.head.transform = 6;
    settings.training.headEpochs = 2;
    settings.training.wholeEpochs = 1;
    return new Quickstart(settings, task -> new Progress() {}).run();
  }

  @Tag("both")
  @Test
  void runsEndToEndAndReports() {
    QuickstartResult result = tiny();
    assertThat(result.heads()).hasSize(3);
    for (HeadResult head : result.heads()) {
      assertThat(head.accuracy()).isBetween(0.0, 1.0);
      assertThat(head.history()).hasSize(4);
    }
    String w = SpdGraft.transform(0) + "_W";
    assertThat(Stiefel.distanceFromManifold(result.spd().net().getParam(w))).isLessThan(1e-5);
    assertThat(result.verdict()).contains("SPD head");
    assertThat(new QuickstartReport(result).html())
        .contains("Learning curves", "Confusion matrices", "‖WᵀW", result.heads().get(1).name())
        .contains("./spd train MY_IMAGES --out my-model")
        .doesNotContain("could not be made")
        .doesNotContain("http");
    QuickstartSummary summary = new QuickstartSummary();
    summary.add(result);
    assertThat(summary.lines()).hasSize(4).last().asString().startsWith("lead of SPD");
  }

  @Test
  void theMainColourIsThePatternWhateverItsColours() {
    float[][][] image = new float[3][4][5];
    for (int y = 0; y < 4; y++) {
      for (int x = 0; x < 5; x++) {
        float pattern = (x + y) % 2;
        image[0][y][x] = 0.2f + 0.5f * pattern;
        image[1][y][x] = 0.9f - 0.3f * pattern;
        image[2][y][x] = 0.1f;
      }
    }
    float[] grey = mainColour(image);
    for (int i = 0; i < 20; i++) {
      float expected = (i % 5 + i / 5) % 2 == 0 ? -1 : 1;
      assertThat(grey[i]).isCloseTo(expected, within(1e-5f));
    }
    assertThat(mainColour(new float[3][2][2])).containsOnly(0);
  }

  private static float[] mainColour(float[][][] image) {
    INDArray images = Nd4j.createFromArray(new float[][][][] {image});
    return TextureImages.mainColour(images).dup().data().asFloat();
  }

  @Test
  void filtersHaveMeanZeroAndLengthOne() {
    INDArray weights = Nd4j.zeros(OrientedFilters.count(3), 1, 5, 5);
    OrientedFilters.set(weights, 3);
    assertFilters(weights);
    QuickstartSettings settings = new QuickstartSettings();
    assertFilters(
        new Quickstart(settings, name -> new Progress() {}).backbone().net().getParam("conv_W"));
  }

  private static void assertFilters(INDArray weights) {
    INDArray rows = weights.dup('c').reshape(weights.size(0), 25);
    assertThat(rows.sum(1).norm2Number().doubleValue()).isLessThan(1e-5);
    assertThat(rows.norm2(1).subi(1).norm2Number().doubleValue()).isLessThan(1e-5);
  }

  @Test
  void aLeadIsClearFromTwoStandardErrorsOn() {
    int[] some = new int[100];
    int[] most = new int[100];
    for (int i = 0; i < 100; i++) {
      some[i] = i < 60 ? 0 : 1;
      most[i] = i < 75 ? 0 : 1;
    }
    HeadResult first = new HeadResult("a", null, List.of(), predictions(most), 1);
    HeadResult second = new HeadResult("b", null, List.of(), predictions(some), 1);
    assertThat(first.leadOver(second).difference()).isEqualTo(0.15);
    assertThat(first.leadOver(second).isClear()).isTrue();
    assertThat(second.leadOver(first).isClear()).isFalse();
    assertThat(first.predictions().confusion()).isEqualTo(new int[][] {{75, 25}, {0, 0}});
  }

  @Test
  void aSummaryHasMeanAndDeviationOfASample() {
    assertThat(QuickstartSummary.line("SPD", List.of(0.5, 0.7)))
        .isEqualTo("SPD               60.0 ± 14.1 (50.0, 70.0)");
    assertThat(QuickstartSummary.line("SPD", List.of(0.5))).endsWith(" 50.0 ± 0.0 (50.0)");
  }

  /** Of images that all belong to the first class. */
  private static Predictions predictions(int... answers) {
    INDArray probabilities = Nd4j.zeros(answers.length, 2);
    IntStream.range(0, answers.length).forEach(i -> probabilities.putScalar(i, answers[i], 1));
    ImageFile image = new ImageFile(Path.of("x"), "x", 0);
    return new Predictions(
        Collections.nCopies(answers.length, image), List.of("p", "q"), probabilities);
  }
}
