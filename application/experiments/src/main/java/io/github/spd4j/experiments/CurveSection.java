/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.SvgChart;
import io.github.spd4j.train.TrainingResult;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The learning curves of a run. */
record CurveSection(HtmlPage page, TrainingResult training) {

  void add() {
    if (training.history().stream().allMatch(record -> record.rates().isEmpty())) {
      page.paragraph(fit());
      return;
    }
    for (Stage stage : Stage.values()) {
      List<EpochRecord> history = training.history(stage);
      if (!history.isEmpty()) {
        curves(stage == Stage.HEAD ? "the head" : "the whole network", history);
      }
    }
    for (EpochRecord epoch : training.rollbacks()) {
      String what = epoch(epoch.stage(), epoch.epoch());
      page.paragraph("Undone: " + what + ", because " + epoch.rollbackReason() + ".");
    }
  }

  /** An epoch in plain words. */
  static String epoch(Stage stage, int epoch) {
    String what = stage == Stage.HEAD ? "the head" : "the whole network";
    return epoch == 0
        ? "before " + what + " learnt, with a fitted classifier"
        : "epoch " + epoch + " of " + what;
  }

  private void curves(String stage, List<EpochRecord> epochs) {
    curve(
        stage, "accuracy", epochs, EpochRecord::trainingAccuracy, EpochRecord::validationAccuracy);
    curve(stage, "loss", epochs, EpochRecord::trainingLoss, EpochRecord::validationLoss);
    if (epochs.get(epochs.size() - 1).rates().isEmpty()) {
      page.paragraph(
          "The last point of both is a classifier that was fitted at the end, not learnt: it has"
              + " another scale, so its loss may jump. Compare accuracies.");
    }
  }

  /** Records without rates are fits; the best is the one that stands. */
  private String fit() {
    EpochRecord fit = training.best();
    String validation =
        Double.isFinite(fit.validationAccuracy())
            ? ", and is right about "
                + HtmlPage.percent(fit.validationAccuracy())
                + " of the validation images"
            : "";
    return String.format(
        Locale.ROOT,
        "There are none: nothing was learnt step by step. The classifier was fitted to the training"
            + " images in closed form, in %.1f s%s.",
        fit.seconds(),
        validation);
  }

  private void curve(
      String stage,
      String what,
      List<EpochRecord> history,
      ToDoubleFunction<EpochRecord> known,
      ToDoubleFunction<EpochRecord> held) {
    Map<String, double[]> curves = new LinkedHashMap<>();
    curves.put("training", history.stream().mapToDouble(known).toArray());
    curves.put("validation", history.stream().mapToDouble(held).toArray());
    curves.values().removeIf(curve -> DoubleStream.of(curve).noneMatch(Double::isFinite));
    if (curves.isEmpty()) {
      return;
    }
    String title = what.substring(0, 1).toUpperCase(Locale.ROOT) + what.substring(1);
    page.chart(
        SvgChart.curves(what, history.get(0).epoch(), curves),
        title + " while " + stage + " learns");
  }
}
