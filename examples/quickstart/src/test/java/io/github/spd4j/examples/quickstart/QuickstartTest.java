/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.train.TrainingProgress;
import org.junit.jupiter.api.Test;

class QuickstartTest {

  private static QuickstartResult tiny() {
    QuickstartSettings settings = new QuickstartSettings();
    settings.imageSize = 32;
    settings.trainPerClass = 2;
    settings.validationPerClass = 1;
    settings.testPerClass = 2;
    settings.width = 4;
    settings.transform = 6;
    settings.backboneEpochs = 1;
    settings.headEpochs = 2;
    settings.wholeEpochs = 1;
    return new Quickstart(settings, task -> new TrainingProgress() {}).run();
  }

  @Test
  void runsEndToEndAndReports() {
    QuickstartResult result = tiny();
    assertThat(result.heads()).hasSize(3);
    for (HeadResult head : result.heads()) {
      assertThat(head.accuracy()).isBetween(0.0, 1.0);
      assertThat(head.history()).hasSize(3);
    }
    String w = SpdGraft.transform(0) + "_W";
    assertThat(Stiefel.distanceFromManifold(result.spd().net().getParam(w))).isLessThan(1e-5);
    assertThat(result.verdict()).contains("SPD head");
    assertThat(new QuickstartReport(result).html())
        .contains("Learning curves", "Confusion matrices", "‖WᵀW", result.heads().get(1).name())
        .doesNotContain("http");
  }

  @Test
  void aLeadIsClearFromTwoStandardErrorsOn() {
    int[] labels = new int[100];
    int[] some = new int[100];
    int[] most = new int[100];
    for (int i = 0; i < 100; i++) {
      some[i] = i < 60 ? 0 : 1;
      most[i] = i < 75 ? 0 : 1;
    }
    HeadResult first = new HeadResult("a", null, java.util.List.of(), labels, most, 2, 1);
    HeadResult second = new HeadResult("b", null, java.util.List.of(), labels, some, 2, 1);
    assertThat(first.leadOver(second).difference()).isEqualTo(0.15);
    assertThat(first.leadOver(second).isClear()).isTrue();
    assertThat(second.leadOver(first).isClear()).isFalse();
    assertThat(first.confusion()).isEqualTo(new int[][] {{75, 25}, {0, 0}});
  }
}
