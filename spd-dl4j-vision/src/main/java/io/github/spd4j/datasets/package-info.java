/**
 * Image data sets as they are distributed, and how the paper divides them.
 *
 * <p>{@link io.github.spd4j.datasets.DataSetKind} knows a data set's folders and its protocol,
 * {@link io.github.spd4j.datasets.ImageCheck} finds damaged images, and {@link
 * io.github.spd4j.datasets.FileImages} gives the trainer what {@link io.github.spd4j.images.Views}
 * of each file it needs; the files may be those of a DataVec input split, {@link
 * io.github.spd4j.datasets.SplitFiles}. All random choices depend on seeds: the same seed gives the
 * same partitions and crops on every machine. To add a data set, write a {@code DataSetFormat} and
 * name it in {@code DataSetKind}.
 *
 * <p>Nothing here downloads a data set or knows a network. Decoding and resizing belong to {@link
 * io.github.spd4j.images}.
 *
 * @serial exclude
 */
package io.github.spd4j.datasets;
