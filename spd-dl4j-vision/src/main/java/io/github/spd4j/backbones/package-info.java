/**
 * Pretrained convolutional networks to put a head on, and the files that hold their parameters:
 * {@link io.github.spd4j.backbones.Vgg16} is the paper's backbone, {@link
 * io.github.spd4j.backbones.Resnet50} that of Deep-TEN, and {@link
 * io.github.spd4j.backbones.Scattering} needs no parameters.
 *
 * <p>Heads belong to {@link io.github.spd4j.graft}; {@link io.github.spd4j.images} prepares images.
 * No other package knows DL4J's zoo and its import of Keras models.
 */
package io.github.spd4j.backbones;
