/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import io.github.spd4j.images.Png;
import java.awt.image.BufferedImage;
import java.util.List;

/** A page of HTML with its style and pictures inside, to be opened from anywhere. */
public final class HtmlPage {

  private static final String STYLE =
      "body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:1000px;margin:2em auto;"
          + "padding:0 1em}h1{font-size:1.7em}h2{margin-top:2em;border-bottom:1px solid #ddd}"
          + "table{border-collapse:collapse;margin:1em 0}td,th{padding:.3em .7em;text-align:right;"
          + "border-bottom:1px solid #e4e4e4}td:first-child,th:first-child{text-align:left}"
          + "figure{display:inline-block;margin:.5em 1em .5em 0;vertical-align:top}"
          + "figcaption{font-size:.85em;color:#555;max-width:28em}img{max-width:100%}"
          + ".pixels{image-rendering:pixelated}.lead{font-size:1.15em}.matrix td{padding:0;width:22px;"
          + "height:22px;text-align:center;font-size:11px;border:1px solid #fff}"
          + ".matrix td:first-child{padding-right:.5em;width:auto;font-size:12px}"
          + ".wrong{color:#b3261e}.right{color:#19722d}.card{display:inline-block;width:150px;"
          + "margin:.4em;font-size:.8em;vertical-align:top}";

  private final StringBuilder body = new StringBuilder();
  private final String title;

  /**
   * An empty page.
   *
   * @param title its title, also its first heading
   */
  public HtmlPage(String title) {
    this.title = title;
    body.append("<h1>").append(escape(title)).append("</h1>\n");
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
   * A heading.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage heading(String text) {
    body.append("<h2>").append(escape(text)).append("</h2>\n");
    return this;
  }

  /**
   * A paragraph.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage paragraph(String text) {
    body.append("<p>").append(escape(text)).append("</p>\n");
    return this;
  }

  /**
   * A paragraph that stands out.
   *
   * @param text its text
   * @return this page
   */
  public HtmlPage lead(String text) {
    body.append("<p class=\"lead\"><b>").append(escape(text)).append("</b></p>\n");
    return this;
  }

  /**
   * A table.
   *
   * @param header the names of the columns
   * @param rows the rows, each as long as the header
   * @return this page
   */
  public HtmlPage table(List<String> header, List<List<String>> rows) {
    body.append("<table>");
    row("th", header);
    rows.forEach(row -> row("td", row));
    body.append("</table>\n");
    return this;
  }

  private void row(String tag, List<String> cells) {
    body.append("<tr>");
    for (String cell : cells) {
      body.append('<').append(tag).append('>').append(escape(cell));
      body.append("</").append(tag).append('>');
    }
    body.append("</tr>\n");
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
    body.append("<figure><img width=\"").append(width);
    body.append("\" alt=\"").append(escape(caption)).append("\" src=\"");
    body.append(Png.dataUri(picture)).append("\"><figcaption>").append(escape(caption));
    body.append("</figcaption></figure>\n");
    return this;
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
    body.append("<figure><table class=\"matrix\">");
    for (int i = 0; i < counts.length; i++) {
      int total = Math.max(1, java.util.Arrays.stream(counts[i]).sum());
      body.append("<tr><td>").append(escape(labels.get(i))).append("</td>");
      for (int j = 0; j < counts.length; j++) {
        confusionCell(counts[i][j], total, i == j, labels.get(i) + " → " + labels.get(j));
      }
      body.append("</tr>");
    }
    body.append("</table><figcaption>").append(escape(caption)).append("</figcaption></figure>\n");
    return this;
  }

  private void confusionCell(int count, int total, boolean right, String title) {
    double share = (double) count / total;
    String colour = right ? "25,114,45" : "179,38,30";
    body.append("<td title=\"").append(escape(title)).append(": ").append(count);
    body.append("\" style=\"background:rgba(").append(colour).append(',');
    body.append(String.format(java.util.Locale.ROOT, "%.2f", 0.05 + 0.95 * share))
        .append(");color:");
    body.append(share > 0.5 ? "#fff" : "#222").append("\">").append(count == 0 ? "" : count);
    body.append("</td>");
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
    body.append("<div class=\"card\"><img class=\"pixels\" width=\"140\" alt=\"\" src=\"");
    body.append(Png.dataUri(picture)).append("\"><br><b>").append(escape(title)).append("</b>");
    for (int i = 0; i < answers.size(); i++) {
      body.append("<br><span class=\"").append(right.get(i) ? "right" : "wrong").append("\">");
      body.append(right.get(i) ? "✓ " : "✗ ").append(escape(answers.get(i))).append("</span>");
    }
    body.append("</div>\n");
    return this;
  }

  /**
   * The whole page.
   *
   * @return HTML
   */
  public String html() {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\""
        + " content=\"width=device-width\"><title>"
        + escape(title)
        + "</title><style>"
        + STYLE
        + "</style></head><body>\n"
        + body
        + "</body></html>\n";
  }
}
