/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Short programs to copy from, each a class that stands alone: {@code run} does the work and
 * returns a result, {@code main} shows how to call it.
 *
 * <p>Nothing here is shared, and nothing depends on it. Data sets are read by {@link
 * io.github.spd4j.datasets}; experiments with reports and a command line are the application.
 */
package io.github.spd4j.examples;
