/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The JDK's class for signals, which javac does not let one use without a warning. */
final class Signals {

  private static final Map<String, Object> HANDLERS = new ConcurrentHashMap<>();

  private Signals() {}

  /**
   * What to do on a signal, in a thread of its own, in place of what the JVM does. A signal that
   * this system does not have, or that was to be ignored from the start, is left alone.
   */
  static void handle(String name, Runnable action) {
    try {
      Class<?> type = handlerClass();
      Object handler =
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                action.run();
                return null;
              });
      HANDLERS.put(name, handler);
      register(name, handler);
    } catch (ReflectiveOperationException e) {
      // The JVM ends by itself then.
    }
  }

  /**
   * Does so again for all signals, after another library may have taken them: one that opens a
   * terminal leaves them to the system, which ends the process at once.
   */
  static void restore() {
    try {
      for (Map.Entry<String, Object> entry : HANDLERS.entrySet()) {
        register(entry.getKey(), entry.getValue());
      }
    } catch (ReflectiveOperationException e) {
      // As above.
    }
  }

  private static void register(String name, Object handler) throws ReflectiveOperationException {
    try {
      signalClass()
          .getMethod("handle", signalClass(), handlerClass())
          .invoke(null, signal(name), handler);
    } catch (InvocationTargetException e) {
      if (!(e.getCause() instanceof IllegalArgumentException)) { // not on this system
        throw e;
      }
    }
  }

  private static Object signal(String name) throws ReflectiveOperationException {
    return signalClass().getConstructor(String.class).newInstance(name);
  }

  private static Class<?> signalClass() throws ClassNotFoundException {
    return Class.forName("sun.misc.Signal");
  }

  private static Class<?> handlerClass() throws ClassNotFoundException {
    return Class.forName("sun.misc.SignalHandler");
  }
}
