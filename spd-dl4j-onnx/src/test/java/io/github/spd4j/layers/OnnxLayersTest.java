/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.onnx.Answers;
import io.github.spd4j.internal.onnx.OnnxWriter;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** All layers of ours: the same by ONNX Runtime, or refused. */
class OnnxLayersTest {

  /** Those that ONNX cannot compute. */
  private static final Set<Class<?>> REFUSED =
      Set.of(
          ReEigLayer.class,
          LogEigLayer.class,
          ExpEigLayer.class,
          MatrixPowerLayer.class,
          LogCholeskyLayer.class,
          SpdBatchNormalizationLayer.class);

  /** Each set of options once, and each layer with each of its examples. */
  static Stream<Sample> samples() {
    Set<String> seen = new HashSet<>();
    return Stream.of(Check.DEFINITION, Check.ALGEBRA)
        .flatMap(LayerCases::samples)
        .filter(
            sample -> {
              String[] parts = sample.toString().split(" on ");
              boolean isNew = seen.add(parts[0]);
              return seen.add(sample.name() + parts[1]) || isNew;
            });
  }

  @ParameterizedTest
  @MethodSource("samples")
  void aLayerIsTheSameOrRefused(Sample sample) {
    SpdLayer conf = sample.layer();
    Layer layer = sample.runtime(DataType.FLOAT, Backend.current());
    INDArray input = sample.input().castTo(DataType.FLOAT);
    InputType type = typeOf(input, conf.getDataFormat());
    ComputationGraph net = net(conf, type);
    if (net.numParams() > 0) {
      net.setParams(layer.params());
    }
    if (!REFUSED.contains(conf.getClass())) {
      Answers.assertEqual(net, type, input);
    } else if (input.size(2) > 1) { // a matrix with one entry may be its own eigenvalue
      assertThatThrownBy(() -> OnnxWriter.write(net, type))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("'layer'")
          .hasMessageContaining("isqrt-cov");
    }
  }

  @Test
  void everyLayerIsAmongThem() {
    Set<String> all =
        LayerCases.all().stream()
            .flatMap(each -> each.layers().stream())
            .map(each -> each.getClass().getSimpleName())
            .collect(toSet());
    assertThat(samples().map(Sample::name).collect(toSet())).isEqualTo(all);
  }

  private static InputType typeOf(INDArray input, CNN2DFormat format) {
    return format == CNN2DFormat.NHWC
        ? InputType.convolutional(input.size(1), input.size(2), input.size(3), CNN2DFormat.NHWC)
        : InputType.convolutional(input.size(2), input.size(3), input.size(1));
  }

  private static ComputationGraph net(SpdLayer layer, InputType type) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .dataType(DataType.FLOAT)
                .graphBuilder()
                .addInputs("input")
                .addLayer("layer", layer, "input")
                .setOutputs("layer")
                .setInputTypes(type)
                .build());
    net.init();
    return net;
  }
}
