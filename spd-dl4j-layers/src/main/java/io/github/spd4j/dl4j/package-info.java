/**
 * What DL4J gets wrong or leaves out, worked around in one place: reading and cutting graphs
 * ({@link io.github.spd4j.dl4j.GraphView}, {@link io.github.spd4j.dl4j.Subgraph}), transfer
 * learning that forgets nothing ({@link io.github.spd4j.dl4j.Trunk}), the layers inside DL4J's
 * wrappers ({@link io.github.spd4j.dl4j.WrappedLayers}), and a process that does not end ({@link
 * io.github.spd4j.dl4j.NativeDestructors}).
 *
 * <p>What belongs here is about DL4J itself and would be useful without a single SPD layer. It uses
 * no other package of this library. Replacements for what DL4J computes do not belong here: layers
 * are executed by {@code layers.runtime}, convolutions by {@code acceleration}.
 */
package io.github.spd4j.dl4j;
