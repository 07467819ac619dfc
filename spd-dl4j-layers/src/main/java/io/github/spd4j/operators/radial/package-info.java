/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Kernel matrices of feature maps, and their gradient: every way to compute them. Internal: not for
 * users.
 */
package io.github.spd4j.operators.radial;
