/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.View;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.images.SeededRandom;
import io.github.spd4j.train.images.LabelledImages;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.datavec.image.transform.ImageTransform;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Image files as the trainer needs them, read when they are asked for. There are as many entries
 * for each file as there are {@link Views}, one after the other. Their numbers are those that the
 * backbone takes for colours.
 *
 * <p>Crops are cut from the image with its short side resized to 8/7 of the size: 256 for crops of
 * 224. Random crops depend on the seed and on the file's name, not on the list that it is in.
 *
 * <p>{@link #variant} of a whole image is a part at a random place, with 0.7 to 1 times the image's
 * height and width; it is never flipped, and {@link Views#MIRRORED} adds mirror images where they
 * do no harm. A crop moves by up to 1/14 of the size each way, and every other one is flipped.
 *
 * <p>Names are made of the file's name and length in bytes, the view and the size, and have the
 * seed and the format where it matters. So views that are the same share their names.
 */
public final class FileImages implements LabelledImages, Serializable {

  private static final long serialVersionUID = 1L;

  /** The least height and width of a part, as a share of the image's. */
  private static final double LEAST_SIDE = 0.7;

  private final List<ImageFile> files;
  private final int classes;
  private final Views views;
  private final int size;
  private final long seed;
  private final Variation variation;
  private final PixelFormat format;
  private final List<String> digests;
  private transient Canvas last;

  /**
   * Images of a list of files.
   *
   * @param files the files
   * @param classes the number of classes
   * @param views what of each file is seen
   * @param size height and width in pixels
   * @param format the numbers that the backbone takes for colours, such as {@code Vgg16.PIXELS}
   * @param seed decides where random crops lie
   */
  public FileImages(
      List<ImageFile> files, int classes, Views views, int size, PixelFormat format, long seed) {
    this(
        List.copyOf(Objects.requireNonNull(files, "files")),
        classes,
        Objects.requireNonNull(views, "views"),
        size,
        seed,
        views.areWhole() ? FileImages::part : FileImages::moved,
        format,
        List.of());
  }

  private FileImages(
      List<ImageFile> files,
      int classes,
      Views views,
      int size,
      long seed,
      Variation variation,
      PixelFormat format,
      List<String> digests) {
    Objects.requireNonNull(format, "format");
    if (size < 1) {
      throw new IllegalArgumentException("expected a size of at least 1, got " + size);
    }
    this.files = files;
    this.classes = classes;
    this.views = views;
    this.size = size;
    this.seed = seed;
    this.variation = variation;
    this.format = format;
    this.digests = digests;
  }

  /**
   * The same images without variants: each is its own, as the paper does with fine-grained sets.
   *
   * @return new images; these stay as they are
   */
  public FileImages withoutVariants() {
    return with((images, index, seed) -> images.seen(index));
  }

  /**
   * The same images with variants by a transform of DataVec. It is applied to the file's picture,
   * before that is resized. All its random numbers must come from the generator that {@link
   * ImageTransform#transform(org.datavec.image.data.ImageWritable, Random)} is given, which is
   * checked on the first image: some of DataVec's, such as {@code RandomCropTransform}, draw from
   * one of their own, or seed that of the whole process.
   *
   * @param transform the transform; only on this machine, since DataVec's cannot be sent
   * @return new images; these stay as they are
   */
  public FileImages withVariants(ImageTransform transform) {
    if (!views.areWhole() || files.stream().anyMatch(file -> file.banner() > 0)) {
      throw new IllegalArgumentException(
          "expected whole views of files without a banner to transform, got " + views);
    }
    TransformedFiles transformed = new TransformedFiles(transform);
    return with(
        (images, index, seed) -> {
          Pixels picture = transformed.pixels(images.file(index), images.size, seed);
          return images.view(index).cut(picture, images.size, 0, 0);
        });
  }

  private FileImages with(Variation other) {
    return new FileImages(files, classes, views, size, seed, other, format, digests);
  }

  /**
   * The same images with {@linkplain #digest digests}, so that cached features of a file that
   * changes under its name are not taken for its own.
   *
   * @param contents what lies in the files
   * @return new images; these stay as they are
   */
  public FileImages known(ImageContents contents) {
    List<String> known = files.stream().map(contents::of).toList();
    return new FileImages(files, classes, views, size, seed, variation, format, known);
  }

  /**
   * The file of an entry.
   *
   * @param index 0 … size − 1
   * @return the file
   */
  public ImageFile file(int index) {
    return files.get(picture(index));
  }

  /**
   * The entries of some of the files.
   *
   * @param some files of this list; others are not missed
   * @return a view, in the order of this list
   */
  public LabelledImages only(Collection<ImageFile> some) {
    Set<ImageFile> set = new HashSet<>(some);
    return subset(IntStream.range(0, size()).filter(i -> set.contains(file(i))).toArray());
  }

  @Override
  public int size() {
    return Math.multiplyExact(files.size(), views.count());
  }

  @Override
  public int classes() {
    return classes;
  }

  @Override
  public String name(int index) {
    ImageFile file = file(index);
    String colours = format.equals(PixelFormat.CAFFE) ? "" : ", " + format;
    return String.format(
        "%s, %d bytes, %s, %d pixels%s",
        file.name(), length(file), view(index).name(), size, colours);
  }

  @Override
  public String digest(int index) {
    return digests.isEmpty() ? "" : digests.get(picture(index));
  }

  @Override
  public int picture(int index) {
    return index / views.count();
  }

  @Override
  public int label(int index) {
    return file(index).label();
  }

  @Override
  public INDArray image(int index) {
    return format.array(seen(index));
  }

  @Override
  public INDArray variant(int index, long seed) {
    return format.array(variation.of(this, index, seed));
  }

  /** How a variant is made of an image. */
  private interface Variation extends Serializable {
    Pixels of(FileImages images, int index, long seed);
  }

  private Pixels seen(int index) {
    return view(index).cut(canvas(file(index), size), size, 0, 0);
  }

  private Pixels moved(int index, long seed) {
    Random random = SeededRandom.of(seed, "variant");
    int room = Views.roomy(size) - size;
    Pixels pixels = canvas(file(index), size);
    Pixels moved = view(index).cut(pixels, size, move(random, room), move(random, room));
    return random.nextBoolean() ? moved.mirrored() : moved;
  }

  /** A part of the image, in the size of a view. */
  private Pixels part(int index, long seed) {
    Random random = SeededRandom.of(seed, "variant");
    Pixels whole = file(index).pixels();
    double side = LEAST_SIDE + (1 - LEAST_SIDE) * random.nextDouble();
    int height = Math.max(1, (int) Math.round(side * whole.height()));
    int width = Math.max(1, (int) Math.round(side * whole.width()));
    int top = random.nextInt(whole.height() - height + 1);
    int left = random.nextInt(whole.width() - width + 1);
    Pixels part = whole.crop(top, left, height, width).resize(size, size);
    return view(index).cut(part, size, 0, 0);
  }

  /** An image in the size that views of it are cut from. */
  private record Canvas(ImageFile file, int size, Pixels pixels) {}

  /** Where views are whole, nothing is kept from one image to the next. */
  @Override
  public boolean isConcurrent() {
    return views.areWhole();
  }

  private Pixels canvas(ImageFile file, int viewSize) {
    return isConcurrent() ? decoded(file, viewSize) : kept(file, viewSize);
  }

  private Pixels decoded(ImageFile file, int viewSize) {
    return views.canvas(file.pixels(), viewSize);
  }

  /**
   * The last one is kept: the views of a file are mostly asked for one after the other, and
   * decoding takes far longer than a cut.
   */
  private synchronized Pixels kept(ImageFile file, int viewSize) {
    if (last == null || !last.file.equals(file) || last.size != viewSize) {
      last = new Canvas(file, viewSize, decoded(file, viewSize));
    }
    return last.pixels;
  }

  /** Up to half the room to either side. */
  private static int move(Random random, int room) {
    return random.nextInt(room + 1) - room / 2;
  }

  private View view(int index) {
    return views.view(index % views.count(), file(index).name(), seed);
  }

  private static long length(ImageFile file) {
    try {
      return Files.size(file.path());
    } catch (IOException e) {
      throw new DataSetException(file.path() + ": no such image file", e);
    }
  }
}
