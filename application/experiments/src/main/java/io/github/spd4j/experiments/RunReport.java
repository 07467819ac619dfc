/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.Pictures;
import io.github.spd4j.train.TrainingResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The page that a run leaves behind. */
record RunReport(
    HtmlPage page,
    Run run,
    RunResult result,
    TrainingResult training,
    Predictions predictions,
    ComputationGraph net) {

  /** More classes are shown as a picture, without numbers. */
  private static final int MOST_IN_TABLE = 25;

  String html() {
    page.lead(result.verdict() + ".");
    figures();
    search();
    new CurveSection(page, training).add();
    if (predictions.size() > 0) {
      classes();
    }
    new ExampleSection(page, run, predictions, net).add();
    skipped();
    settings();
    return page.html();
  }

  private void figures() {
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("Partition", result.place());
    rows.put("Training seed", String.valueOf(result.seed()));
    rows.put("Backbone", run.experiment.backbone.title());
    if (Double.isFinite(result.meanClassAccuracy())) {
      rows.put("Mean accuracy of the classes", HtmlPage.percent(result.meanClassAccuracy()));
    }
    if (Double.isFinite(result.validationAccuracy())) {
      rows.put("Validation, best epoch", HtmlPage.percent(result.validationAccuracy()));
      rows.put("Best epoch", result.bestEpoch());
    }
    run.method
        .paperFigure(run.experiment.dataSet)
        .ifPresent(figure -> rows.put("The paper", figure + " %"));
    page.table("", "", rows);
    training.notes().forEach(page::paragraph);
  }

  private void search() {
    if (result.search().isEmpty()) {
      return;
    }
    page.heading("Options that were tried");
    page.paragraph(
        "Right answers to training images that were left out, fold by fold. Taken: '"
            + result.settings().get("taken")
            + "'.");
    List<List<String>> rows = new ArrayList<>();
    result
        .search()
        .forEach(
            (name, shares) ->
                rows.add(
                    List.of(
                        name,
                        HtmlPage.percent(Search.mean(shares)),
                        shares.stream().map(HtmlPage::percent).collect(Collectors.joining(", ")))));
    page.table(List.of("options", "mean", "folds"), rows);
  }

  private void classes() {
    page.heading("Classes");
    page.paragraph("A row for each true class, a column for each answer, in the same order.");
    int[][] counts = predictions.confusion();
    if (counts.length <= MOST_IN_TABLE) {
      page.confusion(counts, predictions.classes(), HtmlPage.percent(result.accuracy()));
    } else {
      page.figure(Pictures.heatMap(shares(counts)), "Darker for more");
    }
    Map<String, String> rows = new LinkedHashMap<>();
    result.accuracyByClass().forEach((name, share) -> rows.put(name, HtmlPage.percent(share)));
    page.table("class", "accuracy", rows);
  }

  private static INDArray shares(int[][] counts) {
    INDArray matrix = Nd4j.createFromArray(counts).castTo(Nd4j.defaultFloatingPointType());
    INDArray totals = matrix.sum(1).addi(1e-9).reshape(counts.length, 1);
    return matrix.div(totals);
  }

  private void skipped() {
    page.heading("Images left out");
    page.paragraph(
        result.skipped().isEmpty()
            ? "None: all images could be read."
            : result.skipped().size() + " of them, which cannot be read:");
    result.skipped().forEach(page::paragraph);
  }

  private void settings() {
    page.heading("Settings");
    page.table("", "", result.settings());
    page.table("", "", result.environment());
  }
}
