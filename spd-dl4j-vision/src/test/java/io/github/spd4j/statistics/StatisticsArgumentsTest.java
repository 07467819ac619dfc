/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.testing.ArgumentsContract;
import java.lang.reflect.Parameter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

class StatisticsArgumentsTest extends ArgumentsContract {

  StatisticsArgumentsTest() {
    super("statistics");
    answered("Familiarity.fit", "labels", "negative"); // any numbers are names
    // What does not go together with the others.
    answered("Familiarity.fit", "vectors", "wide");
    answered("RidgeClassifier.fit", "labels", "none two");
    answered("Temperature.fit", "probabilities", "none");
  }

  /** One matrix of examples at a time. */
  @Override
  protected boolean isOfOne(String function) {
    return true;
  }

  @Override
  protected Stream<Object> objects(Form form) {
    return Stream.of(known());
  }

  private static Familiarity known() {
    return Familiarity.fit(Form.DOUBLE.definite(0), 0, 1, 0);
  }

  @Override
  protected Object good(String function, Parameter parameter, int place, Form form) {
    switch (parameter.getName()) {
      case "labels":
        return new int[] {0, 1, 0};
      case "groups":
        return new int[] {0, 1, 2};
      case "bytes":
        return known().bytes();
      case "vector":
        return new double[N];
      case "probabilities":
        double[] shares = {0.2, 0.3, 0.5};
        return parameter.getType() == double[].class
            ? shares
            : new double[][] {shares, shares, shares};
      case "progress":
        return RidgeProgress.NONE;
      case "examples":
        return parameter.getType() == RidgeExamples.class ? examples(place) : null;
      default:
        return null;
    }
  }

  private static RidgeExamples examples(int place) {
    return new RidgeExamples() {
      @Override
      public long length() {
        return N;
      }

      @Override
      public DataType type() {
        return DataType.DOUBLE;
      }

      @Override
      public INDArray read(int first, int end) {
        return Form.DOUBLE
            .definite(place)
            .get(org.nd4j.linalg.indexing.NDArrayIndex.interval(first, end))
            .dup();
      }
    };
  }

  @Override
  protected Map<String, Object> worse(String argument, Object good) {
    Map<String, Object> worse = new LinkedHashMap<>();
    if (good instanceof int[]) {
      worse.put("none", new int[0]);
      worse.put("two", new int[] {0, 1});
      worse.put("negative", new int[] {0, -1, 0});
    } else if (good instanceof double[][]) {
      worse.put("none", new double[0][]);
      worse.put("hole", new double[][] {{0.5, 0.5}, null, {0.5, 0.5}});
      worse.put("NaN", new double[][] {{0.5, 0.5}, {0.5, Double.NaN}, {0.5, 0.5}});
      worse.put("negative", new double[][] {{0.5, 0.5}, {1.5, -0.5}, {0.5, 0.5}});
      worse.put("empty", new double[][] {{0.5, 0.5}, {}, {0.5, 0.5}});
    } else if (good instanceof byte[]) {
      worse.put("none", new byte[0]);
      worse.put("other", new byte[100]);
    }
    return worse;
  }
}
