/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.HtmlPage.Card;
import io.github.spd4j.reports.HtmlPage.Line;
import io.github.spd4j.reports.PagePictures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** All test images that were classified wrongly, each beside right answers of both classes. */
final class MistakeSection {

  /** The most characters that pictures may take; mistakes beyond that are named. */
  private static final int MOST_PICTURES = 4_000_000;

  private static final int SIZE = 140;
  private static final int EXAMPLE_SIZE = 96;

  private final HtmlPage page;
  private final Predictions predictions;
  private final String what;

  /** The surest right answer of each class that has one. */
  private final Map<Integer, Integer> surest = new HashMap<>();

  private final Map<Integer, String> examples = new HashMap<>();

  /**
   * A section.
   *
   * @param what what the images are, in the plural
   */
  MistakeSection(HtmlPage page, Predictions predictions, String what) {
    this.page = page;
    this.predictions = predictions;
    this.what = what;
    IntStream.range(0, predictions.size())
        .filter(predictions::isRight)
        .forEach(
            image ->
                surest.merge(
                    predictions.truth(image),
                    image,
                    (one, other) ->
                        predictions.probability(one) < predictions.probability(other)
                            ? other
                            : one));
  }

  void add() {
    List<Integer> mistakes = predictions.mistakes();
    if (mistakes.isEmpty()) {
      page.paragraph("None: all " + what + " were classified correctly.");
      return;
    }
    List<Card> cards = new ArrayList<>();
    int length = 0;
    for (int image : mistakes) {
      if (length > MOST_PICTURES) {
        break;
      }
      cards.add(card(image));
      length += cards.get(cards.size() - 1).source().length();
    }
    List<Integer> others = mistakes.subList(cards.size(), mistakes.size());
    page.paragraph(
        "%d of %d %s were classified wrongly%s. Those whose own class the model thought least likely come first: look there for wrong labels. The little pictures are those that it was surest about among the right ones of each class."
            .formatted(
                mistakes.size(),
                predictions.size(),
                what,
                others.isEmpty() ? "" : "; the first %d have pictures".formatted(cards.size())));
    page.cards(cards);
    if (!others.isEmpty()) {
      page.folded("The other %d mistakes".formatted(others.size()), () -> table(others));
    }
  }

  private Card card(int image) {
    int truth = predictions.truth(image);
    int answer = predictions.answer(image);
    List<Line> lines = List.of(line(image, answer, false), line(image, truth, true));
    return new Card(picture(image, SIZE), predictions.file(image).name(), lines);
  }

  private Line line(int image, int label, boolean right) {
    Integer example = surest.get(label);
    String picture = example == null ? "" : examples.computeIfAbsent(example, this::example);
    return picture.isEmpty()
        ? new Line(line(image, label), right, null, null)
        : new Line(
            line(image, label),
            right,
            picture,
            "answered rightly: " + predictions.file(example).name());
  }

  private String example(int image) {
    return picture(image, EXAMPLE_SIZE);
  }

  private String line(int image, int label) {
    return predictions.classes().get(label) + " " + percent(predictions.probability(image, label));
  }

  private String picture(int image, int size) {
    try {
      return PagePictures.jpeg(ExampleSection.thumbnail(predictions, image, size));
    } catch (RuntimeException e) { // its file may be gone since the test
      return "";
    }
  }

  private void table(List<Integer> images) {
    page.table(
        List.of("file", "answer", "true class"),
        images.stream()
            .map(
                image ->
                    List.of(
                        predictions.file(image).name(),
                        line(image, predictions.answer(image)),
                        line(image, predictions.truth(image))))
            .toList());
  }
}
