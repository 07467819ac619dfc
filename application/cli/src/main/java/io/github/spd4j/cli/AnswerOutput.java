/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.internal.files.AtomicFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Where answers in a format go as they come: to standard output, or to a file. */
final class AnswerOutput {

  private static final String STANDARD_OUTPUT = "-";

  private final AnswerFormat format;
  private final Consumer<String> pieces;
  private final Runnable end;

  private AnswerOutput(AnswerFormat format, Consumer<String> pieces, Runnable end) {
    this.format = format;
    this.pieces = pieces;
    this.end = end;
    pieces.accept(format.beginning());
  }

  static boolean isPrinted(Path place) {
    return place != null && place.toString().equals(STANDARD_OUTPUT);
  }

  /** Prints each answer when it is there. */
  static AnswerOutput printed(AnswerFormat format, PrintWriter out) {
    return new AnswerOutput(
        format,
        piece -> {
          out.print(piece);
          out.flush();
        },
        () -> {});
  }

  /** Writes beside a file, and replaces it when all answers are there. */
  static AnswerOutput file(AnswerFormat format, AtomicFile.Growing growing) {
    return new AnswerOutput(format, growing::add, growing::finish);
  }

  void add(Answer answer) {
    pieces.accept(format.of(answer));
  }

  void end() {
    pieces.accept(format.end());
    end.run();
  }
}
