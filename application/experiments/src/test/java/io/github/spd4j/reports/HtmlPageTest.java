/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.util.List;
import java.util.Map;
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
            .figure(Pictures.heatMap(Nd4j.eye(3)), "an identity")
            .confusion(new int[][] {{3, 1}, {0, 4}}, List.of("p", "q"), "a matrix")
            .html();
    assertThat(html)
        .contains("a &lt; b &amp; &quot;c&quot;")
        .contains("&lt;script&gt;")
        .contains("<td>&lt;2&gt;</td>")
        .contains("data:image/png;base64,")
        .contains("title=\"p → q: 1\"")
        .doesNotContain("http");
  }

  @Test
  void aPictureIsShownNoWiderThanItMayBe() {
    BufferedImage picture = Pictures.heatMap(Nd4j.eye(3));
    String html = new HtmlPage("t").figure(picture, "a", 2).figure(picture, "b", 4000).html();
    assertThat(html)
        .contains("<img width=\"2\"", "<img width=\"" + picture.getWidth() + "\"")
        .doesNotContain("4000");
  }

  @Test
  void aHeatMapShowsSigns() {
    BufferedImage picture =
        Pictures.heatMap(Nd4j.createFromArray(new double[][] {{1, 0}, {0, -1}}));
    int last = picture.getWidth() - 1;
    assertThat(picture.getRGB(0, 0) & 0xFFFFFF).isEqualTo(0xFF0000);
    assertThat(picture.getRGB(last, 0) & 0xFFFFFF).isEqualTo(0xFFFFFF);
    assertThat(picture.getRGB(last, last) & 0xFFFFFF).isEqualTo(0x0000FF);
  }

  @Test
  void curvesAreDrawnAlsoWhenOneIsEmpty() {
    BufferedImage chart =
        Pictures.curves(
            "t", "y", 1, Map.of("a", new double[] {0.1, 0.5, 0.7}, "b", new double[] {}));
    assertThat(chart.getWidth()).isPositive();
  }
}
