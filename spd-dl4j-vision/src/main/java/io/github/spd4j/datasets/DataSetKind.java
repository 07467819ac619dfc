/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The data sets that can be read as they are distributed, each with the protocol of the paper.
 *
 * <p>Classes have the order of the data set's list, or else of their folders' names, whatever a
 * partition has images of. The images for validation are cut from those to train on, the same share
 * of each class, never from those to test on.
 */
public enum DataSetKind {

  /**
   * Describable Textures: {@code images/<class>/}. Two random thirds train and one tests, one
   * partition for each seed, as the paper says; the lists in {@code labels} are not needed. For
   * those see {@link #DTD_OFFICIAL}.
   */
  DTD("DTD", new ClassFolders("images")),

  /**
   * Describable Textures with the ten official divisions in {@code labels}: train and val train.
   */
  DTD_OFFICIAL("DTD, official splits", new DtdLists()),

  /** Flickr Material Database: {@code image/<class>/}. Two random thirds train and one tests. */
  FMD("FMD", new ClassFolders("image")),

  /** KTH-TIPS-2b: {@code <class>/sample_a/} and so on. One sample trains, each in turn. */
  KTH_TIPS_2B("KTH-TIPS-2b", new KthTips2b()),

  /**
   * The first KTH-TIPS: {@code <class>/15-scale_1_im_1_col.png} and so on. Three scales train: the
   * lowest, the highest, or those in the middle. The paper does not use this set.
   */
  KTH_TIPS("KTH-TIPS", new KthTips()),

  /** CUB-200-2011: four lists and {@code images/}. The official division. */
  CUB("CUB-200-2011", new CubLists()),

  /**
   * FGVC-Aircraft by variant: {@code data/images/} and its lists. The official division, trainval
   * trains. The banner at the bottom of each image, 20 pixels high, is cut off.
   */
  AIRCRAFT("FGVC-Aircraft", new AircraftLists()),

  /**
   * Any images in class folders. With the folders {@code train/<class>/} and {@code test/<class>/}
   * they are divided so, otherwise two random thirds train.
   */
  FOLDERS("class folders", new PlainFolders(false)),

  /** The same with images in folders below the class folders too, however deep. */
  FOLDERS_NESTED("class folders with folders in them", new PlainFolders(true));

  private final String title;
  private final DataSetFormat format;

  DataSetKind(String title, DataSetFormat format) {
    this.title = title;
    this.format = format;
  }

  /**
   * The name that the data set is known by.
   *
   * @return a few words
   */
  public String title() {
    return title;
  }

  /**
   * Reads classes and names of images. No image is opened.
   *
   * @param root the folder of the data set
   * @return the data set; that of class folders has the name of its folder
   * @throws DataSetException if it is not there, not complete, or of another kind
   */
  public ImageDataSet read(Path root) {
    if (!Files.isDirectory(root)) {
      throw new DataSetException(root + ": no such folder; expected " + format.expects());
    }
    if (!format.fits(root)) {
      String guess = guess(root).map(kind -> "; it looks like " + kind.title).orElse("");
      throw new DataSetException(
          root + ": expected " + title + ", that is, " + format.expects() + guess);
    }
    return format.read(title, root);
  }

  /**
   * The kind that a folder looks like. DTD is {@link #DTD}, with or without official splits.
   *
   * @param root the folder
   * @return the kind, if it looks like any
   */
  public static Optional<DataSetKind> guess(Path root) {
    Objects.requireNonNull(root, "root");
    return Arrays.stream(values()).filter(kind -> kind.format.fits(root)).findFirst();
  }

  /**
   * Divides a data set by the protocol of its kind. What a list names and the set lacks is left
   * out.
   *
   * @param set the data set, read by this kind, maybe without images that {@link ImageCheck} found
   * @param seed decides what is random
   * @param validationShare the share of the images to train on that is set aside for validation; if
   *     it is above 0, at least one image of each class
   * @return the partitions that the protocol averages over
   * @throws DataSetException if a class has too few images
   */
  public List<Partition> partitions(ImageDataSet set, long seed, double validationShare) {
    return format.partitions(new Splitter(set, seed, validationShare));
  }

  /**
   * Divides the images to train on for a cross-validation: each is left out once. The folds of
   * {@link #KTH_TIPS} are its scales, so that what is left out is as new as a test would be; others
   * are random, with the same share of each class.
   *
   * @param partition a partition of such a data set
   * @param count how many random folds there are, at least 2
   * @param seed decides what is random
   * @return partitions that train on the rest and test on what is left out
   * @throws DataSetException if a class has too few images
   */
  public List<Partition> folds(Partition partition, int count, long seed) {
    return format.folds(partition, count, seed);
  }
}
