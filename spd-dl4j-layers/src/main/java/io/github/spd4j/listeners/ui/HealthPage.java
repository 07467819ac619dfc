/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import io.github.spd4j.listeners.Figure;
import io.github.spd4j.listeners.HealthReport;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The values of the page, which {@code health.ftl} lays out: a table of the latest figures, what is
 * wrong, and charts. It needs no scripts.
 */
final class HealthPage {

  /** More points than this could not be told apart in a chart. */
  private static final int MAX_POINTS = 250;

  private static final Configuration TEMPLATES = templates();

  private HealthPage() {}

  private static Configuration templates() {
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_23);
    configuration.setClassForTemplateLoading(HealthPage.class, "");
    configuration.setDefaultEncoding("UTF-8");
    configuration.setLocale(Locale.ROOT);
    configuration.setNumberFormat("0");
    return configuration;
  }

  static String empty() {
    return laidOut(Map.of());
  }

  static String of(String session, Collection<String> sessions, List<HealthReport> reports) {
    HealthReport latest = latestComplete(reports);
    Map<String, Object> values = new HashMap<>();
    values.put("session", session);
    values.put("sessions", sessions);
    values.put("report", latest);
    values.put("figures", Figure.values());
    values.put("charts", charts(thinned(reports)));
    latest
        .gradientNorm()
        .ifPresent(norm -> values.put("norm", String.format(Locale.ROOT, "%.3g", norm)));
    return laidOut(values);
  }

  private static String laidOut(Map<String, Object> values) {
    StringWriter page = new StringWriter();
    try {
      TEMPLATES.getTemplate("health.ftl").process(values, page);
    } catch (IOException | TemplateException e) {
      throw new IllegalStateException("expected a page from health.ftl, got none", e);
    }
    return page.toString();
  }

  /** The last report of a whole iteration, or else the last one. */
  private static HealthReport latestComplete(List<HealthReport> reports) {
    HealthReport latest = reports.get(reports.size() - 1);
    for (HealthReport report : reports) {
      latest = report.gradientNorm().isPresent() ? report : latest;
    }
    return latest;
  }

  /** Every n-th report, and the last one. */
  private static List<HealthReport> thinned(List<HealthReport> reports) {
    int step = 1 + (reports.size() - 1) / MAX_POINTS;
    List<HealthReport> kept = new ArrayList<>();
    for (int i = (reports.size() - 1) % step; i < reports.size(); i += step) {
      kept.add(reports.get(i));
    }
    return kept;
  }

  private static List<Map<String, Object>> charts(List<HealthReport> reports) {
    LineChart whole = new LineChart("Norm of the network's gradient", true);
    whole.add("all parameters", reports, HealthReport::gradientNorm);
    List<LineChart> charts = new ArrayList<>(List.of(whole));
    charts.add(chart("Distance of W from the manifold", true, reports, Figure.OFF_MANIFOLD));
    charts.add(chart("Gradient of W", true, reports, Figure.GRADIENT, Figure.TANGENT_GRADIENT));
    charts.add(chart("Share of dead channels", false, reports, Figure.DEAD_SHARE));
    charts.add(
        chart(
            "Bandwidth σ", false, reports, Figure.SIGMA_MEAN, Figure.SIGMA_MIN, Figure.SIGMA_MAX));
    charts.add(chart("Smallest eigenvalue", false, reports, Figure.LAMBDA_MIN));
    charts.add(chart("Largest eigenvalue", false, reports, Figure.LAMBDA_MAX));
    charts.add(chart("Condition number", true, reports, Figure.CONDITION));
    charts.add(chart("Eigenvalues below the floor", false, reports, Figure.FLOORED));
    return charts.stream().map(LineChart::values).collect(Collectors.toList());
  }

  private static LineChart chart(
      String title, boolean logarithmic, List<HealthReport> reports, Figure... figures) {
    LineChart chart = new LineChart(title, logarithmic);
    for (String layer : layersOf(reports)) {
      for (Figure figure : figures) {
        chart.add(
            figures.length == 1 ? layer : layer + ": " + figure.label(),
            reports,
            report -> report.layer(layer).map(l -> l.get(figure)).orElseGet(OptionalDouble::empty));
      }
    }
    return chart;
  }

  private static Set<String> layersOf(List<HealthReport> reports) {
    Set<String> names = new LinkedHashSet<>();
    reports.forEach(report -> report.layers().forEach(layer -> names.add(layer.name())));
    return names;
  }
}
