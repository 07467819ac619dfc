/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What the library and its commands do with images beside what users call: PNG, random numbers by
 * purpose, and a thread that reads one item ahead.
 *
 * <p>What does not belong here: decoding and views, which are in {@code images}.
 */
package io.github.spd4j.internal.images;
