/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Training in two stages: first the head on features that a frozen backbone computes once, then the
 * whole network. {@link io.github.spd4j.train.TwoStageTrainer} is the way in, {@link
 * io.github.spd4j.train.TrainingPlan} holds every setting.
 *
 * <p>What belongs here: schedules, the guard against a stage that goes wrong, checkpoints, the
 * cache of features, progress. What does not: how heads are put onto backbones, how images are
 * read, and what progress looks like on a screen.
 */
package io.github.spd4j.train;
