/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

/**
 * How the classifier of a network gets its weights. Fitting is {@link
 * io.github.spd4j.statistics.RidgeClassifier ridge regression} on all training images, unless both
 * they and the inputs of the classifier are more than 16,384; it needs a plain softmax layer at the
 * end of the network, any other learns.
 */
public enum ClassifierTraining {

  /** It learns by gradient descent, like all other layers. */
  LEARNT,

  /**
   * It learns with the other layers, and at the end of each stage it is fitted in closed form. The
   * fitted one stands only if it is better than the learnt one on the validation images. Without
   * any, a tenth of the training images is held out from learning for that, if they show more than
   * 2,000 pictures, until the schedule lowers the rates of the last stage; of fewer, a tenth could
   * not tell, and the fitted one stands. Stage one records the head before it learns, with a fitted
   * classifier, as epoch 0, if it is validated.
   */
  LEARNT_THEN_FITTED,

  /**
   * It never learns. An epoch has two halves: the rest of the network learns from one half of the
   * images while the classifier is fitted to the other, and the other way round; at its end the
   * classifier is fitted to all. Stage one records the head before it learns as epoch 0.
   *
   * <p>With {@link TrainingPlan.Builder#keepUpdaters} the classifier's updater must have a learning
   * rate, which is set to 0 meanwhile.
   */
  FITTED
}
