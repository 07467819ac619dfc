/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Matrices with orthonormal columns: Q of a QR decomposition and the polar factor, by every way to
 * compute them.
 */
package io.github.spd4j.operators.orthonormal;
