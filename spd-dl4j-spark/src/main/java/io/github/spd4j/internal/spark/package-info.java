/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What Spark's module and the commands share: objects that are sent to each machine once.
 *
 * <p>What does not belong here: features and steps.
 */
package io.github.spd4j.internal.spark;
