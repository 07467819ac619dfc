/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.RmsProp;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

/**
 * The warning about an updater without a counterpart, in a program that has no logger for SLF4J.
 */
class StiefelWarningTest {

  @Test
  void isSaidOnceWithoutALogger() throws ReflectiveOperationException {
    Logger logger = Logger.getLogger(StiefelUpdaters.class.getName());
    Records records = new Records();
    logger.addHandler(records);
    try {
      Method counterpart =
          new WithoutLogger()
              .loadClass(StiefelUpdaters.class.getName())
              .getMethod("counterpartOf", IUpdater.class);
      for (int i = 0; i < 2; i++) {
        counterpart.invoke(null, new RmsProp(0.25));
        counterpart.invoke(null, new AdaDelta());
        counterpart.invoke(
            null, new Nesterovs(0.1, new StepSchedule(ScheduleType.EPOCH, 0.75, 0.5, 1)));
      }
    } finally {
      logger.removeHandler(records);
    }
    assertThat(records.texts).hasSize(3);
    assertThat(records.texts.get(0))
        .contains("RmsProp has no counterpart on the Stiefel manifold")
        .contains("StiefelAdam(learningRate=0.25")
        .contains("Set an updater on the layer");
    assertThat(records.texts.get(1)).contains("AdaDelta");
    assertThat(records.texts.get(2)).contains("momentum of W stays at 0.75");
  }

  private static final class Records extends Handler {
    private final List<String> texts = new ArrayList<>();

    @Override
    public void publish(LogRecord record) {
      assertThat(record.getLevel()).isEqualTo(Level.WARNING);
      texts.add(record.getMessage());
    }

    @Override
    public void flush() {
      // nothing is kept back
    }

    @Override
    public void close() {
      // nothing is open
    }
  }

  /** Loads SLF4J, and the class that warns, anew and without what SLF4J is bound to. */
  private static final class WithoutLogger extends ClassLoader {

    WithoutLogger() {
      super(WithoutLogger.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("org.slf4j.impl.")) {
        throw new ClassNotFoundException(name);
      }
      boolean anew = name.startsWith("org.slf4j.") || name.equals(StiefelUpdaters.class.getName());
      if (!anew) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
