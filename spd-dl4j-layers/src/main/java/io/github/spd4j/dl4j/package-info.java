/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Cutting networks of DL4J in two, around what DL4J does wrong.
 *
 * <p>What belongs here: work that DL4J should do. What does not: training and heads.
 */
package io.github.spd4j.dl4j;
