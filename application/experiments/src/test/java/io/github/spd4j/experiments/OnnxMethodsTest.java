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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  private static final Set<Method> REFUSED =
      EnumSet.of(
          Method.LOG_EUCLIDEAN,
          Method.MPN_COV,
          Method.LOG_CHOLESKY,
          Method.SPD_CLASSIFIER,
          Method.SPD_CLASSIFIER_CHOLESKY,
          Method.SPD_NET,
          Method.SPD_NET_BN,
          Method.SPD_NET_DROPOUT,
          Method.SPD_NET_RESIDUAL,
          Method.TRACE,
          Method.FIXED_SHRINKAGE,
          Method.SHRINKAGE);

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
    if (REFUSED.contains(method)) {
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
  void thePageSaysWhich() throws IOException {
    String page = Files.readString(Path.of("../../docs/onnx.md"));
    for (Method method : Method.values()) {
      String answer = REFUSED.contains(method) ? "refused" : "exported";
      assertThat(page.lines())
          .filteredOn(
              line -> line.startsWith("| " + answer) && line.contains("`" + method.key() + "`"))
          .as("%s in the line of what is %s", method.key(), answer)
          .hasSize(1);
    }
  }
}
