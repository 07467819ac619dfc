/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The experiments on Apache Spark: what {@code ./spd texture --spark MASTER} adds to the command,
 * as a service, and image files in any file system that Hadoop knows.
 */
package io.github.spd4j.experiments.spark;
