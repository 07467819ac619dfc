/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The host's engine: FLOAT matrices in main memory, BLAS, threads. Internal: not for users. */
package io.github.spd4j.backend.host;
