/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import static io.github.spd4j.testing.Networks.general;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.transferlearning.TransferLearning;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.Sgd;
import org.slf4j.LoggerFactory;

/** What is wrong is said, in the report and once in the log. */
class WarningsTest {

  private static final Logger LOG = (Logger) LoggerFactory.getLogger(SpdHealthListener.class);

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final SpdHealthListener listener = new SpdHealthListener.Builder().every(1).build();

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
        .filter(event -> event.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .collect(Collectors.toList());
  }

  private LayerHealth latest(String layer) {
    List<HealthReport> history = listener.history();
    return history.get(history.size() - 1).layer(layer).orElseThrow();
  }

  private ComputationGraph plain(InputType input, List<? extends Layer> head) {
    ComputationGraph net = Networks.plain(general(DataType.FLOAT, new Sgd(0.01)), head, input);
    net.setListeners(listener);
    return net;
  }

  private ComputationGraph frozenUpToW(ComputationGraph net) {
    ComputationGraph frozen =
        new TransferLearning.GraphBuilder(net).setFeatureExtractor("layer1").build();
    frozen.setListeners(listener);
    return frozen;
  }

  /** Three images of five channels; in the first, 1 and 3 are dead, in the second 1. */
  private static DataSet withDeadChannels(CNN2DFormat format) {
    DataSet data = Networks.images(DataType.FLOAT, 3, 3, 5, 6, 6);
    for (int[] dead : new int[][] {{0, 1}, {0, 3}, {1, 1}}) {
      data.getFeatures().slice(dead[0]).slice(dead[1]).assign(0);
    }
    if (format == CNN2DFormat.NHWC) {
      data.setFeatures(data.getFeatures().permute(0, 2, 3, 1).dup('c'));
    }
    return data;
  }

  @ParameterizedTest
  @EnumSource(CNN2DFormat.class)
  void deadChannelsExplainASingularKernelMatrix(CNN2DFormat format) {
    ComputationGraph net = plain(InputType.convolutional(6, 6, 5, format), Networks.head());
    for (int i = 0; i < 3; i++) {
      net.fit(withDeadChannels(format));
    }
    LayerHealth layer = latest("layer0");
    assertThat(layer.get(Figure.DEAD_CHANNELS)).hasValue(2);
    assertThat(layer.get(Figure.DEAD_SHARE)).hasValue(3 / 15.0);
    assertThat(layer.get(Figure.LAMBDA_MIN).orElseThrow()).isCloseTo(0, offset(1e-6));
    assertThat(layer.get(Figure.CONDITION).orElseThrow()).isGreaterThan(1e7);
    assertThat(logged())
        .singleElement()
        .asString()
        .contains("iteration 0", "KernelAggregationLayer 'layer0'", "not positive definite")
        .contains("2 of 5 feature maps are zero everywhere");
    assertThat(listener.history()).allMatch(report -> report.warnings().size() == 1);
  }

  @Test
  void aRidgeMakesUpForDeadChannels() {
    List<Layer> head =
        List.of(
            new KernelAggregationLayer.Builder().ridge(0.01).build(),
            new SpdVectorizationLayer.Builder().build());
    plain(InputType.convolutional(6, 6, 5), head).fit(withDeadChannels(CNN2DFormat.NCHW));
    assertThat(latest("layer0").get(Figure.DEAD_CHANNELS)).hasValue(2);
    assertThat(latest("layer0").get(Figure.LAMBDA_MIN).orElseThrow()).isCloseTo(0.01, offset(1e-6));
    assertThat(logged()).isEmpty();
  }

  @Test
  void aSingleDeadChannelLeavesTheKernelMatrixDefinite() {
    DataSet data = Networks.images(DataType.FLOAT, 3, 3, 5, 6, 6);
    data.getFeatures().slice(2).slice(4).assign(0);
    plain(InputType.convolutional(6, 6, 5), Networks.head()).fit(data);
    assertThat(latest("layer0").get(Figure.DEAD_CHANNELS)).hasValue(1);
    assertThat(logged()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.0002, 1.0001}) // from 1.0003 on the layer refuses W
  void aMatrixOffTheManifold(double factor) {
    ComputationGraph net = plain(InputType.convolutional(6, 6, 5), Networks.head());
    net.setParam("layer1_W", net.getParam("layer1_W").mul(factor));
    ComputationGraph frozen = frozenUpToW(net);
    for (int i = 0; i < 2; i++) {
      frozen.fit(Networks.images(DataType.FLOAT, 3, 3, 5, 6, 6));
    }
    double expected = (factor * factor - 1) * Math.sqrt(3);
    assertThat(latest("layer1").get(Figure.OFF_MANIFOLD).orElseThrow())
        .isCloseTo(expected, offset(1e-6));
    assertThat(logged())
        .singleElement()
        .asString()
        .contains("SpdTransformLayer 'layer1'", "W is off the Stiefel manifold");
  }

  @Test
  void notANumber() {
    ComputationGraph net = plain(InputType.convolutional(6, 6, 5), Networks.head());
    DataSet data = Networks.images(DataType.FLOAT, 3, 3, 5, 6, 6);
    data.getFeatures().putScalar(new long[] {0, 2, 1, 1}, Double.NaN);
    assertThatThrownBy(() -> net.fit(data)) // the layer refuses before anything is measured
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("layer0")
        .hasMessageContaining("NaN");
  }

  @Test
  void aFrozenLayerIsMeasuredToo() {
    ComputationGraph net = plain(InputType.convolutional(6, 6, 5), Networks.head());
    ComputationGraph frozen = frozenUpToW(net);
    frozen.fit(Networks.images(DataType.FLOAT, 3, 3, 5, 6, 6));
    assertThat(latest("layer0").get(Figure.SIGMA_MEAN)).isPresent();
    assertThat(latest("layer1").get(Figure.LAMBDA_MIN)).isPresent();
    assertThat(latest("layer1").get(Figure.OFF_MANIFOLD)).isPresent();
    assertThat(latest("layer1").get(Figure.GRADIENT)).isEmpty();
    assertThat(logged()).isEmpty();
  }
}
