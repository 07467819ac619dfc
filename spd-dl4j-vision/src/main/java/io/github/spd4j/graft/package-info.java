/**
 * Heads onto backbones: {@link io.github.spd4j.graft.SpdGraft} cuts a pretrained network after a
 * layer and puts a {@link io.github.spd4j.graft.Head} on; {@link io.github.spd4j.graft.Vgg16} is
 * the paper's backbone and {@link io.github.spd4j.graft.Resnet50} that of Deep-TEN, from wherever
 * their weights come.
 *
 * <p>What belongs here joins layers into networks. The layers themselves are in {@link
 * io.github.spd4j.layers}; how a network is trained is none of this package's business. It is the
 * only one that knows DL4J's zoo and its import of Keras models.
 */
package io.github.spd4j.graft;
