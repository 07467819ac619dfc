/**
 * The layers' definitions as functions for graphs of SameDiff, and what keeps a graph's variables
 * on the Stiefel manifold. What the layers compute with is elsewhere: closed formulas.
 */
package io.github.spd4j.samediff;
