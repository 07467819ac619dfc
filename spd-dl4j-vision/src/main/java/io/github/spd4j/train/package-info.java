/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Training in two stages: first the head on features that a frozen backbone computes once, then the
 * whole network. {@link io.github.spd4j.train.TwoStageTrainer} is the way in, {@link
 * io.github.spd4j.train.plan.TrainingPlan} holds every setting.
 *
 * <p>What belongs here: what users call, the phases that a plan comes to ({@code Phases}), and
 * checkpoints. What does not: settings ({@code train.plan}), the images to learn from ({@code
 * train.images}), the cache of features ({@code train.features}), who computes ({@code
 * train.engine}), reports ({@code train.progress}); how heads are put onto backbones, and how
 * images are read.
 */
package io.github.spd4j.train;
