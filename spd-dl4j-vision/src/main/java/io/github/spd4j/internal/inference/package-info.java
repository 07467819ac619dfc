/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What computes outputs of networks: the choice, and the service by which another module does. */
package io.github.spd4j.internal.inference;
