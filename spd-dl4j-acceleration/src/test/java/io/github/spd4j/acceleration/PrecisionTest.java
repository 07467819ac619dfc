/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.acceleration.AccelerationTest.conv;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.spd4j.internal.acceleration.DeviceLibrary;
import java.util.Optional;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.slf4j.LoggerFactory;

/** The word for users, with plain loops in the place of a card. */
class PrecisionTest {

  private final Optional<DeviceLibrary> present = NativeLibrary.device;

  @AfterEach
  void giveBack() {
    NativeLibrary.device = present;
  }

  private static ComputationGraph net() {
    return AccelerationTest.net(
        DataType.FLOAT, Activation.RELU, conv(1, 1, 0, "Truncate"), conv(3, 1, 1, "Truncate"));
  }

  @ParameterizedTest
  @EnumSource(Precision.class)
  void isKeptByClonesAndTransferLearningAndChangesWhenAsked(Precision precision) {
    NativeLibrary.device = Optional.of(new LoopConvolutions());
    ComputationGraph net = net();
    Acceleration acceleration = Acceleration.applyTo(net, precision);
    assertThat(acceleration.precision()).isEqualTo(precision);
    assertThat(acceleration.accelerated()).isEqualTo(2);
    assertThat(acceleration.toString()).startsWith("cuDNN").endsWith("for 2 of 2 convolutions");
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net).setFeatureExtractor("conv0").build();
    for (ComputationGraph one : new ComputationGraph[] {net, net.clone().clone(), frozen}) {
      assertThat(Acceleration.precisionOf(one)).isEqualTo(precision);
      assertThat(Acceleration.applyTo(one).precision()).isEqualTo(precision);
    }
    for (Precision next : Precision.values()) {
      Acceleration.applyTo(net, next);
      assertThat(Acceleration.precisionOf(net)).isEqualTo(next);
      assertThat(Acceleration.precisionOf(net.clone())).isEqualTo(next);
    }
    assertThat(ComputationGraphConfiguration.fromJson(net.getConfiguration().toJson()))
        .isEqualTo(net().getConfiguration());
  }

  /** Each is off by its own rounding, and not by less. */
  @Test
  void changesWhatComesOut() {
    NativeLibrary.device = Optional.of(new LoopConvolutions());
    double[] errors =
        Stream.of(Precision.values()).mapToDouble(PrecisionTest::errorOfGradient).toArray();
    assertThat(errors[0]).isLessThan(1e-5);
    assertThat(errors[1]).isBetween(1e-5, DeviceConvolutionContract.tolerance(10));
    assertThat(errors[2]).isBetween(errors[1], DeviceConvolutionContract.tolerance(7));
  }

  private static double errorOfGradient(Precision precision) {
    ComputationGraph plain = AccelerationTest.net(DataType.FLOAT, conv(3, 1, 1, "Truncate"));
    ComputationGraph net = plain.clone();
    Acceleration.applyTo(net, precision);
    var data = AccelerationTest.images(DataType.FLOAT);
    var expected = AccelerationTest.gradient(plain, data);
    var actual = AccelerationTest.gradient(net, data);
    return actual.sub(expected).norm2Number().doubleValue() / expected.norm2Number().doubleValue();
  }

  @Test
  void withoutACardItIsFloatAndOneLineSaysSo() {
    NativeLibrary.device = Optional.of(new WithoutTensorCores());
    Logger log = (Logger) LoggerFactory.getLogger(Acceleration.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Level before = log.getLevel();
    log.setLevel(Level.INFO);
    log.addAppender(lines);
    NativeLibrary.MISSED.clear();
    try {
      for (Precision precision : Precision.values()) {
        assertThat(precision.isAvailable()).isEqualTo(precision == Precision.FLOAT);
        for (int i = 0; i < 2; i++) {
          ComputationGraph net = net();
          assertThat(Acceleration.applyTo(net, precision).precision()).isEqualTo(Precision.FLOAT);
          assertThat(Acceleration.precisionOf(net)).isEqualTo(Precision.FLOAT);
        }
      }
    } finally {
      log.detachAppender(lines);
      log.setLevel(before);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getLevel, line -> line.getFormattedMessage().split(" needs")[0])
        .containsExactly(
            tuple(Level.INFO, "Convolutions compute in FLOAT: TF32"),
            tuple(Level.INFO, "Convolutions compute in FLOAT: MIXED"));
  }

  /** A card of compute capability 7. */
  private static final class WithoutTensorCores extends LoopConvolutions {
    @Override
    public Optional<DeviceLibrary> rounding(Rounding rounding) {
      return Optional.empty();
    }
  }
}
