/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.spd4j.train.plan.Stage;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LoggingProgressTest {

  private static final Logger LOG = (Logger) LoggerFactory.getLogger(LoggingProgress.class);

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final LoggingProgress progress = new LoggingProgress();

  @BeforeEach
  void listen() {
    appender.start();
    LOG.setLevel(Level.INFO);
    LOG.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    LOG.detachAppender(appender);
    LOG.setLevel(null);
  }

  private List<String> logged() {
    return appender.list.stream()
        .map(ILoggingEvent::getFormattedMessage)
        .collect(Collectors.toList());
  }

  @Test
  void featuresAreOneLineWhenAllAreThere() {
    progress.featuresDone(0, 20);
    progress.featuresDone(19, 20);
    assertThat(logged()).isEmpty();
    progress.featuresDone(20, 20);
    assertThat(logged()).hasSize(1).first().asString().contains("20");
  }

  @Test
  void eachPhaseIsALine() {
    progress.planned(List.of("1. Learn {} 100 %", "2. Fit"));
    assertThat(logged()).containsExactly("1. Learn {} 100 %", "2. Fit");
  }

  @Test
  void stagesAndMessagesAreLines() {
    progress.stageStarted(Stage.HEAD, 30, 1000);
    progress.message("Rates are cut");
    assertThat(logged()).hasSize(2);
    assertThat(logged().get(0)).contains("HEAD", "30", "1000");
    assertThat(logged().get(1)).isEqualTo("Rates are cut");
  }

  @Test
  void anEpochIsALineWithItsFigures() {
    progress.epochDone(LossAndAccuracyTest.record(null));
    progress.epochDone(LossAndAccuracyTest.record("it fell"));
    assertThat(logged().get(0))
        .contains("WHOLE epoch 7", "loss 0.5000", "0.7500", "loss 2.0000", "0.2500", "9.5 s")
        .doesNotContain("rolled back");
    assertThat(logged().get(1)).contains("rolled back");
  }

  /** A fit tells of every block; that is too much for a log. */
  @Test
  void aShortFitIsSilent() {
    progress.fitDone(1, 3);
    progress.fitDone(2, 3);
    assertThat(logged()).isEmpty();
  }
}
