/**
 * A classifier that is fitted in closed form, not by gradient descent: {@link
 * io.github.spd4j.statistics.RidgeClassifier}.
 *
 * <p>What belongs here works on arrays whose rows are observations, and knows nothing of images,
 * networks or layers. This package depends on {@link io.github.spd4j.linalg} and ND4J alone. Unless
 * a method says otherwise, it leaves its arguments unchanged.
 */
package io.github.spd4j.statistics;
