/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The settings of a training: {@link io.github.spd4j.train.plan.TrainingPlan} and what it consists
 * of.
 *
 * <p>What belongs here: immutable settings, and the rules that decide about rates and rollbacks.
 * What does not: networks, images and anything that changes during a training, except a rule's own
 * count.
 */
package io.github.spd4j.train.plan;
