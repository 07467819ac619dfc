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
 *
 * <p>Other properties of DL4J shape the code elsewhere. It keeps the parameter shapes of the first
 * call of {@code getLayerParams()}: layers define them again when their input size becomes known.
 * Clones of a graph's configuration drop iteration and epoch counts: {@code StiefelAdam} keeps its
 * step count in its state. Clones of a layer's configuration share the updater, and the helper for
 * learning rates skips SameDiff layers: trainings give every layer its own updater. {@code output}
 * for an inner vertex leaves a workspace open: features come from a graph that ends at the cut. An
 * updater gets a vector [n] from 1.0.0-M2.1, a row [1, n] from 1.0.0-M1.1.
 */
package io.github.spd4j.internal.dl4j;
