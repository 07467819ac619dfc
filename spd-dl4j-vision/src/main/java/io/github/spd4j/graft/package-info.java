/**
 * Heads onto backbones: {@link io.github.spd4j.graft.SpdGraft} cuts a pretrained network after a
 * layer and puts a {@link io.github.spd4j.graft.Head} on.
 *
 * <p>What belongs here joins layers into networks. The layers themselves are in {@link
 * io.github.spd4j.layers}, pretrained networks in {@link io.github.spd4j.backbones}; how a network
 * is trained is none of this package's business, but for the plan that a head recommends.
 */
package io.github.spd4j.graft;
