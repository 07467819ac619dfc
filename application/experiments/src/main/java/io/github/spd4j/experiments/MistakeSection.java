/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static io.github.spd4j.reports.HtmlPage.percent;

import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.HtmlPage.Card;
import io.github.spd4j.reports.PagePictures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All test images that were classified wrongly. */
record MistakeSection(HtmlPage page, Predictions predictions, String what) {

  /** The most characters that pictures may take; mistakes beyond that are named. */
  private static final int MOST_PICTURES = 4_000_000;

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
        "%d of %d %s were classified wrongly%s. Those that the model was surest about come first: look there for wrong labels."
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
    Map<String, Boolean> lines = new LinkedHashMap<>();
    lines.put(line(image, answer), false);
    lines.put(line(image, truth), true);
    return new Card(picture(image), predictions.file(image).name(), lines);
  }

  private String line(int image, int label) {
    return predictions.classes().get(label) + " " + percent(predictions.probability(image, label));
  }

  private String picture(int image) {
    try {
      return PagePictures.jpeg(ExampleSection.thumbnail(predictions, image));
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
