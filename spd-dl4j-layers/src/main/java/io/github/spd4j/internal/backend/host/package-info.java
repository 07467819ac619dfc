/**
 * The engine for FLOAT matrices in the host's memory: buffers, BLAS, threads, and loops over square
 * matrices.
 *
 * <p>What belongs here is fast and knows no operator. It uses no other package of this library.
 * Internal: users of the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.backend.host;
