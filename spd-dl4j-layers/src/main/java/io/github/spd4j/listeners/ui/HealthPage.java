/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners.ui;

import io.github.spd4j.listeners.Figure;
import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/** The page: a table of the latest figures, what is wrong, and charts. It needs no scripts. */
final class HealthPage {

  /** More points than this could not be told apart in a chart. */
  private static final int MAX_POINTS = 250;

  private static final String HEAD =
      "<!DOCTYPE html>\n"
          + "<html lang='en'><head><meta charset='utf-8'><title>SPD layers</title><meta"
          + " http-equiv='refresh' content='5'><style>body{font:14px sans-serif;margin:1.5em"
          + " auto;max-width:1180px;color:#222}h1{font-size:1.4em}table{border-collapse:collapse;margin:1em"
          + " 0}td,th{padding:.35em .7em;border-bottom:1px solid #ddd;text-align:right}"
          + "td:first-child,th:first-child{text-align:left}.wrong{background:#fdecea;border-left:4px"
          + " solid #d62728;padding:.6em 1em;margin:.4em"
          + " 0}.charts{display:grid;grid-template-columns:1fr 1fr;gap:1em}svg{width:100%}svg"
          + " .title{font-weight:bold;font-size:14px}svg .legend{font-size:12px}svg"
          + " .tick{font-size:11px;fill:#666}svg .grid{stroke:#e4e4e4}svg"
          + " path{fill:none;stroke-width:1.5}</style></head><body>\n"
          + "<h1>Health of the SPD layers</h1>\n";

  private static final String FOOT = "</body></html>\n";

  private HealthPage() {}

  static String empty() {
    return HEAD
        + "<p>No figures yet. Give the network a SpdHealthListener with the storage that is"
        + " attached to this user interface.</p>\n"
        + FOOT;
  }

  static String of(String session, Collection<String> sessions, List<HealthReport> reports) {
    HealthReport latest = latestComplete(reports);
    StringBuilder page = new StringBuilder(HEAD);
    if (sessions.size() > 1) {
      links(page, session, sessions);
    }
    page.append(Html.format("<p>Iteration %d, epoch %d", latest.iteration(), latest.epoch()));
    latest
        .gradientNorm()
        .ifPresent(norm -> page.append(Html.format(", norm of the network's gradient %.3g", norm)));
    page.append("</p>\n");
    for (String warning : latest.warnings()) {
      page.append("<p class='wrong'>").append(Html.escape(warning)).append("</p>\n");
    }
    table(page, latest);
    charts(page, thinned(reports));
    return page.append(FOOT).toString();
  }

  /** The last report of a whole iteration, or else the last one. */
  private static HealthReport latestComplete(List<HealthReport> reports) {
    HealthReport latest = reports.get(reports.size() - 1);
    for (HealthReport report : reports) {
      latest = report.gradientNorm().isPresent() ? report : latest;
    }
    return latest;
  }

  private static void links(StringBuilder page, String current, Collection<String> sessions) {
    page.append("<p>Sessions:");
    for (String session : sessions) {
      String name = Html.escape(session);
      String address = URLEncoder.encode(session, StandardCharsets.UTF_8);
      page.append(
          session.equals(current)
              ? Html.format(" <b>%s</b>", name)
              : Html.format(" <a href='/spd?session=%s'>%s</a>", address, name));
    }
    page.append("</p>\n");
  }

  private static void table(StringBuilder page, HealthReport report) {
    page.append("<table><tr><th>Layer</th>");
    for (Figure figure : Figure.values()) {
      page.append(Html.format("<th>%s</th>", Html.escape(figure.label())));
    }
    page.append("</tr>\n");
    for (LayerHealth layer : report.layers()) {
      String title = layer.name() + " (" + layer.type() + ")";
      page.append(Html.format("<tr><td>%s</td>", Html.escape(title)));
      for (Figure figure : Figure.values()) {
        Double value = layer.figures().get(figure);
        page.append(Html.format("<td>%s</td>", value == null ? "" : figure.format(value)));
      }
      page.append("</tr>\n");
    }
    page.append("</table>\n");
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

  private static void charts(StringBuilder page, List<HealthReport> reports) {
    page.append("<div class='charts'>\n");
    LineChart whole = new LineChart("Norm of the network's gradient", true);
    addLine(whole, "all parameters", reports, HealthReport::gradientNorm);
    page.append(whole.toSvg());
    page.append(chart("Distance of W from the manifold", true, reports, Figure.OFF_MANIFOLD));
    page.append(chart("Gradient of W", true, reports, Figure.GRADIENT, Figure.TANGENT_GRADIENT));
    page.append(chart("Share of dead channels", false, reports, Figure.DEAD_SHARE));
    page.append(
        chart(
            "Bandwidth σ", false, reports, Figure.SIGMA_MEAN, Figure.SIGMA_MIN, Figure.SIGMA_MAX));
    page.append(chart("Smallest eigenvalue", false, reports, Figure.LAMBDA_MIN));
    page.append(chart("Largest eigenvalue", false, reports, Figure.LAMBDA_MAX));
    page.append(chart("Condition number", true, reports, Figure.CONDITION));
    page.append(chart("Eigenvalues below the floor", false, reports, Figure.FLOORED));
    page.append("</div>\n");
  }

  private static String chart(
      String title, boolean logarithmic, List<HealthReport> reports, Figure... figures) {
    LineChart chart = new LineChart(title, logarithmic);
    for (String layer : layersOf(reports)) {
      for (Figure figure : figures) {
        addLine(
            chart,
            figures.length == 1 ? layer : layer + ": " + figure.label(),
            reports,
            report -> report.layer(layer).map(l -> l.get(figure)).orElseGet(OptionalDouble::empty));
      }
    }
    return chart.toSvg();
  }

  private static Set<String> layersOf(List<HealthReport> reports) {
    Set<String> names = new LinkedHashSet<>();
    reports.forEach(report -> report.layers().forEach(layer -> names.add(layer.name())));
    return names;
  }

  /** Reports without the figure leave no gap: at the end of an epoch some have only a part. */
  private static void addLine(
      LineChart chart,
      String name,
      List<HealthReport> reports,
      Function<HealthReport, OptionalDouble> figure) {
    List<HealthReport> with = new ArrayList<>(reports);
    with.removeIf(report -> figure.apply(report).isEmpty());
    double[] x = with.stream().mapToDouble(HealthReport::iteration).toArray();
    double[] y = with.stream().mapToDouble(r -> figure.apply(r).getAsDouble()).toArray();
    chart.add(name, x, y);
  }
}
