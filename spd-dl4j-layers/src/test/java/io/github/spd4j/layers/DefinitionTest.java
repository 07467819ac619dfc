/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The forward passes over an algebra, in DOUBLE, against the definitions in SameDiff. */
class DefinitionTest {

  static Stream<Sample> samples() {
    return LayerCases.samples(Check.DEFINITION);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void theForwardPassIsTheDefinition(Sample sample) {
    SpdLayer conf = sample.layer();
    assumeTrue(
        !(conf instanceof EigenvalueLayer || conf instanceof ExpEigLayer)
            || HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)),
        "ND4J's singular values are good to single precision alone on a GPU");
    Layer layer = sample.runtime(DataType.DOUBLE, Backend.of(new Nd4jAlgebra()));
    INDArray input = sample.input();
    INDArray actual = layer.activate(input, false, LayerWorkspaceMgr.noWorkspaces());
    SameDiff sd = SameDiff.create();
    Map<String, INDArray> values = new HashMap<>(layer.paramTable());
    Map<String, SDVariable> params = new HashMap<>();
    values.forEach((name, p) -> params.put(name, sd.placeHolder(name, p.dataType(), p.shape())));
    SDVariable in = sd.placeHolder("input", input.dataType(), input.shape());
    values.put("input", input);
    String output = conf.defineLayer(sd, in, params, null).name();
    assertClose(actual, sd.output(values, output).get(output), ROUNDING);
  }
}
