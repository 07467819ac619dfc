/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The square root of a matrix: every way to compute it. */
package io.github.spd4j.operators.root;
