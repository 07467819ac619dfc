/**
 * Mathematics on {@link org.nd4j.linalg.api.ndarray.INDArray}: products and parts of matrices,
 * eigenvalues, functions of them, and the floors and tolerances of the library by name ({@link
 * io.github.spd4j.linalg.NumericPolicy}).
 *
 * <p>What belongs here works on arrays and knows nothing of manifolds, networks or layers.
 * Operators with a backward pass have rooms of their own, and so has what is fitted to data. Unless
 * a method says otherwise, it leaves its arguments unchanged.
 *
 * @serial exclude
 */
package io.github.spd4j.linalg;
