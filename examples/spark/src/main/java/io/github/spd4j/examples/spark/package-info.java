/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The example for Apache Spark; apart from the others, as it needs Spark on the class path. */
package io.github.spd4j.examples.spark;
