/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.examples.datasets.FileImages;
import io.github.spd4j.examples.datasets.ImageFile;
import io.github.spd4j.examples.datasets.Views;
import io.github.spd4j.examples.experiments.Predictions.ConfusedPair;
import io.github.spd4j.examples.report.HealthSection;
import io.github.spd4j.examples.report.HtmlPage;
import io.github.spd4j.examples.report.Photographs;
import io.github.spd4j.examples.report.Pictures;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.train.EpochRecord;
import io.github.spd4j.train.Stage;
import io.github.spd4j.train.TrainingResult;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** The page that a run leaves behind. */
final class RunReport {

  private static final int PAIRS = 8;
  private static final int THUMBNAIL = 128;

  /** More classes are shown as a picture, without numbers. */
  private static final int MOST_IN_TABLE = 25;

  private static final int HEALTH_SAMPLE = 4;

  private final Run run;
  private final RunResult result;
  private final TrainingResult training;
  private final Predictions predictions;
  private final ComputationGraph net;
  private final HtmlPage page;

  RunReport(
      Run run,
      RunResult result,
      TrainingResult training,
      Predictions predictions,
      ComputationGraph net) {
    this.run = run;
    this.result = result;
    this.training = training;
    this.predictions = predictions;
    this.net = net;
    this.page = new HtmlPage(run.method.title() + " on " + run.experiment.kind.title());
  }

  String html() {
    page.lead(
        String.format(
            Locale.ROOT,
            "%s of %d test images right.",
            percent(result.accuracy),
            predictions.size()));
    figures();
    curves();
    classes();
    confusedPairs();
    if (run.method.family() == Method.Family.SPD || run.method.family() == Method.Family.KERNEL) {
      matrices();
      page.heading("Health of the head");
      HealthSection.add(page, net, sample());
    }
    skipped();
    settings();
    return page.html();
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private void figures() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("Partition", run.partition.name() + ", seed " + run.seed));
    rows.add(List.of("Backbone", run.experiment.backbone.title()));
    rows.add(List.of("Mean accuracy of the classes", percent(result.meanClassAccuracy)));
    rows.add(List.of("Validation, best epoch", percent(result.validationAccuracy)));
    rows.add(List.of("Best epoch", result.bestEpoch));
    run.method
        .paperFigure(run.experiment.kind)
        .ifPresent(figure -> rows.add(List.of("The paper, Table 2", figure + " %")));
    page.table(List.of("", ""), rows);
  }

  private void curves() {
    page.heading("Learning curves");
    for (Stage stage : Stage.values()) {
      List<EpochRecord> history = training.history(stage);
      if (!history.isEmpty()) {
        String name = stage == Stage.HEAD ? "Stage one, the head" : "Stage two, everything";
        curve(
            name,
            "accuracy",
            history,
            EpochRecord::trainingAccuracy,
            EpochRecord::validationAccuracy);
        curve(name, "loss", history, EpochRecord::trainingLoss, EpochRecord::validationLoss);
      }
    }
    training
        .rollbacks()
        .forEach(
            epoch ->
                page.paragraph(
                    epoch.stage()
                        + " "
                        + epoch.epoch()
                        + " was undone: "
                        + epoch.rollbackReason()));
  }

  private void curve(
      String stage,
      String what,
      List<EpochRecord> history,
      ToDoubleFunction<EpochRecord> known,
      ToDoubleFunction<EpochRecord> held) {
    Map<String, List<Double>> curves = new LinkedHashMap<>();
    curves.put("training", finite(history, known));
    curves.put("validation", finite(history, held));
    page.figure(Pictures.curves(stage, what, curves), stage + ": " + what);
  }

  /** Epochs that broke off have no figures. */
  private static List<Double> finite(
      List<EpochRecord> history, ToDoubleFunction<EpochRecord> value) {
    return history.stream()
        .map(value::applyAsDouble)
        .filter(Double::isFinite)
        .collect(Collectors.toList());
  }

  private void classes() {
    page.heading("Classes");
    page.paragraph("A row for each true class, a column for each answer, in the same order.");
    int[][] counts = predictions.confusion();
    if (counts.length <= MOST_IN_TABLE) {
      page.confusion(counts, predictions.classes(), percent(result.accuracy));
    } else {
      page.figure(Pictures.heatMap(shares(counts)), "Darker for more");
    }
    List<List<String>> rows = new ArrayList<>();
    result.accuracyByClass.forEach((name, share) -> rows.add(List.of(name, percent(share))));
    page.table(List.of("class", "accuracy"), rows);
  }

  private static INDArray shares(int[][] counts) {
    INDArray matrix = Nd4j.createFromArray(counts).castTo(Nd4j.defaultFloatingPointType());
    INDArray totals = matrix.sum(1).addi(1e-9).reshape(counts.length, 1);
    return matrix.div(totals);
  }

  private void confusedPairs() {
    page.heading("Most confused");
    for (ConfusedPair pair : predictions.confusedPairs(PAIRS)) {
      String truth = predictions.classes().get(pair.truth);
      String answer = predictions.classes().get(pair.answer);
      ImageFile file = predictions.file(pair.example);
      page.card(
          thumbnail(file), truth, List.of(answer + ", " + pair.count + " times"), List.of(false));
      run.partition.training().stream()
          .filter(image -> image.label() == pair.answer)
          .findFirst()
          .ifPresent(
              image ->
                  page.card(thumbnail(image), answer, List.of("a training image"), List.of(true)));
    }
    page.paragraph(
        "The first image of each pair that was answered wrongly, beside the class answered.");
  }

  private BufferedImage thumbnail(ImageFile file) {
    FileImages images =
        new FileImages(List.of(file), predictions.classes().size(), Views.PLAIN, THUMBNAIL, 1);
    return Photographs.picture(images.image(0));
  }

  private void matrices() {
    page.heading("Kernel matrices K and their transforms Y = WᵀKW");
    matrices(true);
    matrices(false);
  }

  /** The first test image that was answered rightly, or wrongly. */
  private void matrices(boolean right) {
    IntStream.range(0, predictions.size())
        .filter(image -> predictions.isRight(image) == right)
        .findFirst()
        .ifPresent(image -> matrices(image, right ? "right" : "wrong"));
  }

  private void matrices(int image, String verdict) {
    ImageFile file = predictions.file(image);
    String answer = predictions.classes().get(predictions.answer(image));
    page.figure(thumbnail(file), file.name() + ": " + answer + ", " + verdict);
    Map<String, INDArray> activations = net.feedForward(input(List.of(file)), false);
    page.figure(
        Pictures.heatMap(matrix(activations, SpdGraft.AGGREGATION)),
        "K: how alike its feature maps are, two at a time");
    if (activations.containsKey(SpdGraft.transform(0))) {
      page.figure(
          Pictures.heatMap(matrix(activations, SpdGraft.transform(0))),
          "Y: what the learnt W makes of it. Blue is negative");
    }
  }

  private static INDArray matrix(Map<String, INDArray> activations, String layer) {
    return activations.get(layer).slice(0).slice(0);
  }

  private INDArray input(List<ImageFile> files) {
    FileImages images = run.images(files, Views.PLAIN);
    return Nd4j.concat(
        0, IntStream.range(0, files.size()).mapToObj(images::image).toArray(INDArray[]::new));
  }

  private DataSet sample() {
    List<ImageFile> files =
        run.partition.training().stream().limit(HEALTH_SAMPLE).collect(Collectors.toList());
    INDArray labels = Nd4j.zeros(files.size(), predictions.classes().size());
    for (int i = 0; i < files.size(); i++) {
      labels.putScalar(i, files.get(i).label(), 1);
    }
    return new DataSet(input(files), labels);
  }

  private void skipped() {
    page.heading("Images left out");
    page.paragraph(
        result.skipped.isEmpty() ? "None: all images could be read." : "These cannot be read:");
    result.skipped.forEach(page::paragraph);
  }

  private void settings() {
    page.heading("Settings");
    page.table(List.of("", ""), rows(result.settings));
    page.table(List.of("", ""), rows(result.environment));
  }

  private static List<List<String>> rows(Map<String, String> entries) {
    return entries.entrySet().stream()
        .map(entry -> List.of(entry.getKey(), String.valueOf(entry.getValue())))
        .collect(Collectors.toList());
  }
}
