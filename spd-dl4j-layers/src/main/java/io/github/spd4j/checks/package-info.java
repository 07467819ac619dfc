/**
 * Checks that users run on a network of their own: {@link io.github.spd4j.checks.GradientCheck}.
 * What watches a network while it is trained belongs into {@code listeners}.
 */
package io.github.spd4j.checks;
