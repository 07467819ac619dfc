/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** {@code Y = WᵀKW}: every way to compute it. Internal: not for users. */
package io.github.spd4j.operators.congruence;
