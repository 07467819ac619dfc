/**
 * How operators compute: the {@link io.github.spd4j.internal.backend.Algebra} that they are written
 * in, the {@link io.github.spd4j.internal.backend.Backend} that chooses one, and the memory that
 * they use again ({@link io.github.spd4j.internal.backend.ForwardPass}, {@link
 * io.github.spd4j.internal.backend.Scratch}).
 *
 * <p>A primitive that operators are built from belongs here; a formula does not. Internal: users of
 * the layers need nothing of it, and it may change with any release.
 */
package io.github.spd4j.internal.backend;
