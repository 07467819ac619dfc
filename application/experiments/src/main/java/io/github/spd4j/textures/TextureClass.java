/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.Locale;
import java.util.function.Function;

/**
 * The classes of the texture set. Each is a height over the plane, about one period per unit; see
 * {@link TextureGenerator} for what becomes of it.
 *
 * <p>The order is part of a data set: a class's label is its ordinal.
 */
public enum TextureClass {

  /** Parallel bands of irregular width. */
  BANDED(Patterns::banded),

  /** Patches of no particular shape or direction. */
  BLOTCHY(Patterns::blotchy),

  /** Outlines of round bubbles of various sizes. */
  BUBBLY(Patterns::bubbly),

  /** Squares of two kinds in turn. */
  CHEQUERED(Patterns::chequered),

  /** A net of cracks around irregular cells. */
  CRACKED(Patterns::cracked),

  /** Two families of uneven strokes that cross at an acute angle. */
  CROSSHATCHED(Patterns::crosshatched),

  /** Equal discs on a lattice. */
  DOTTED(Patterns::dotted),

  /** Long thin fibres in one direction, which begin and end anywhere. */
  FIBROUS(Patterns::fibrous),

  /** Lines that cross at right angles. */
  GRID(Patterns::grid),

  /** The walls of hexagonal cells. */
  HONEYCOMBED(Patterns::honeycombed),

  /** Veins that wind in a turbulent flow. */
  MARBLED(Patterns::marbled),

  /** Rows of scales, each over the one behind it. */
  SCALY(Patterns::scaly),

  /** One spiral with its centre in the image. */
  SPIRALLED(Patterns::spiralled),

  /** The same straight stripe again and again. */
  STRIPED(Patterns::striped),

  /** Strands that go over and under each other. */
  WOVEN(Patterns::woven),

  /** Stripes that turn at sharp corners. */
  ZIGZAGGED(Patterns::zigzagged);

  private final Function<Dice, Pattern> patterns;

  TextureClass(Function<Dice, Pattern> patterns) {
    this.patterns = patterns;
  }

  /**
   * The name to print.
   *
   * @return the constant's name in lower case
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A pattern of this class; the dice decide what the class leaves open. */
  Pattern pattern(Dice dice) {
    return patterns.apply(dice);
  }
}
