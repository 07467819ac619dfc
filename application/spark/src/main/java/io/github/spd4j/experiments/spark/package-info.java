/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The experiments on Apache Spark: what {@code ./spd texture --spark MASTER} adds to the command,
 * as a service, and data sets in any file system that Hadoop knows, copied to each machine.
 *
 * <p>How features and steps are computed belongs to {@link io.github.spd4j.spark}.
 */
package io.github.spd4j.experiments.spark;
