/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.io.PrintWriter;
import java.io.Writer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.openblas.global.openblas;
import picocli.CommandLine;

/** A training in a native call that never returns, with another such call on the way out. */
final class StuckMain {

  /** Where the other one is. */
  enum Where {
    PRINTING,
    HOOK
  }

  private StuckMain() {}

  /** Arguments: where, and the limit in milliseconds. */
  public static void main(String[] arguments) {
    Where where = Where.valueOf(arguments[0]);
    Interruption.install(Long.parseLong(arguments[1]));
    Loader.load(openblas.class);
    if (where == Where.HOOK) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> wait("stops")));
    }
    CommandLine spd = Main.commandLine();
    if (where == Where.PRINTING) {
      spd.setErr(new PrintWriter(new StuckWriter()));
    }
    spd.parseArgs("train", "pictures", "--out=run");
    CommandLine train = spd.getSubcommands().get("train");
    Interruption.during(train.getCommandSpec(), () -> wait("computes"));
  }

  /** Says so, and never returns from the C library. */
  private static Void wait(String what) {
    // JavaCPP has a class for functions of two pointers: an address and, for callbacks, an object.
    Pointer pause = Loader.addressof("pause");
    Pointer place = new PointerPointer<Pointer>(2).put(0, pause).put(1, (Pointer) null);
    System.out.println(what);
    while (true) { // a signal that this thread gets ends a pause
      new openblas.LAPACK_S_SELECT2(place).call(null, null);
    }
  }

  /** What nobody reads. */
  private static final class StuckWriter extends Writer {

    @Override
    public void write(char[] text, int start, int length) {
      StuckMain.wait("prints");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
