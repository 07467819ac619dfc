/**
 * Makes a network's convolutions run on the CPU's own library, or on a GPU by cuDNN or cuBLAS,
 * where DL4J does not do so by itself, and its rectifiers, poolings and local response
 * normalisations in fewer passes. Results stay the same to rounding. No layers and no mathematics
 * of SPD matrices belong here.
 */
package io.github.spd4j.acceleration;
