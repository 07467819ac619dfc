/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Training by several workers at once: what averaging does to a W on the Stiefel manifold, and how
 * it is undone. {@link io.github.spd4j.parallel.StiefelAveraging} serves every engine; {@link
 * io.github.spd4j.parallel.ManifoldParallelWrapper} is DL4J's ParallelWrapper with it.
 *
 * <p>Engines themselves do not belong here: DL4J and Spark have them.
 */
package io.github.spd4j.parallel;
