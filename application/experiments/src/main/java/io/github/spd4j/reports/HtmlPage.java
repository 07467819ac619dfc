/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.spd4j.images.Png;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** A page of HTML with its style and pictures inside, to be opened from anywhere. */
public final class HtmlPage {

  private final StringBuilder body = new StringBuilder();
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
   * Text with the characters that HTML reserves written out.
   *
   * @param text any text
   * @return text for HTML
   */
  public static String escape(String text) {
    return text.replace("&", "&amp;")
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
   * A table.
   *
   * @param header the names of the columns
   * @param rows the rows, each as long as the header
   * @return this page
   */
  public HtmlPage table(List<String> header, List<List<String>> rows) {
    add("<table>");
    row("th", header);
    rows.forEach(row -> row("td", row));
    return add("</table>\n");
  }

  /**
   * A table of two columns.
   *
   * @param name the name of the first column
   * @param value the name of the second column
   * @param rows the second column by the first
   * @return this page
   */
  public HtmlPage table(String name, String value, Map<String, String> rows) {
    return table(
        List.of(name, value),
        rows.entrySet().stream()
            .map(row -> List.of(row.getKey(), String.valueOf(row.getValue())))
            .toList());
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
   * A confusion matrix: a row for each true class, a column for each answer, darker for more.
   *
   * @param counts how often each class was answered with each class
   * @param labels the names of the classes
   * @param caption what it shows
   * @return this page
   */
  public HtmlPage confusion(int[][] counts, List<String> labels, String caption) {
    add("<figure><table class=\"matrix\">");
    for (int i = 0; i < counts.length; i++) {
      int total = Math.max(1, IntStream.of(counts[i]).sum());
      add("<tr><td>%s</td>", escape(labels.get(i)));
      for (int j = 0; j < counts.length; j++) {
        confusionCell(counts[i][j], total, i == j, labels.get(i) + " → " + labels.get(j));
      }
      add("</tr>");
    }
    return add("</table><figcaption>%s</figcaption></figure>\n", escape(caption));
  }

  private void confusionCell(int count, int total, boolean right, String title) {
    double share = (double) count / total;
    add(
        "<td title=\"%s: %d\" style=\"background:rgba(%s,%.2f);color:%s\">%s</td>",
        escape(title),
        count,
        right ? "25,114,45" : "179,38,30",
        0.05 + 0.95 * share,
        share > 0.5 ? "#fff" : "#222",
        count == 0 ? "" : count);
  }

  /**
   * A small picture with lines of text below it, each marked right or wrong.
   *
   * @param picture the picture, shown larger without smoothing
   * @param title the line above the others
   * @param answers lines of text
   * @param right whether each line is right
   * @return this page
   */
  public HtmlPage card(
      BufferedImage picture, String title, List<String> answers, List<Boolean> right) {
    add("<div class=\"card\"><img class=\"pixels\" width=\"140\" alt=\"\" src=\"");
    add("%s\"><br><b>%s</b>", Png.dataUri(picture), escape(title));
    for (int i = 0; i < answers.size(); i++) {
      String mark = right.get(i) ? "right\">✓ " : "wrong\">✗ ";
      add("<br><span class=\"%s%s</span>", mark, escape(answers.get(i)));
    }
    return add("</div>\n");
  }

  /**
   * The whole page.
   *
   * @return HTML
   */
  public String html() {
    try (InputStream template = HtmlPage.class.getResourceAsStream("page.html")) {
      return new String(template.readAllBytes(), UTF_8)
          .replace("{title}", escape(title))
          .replace("{body}", body);
    } catch (IOException e) {
      throw new UncheckedIOException("page.html is part of the program", e);
    }
  }
}
