/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The entries of model files and checkpoints, read within bounds.
 *
 * <p>What does not belong here: what is in them: {@code models} and {@code train} know that.
 */
package io.github.spd4j.internal.models;
