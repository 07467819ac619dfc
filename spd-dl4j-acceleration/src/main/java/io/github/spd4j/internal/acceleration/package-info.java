/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a module for GPUs offers to {@code acceleration}: convolutions and poolings of a device's
 * library, found as a service.
 *
 * <p>What does not belong here: the helpers that DL4J's layers call.
 */
package io.github.spd4j.internal.acceleration;
