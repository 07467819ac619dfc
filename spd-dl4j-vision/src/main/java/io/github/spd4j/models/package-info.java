/**
 * Reads model files of Deeplearning4j without trusting them: {@link
 * io.github.spd4j.models.SafeModels} for networks, {@link io.github.spd4j.models.ModelArchive} for
 * what else lies in such a file.
 *
 * <p>What the entries of a checkpoint or of a classifier mean belongs to the rooms that write them.
 */
package io.github.spd4j.models;
