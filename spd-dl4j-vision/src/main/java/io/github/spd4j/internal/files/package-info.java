/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Files that are replaced as a whole, {@link io.github.spd4j.internal.files.AtomicFile}, and texts
 * that tell whether they were changed, {@link io.github.spd4j.internal.files.Seal}.
 *
 * <p>What belongs here: writing that survives a crash, and noticing damage. What does not: what is
 * in the files.
 */
package io.github.spd4j.internal.files;
