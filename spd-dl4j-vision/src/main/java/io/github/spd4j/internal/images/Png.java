/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Pictures in the format PNG. */
public final class Png {

  private Png() {}

  /**
   * Encodes a picture.
   *
   * @param picture the picture
   * @return the bytes of a PNG file
   */
  public static byte[] bytes(BufferedImage picture) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write(picture, "png", out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Encodes a picture for the {@code src} of an HTML {@code img}.
   *
   * @param picture the picture
   * @return a data URI that holds a PNG file
   */
  public static String dataUri(BufferedImage picture) {
    return "data:image/png;base64," + Base64.getEncoder().encodeToString(bytes(picture));
  }
}
