/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.TrainingProgress;

/** What both stages of a training share. */
record TrainingContext(
    TrainingPlan plan,
    Circumstances known,
    TrainingEngine engine,
    TrainingProgress progress,
    TrainingState state) {}
