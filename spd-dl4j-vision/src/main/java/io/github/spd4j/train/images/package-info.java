/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Images with labels: {@link io.github.spd4j.train.images.LabelledImages} is what users implement,
 * or make of what they have of DataVec: {@link io.github.spd4j.train.images.IteratorImages} of a
 * record reader or a data set iterator; of files it is {@code FileImages} in {@code datasets}.
 * {@link io.github.spd4j.train.images.ImagesRecordReader} goes the other way.
 *
 * <p>What belongs here: sets of images, and parts of sets. What does not: decoding, and what
 * networks make of images.
 *
 * @serial exclude
 */
package io.github.spd4j.train.images;
