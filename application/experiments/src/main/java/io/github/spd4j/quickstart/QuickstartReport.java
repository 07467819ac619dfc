/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.experiments.Predictions;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.reports.HeadSection;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.HtmlPage.Card;
import io.github.spd4j.reports.HtmlPage.Line;
import io.github.spd4j.reports.SvgChart;
import io.github.spd4j.textures.Split;
import io.github.spd4j.textures.TextureClass;
import io.github.spd4j.textures.TextureGenerator;
import io.github.spd4j.textures.TexturePictures;
import io.github.spd4j.textures.TextureSet;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The page that a quickstart leaves behind. */
public final class QuickstartReport {

  /** The command to go on with. */
  public static final String NEXT = "./spd train MY_IMAGES --out my-model";

  private static final int SHEET_COLUMNS = 8;
  private static final int SAMPLE = 8;

  private final QuickstartResult result;
  private final HtmlPage page = new HtmlPage("Three heads on procedural textures");

  /**
   * A report.
   *
   * @param result what it is about
   */
  public QuickstartReport(QuickstartResult result) {
    this.result = result;
  }

  /**
   * The page.
   *
   * @return HTML with everything inline
   */
  public String html() {
    page.lead(result.verdict());
    page.table(tableHeader(), tableRows(result));
    page.paragraph(
        "All heads sit on copies of the same backbone (one layer of oriented filters) after a 1×1"
            + " convolution, saw the same images and were trained by the same plan: stage one on"
            + " frozen features, stage two end to end, with classifiers fitted in closed form. The"
            + " test images were not used for anything but this table.");
    page.section("Next: your own images", this::next);
    page.section("The textures", this::textures);
    page.section("Learning curves", this::curves);
    page.section("Confusion matrices", this::confusion);
    page.section("Answers to test images", this::answers);
    page.folded("Inside the SPD head: kernel matrix K and its transform Y = WᵀKW", this::matrices);
    page.folded("Health of the SPD head", this::health);
    return page.html();
  }

  /**
   * The heading of the table of heads.
   *
   * @return the names of its columns
   */
  public static List<String> tableHeader() {
    return List.of("head", "test accuracy", "best validation", "parameters", "training");
  }

  /**
   * The table of heads.
   *
   * @param result what it is about
   * @return a row for each head
   */
  public static List<List<String>> tableRows(QuickstartResult result) {
    return result.heads().stream()
        .map(
            head ->
                List.of(
                    head.name(),
                    HtmlPage.percent(head.accuracy()),
                    HtmlPage.percent(bestValidation(head)),
                    String.format(Locale.ROOT, "%,d", head.net().numParams()),
                    String.format(Locale.ROOT, "%.0f s", head.seconds())))
        .toList();
  }

  private static double bestValidation(HeadResult head) {
    return head.history().stream()
        .filter(epoch -> !epoch.rolledBack())
        .mapToDouble(EpochRecord::validationAccuracy)
        .max()
        .orElse(Double.NaN);
  }

  private void next() {
    page.paragraph("Put them into one folder for each class, and train the same head on them:");
    page.code(NEXT);
  }

  private void textures() {
    QuickstartSettings settings = result.settings();
    page.paragraph(
        "Made by a program: random scale, rotation, warp, colours, contrast, light and noise."
            + " Neither colour nor mean nor variance tells the classes apart. A row each: "
            + String.join(", ", TextureSet.labels())
            + ".");
    TextureGenerator generator = new TextureGenerator(settings.imageSize);
    page.figure(
        TexturePictures.contactSheet(generator, SHEET_COLUMNS, settings.seed),
        "Training images, a class in each row");
  }

  private void curves() {
    curve("Validation accuracy", "accuracy", EpochRecord::validationAccuracy);
    curve("Validation loss", "loss", EpochRecord::validationLoss);
    page.paragraph(
        "First the head before it learnt anything, then the epochs of stage one, then those of"
            + " stage two.");
  }

  private void curve(String title, String axis, ToDoubleFunction<EpochRecord> value) {
    Map<String, double[]> curves = new LinkedHashMap<>();
    for (HeadResult head : result.heads()) {
      curves.put(head.name(), head.history().stream().mapToDouble(value).toArray());
    }
    page.chart(SvgChart.curves(axis, 0, curves), title);
  }

  private void confusion() {
    for (HeadResult head : result.heads()) {
      page.confusion(
          head.predictions().confusion(),
          TextureSet.labels(),
          head.name() + ", " + HtmlPage.percent(head.accuracy()));
    }
  }

  private void answers() {
    List<Card> cards = new ArrayList<>();
    for (TextureClass texture : TextureClass.values()) {
      int image = mostTelling(texture);
      List<Line> answers = new ArrayList<>();
      for (HeadResult head : result.heads()) {
        Predictions predictions = head.predictions();
        String answer = head.name() + ": " + TextureSet.labels().get(predictions.answer(image));
        answers.add(new Line(answer, predictions.isRight(image), null, null));
      }
      String picture =
          Png.dataUri(TexturePictures.picture(result.textures().image(Split.TEST, image)));
      cards.add(new Card(picture, texture.label(), answers));
    }
    page.cards(cards);
    page.paragraph(
        "Of each class the first test image on which the heads disagree, or the first one if they"
            + " never do.");
  }

  private int mostTelling(TextureClass texture) {
    List<Integer> own =
        IntStream.range(0, result.test().size())
            .filter(image -> TextureSet.textureOf(image) == texture)
            .boxed()
            .toList();
    return own.stream().filter(this::isDisputed).findFirst().orElse(own.get(0));
  }

  private boolean isDisputed(int image) {
    return result.heads().stream().map(head -> head.predictions().isRight(image)).distinct().count()
        > 1;
  }

  private void matrices() {
    page.figure(
        TexturePictures.picture(result.textures().image(Split.TEST, 0)), "The first test image");
    HeadSection.addMatrices(page, result.spd().net(), result.test().image(0));
  }

  private void health() {
    HeadSection.addHealth(page, result.spd().net(), result.test(), SAMPLE);
  }
}
