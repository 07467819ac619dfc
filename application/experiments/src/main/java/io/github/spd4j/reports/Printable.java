/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

/**
 * Text that can be shown: names of files and classes come from anywhere, and some characters make a
 * terminal or a page show something else.
 */
public final class Printable {

  private Printable() {}

  /**
   * A text with the characters written out that control a terminal, begin a line, or turn the
   * direction of writing: {@code \n}, {@code \r}, {@code \t}, or such as {@code \u001b}.
   *
   * @param text any text, or something that has a name, such as a path
   * @return the text in one line
   */
  public static String of(Object text) {
    StringBuilder shown = new StringBuilder();
    String.valueOf(text)
        .codePoints()
        .forEach(
            letter -> {
              if (isHarmless(letter)) {
                shown.appendCodePoint(letter);
              } else {
                shown.append(written(letter));
              }
            });
    return shown.toString();
  }

  /**
   * JSON with the same characters written out within its texts, as JSON allows: it means the same.
   *
   * @param json any JSON, with its own line breaks
   * @return the JSON, which a terminal shows as it is
   */
  public static String json(String json) {
    StringBuilder shown = new StringBuilder();
    json.codePoints()
        .forEach(
            letter -> {
              if (isHarmless(letter) || letter < ' ') { // JSON has none of these in its texts
                shown.appendCodePoint(letter);
              } else {
                for (char unit : Character.toChars(letter)) {
                  shown.append(String.format("\\u%04x", (int) unit));
                }
              }
            });
    return shown.toString();
  }

  private static boolean isHarmless(int letter) {
    return switch (Character.getType(letter)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> letter == 0x200c || letter == 0x200d; // these join letters
      default -> true;
    };
  }

  private static String written(int letter) {
    return switch (letter) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format(letter > 0xffff ? "\\U%08x" : "\\u%04x", letter);
    };
  }
}
