/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The tensor sketch of a matrix. */
package io.github.spd4j.operators.sketch;
