/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.internal.images.ReadAhead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * Image files, each prepared on another thread while the one before it is classified. To be closed
 * after use, and for one thread.
 */
public final class PreparedImages implements Iterator<PreparedImage>, AutoCloseable {

  private final ReadAhead<PreparedImage> ahead;

  PreparedImages(ImageClassifier classifier, List<Path> images) {
    this.ahead =
        ReadAhead.of(
            images,
            image -> {
              try {
                return classifier.prepare(Pixels.read(image));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  @Override
  public boolean hasNext() {
    return ahead.hasNext();
  }

  /**
   * The next image.
   *
   * @return the image of the next file
   * @throws UncheckedIOException in place of one that is no sound image; the next call goes on
   */
  @Override
  public PreparedImage next() {
    return ahead.next();
  }

  @Override
  public void close() {
    ahead.close();
  }
}
