/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Who computes for the trainer: {@link io.github.spd4j.train.engine.TrainingEngine} is what an
 * engine implements.
 *
 * <p>What does not belong here: the engines, and when to learn with which rates.
 */
package io.github.spd4j.train.engine;
