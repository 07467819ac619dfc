/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.train.TrainingResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * The page that a run leaves behind: what it is worth and how to use it first, details folded.
 *
 * @param raw the answers to test images before their calibration
 */
record RunReport(
    Run run,
    RunFolder folder,
    RunResult result,
    TrainingResult training,
    Trust trust,
    Predictions raw,
    Predictions predictions,
    ComputationGraph net) {

  String html() {
    HtmlPage page = new HtmlPage("Report: " + result.run().dataSetName());
    if (predictions.size() > 0) {
      double limit = trust.confidence().unsureBelow();
      Summary words = new Summary(result.images().training(), result.test(), predictions, limit);
      page.lead(words.sentence());
      page.paragraph(words.details());
    } else {
      page.lead(result.verdict() + ".");
    }
    page.notes(warnings());
    page.facts(figures());
    training.notes().forEach(note -> page.paragraph(plain(note)));
    if (!run.experiment.settings.dropModels) {
      page.section("Use the model", () -> use(page));
    }
    if (run.experiment.settings.earlier != null) {
      page.section("What changed for the earlier test images", () -> changes(page));
    }
    if (predictions.size() > 0) {
      ClassSection classes = new ClassSection(page, result.test(), predictions);
      TrustSection sure =
          new TrustSection(page, trust, raw, predictions, run.experiment.settings.own);
      page.section("Classes", classes::figures);
      page.section("Which class was taken for which", classes::confusion);
      page.section("Mistakes", new MistakeSection(page, predictions, "test images")::add);
      page.section("Can the probabilities be trusted?", sure::calibration);
      page.section("How sure must an answer be?", sure::thresholds);
      page.section("Each class against the others", sure::curves);
    } else {
      page.section("How sure must an answer be?", () -> rehearsed(page));
    }
    if (!result.training().search().isEmpty()) {
      page.section("Options that were tried", () -> search(page));
    }
    page.section("Learning curves", new CurveSection(page, training)::add);
    ExampleSection examples = new ExampleSection(page, run, predictions, net);
    if (examples.hasMatrices()) {
      page.folded("Inside the head: kernel matrices", examples::matrices);
    }
    page.folded("Health of the head", examples::health);
    page.folded("Images left out: " + result.images().skipped().size(), () -> skipped(page));
    page.folded("Settings", () -> page.facts(result.settings()));
    page.folded("Versions and machine", () -> page.facts(result.execution().environment()));
    return page.html();
  }

  /** The stages by what learns in them. */
  private static String plain(String note) {
    return note.replace("Stage 1", "The head").replace("Stage 2", "The whole network");
  }

  private List<String> warnings() {
    List<String> lines = new ArrayList<>();
    Optional.ofNullable(run.experiment.settings.substitute).ifPresent(lines::add);
    lines.addAll(new Warnings(run.partition, run.experiment.contents).lines());
    return lines.stream().map(line -> "Note: " + line + ".").toList();
  }

  private Map<String, String> figures() {
    Map<String, String> rows = new LinkedHashMap<>();
    TestFigures test = result.test();
    if (predictions.size() > 0) {
      rows.put(
          "Accuracy",
          "%s, with 95 %% confidence %s to %s"
              .formatted(percent(test.accuracy()), percent(test.low()), percent(test.high())));
      rows.put(
          "Mean over the classes",
          "recall %s, F1 %s".formatted(percent(test.meanRecall()), percent(test.meanF1())));
      rows.put(
          "Calibration error",
          percent(test.calibrationError())
              + (trust.isKnown()
                  ? ", before calibration " + percent(TestFigures.of(raw).calibrationError())
                  : ""));
    }
    if (Double.isFinite(result.training().validationAccuracy())) {
      rows.put(
          "Accuracy on validation images",
          "%s, the best: %s"
              .formatted(
                  percent(result.training().validationAccuracy()),
                  CurveSection.epoch(training.best().stage(), training.best().epoch())));
    }
    rows.put(
        "Head",
        result.settings().get("head").replace("spd", "SPD")
            + ", on "
            + run.experiment.backbone.title());
    RunResult.Images images = result.images();
    rows.put(
        "Images",
        "%d to train on, %d for validation, %d to test on%s"
            .formatted(
                images.training(),
                images.validation(),
                images.test(),
                images.test() == 0
                    ? ""
                    : ": %s; training seed %d".formatted(result.place(), result.run().seed())));
    run.method
        .paperFigure(run.experiment.dataSet)
        .ifPresent(figure -> rows.put("Accuracy in the paper", figure + " %"));
    rows.put(
        "Time for an image",
        String.format(
            Locale.ROOT,
            "%.1f ms from file to answer, one at a time, on %s processors (%s)",
            1e3 * result.execution().seconds().image(),
            result.execution().environment().get("processors"),
            result.execution().environment().get("cpu")));
    rows.put(
        "Model",
        String.format(
            Locale.ROOT,
            "%.1f MB, %,d parameters",
            result.files().modelBytes() / 1e6,
            net.numParams()));
    rows.put("Training", TimeEstimate.words(result.execution().seconds().all()) + " in all");
    rows.put("Finished", result.execution().finished());
    return rows;
  }

  private void use(HtmlPage page) {
    String place = folder.path().toAbsolutePath().normalize().toString();
    String quoted =
        place.matches("[\\w@%+=:,./-]+") ? place : "'" + place.replace("'", "'\\''") + "'";
    page.paragraph("Classify pictures, a file or a folder, or open the model in a web browser:");
    page.code("./spd predict " + quoted + " PICTURES", "./spd serve " + quoted);
    page.paragraph("In a Java program, with spd-dl4j-layers and a backend of ND4J:");
    page.code(
        "ImageClassifier classifier = ImageClassifier.load(Path.of(\"%s\"));"
            .formatted(place.replace("\\", "\\\\").replace("\"", "\\\"")),
        "Classification answer = classifier.classify(Path.of(\"photograph.jpg\"));",
        "System.out.println(answer.label() + \", probability \" + answer.probability());");
  }

  private void changes(HtmlPage page) {
    EarlierRun.Changes changes =
        run.experiment.settings.earlier.changes(predictions, run.experiment.contents);
    page.paragraph(changes.words() + ".");
    page.table(
        List.of("class", "images", "right before", "right now"),
        changes.counts().entrySet().stream()
            .map(
                own ->
                    List.of(
                        own.getKey(),
                        String.valueOf(own.getValue()[0]),
                        String.valueOf(own.getValue()[1]),
                        String.valueOf(own.getValue()[2])))
            .toList());
  }

  /** Without a test, what was left out of other trainings tells how good this one may be. */
  private void rehearsed(HtmlPage page) {
    TrustSection sure = new TrustSection(page, trust, trust.held(), trust.calibrated(), true);
    if (trust.isKnown()) {
      page.paragraph(
          "Of %s, %s are right.".formatted(trust.source(), percent(trust.held().accuracy())));
      sure.calibration();
      sure.thresholds();
    } else {
      page.paragraph(sure.source());
    }
  }

  private void search(HtmlPage page) {
    page.paragraph(
        "Right answers to training images that were left out, fold by fold. Taken: '"
            + result.settings().get("taken")
            + "'.");
    List<List<String>> rows = new ArrayList<>();
    result
        .training()
        .search()
        .forEach(
            (name, shares) ->
                rows.add(
                    List.of(
                        name,
                        percent(Search.mean(shares)),
                        shares.stream().map(HtmlPage::percent).collect(Collectors.joining(", ")))));
    page.table(List.of("options", "mean", "folds"), rows);
  }

  private void skipped(HtmlPage page) {
    page.paragraph(
        result.images().skipped().isEmpty()
            ? "None: all images could be read."
            : result.images().skipped().size() + " of them, which cannot be read:");
    result.images().skipped().forEach(page::paragraph);
  }
}
