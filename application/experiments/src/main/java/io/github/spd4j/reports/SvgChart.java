/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A chart that the reader's browser draws: SVG for a page, whose style colours it. Nothing is drawn
 * here, so that no fonts are needed.
 */
public final class SvgChart {

  private static final int WIDTH = 460;
  private static final int HEIGHT = 300;
  private static final int LEFT = 52;
  private static final int RIGHT = 14;
  private static final int TOP = 10;
  private static final int BOTTOM = 44;

  /** About how many lines a grid has each way. */
  private static final int TICKS = 6;

  private final double[] xRange;
  private final double[] yRange;
  private final StringBuilder marks = new StringBuilder();
  private final StringBuilder legend = new StringBuilder();
  private int curves;

  /**
   * An empty chart.
   *
   * @param xAxis what the horizontal axis shows
   * @param yAxis what the vertical axis shows
   * @param xRange its first and last value
   * @param yRange its first and last value
   */
  private SvgChart(String xAxis, String yAxis, double[] xRange, double[] yRange, double smallest) {
    this.xRange = xRange;
    this.yRange = yRange;
    for (double x : ticks(xRange, smallest)) {
      line("grid", x, yRange[0], x, yRange[1]);
      text(x(x), HEIGHT - BOTTOM + 16, "middle", number(x));
    }
    for (double y : ticks(yRange, 0)) {
      line("grid", xRange[0], y, xRange[1], y);
      text(LEFT - 6, y(y) + 4, "end", number(y));
    }
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", xAxis);
    double middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    add(
        "<text x=\"12\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 12"
            + " %.1f)\">%s</text>",
        middle, middle, HtmlPage.escape(yAxis));
  }

  /**
   * One curve for each name, against epochs. Values that are not finite leave gaps.
   *
   * @param yAxis what the curves show
   * @param first the epoch of the first value; the others follow one by one
   * @param curves values by name, in the order of the legend
   * @return the chart
   */
  public static SvgChart curves(String yAxis, int first, Map<String, double[]> curves) {
    int longest = curves.values().stream().mapToInt(values -> values.length).max().orElse(0);
    double[] known =
        curves.values().stream()
            .flatMapToDouble(DoubleStream::of)
            .filter(Double::isFinite)
            .toArray();
    double[] yRange = {
      DoubleStream.of(known).min().orElse(0), DoubleStream.of(known).max().orElse(1)
    };
    double[] xRange = {first, first + Math.max(1, longest - 1)};
    SvgChart chart = new SvgChart("epoch", yAxis, xRange, widened(yRange), 1);
    curves.forEach(
        (name, values) ->
            chart.curve(
                name,
                IntStream.range(0, values.length).mapToDouble(i -> first + i).toArray(),
                values));
    return chart;
  }

  /** With room above and below, so that equal values too have a range. */
  private static double[] widened(double[] range) {
    double room = range[1] > range[0] ? 0.05 * (range[1] - range[0]) : 0.1 + 0.1 * range[1];
    return new double[] {range[0] - room, range[1] + room};
  }

  /**
   * Adds a curve. Values that are not finite leave gaps.
   *
   * @param name its name in the legend; empty for none there
   * @param xs where its values stand
   * @param values its values
   * @return this chart
   */
  public SvgChart curve(String name, double[] xs, double[] values) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (goesOn(xs, values, i) || goesOn(values, xs, i)) {
        continue;
      }
      if (Double.isFinite(values[i])) {
        boolean goesOn = i > 0 && Double.isFinite(values[i - 1]);
        path.append(
            String.format(Locale.ROOT, "%s%.1f %.1f", goesOn ? "L" : "M", x(xs[i]), y(values[i])));
        if (!goesOn && (i + 1 == values.length || !Double.isFinite(values[i + 1]))) {
          path.append("h1"); // one value alone would be invisible
        }
      }
    }
    String style = "s" + curves++ % 4;
    if (path.length() > 0) {
      add("<path class=\"curve %s\" stroke-linecap=\"round\" d=\"%s\"/>", style, path);
      if (!name.isEmpty()) {
        legend.append("<span class=\"key ").append(style).append("\"></span>");
        legend.append(HtmlPage.escape(name));
      }
    }
    return this;
  }

  /** Whether a point lies on the way from the one before to the next, along an axis. */
  private static boolean goesOn(double[] along, double[] across, int i) {
    return i > 0
        && i + 1 < along.length
        && across[i - 1] == across[i]
        && across[i] == across[i + 1]
        && (along[i] - along[i - 1]) * (along[i + 1] - along[i]) >= 0;
  }

  /**
   * What was said against what was so, both from 0 to 1: an empty chart with the diagonal on which
   * they are equal.
   *
   * @param xAxis what was said
   * @param yAxis what was so
   * @return the chart
   */
  public static SvgChart agreement(String xAxis, String yAxis) {
    SvgChart chart = shares(xAxis, yAxis);
    chart.line("ideal", 0, 0, 1, 1);
    return chart;
  }

  /**
   * An empty chart of two shares, both from 0 to 1.
   *
   * @param xAxis what the horizontal axis shows
   * @param yAxis what the vertical axis shows
   * @return the chart
   */
  public static SvgChart shares(String xAxis, String yAxis) {
    double[] range = {0, 1};
    return new SvgChart(xAxis, yAxis, range, range, 0);
  }

  /**
   * An empty chart of how many there are for each share from 0 to 1.
   *
   * @param xAxis what the horizontal axis shows
   * @param yAxis what is counted
   * @param most the most of them
   * @return the chart
   */
  public static SvgChart counts(String xAxis, String yAxis, int most) {
    return new SvgChart(xAxis, yAxis, new double[] {0, 1}, new double[] {0, Math.max(1, most)}, 0);
  }

  /**
   * Adds a bar of two parts, one on the other.
   *
   * @param from its left end
   * @param to its right end
   * @param right how high the lower part is, in the colour of what is right
   * @param wrong how high the upper part is, in the colour of what is wrong
   * @param title what it shows, for who points at it
   * @return this chart
   */
  public SvgChart stack(double from, double to, double right, double wrong, String title) {
    rectangle("bar good", from, to, 0, right, title);
    rectangle("bar bad", from, to, right, right + wrong, title);
    return this;
  }

  /**
   * Adds a bar and how uncertain its height is.
   *
   * @param from its left end
   * @param to its right end
   * @param height how high it is
   * @param low the lowest that it may really be
   * @param high the highest that it may really be
   * @param title what it shows, for who points at it
   * @return this chart
   */
  public SvgChart bar(
      double from, double to, double height, double low, double high, String title) {
    rectangle("bar", from, to, yRange[0], height, title);
    line("whisker", (from + to) / 2, low, (from + to) / 2, high);
    return this;
  }

  private void rectangle(
      String style, double from, double to, double low, double high, String title) {
    add(
        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s"
            + "</title></rect>",
        style, x(from) + 1, y(high), x(to) - x(from) - 2, y(low) - y(high), HtmlPage.escape(title));
  }

  /** Round numbers, at least so far apart. */
  private static double[] ticks(double[] range, double smallest) {
    double rough = Math.max(smallest, (range[1] - range[0]) / TICKS);
    double power = Math.pow(10, Math.floor(Math.log10(rough) + 1e-9));
    double step =
        DoubleStream.of(1, 2, 5, 10)
            .map(factor -> factor * power)
            .filter(candidate -> candidate >= rough - 1e-9 * power)
            .findFirst()
            .orElseThrow();
    long first = (long) Math.ceil(range[0] / step - 1e-9);
    long last = (long) Math.floor(range[1] / step + 1e-9);
    return LongStream.rangeClosed(first, last).mapToDouble(k -> k * step).toArray();
  }

  private static String number(double value) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(6));
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private double x(double value) {
    return LEFT + (value - xRange[0]) / (xRange[1] - xRange[0]) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double value) {
    double share = (value - yRange[0]) / (yRange[1] - yRange[0]);
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  }

  private void line(String style, double x1, double y1, double x2, double y2) {
    add(
        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
        style, x(x1), y(y1), x(x2), y(y2));
  }

  private void text(double x, double y, String anchor, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        x, y, anchor, HtmlPage.escape(text));
  }

  private void add(String pattern, Object... values) {
    marks.append(String.format(Locale.ROOT, pattern, values)).append('\n');
  }

  /**
   * The chart and its legend for a page, whose caption says to those who see none what it shows.
   */
  String html() {
    return String.format(
        Locale.ROOT,
        "<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">%s</svg>%s",
        WIDTH,
        HEIGHT,
        marks,
        legend);
  }
}
