/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.dl4j;

/** A program with a native library that never lets it end. */
final class HangingMain {

  private HangingMain() {}

  /** Argument: how it ends. */
  public static void main(String[] arguments) throws InterruptedException {
    NativeDestructors.skipAtExit();
    NativeDestructors.atExit("pause"); // waits for ever, as OpenBLAS may
    System.out.println("ready");
    switch (arguments[0]) {
      case "exit":
        System.exit(3);
        break;
      case "halt":
        NativeDestructors.halt(3);
        break;
      case "wait":
        Thread.sleep(Long.MAX_VALUE);
        break;
      default: // returns
    }
  }
}
