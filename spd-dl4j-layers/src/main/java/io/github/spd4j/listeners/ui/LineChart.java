/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.DoubleStream;

/** Lines over the iterations, as SVG. What is not finite, or has no logarithm, leaves a gap. */
final class LineChart {

  private static final int WIDTH = 560;
  private static final int HEIGHT = 230;
  private static final int LEFT = 70;
  private static final int RIGHT = 15;
  private static final int TOP = 50;
  private static final int BOTTOM = 30;
  private static final int TICKS = 4;

  private static final String[] COLOURS = {
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"
  };

  private final String title;
  private final boolean logarithmic;
  private final List<Line> lines = new ArrayList<>();

  LineChart(String title, boolean logarithmic) {
    this.title = title;
    this.logarithmic = logarithmic;
  }

  /** Adds a line if there is anything to draw of it. */
  void add(String name, double[] x, double[] y) {
    Line line = new Line(name, x, DoubleStream.of(y).map(this::scaled).toArray());
    if (line.values().findAny().isPresent()) {
      lines.add(line);
    }
  }

  private double scaled(double value) {
    return logarithmic ? Math.log10(value) : value;
  }

  /** The chart, or an empty text if it has no lines. */
  String toSvg() {
    if (lines.isEmpty()) {
      return "";
    }
    DoubleStream allX = lines.stream().flatMapToDouble(line -> DoubleStream.of(line.x));
    Axis x = new Axis(allX, LEFT, WIDTH - RIGHT);
    Axis y = new Axis(lines.stream().flatMapToDouble(Line::values), HEIGHT - BOTTOM, TOP);
    StringBuilder svg =
        new StringBuilder(
            Html.format(
                "<svg viewBox='0 0 %d %d' role='img'><text class='title' x='10' y='18'>%s</text>",
                WIDTH, HEIGHT, Html.escape(title)));
    legend(svg);
    grid(svg, x, y);
    for (int i = 0; i < lines.size(); i++) {
      draw(svg, lines.get(i), colour(i), x, y);
    }
    return svg.append("</svg>\n").toString();
  }

  private static String colour(int line) {
    return COLOURS[line % COLOURS.length];
  }

  private void legend(StringBuilder svg) {
    svg.append("<text class='legend' x='10' y='38'>");
    for (int i = 0; i < lines.size(); i++) {
      svg.append(
          Html.format(
              "<tspan fill='%s'>— %s&#160;&#160; </tspan>",
              colour(i), Html.escape(lines.get(i).name)));
    }
    svg.append("</text>");
  }

  private void grid(StringBuilder svg, Axis x, Axis y) {
    for (int i = 0; i <= TICKS; i++) {
      double value = y.from + (y.to - y.from) * i / TICKS;
      double place = y.pixel(value);
      svg.append(
          Html.format(
              "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>"
                  + "<text class='tick' text-anchor='end' x='%d' y='%.1f'>%.3g</text>",
              LEFT, WIDTH - RIGHT, place, place, LEFT - 6, place + 4, unscaled(value)));
    }
    svg.append(
        Html.format(
            "<text class='tick' x='%d' y='%d'>iteration %.0f</text>"
                + "<text class='tick' text-anchor='end' x='%d' y='%d'>%.0f</text>",
            LEFT, HEIGHT - 10, x.from, WIDTH - RIGHT, HEIGHT - 10, x.to));
  }

  private double unscaled(double value) {
    return logarithmic ? Math.pow(10, value) : value;
  }

  private static void draw(StringBuilder svg, Line line, String colour, Axis x, Axis y) {
    StringBuilder path = new StringBuilder();
    char step = 'M';
    for (int i = 0; i < line.x.length; i++) {
      boolean drawn = Double.isFinite(line.y[i]);
      if (drawn) {
        double px = x.pixel(line.x[i]);
        double py = y.pixel(line.y[i]);
        path.append(Html.format("%c%.1f %.1f", step, px, py));
        svg.append(Html.format("<circle cx='%.1f' cy='%.1f' r='2' fill='%s'/>", px, py, colour));
      }
      step = drawn ? 'L' : 'M';
    }
    svg.append(Html.format("<path d='%s' stroke='%s'/>", path, colour));
  }

  /** A name and its points; y is already scaled. */
  private static final class Line {
    private final String name;
    private final double[] x;
    private final double[] y;

    Line(String name, double[] x, double[] y) {
      this.name = name;
      this.x = x;
      this.y = y;
    }

    DoubleStream values() {
      return DoubleStream.of(y).filter(Double::isFinite);
    }
  }

  /** A range of numbers and the pixels that it is drawn on. */
  private static final class Axis {
    private final double from;
    private final double to;
    private final int firstPixel;
    private final int lastPixel;

    /** The range of some numbers, widened upwards where all of them are equal. */
    Axis(DoubleStream values, int firstPixel, int lastPixel) {
      DoubleSummaryStatistics range = values.summaryStatistics();
      this.from = range.getMin();
      this.to = range.getMax() > from ? range.getMax() : from + 1;
      this.firstPixel = firstPixel;
      this.lastPixel = lastPixel;
    }

    double pixel(double value) {
      return firstPixel + (value - from) / (to - from) * (lastPixel - firstPixel);
    }
  }
}
