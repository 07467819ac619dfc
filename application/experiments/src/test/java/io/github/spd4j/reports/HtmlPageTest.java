/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.factory.Nd4j;

class HtmlPageTest {

  @Test
  void textIsEscapedAndNothingComesFromOutside() {
    String html =
        new HtmlPage("a < b & \"c\"")
            .heading("h")
            .paragraph("<script>")
            .table(List.of("x", "y"), List.of(List.of("1", "<2>")))
            .figure(PagePictures.heatMap(Nd4j.eye(3)), "an identity")
            .confusion(new int[][] {{3, 1}, {0, 4}}, List.of("p", "q"), "a matrix")
            .html();
    assertThat(html)
        .contains("a &lt; b &amp; &quot;c&quot;")
        .contains("&lt;script&gt;")
        .contains("<td data-name=\"y\">&lt;2&gt;</td>")
        .contains("data:image/png;base64,")
        .contains("title=\"p → q: 1\"")
        .doesNotContain("http");
  }

  @Test
  void aPictureIsShownNoWiderThanItMayBe() {
    BufferedImage picture = PagePictures.heatMap(Nd4j.eye(3));
    String html = new HtmlPage("t").figure(picture, "a", 2).figure(picture, "b", 4000).html();
    assertThat(html)
        .contains("<img width=\"2\"", "<img width=\"" + picture.getWidth() + "\"")
        .doesNotContain("4000");
  }

  @Test
  void aHeatMapShowsSigns() {
    BufferedImage picture =
        PagePictures.heatMap(Nd4j.createFromArray(new double[][] {{1, 0}, {0, -1}}));
    int last = picture.getWidth() - 1;
    assertThat(picture.getRGB(0, 0) & 0xFFFFFF).isEqualTo(0xFF0000);
    assertThat(picture.getRGB(last, 0) & 0xFFFFFF).isEqualTo(0xFFFFFF);
    assertThat(picture.getRGB(last, last) & 0xFFFFFF).isEqualTo(0x0000FF);
  }

  @Test
  void whatCannotBeMadeCostsNothingElse() {
    HtmlPage page = new HtmlPage("t");
    page.section("before", () -> page.paragraph("first"));
    page.section(
        "broken",
        () -> {
          page.paragraph("half");
          throw new UnsatisfiedLinkError("libfontmanager.so");
        });
    page.folded(
        "folded",
        () -> {
          throw new IllegalStateException("no picture");
        });
    page.paragraph("last");
    assertThat(page.html())
        .contains("<p>first</p>", "<p>last</p>", "<h2>broken</h2>", "libfontmanager.so")
        .containsPattern(
            "<summary><h2>folded</h2></summary>\\s*<p>[^<]*no picture</p>\\s*</details>")
        .doesNotContain("half");
  }

  @Test
  void curvesAreDrawnAlsoWhenOneIsEmptyOrHasGaps() {
    Map<String, double[]> curves = new LinkedHashMap<>();
    curves.put("a", new double[] {0.1, 0.5, Double.NaN, 0.7});
    curves.put("b", new double[] {});
    curves.put("c < d", new double[] {0.3});
    String html = new HtmlPage("t").chart(SvgChart.curves("y", 1, curves), "a chart").html();
    assertThat(html.split("class=\"curve", -1)).hasSize(3);
    assertThat(html)
        .containsPattern(
            "curve s0\"[^>]* d=\"M[\\d.]+ [\\d.]+L[\\d.]+ [\\d.]+M[\\d.]+ [\\d.]+h1\"");
    assertThat(html).contains("c &lt; d").doesNotContain("NaN").doesNotContain("Infinity");
  }

  @Test
  void gridsHaveRoundNumbersAndEpochsAreWhole() {
    String few = chart(new double[] {0.7011, 0.7013});
    assertThat(ticks(few)).contains("1", "2").doesNotContain("1.5");
    assertThat(ticks(few)).contains("0.7011", "0.7012", "0.7013");
    assertThat(ticks(chart(new double[31]))).contains("10", "30").doesNotContain("11");
    assertThat(ticks(chart(new double[] {-3, 250}))).contains("0", "100", "200");
  }

  private static String chart(double... values) {
    return new HtmlPage("t").chart(SvgChart.curves("y", 1, Map.of("a", values)), "c").html();
  }

  private static List<String> ticks(String html) {
    return Pattern.compile("<text[^>]*>(-?[\\d.]+)</text>")
        .matcher(html)
        .results()
        .map(match -> match.group(1))
        .toList();
  }
}
