/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.Map;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Curves and heat maps as pictures. */
public final class Pictures {

  private static final int CHART_WIDTH = 460;
  private static final int CHART_HEIGHT = 320;
  private static final int HEAT_MAP_SIZE = 280;

  private Pictures() {}

  /**
   * A chart with one curve for each name, against epochs. Values that are not finite leave gaps.
   *
   * @param title its title
   * @param yAxis what the curves show
   * @param first the epoch of the first value; the others follow one by one
   * @param curves values by name, in the order of the legend
   * @return the picture
   */
  public static BufferedImage curves(
      String title, String yAxis, int first, Map<String, double[]> curves) {
    XYChart chart =
        new XYChartBuilder()
            .width(CHART_WIDTH)
            .height(CHART_HEIGHT)
            .title(title)
            .xAxisTitle("epoch")
            .yAxisTitle(yAxis)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(LegendLayout.Horizontal);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setXAxisDecimalPattern("0");
    chart.getStyler().setYAxisDecimalPattern("0.###");
    curves.forEach((name, values) -> addCurve(chart, name, first, values));
    return BitmapEncoder.getBufferedImage(chart);
  }

  private static void addCurve(XYChart chart, String name, int first, double... values) {
    int[] known =
        IntStream.range(0, values.length).filter(i -> Double.isFinite(values[i])).toArray();
    double[] x = IntStream.of(known).mapToDouble(i -> first + i).toArray();
    double[] y = IntStream.of(known).mapToDouble(i -> values[i]).toArray();
    if (x.length > 0) {
      // a curve of one value would be invisible
      chart
          .addSeries(name, x, y)
          .setMarker(x.length > 1 ? SeriesMarkers.NONE : SeriesMarkers.CIRCLE);
    }
  }

  /**
   * The matrix of the first example of a batch as a picture.
   *
   * @param batch [examples, 1, rows, columns]
   * @return the picture
   */
  public static BufferedImage ofMatrix(INDArray batch) {
    return heatMap(batch.slice(0).slice(0));
  }

  /**
   * A matrix as a picture: white is zero, red positive, blue negative, the strongest colour the
   * largest absolute value.
   *
   * @param matrix [rows, columns]
   * @return the picture
   */
  public static BufferedImage heatMap(INDArray matrix) {
    double[][] values = matrix.castTo(DataType.DOUBLE).toDoubleMatrix();
    double largest = Math.max(1e-300, matrix.amaxNumber().doubleValue());
    int cell = Math.max(1, HEAT_MAP_SIZE / values.length);
    int size = cell * values.length;
    BufferedImage picture = new BufferedImage(size, size, BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        picture.setRGB(x, y, colour(values[y / cell][x / cell] / largest));
      }
    }
    return picture;
  }

  private static int colour(double share) {
    int faded = (int) Math.round(255 * (1 - Math.min(1, Math.abs(share))));
    return (share >= 0 ? new Color(255, faded, faded) : new Color(faded, faded, 255)).getRGB();
  }
}
