/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Who computes: features and training steps, on this machine or on several.
 *
 * <p>What belongs here: what another engine implements, such as that of Spark, what it is given,
 * and the engine of one machine. What does not: when to learn with which rates, and keeping
 * features.
 */
package io.github.spd4j.internal.engine;
