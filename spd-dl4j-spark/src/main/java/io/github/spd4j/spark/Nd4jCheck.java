/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.nd4j.linalg.factory.Nd4j;

/** Tries ND4J where it runs. */
final class Nd4jCheck {

  private Nd4jCheck() {}

  /** What is wrong with the native library on this machine; empty if nothing is. */
  static String problem() {
    try {
      Nd4j.ones(2, 2).mmul(Nd4j.ones(2, 2));
      return "";
    } catch (Throwable e) { // a native library that is missing is an Error
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return String.valueOf(root).lines().findFirst().orElse("") + " on " + host();
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "a machine without a name";
    }
  }
}
