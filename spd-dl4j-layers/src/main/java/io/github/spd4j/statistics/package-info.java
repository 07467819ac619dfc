/**
 * Models that are fitted to data in closed form or by a few passes over it, not by gradient
 * descent: {@link io.github.spd4j.statistics.PrincipalComponents}, a {@link
 * io.github.spd4j.statistics.RidgeClassifier}, and a {@link
 * io.github.spd4j.statistics.GaussianMixture} by {@link
 * io.github.spd4j.statistics.ExpectationMaximization}.
 *
 * <p>What belongs here works on arrays whose rows are observations, and knows nothing of images,
 * networks or layers. This package depends on {@link io.github.spd4j.linalg} and ND4J alone. Unless
 * a method says otherwise, it leaves its arguments unchanged.
 */
package io.github.spd4j.statistics;
