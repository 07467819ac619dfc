/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.onnx.OnnxExport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** All methods as ONNX files: with the same answers, or refused, as the page says. */
class OnnxMethodsTest {

  private static final Backbone BACKBONE =
      BackboneChoice.of("random").load(ExperimentKind.TEXTURE, null, null);

  /** By what the page says. */
  private final Map<String, List<Method>> answers =
      Map.of("exported", methods("exported"), "refused", methods("refused"));

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void aMethodIsTheSameOrRefused(Method method) {
    assertThat(OnnxExport.isChecked()).isTrue();
    ComputationGraph net = GraftedNetwork.graft(method, new HeadSettings(), BACKBONE, 3, 1);
    INDArray weights = net.getOutputLayer(0).getParam("W");
    weights.assign(Nd4j.rand(weights.dataType(), weights.shape()));
    Stream.of(net.getLayers())
        .filter(layer -> layer.conf().getLayer() instanceof FisherVectorLayer)
        .forEach(OnnxMethodsTest::fit);
    OnnxExport export = OnnxExport.of(net, BACKBONE.card(List.of("a", "b", "c")));
    Path file = folder.resolve("model.onnx");
    if (answers.get("refused").contains(method)) {
      assertThatThrownBy(() -> export.write(file))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("spd-root");
      assertThat(file).doesNotExist();
    } else {
      export.write(file); // which compares
      assertThat(file).isNotEmptyFile();
    }
  }

  /** Any mixture will do. */
  private static void fit(Layer fisherVector) {
    Map<String, INDArray> mixture = fisherVector.paramTable();
    mixture
        .values()
        .forEach(each -> each.assign(Nd4j.rand(each.dataType(), each.shape()).add(0.2)));
    INDArray shares = mixture.get("weights");
    shares.divi(shares.sumNumber());
  }

  @Test
  void thePageHasEachMethodOnce() {
    assertThat(answers.values().stream().flatMap(List::stream))
        .containsExactlyInAnyOrder(Method.values());
  }

  /** The methods of which the page says so. */
  private static List<Method> methods(String answer) {
    try (Stream<String> lines = Files.lines(Path.of("../../docs/onnx.md"))) {
      return lines
          .map(Pattern.compile("\\| `([^`]+)` \\| " + answer)::matcher)
          .filter(Matcher::lookingAt)
          .flatMap(row -> Method.find(row.group(1)).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
