/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The outputs of a frozen backbone, computed once and kept: {@link
 * io.github.spd4j.train.features.FeatureCache} is the way in. {@link
 * io.github.spd4j.train.features.BackboneAndHead} parts a network into its backbone and its head.
 *
 * <p>What belongs here: the cut, the cache, its files, their format and the keys that find them
 * again. What does not: computing features, which an engine does.
 */
package io.github.spd4j.train.features;
