/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a training reports: {@link io.github.spd4j.train.progress.TrainingProgress} while it runs,
 * {@link io.github.spd4j.train.progress.EpochRecord} after each epoch.
 *
 * <p>What belongs here: figures of epochs, and listeners for them. What does not: decisions that
 * follow from them, and what progress looks like on a screen.
 */
package io.github.spd4j.train.progress;
