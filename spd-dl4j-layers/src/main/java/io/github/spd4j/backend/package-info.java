/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * How operators compute: the small {@link io.github.spd4j.backend.Algebra} that they are written
 * in, and the memory that they use again. Internal: not for users.
 */
package io.github.spd4j.backend;
