/**
 * Classifies images with a trained network, and shows which parts of an image decided the class:
 * {@link io.github.spd4j.predictions.ImageClassifier}.
 *
 * <p>What a model file says about its network belongs to {@link io.github.spd4j.models}, how images
 * are read to {@link io.github.spd4j.images}.
 */
package io.github.spd4j.predictions;
