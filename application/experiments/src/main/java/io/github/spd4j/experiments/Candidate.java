/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

/**
 * A way to make and train a head, for a search to choose from.
 *
 * @param name what tells it from the others: what is set otherwise than the command says
 * @param head how the head is made
 * @param training how it is trained
 */
public record Candidate(String name, HeadSettings head, TrainingSettings training) {

  /**
   * A candidate whose name has single spaces between its words.
   *
   * @param name what tells it from the others
   * @param head how the head is made
   * @param training how it is trained
   */
  public Candidate {
    name = name.strip().replaceAll("\\s+", " ");
  }
}
