/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.exception.ND4JOpProfilerException;
import org.slf4j.LoggerFactory;

/** A library that fails is not hidden, and does no harm. */
class FailingHelperTest {

  private static final Logger LOG = (Logger) LoggerFactory.getLogger(LoggedFailures.class);

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  /** A piece of work that fails. */
  enum Work {
    FORWARD,
    GRADIENTS
  }

  /** Computes nothing, and fails without a message, as a NullPointerException does. */
  private static final class Failing extends AbstractConvolutionHelper {
    private Work failing;

    Failing(Work failing) {
      this.failing = failing;
    }

    private void failAt(Work work) {
      if (work == failing) {
        throw new UnsupportedOperationException();
      }
    }

    @Override
    boolean supports(Convolution convolution) {
      return true;
    }

    @Override
    void forward(Convolution c, INDArray output) {
      failAt(Work.FORWARD);
      new ArmConvolution().forward(c, output);
    }

    @Override
    void gradients(
        Convolution c, INDArray delta, INDArray byWeights, INDArray byBias, INDArray byInput) {
      failAt(Work.GRADIENTS);
    }
  }

  @BeforeEach
  void listen() {
    appender.start();
    LOG.setLevel(Level.WARN);
    LOG.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    LOG.detachAppender(appender);
    LOG.setLevel(null);
  }

  private static ComputationGraph net(boolean fallback) {
    return AccelerationTest.net(
        DataType.FLOAT,
        Activation.RELU,
        AccelerationTest.conv(3, 1, 1, "Truncate"),
        AccelerationTest.conv(3, 1, 1, "Truncate").helperAllowFallback(fallback));
  }

  private static ComputationGraph failing(Work work, boolean fallback) {
    ComputationGraph net = net(fallback);
    Acceleration.install(new Failing(work), (ConvolutionLayer) net.getLayer("conv1"));
    return net;
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  void isSaidOnceAndDl4jGoesOn(Work work) {
    ComputationGraph plain = net(true);
    ComputationGraph net = failing(work, true);
    assertThat(Acceleration.isAppliedTo(net)).isTrue();
    DataSet data = AccelerationTest.images(DataType.FLOAT);
    for (int step = 0; step < 3; step++) {
      net.fit(data);
      plain.fit(data);
    }
    assertClose(net.params(), plain.params(), FLOAT_ROUNDING);
    List<String> said =
        appender.list.stream().map(ILoggingEvent::getFormattedMessage).collect(Collectors.toList());
    assertThat(said).hasSize(1);
    assertThat(said.get(0))
        .startsWith(
            "Failing failed for input [3, 5, 11, 9] and weights [6, 5, 3, 3]: null. From now on"
                + " DL4J computes this layer by itself");
    assertThat(appender.list.get(0).getThrowableProxy().getClassName())
        .isEqualTo(UnsupportedOperationException.class.getName());
    assertThat(Acceleration.isAppliedTo(net)).isFalse();
    assertThat(Acceleration.applyTo(net, NativeLibrary.ARM_COMPUTE).accelerated()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  void isThrownWhereDl4jMustNotGoOnWithoutIt(Work work) {
    ComputationGraph net = failing(work, false);
    assertThatThrownBy(() -> net.fit(AccelerationTest.images(DataType.FLOAT)))
        .hasRootCauseInstanceOf(UnsupportedOperationException.class);
  }

  /** DL4J would take the output of the weights that were. */
  @Test
  void isThrownWhereDl4jWouldGoOnWithAnEarlierOutput() {
    ComputationGraph net = net(true);
    Failing helper = new Failing(null);
    Acceleration.install(helper, (ConvolutionLayer) net.getLayer("conv0"));
    INDArray images = AccelerationTest.images(DataType.FLOAT).getFeatures();
    net.output(true, images);
    net.params().muli(0.5);
    helper.failing = Work.FORWARD;
    assertThatThrownBy(() -> net.output(true, images))
        .isInstanceOf(ND4JOpProfilerException.class)
        .hasMessageContaining("failed for input [3, 3, 11, 9]");
  }
}
