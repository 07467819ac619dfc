/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import io.github.spd4j.listeners.HealthReport;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * Lines over the iterations, as values for {@code health.ftl}. What is not finite, or has no
 * logarithm, leaves a gap.
 */
final class LineChart {

  private static final int TICKS = 4;

  private final String title;
  private final boolean logarithmic;
  private final List<Line> lines = new ArrayList<>();

  LineChart(String title, boolean logarithmic) {
    this.title = title;
    this.logarithmic = logarithmic;
  }

  /**
   * Adds a line if there is anything to draw of it. Reports without the figure leave no gap: at the
   * end of an epoch some have only a part.
   */
  void add(String name, List<HealthReport> reports, Function<HealthReport, OptionalDouble> figure) {
    List<HealthReport> with = new ArrayList<>(reports);
    with.removeIf(report -> figure.apply(report).isEmpty());
    double[] x = with.stream().mapToDouble(HealthReport::iteration).toArray();
    DoubleStream y = with.stream().mapToDouble(report -> figure.apply(report).getAsDouble());
    Line line = new Line(name, x, logarithmic ? y.map(Math::log10).toArray() : y.toArray());
    if (line.drawn().findAny().isPresent()) {
      lines.add(line);
    }
  }

  /** What the template draws, if there are lines: places are shares of the axes, 0 … 1. */
  Map<String, Object> values() {
    Axis x = new Axis(lines.stream().flatMapToDouble(line -> DoubleStream.of(line.x)));
    Axis y = new Axis(lines.stream().flatMapToDouble(Line::drawn));
    List<Map<String, Object>> drawn = new ArrayList<>();
    lines.forEach(line -> drawn.add(Map.of("name", line.name, "points", line.points(x, y))));
    List<String> ticks = new ArrayList<>();
    for (int i = 0; i <= TICKS; i++) {
      double value = y.from + (y.to - y.from) * i / TICKS;
      ticks.add(String.format(Locale.ROOT, "%.3g", logarithmic ? Math.pow(10, value) : value));
    }
    return Map.of("title", title, "from", x.from, "to", x.to, "ticks", ticks, "lines", drawn);
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

    DoubleStream drawn() {
      return DoubleStream.of(y).filter(Double::isFinite);
    }

    /** The points that are drawn; M begins a piece of the line, L goes on with it. */
    List<Map<String, Object>> points(Axis xAxis, Axis yAxis) {
      List<Map<String, Object>> points = new ArrayList<>();
      String step = "M";
      for (int i = 0; i < x.length; i++) {
        boolean drawn = Double.isFinite(y[i]);
        if (drawn) {
          points.add(Map.of("step", step, "x", xAxis.share(x[i]), "y", yAxis.share(y[i])));
        }
        step = drawn ? "L" : "M";
      }
      return points;
    }
  }

  /** The range of some numbers, widened upwards where all of them are equal. */
  private static final class Axis {
    private final double from;
    private final double to;

    Axis(DoubleStream values) {
      DoubleSummaryStatistics range = values.summaryStatistics();
      this.from = range.getMin();
      this.to = range.getMax() > from ? range.getMax() : from + 1;
    }

    double share(double value) {
      return (value - from) / (to - from);
    }
  }
}
