/**
 * Pretrained convolutional networks to put a head on: their layers and connections, and the files
 * that hold their parameters.
 *
 * <p>Heads and training belong to {@link io.github.spd4j.experiments}; {@link
 * io.github.spd4j.images} prepares images.
 */
package io.github.spd4j.backbones;
