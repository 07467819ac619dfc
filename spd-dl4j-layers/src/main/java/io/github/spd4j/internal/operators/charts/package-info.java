/**
 * Symmetric positive definite matrices as vectors, and back, with gradients: {@link
 * io.github.spd4j.internal.operators.charts.Chart} has the formulas and is where to start. {@link
 * io.github.spd4j.internal.operators.charts.BatchNormalization} normalises such vectors by the mean
 * and variance of a batch.
 *
 * <p>In double precision, whatever the type. Internal: users of the layers need nothing of it, and
 * it may change with any release.
 */
package io.github.spd4j.internal.operators.charts;
