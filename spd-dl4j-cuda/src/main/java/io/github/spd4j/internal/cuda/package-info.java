/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What the library can do faster on NVIDIA GPUs with classes of ND4J's CUDA backend: products of
 * many matrices by cuBLAS, and kernels of its own where cuBLAS has no function. It is found as a
 * service; nothing of it is called by name.
 *
 * <p>What does not belong here: anything that works on every backend.
 */
package io.github.spd4j.internal.cuda;
