/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Features and training steps on this machine.
 *
 * <p>What belongs here: the engine of one machine and what it is given, the cut of a network, and
 * what features and trainings are told apart by. What does not: when to learn with which rates, and
 * keeping features.
 */
package io.github.spd4j.internal.engine;
