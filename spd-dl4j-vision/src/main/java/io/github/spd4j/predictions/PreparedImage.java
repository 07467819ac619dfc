/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.images.Pixels;
import java.util.List;

/**
 * An image as an {@link ImageClassifier} will see it: decoded, resized and cut, and so as small as
 * the network's input, however large the file was. It lies in Java's own memory.
 */
public final class PreparedImage {

  private final ImageClassifier maker;
  private final List<Pixels> views;
  private final Pixels whole;

  /** What a classifier made: the views that it averages over, and the whole, for explanations. */
  PreparedImage(ImageClassifier maker, List<Pixels> views, Pixels whole) {
    this.maker = maker;
    this.views = views;
    this.whole = whole;
  }

  ImageClassifier maker() {
    return maker;
  }

  List<Pixels> views() {
    return views;
  }

  Pixels whole() {
    return whole;
  }
}
