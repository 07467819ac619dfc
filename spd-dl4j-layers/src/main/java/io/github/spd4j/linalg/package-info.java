/**
 * Matrix routines on {@link org.nd4j.linalg.api.ndarray.INDArray}: batched products, symmetric
 * parts, the upper triangle, squared distances, orthonormal factors, principal components, square
 * roots and functions of eigenvalues, the tensor sketch, the normalisation of vectors, and every
 * numerical constant of the library by name ({@link io.github.spd4j.linalg.NumericPolicy}).
 *
 * <p>What belongs here works on arrays and knows nothing of manifolds, networks or layers. This
 * package depends on ND4J, and for products on the host on the OpenBLAS that DL4J brings along.
 * Unless a method says otherwise, it leaves its arguments unchanged.
 *
 * @serial exclude
 */
package io.github.spd4j.linalg;
