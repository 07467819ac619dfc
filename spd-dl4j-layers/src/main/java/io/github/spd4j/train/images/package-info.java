/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Images with labels: {@link io.github.spd4j.train.images.LabelledImages} is what users implement.
 *
 * <p>What belongs here: sets of images in memory, and parts of sets. What does not: reading files,
 * and what networks make of images.
 */
package io.github.spd4j.train.images;
