/**
 * How operators compute: the {@link io.github.spd4j.backend.Algebra} that they are written in, the
 * {@link io.github.spd4j.backend.Backend} that chooses one, and the memory that they use again
 * ({@link io.github.spd4j.backend.Saved}, {@link io.github.spd4j.backend.Scratch}).
 *
 * <p>A primitive that operators are built from belongs here; a formula does not. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.backend;
