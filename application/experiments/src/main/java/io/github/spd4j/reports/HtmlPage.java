/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.spd4j.internal.images.Png;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A page of HTML with its style and pictures inside, to be opened from anywhere. */
public final class HtmlPage {

  /** What every page begins with, and no page of others. */
  public static final String BEGINNING =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          + "<meta name=\"generator\" content=\"spd\">";

  /** As many cells of a block fit beside each other on a narrow screen. */
  private static final int MOST_BESIDE = 5;

  /** As many columns of a matrix have room for numbers on a narrow screen. */
  private static final int MOST_NUMBERS = 12;

  private final StringBuilder body = new StringBuilder();
  private final Map<String, Integer> examples = new LinkedHashMap<>();
  private final String title;

  /**
   * An empty page.
   *
   * @param title its title, also its first heading
   */
  public HtmlPage(String title) {
    this.title = title;
    add("<h1>%s</h1>\n", escape(title));
  }

  /**
   * Text with the characters that HTML reserves, or that are not {@link Printable}, written out.
   *
   * @param text any text
   * @return text for HTML
   */
  public static String escape(String text) {
    return Printable.of(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /**
   * A share as reports write it.
   *
   * @param share 0 to 1
   * @return percent
   */
  public static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  /**
   * A heading.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage heading(String text) {
    return add("<h2>%s</h2>\n", escape(text));
  }

  /**
   * A part with a heading. If it cannot be made, a line says so in its place: no part costs the
   * others, not even one that needs a native library that is missing.
   *
   * @param title its heading
   * @param content adds to this page what it holds
   * @return this page
   */
  public HtmlPage section(String title, Runnable content) {
    return part("<h2>%s</h2>\n".formatted(escape(title)), content, "");
  }

  /**
   * The same, folded until its heading is clicked.
   *
   * @param title its heading
   * @param content adds to this page what it holds
   * @return this page
   */
  public HtmlPage folded(String title, Runnable content) {
    String summary = "<details><summary><h2>%s</h2></summary>\n".formatted(escape(title));
    return part(summary, content, "</details>\n");
  }

  private HtmlPage part(String before, Runnable content, String after) {
    body.append(before);
    int start = body.length();
    try {
      content.run();
    } catch (RuntimeException | Error e) { // a missing native library is an Error
      body.setLength(start);
      paragraph("This part could not be made: " + e);
    }
    body.append(after);
    return this;
  }

  /**
   * A paragraph.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage paragraph(String text) {
    return add("<p>%s</p>\n", escape(text));
  }

  /**
   * A paragraph that stands out.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage lead(String text) {
    return add("<p class=\"lead\"><b>%s</b></p>\n", escape(text));
  }

  /**
   * Paragraphs that warn.
   *
   * @param texts their texts
   * @return this page
   */
  public HtmlPage notes(List<String> texts) {
    texts.forEach(text -> add("<p class=\"note\">%s</p>\n", escape(text)));
    return this;
  }

  /**
   * Lines to copy.
   *
   * @param lines commands, or lines of a program
   * @return this page
   */
  public HtmlPage code(String... lines) {
    return add(
        "<pre>%s</pre>\n",
        Stream.of(lines).map(HtmlPage::escape).collect(Collectors.joining("\n")));
  }

  /**
   * A table. On a narrow screen each row becomes a block: its first cell, and below it the others,
   * each with the name of its column.
   *
   * @param header the names of the columns
   * @param rows the rows, each as long as the header
   * @return this page
   */
  public HtmlPage table(List<String> header, List<List<String>> rows) {
    int others = header.size() - 1;
    int beside = others <= MOST_BESIDE ? others : others % 3 == 0 ? 3 : 4;
    add("<div class=\"scroll\"><table class=\"text\" style=\"--n:%d\">", beside);
    row("th", header);
    for (List<String> row : rows) {
      add("<tr>");
      for (int i = 0; i < row.size(); i++) {
        add("<td data-name=\"%s\">%s</td>", escape(header.get(i)), escape(row.get(i)));
      }
      add("</tr>\n");
    }
    return add("</table></div>\n");
  }

  /**
   * A list of facts.
   *
   * @param rows what each is by its name
   * @return this page
   */
  public HtmlPage facts(Map<String, String> rows) {
    add("<div class=\"scroll\"><table class=\"facts\">");
    rows.forEach(
        (name, value) ->
            add(
                "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n",
                escape(name), escape(String.valueOf(value))));
    return add("</table></div>\n");
  }

  private void row(String tag, List<String> cells) {
    add("<tr>");
    cells.forEach(cell -> add("<%1$s>%2$s</%1$s>", tag, escape(cell)));
    add("</tr>\n");
  }

  private HtmlPage add(String pattern, Object... values) {
    body.append(String.format(Locale.ROOT, pattern, values));
    return this;
  }

  /**
   * A picture with a caption.
   *
   * @param picture the picture
   * @param caption what it shows
   * @return this page
   */
  public HtmlPage figure(BufferedImage picture, String caption) {
    return figure(picture, caption, picture.getWidth());
  }

  /**
   * A picture with a caption, shown no wider than it may be.
   *
   * @param picture the picture
   * @param caption what it shows
   * @param most the most pixels of its width
   * @return this page
   */
  public HtmlPage figure(BufferedImage picture, String caption, int most) {
    int width = Math.min(most, picture.getWidth());
    return add(
        "<figure><img width=\"%d\" alt=\"%s\" src=\"%s\"><figcaption>%s</figcaption></figure>\n",
        width, escape(caption), Png.dataUri(picture), escape(caption));
  }

  /**
   * A chart with a caption.
   *
   * @param chart the chart
   * @param caption what it shows
   * @return this page
   */
  public HtmlPage chart(SvgChart chart, String caption) {
    body.append("<figure>").append(chart.html());
    return add("<figcaption>%s</figcaption></figure>\n", together(caption));
  }

  /**
   * Small charts, as many beside each other as there is room for.
   *
   * @param charts the charts by their captions
   * @return this page
   */
  public HtmlPage charts(Map<String, SvgChart> charts) {
    body.append("<div class=\"small\">");
    charts.forEach((caption, chart) -> chart(chart, caption));
    return add("</div>\n");
  }

  /**
   * The colours of {@link PagePictures#heatMap}.
   *
   * @param lowest what the strongest blue stands for
   * @param highest what the strongest red stands for
   * @return this page
   */
  public HtmlPage scale(String lowest, String highest) {
    return add("<div class=\"scale\">%s<i></i>%s</div>\n", escape(lowest), escape(highest));
  }

  /**
   * A confusion matrix: a row for each true class, a column for each answer, stronger for more. On
   * a narrow screen a large one has colours alone.
   *
   * @param counts a row for each true class, a column for each answer
   * @param labels the names of the columns; the rows have the first of them
   * @param caption what it shows
   * @return this page
   */
  public HtmlPage confusion(int[][] counts, List<String> labels, String caption) {
    String size = labels.size() > MOST_NUMBERS ? " many" : "";
    add("<figure><div class=\"scroll\"><table class=\"matrix%s\">", size);
    add("<tr><th>true ↓ answer →</th>");
    labels.forEach(label -> add("<th class=\"up\"><span>%s</span></th>", escape(label)));
    add("</tr>\n");
    for (int i = 0; i < counts.length; i++) {
      int total = Math.max(1, IntStream.of(counts[i]).sum());
      add("<tr><th title=\"%1$s\">%1$s</th>", escape(labels.get(i)));
      for (int j = 0; j < counts[i].length; j++) {
        confusionCell(counts[i][j], total, i == j, labels.get(i) + " → " + labels.get(j));
      }
      add("</tr>\n");
    }
    return add("</table></div><figcaption>%s</figcaption></figure>\n", escape(caption));
  }

  private void confusionCell(int count, int total, boolean right, String title) {
    double share = (double) count / total;
    String kind = right ? "r" : "w";
    if (count == 0) {
      add("<td class=\"%s\"></td>", kind);
    } else {
      add(
          "<td class=\"%s\" title=\"%s: %d\" style=\"--a:%.2f\">%d</td>",
          share > 0.5 ? kind + " full" : kind, escape(title), count, 0.1 + 0.9 * share, count);
    }
  }

  /**
   * Small pictures, as many beside each other as there is room for.
   *
   * @param cards the pictures with what is said about them
   * @return this page
   */
  public HtmlPage cards(List<Card> cards) {
    add("<div class=\"cards\">\n");
    for (Card card : cards) {
      add("<div class=\"card\">");
      if (!card.source.isEmpty()) {
        body.append("<img loading=\"lazy\" class=\"pixels\" alt=\"");
        body.append(escape(card.title)).append("\" src=\"").append(card.source).append("\">");
      }
      add("<b>%s</b>", escape(card.title));
      card.lines.forEach(this::line);
      add("</div>\n");
    }
    return add("</div>\n");
  }

  private void line(Line line) {
    add("<div class=\"line\">");
    if (line.example != null) {
      int number = examples.computeIfAbsent(line.example, source -> examples.size());
      String name = escape(line.exampleName);
      add("<i class=\"example e%d\" aria-hidden=\"true\" title=\"%s\"></i>", number, name);
    }
    add(
        "<span class=\"%s%s</span></div>",
        line.right ? "right\">✓ " : "wrong\">✗ ", together(line.text));
  }

  /** Text for HTML in which no line begins with a percent sign. */
  private static String together(String text) {
    return escape(text).replace(" %", "\u00a0%");
  }

  /**
   * A small picture with lines of text below it.
   *
   * @param source a data URI, or nothing where there is no picture
   * @param title the line above the others
   * @param lines the other lines, in their order
   */
  public record Card(String source, String title, List<Line> lines) {}

  /**
   * A line of a card.
   *
   * @param text its text
   * @param right whether it is right
   * @param example a data URI of what the text means, which the page has once; null for none
   * @param exampleName what is in that picture
   */
  public record Line(String text, boolean right, String example, String exampleName) {}

  private String styles() {
    StringBuilder styles = new StringBuilder();
    examples.forEach(
        (source, number) ->
            styles.append(".e%d{background-image:url(%s)}\n".formatted(number, source)));
    return styles.toString();
  }

  /**
   * The whole page.
   *
   * @return HTML
   */
  public String html() {
    try (InputStream template = HtmlPage.class.getResourceAsStream("page.html")) {
      return new String(template.readAllBytes(), UTF_8)
          .replace("{beginning}", BEGINNING)
          .replace("{title}", escape(title))
          .replace("{examples}", styles())
          .replace("{body}", body);
    } catch (IOException e) {
      throw new UncheckedIOException("page.html is part of the program", e);
    }
  }
}
