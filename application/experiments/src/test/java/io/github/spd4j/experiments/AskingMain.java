/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.io.IOException;
import java.nio.file.Path;

/** Asks again and again whether somebody works on a run, until its input ends. */
public final class AskingMain {

  private AskingMain() {}

  public static void main(String[] args) throws IOException {
    RunFolder folder = new RunFolder(Path.of(args[0]));
    long held = 0;
    System.out.println("asking");
    while (System.in.available() == 0) {
      held += folder.isTaken() ? 1 : 0;
    }
    System.out.println(held > 0 ? "was held" : "was never held");
  }
}
