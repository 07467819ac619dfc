/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.util.ArrayList;
import java.util.List;

/** Text in lines that end between words. */
final class Words {

  private Words() {}

  /**
   * Breaks a text at spaces. A word that is longer than a line, such as a path, is left whole.
   *
   * @param text one line
   * @param width the most characters of a line
   * @param indent what all lines but the first begin with
   * @return at least one line
   */
  static List<String> lines(String text, int width, String indent) {
    List<String> lines = new ArrayList<>();
    String rest = text;
    while (rest.length() > width) {
      int from = rest.length() - rest.stripLeading().length() + 1;
      int end = rest.lastIndexOf(' ', width);
      end = end < from ? rest.indexOf(' ', from) : end;
      if (end < 0) {
        break;
      }
      lines.add(rest.substring(0, end).stripTrailing());
      String next = rest.substring(end).stripLeading();
      int word = (next + " ").indexOf(' ');
      rest = (indent.length() + word > width ? "" : indent) + next;
    }
    lines.add(rest);
    return lines;
  }
}
