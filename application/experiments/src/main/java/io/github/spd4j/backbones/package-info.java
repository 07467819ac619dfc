/**
 * Pretrained convolutional networks that experiments put a head on: how they are wired and how
 * their parameters are read from files.
 *
 * <p>No heads and no training here, and no images: {@link io.github.spd4j.images} prepares those.
 */
package io.github.spd4j.backbones;
