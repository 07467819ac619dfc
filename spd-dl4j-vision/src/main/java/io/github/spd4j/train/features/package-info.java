/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The outputs of a frozen backbone, computed once and kept: {@link
 * io.github.spd4j.train.features.FeatureCache} is the way in.
 *
 * <p>What belongs here: the cache, its files and their format. What does not: computing features,
 * which an engine does.
 */
package io.github.spd4j.train.features;
