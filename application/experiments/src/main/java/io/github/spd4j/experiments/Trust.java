/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.models.Confidence;
import io.github.spd4j.statistics.Familiarity;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What held-out images tell about the answers of a network: how sure they may be.
 *
 * @param images how many images that tells
 * @param confidence what the model's card says
 * @param errorBefore the calibration error of these images without a temperature, or NaN
 */
record Trust(int images, Confidence confidence, double errorBefore) {

  /** Fewer images tell too little about probabilities, after they have chosen the best epoch. */
  static final int FEWEST = 50;

  /** The share of sure answers that is to be right. */
  static final double WANTED = 0.95;

  /** The share of known pictures that is not to be named unlike them. */
  static final double KEPT = 0.95;

  /** So many of the surest answers must be right often enough, or it may be chance. */
  private static final int FEWEST_SURE = 10;

  /** From validation images; they have decided about epochs, but not about probabilities. */
  static Trust of(Predictions validation) {
    if (validation.size() < FEWEST) {
      return new Trust(validation.size(), Confidence.UNKNOWN, Double.NaN);
    }
    double temperature = validation.temperature();
    return new Trust(
        validation.size(),
        Confidence.of(temperature, unsureBelow(validation.calibrated(temperature))),
        TestFigures.of(validation).calibrationError());
  }

  /**
   * The same, and how far an image may lie from the classes to be like them.
   *
   * @param learnt the means of the feature maps of the training images, [n, maps]
   * @param labels their classes
   * @param asked those of the validation images, as many views of each as there are
   */
  Trust familiar(INDArray learnt, int[] labels, INDArray asked) {
    if (learnt.size(1) > Familiarity.LONGEST) {
      return this;
    }
    Familiarity familiarity = Familiarity.fit(learnt, labels);
    INDArray ofPictures = asked.reshape('c', images, asked.size(0) / images, asked.size(1)).mean(1);
    double[] distances =
        Arrays.stream(ofPictures.castTo(DataType.DOUBLE).toDoubleMatrix())
            .mapToDouble(familiarity::distance)
            .sorted()
            .toArray();
    double limit = distances[(int) Math.ceil(KEPT * distances.length) - 1];
    return limit > 0 ? new Trust(images, confidence.unlike(familiarity, limit), errorBefore) : this;
  }

  boolean isKnown() {
    return images >= FEWEST;
  }

  /** The least probability from which on as many answers are right as is wanted. */
  private static double unsureBelow(Predictions validation) {
    List<Integer> surest =
        IntStream.range(0, validation.size())
            .boxed()
            .sorted(Comparator.comparingDouble(image -> -validation.probability(image)))
            .toList();
    int right = 0;
    int sure = 0;
    for (int i = 0; i < surest.size(); i++) {
      right += validation.isRight(surest.get(i)) ? 1 : 0;
      boolean isLimit = // equal ones are sure together
          i + 1 == surest.size()
              || validation.probability(surest.get(i + 1)) < validation.probability(surest.get(i));
      sure = isLimit && i + 1 >= FEWEST_SURE && right >= WANTED * (i + 1) ? i + 1 : sure;
    }
    if (sure == surest.size()) {
      return 0;
    }
    // What is calibrated and that probable is right as often.
    return sure == 0
        ? WANTED
        : (validation.probability(surest.get(sure - 1)) + validation.probability(surest.get(sure)))
            / 2;
  }
}
