/**
 * Model files: {@link io.github.spd4j.models.ModelCard} writes a network with what a classifier
 * needs beside it, and {@link io.github.spd4j.models.SafeModels} reads networks without trusting
 * them.
 *
 * <p>What the entries of a checkpoint mean belongs to the room that writes them.
 */
package io.github.spd4j.models;
