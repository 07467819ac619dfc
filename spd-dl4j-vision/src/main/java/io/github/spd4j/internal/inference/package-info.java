/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The service by which another module computes the answers of networks. */
package io.github.spd4j.internal.inference;
