/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.internal.files.DistributedFiles;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * One image of a data set: where it lies and of which class it is. Not read yet.
 *
 * <p>It can be sent to another machine that has the same file, see {@link DistributedFiles}.
 *
 * @param path the file
 * @param name its path below the root of the data set, with '/' on every system
 * @param label the number of its class
 * @param banner how many rows of pixels at its bottom are a notice and no picture, which {@link
 *     FileImages} cuts off; 0 for most data sets
 */
public record ImageFile(Path path, String name, int label, int banner) implements Serializable {

  /** Looked up once: a data set has thousands of files. */
  private static final List<DistributedFiles> DISTRIBUTED =
      ServiceLoader.load(DistributedFiles.class, ImageFile.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  /**
   * An image without a banner.
   *
   * @param path the file
   * @param name its path below the root of the data set, with '/' on every system
   * @param label the number of its class
   */
  public ImageFile(Path path, String name, int label) {
    this(path, name, label, 0);
  }

  /** The picture itself, without a banner. */
  Pixels pixels() {
    try {
      Pixels pixels = Pixels.read(path);
      int height = pixels.height() - banner;
      return banner == 0 || height < 1 ? pixels : pixels.crop(0, 0, height, pixels.width());
    } catch (IOException e) {
      throw new DataSetException(e.getMessage(), e);
    }
  }

  /**
   * Whether a file in a folder of images counts as one.
   *
   * @param file the file
   * @return true if its name ends like an image's, or if it is an image by its content
   */
  public static boolean isImage(Path file) {
    Objects.requireNonNull(file, "file");
    return Folders.isImage(file);
  }

  @Override
  public String toString() {
    return name;
  }

  /** Where a cluster has put copies of its files on this machine, if it has. */
  private static Optional<Path> copies() {
    return DISTRIBUTED.stream().flatMap(files -> files.folder().stream()).findFirst();
  }

  private Object writeReplace() {
    Path sent =
        copies()
            .filter(path::startsWith)
            .map(folder -> folder.relativize(path))
            .orElseGet(path::toAbsolutePath);
    return new Sent(sent.toString(), name, label, banner);
  }

  /** What is sent; a relative path is that of a copy. */
  private record Sent(String path, String name, int label, int banner) implements Serializable {

    private Object readResolve() {
      return new ImageFile(copies().orElse(Path.of("")).resolve(path), name, label, banner);
    }
  }
}
