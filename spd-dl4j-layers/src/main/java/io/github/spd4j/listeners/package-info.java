/**
 * Figures that tell whether the SPD layers of a network are healthy while it is trained: {@link
 * io.github.spd4j.listeners.SpdHealthListener}.
 *
 * <p>What belongs here reads a network and never changes it. How a figure is computed belongs to
 * the mathematical packages. The page in DL4J's user interface is in {@code listeners.ui}, the only
 * package that needs that optional library.
 */
package io.github.spd4j.listeners;
