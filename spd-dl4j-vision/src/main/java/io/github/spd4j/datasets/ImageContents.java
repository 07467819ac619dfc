/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

import io.github.spd4j.internal.files.Digest;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What lies in image files, as a SHA-256 of each: finds files that are the same, and files that
 * changed under their names.
 */
public final class ImageContents {

  private final Map<ImageFile, String> digests;

  private ImageContents(Map<ImageFile, String> digests) {
    this.digests = digests;
  }

  /**
   * Reads files, on all cores.
   *
   * @param images the files
   * @return what lies in them
   * @throws DataSetException if one cannot be read
   */
  public static ImageContents of(Collection<ImageFile> images) {
    Objects.requireNonNull(images, "images");
    return new ImageContents(
        images.parallelStream()
            .collect(Collectors.toConcurrentMap(Function.identity(), ImageContents::digest)));
  }

  private static String digest(ImageFile image) {
    try {
      return Digest.of(image.path());
    } catch (IOException e) {
      throw new DataSetException(image.path() + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * What lies in a file.
   *
   * @param image one of the files
   * @return its SHA-256 as hexadecimal digits
   */
  public String of(ImageFile image) {
    Objects.requireNonNull(image, "image");
    return digests.get(image);
  }

  /**
   * The images of one list that are in another one too, under whatever name.
   *
   * @param some the first list
   * @param others the second list
   * @return for each such image of the first list the same one of the second, in order
   */
  public Map<ImageFile, ImageFile> twins(List<ImageFile> some, List<ImageFile> others) {
    Map<String, ImageFile> known = new HashMap<>();
    others.forEach(image -> known.putIfAbsent(digests.get(image), image));
    Map<ImageFile, ImageFile> twins = new LinkedHashMap<>();
    for (ImageFile image : some) {
      ImageFile twin = known.get(digests.get(image));
      if (twin != null) {
        twins.put(image, twin);
      }
    }
    return twins;
  }
}
