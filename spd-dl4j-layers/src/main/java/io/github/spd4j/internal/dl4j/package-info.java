/**
 * What DL4J gets wrong or leaves out, worked around in one place: reading and cutting graphs
 * ({@link io.github.spd4j.internal.dl4j.GraphView}, {@link
 * io.github.spd4j.internal.dl4j.Subgraph}), transfer learning that forgets nothing ({@link
 * io.github.spd4j.internal.dl4j.Transfer}), and the layers inside DL4J's wrappers ({@link
 * io.github.spd4j.internal.dl4j.WrappedLayers}).
 *
 * <p>What belongs here is about DL4J itself and would be useful without a single SPD layer. It uses
 * no other package of this library. Replacements for what DL4J computes do not belong here: layers
 * are executed by {@code internal.runtime}, convolutions by {@code acceleration}.
 */
package io.github.spd4j.internal.dl4j;
