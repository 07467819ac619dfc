/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.images.PixelFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A backbone by its name on the command line: a word of {@link BackboneKind}, mostly with a file,
 * or {@code auto} for {@code vgg16} if it can be had, otherwise {@code scattering}.
 */
public final class BackboneChoice {

  /** The name that leaves the choice to what can be had. */
  static final String AUTO = "auto";

  private final BackboneKind kind;
  private final Path place;
  private final String reason; // why it is not the one that is preferred; null if it is
  private final Map<BackboneKind.Asked, Backbone> loaded = new HashMap<>();

  private BackboneChoice(BackboneKind kind, Path place, String reason) {
    this.kind = kind;
    this.place = place;
    this.reason = reason;
  }

  /**
   * All names, for the help.
   *
   * @return such as {@code vgg16:FILE.zip}
   */
  public static List<String> names() {
    return Stream.concat(
            Stream.of(AUTO), Stream.of(BackboneKind.values()).flatMap(BackboneKind::names))
        .toList();
  }

  /**
   * Reads a name.
   *
   * @param text the name; for {@code auto} the backbone that is preferred
   * @return the choice
   * @throws UserException if there is no such backbone
   */
  public static BackboneChoice of(String text) {
    int colon = text.indexOf(':');
    String word = colon < 0 ? text : text.substring(0, colon);
    Path place = colon < 0 ? null : Path.of(text.substring(colon + 1));
    if (text.equals(AUTO)) {
      return new BackboneChoice(BackboneKind.VGG16, null, null);
    }
    return Stream.of(BackboneKind.values())
        .filter(kind -> kind.word().equals(word) && kind.takes(place))
        .map(kind -> new BackboneChoice(kind, place, null))
        .findFirst()
        .orElseThrow(
            () ->
                new UserException(
                    "--backbone needs one of %s; got %s%s"
                        .formatted(String.join(", ", names()), text, suggestion(word))));
  }

  private static String suggestion(String word) {
    List<String> words = Stream.of(BackboneKind.values()).map(BackboneKind::word).toList();
    return Suggestion.of(word, Stream.concat(Stream.of(AUTO), words.stream()).toList());
  }

  /**
   * Reads a name and finds out, for {@code auto}, what can be had.
   *
   * @param text the name
   * @return the choice, whose name is not {@code auto}
   * @throws UserException if there is no such backbone
   */
  static BackboneChoice available(String text) {
    return available(text, () -> of(AUTO));
  }

  static BackboneChoice available(String text, Supplier<BackboneChoice> preferred) {
    if (!text.equals(AUTO)) {
      return of(text);
    }
    try {
      BackboneChoice choice = preferred.get();
      choice.load(ExperimentKind.TEXTURE, null, null);
      return choice;
    } catch (UserException e) {
      return new BackboneChoice(BackboneKind.SCATTERING, null, e.getMessage());
    }
  }

  /**
   * Why it is not the backbone that is preferred, if it is not, and what would help.
   *
   * @return a sentence without its full stop
   */
  Optional<String> notice() {
    return Optional.ofNullable(reason)
        .map(
            why ->
                why
                    + ". Without it, scattering is used: good for textures, poor for other pictures");
  }

  /**
   * Whether DL4J cannot train it, in stage two either.
   *
   * @return true for a backbone without a backward pass
   */
  public boolean isForwardOnly() {
    return kind.isForwardOnly();
  }

  /**
   * The name on the command line.
   *
   * @return what {@link #of} reads
   */
  String name() {
    return place == null ? kind.word() : kind.word() + ":" + place;
  }

  /**
   * Loads the backbone, once for each place to cut it.
   *
   * @param experiment for what; some are cut elsewhere for textures than for fine-grained classes
   * @param cut where to cut, or null for the usual place
   * @param pixels how colours become the numbers that it takes, or null for its usual way
   * @return the backbone
   * @throws UserException if it cannot be had
   */
  public Backbone load(ExperimentKind experiment, String cut, PixelFormat pixels) {
    String last = cut == null ? kind.usualCut(experiment) : cut;
    return loaded.computeIfAbsent(new BackboneKind.Asked(place, last, pixels), this::loadOnce);
  }

  private Backbone loadOnce(BackboneKind.Asked asked) {
    try {
      return kind.load(asked);
    } catch (IOException | IllegalArgumentException e) {
      throw new UserException("--backbone " + kind.word() + ": " + e.getMessage(), e);
    } catch (UncheckedIOException e) { // of a download
      throw new UserException(
          "--backbone %1$s: %2$s; download it elsewhere, and give it as %1$s:FILE.h5"
              .formatted(kind.word(), e.getMessage()),
          e);
    }
  }
}
