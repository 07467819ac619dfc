/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Sample;
import io.github.spd4j.linalg.SymmetricEigen;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Networks;
import io.github.spd4j.updater.StiefelAdam;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;

/** What was made for one backend asks for no other: here the process has none. */
@Tag("once")
class OneBackendTest {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private final String before = System.getProperty(Backend.PROPERTY);
  private Backend usual;

  @BeforeEach
  void whileThereIsOne() {
    usual = Backend.current();
  }

  private static void noneForTheProcess() {
    System.setProperty(Backend.PROPERTY, "none");
    assertThatThrownBy(Backend::current).hasMessageContaining("got 'none'");
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(Backend.PROPERTY);
    } else {
      System.setProperty(Backend.PROPERTY, before);
    }
  }

  static Stream<Sample> samples() {
    return LayerCases.firstSamples(Check.DEFINITION);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void passesOfLayers(Sample sample) {
    for (Backend backend :
        new Backend[] {usual, Backend.of(new Nd4jAlgebra()), Backend.definitions()}) {
      for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
        Layer layer = sample.runtime(type, backend);
        INDArray input = sample.input().castTo(type);
        noneForTheProcess();
        INDArray output = layer.activate(input, true, NO_WORKSPACES);
        layer.backpropGradient(output.dup(), NO_WORKSPACES);
        layer.activate(input, false, NO_WORKSPACES);
        restore();
      }
    }
  }

  @Test
  void stepsOfNetworks() {
    List<org.deeplearning4j.nn.conf.layers.Layer> head =
        List.of(
            new KernelAggregationLayer.Builder().ridge(0.1).build(),
            new SpdTransformLayer.Builder().nOut(3).build(),
            new SpdTransformLayer.Builder().nOut(3).updater(new StiefelAdam(0.01)).build(),
            new SpdVectorizationLayer.Builder().build());
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      ComputationGraph net =
          Networks.convolutional(
              Networks.general(type, new Adam(0.01)), head, InputType.convolutional(6, 6, 1));
      DataSet data = Networks.images(type, 1, 4, 1, 6, 6);
      net.fit(data); // DL4J makes updaters in the first step
      noneForTheProcess();
      net.fit(data);
      net.outputSingle(data.getFeatures());
      restore();
    }
  }

  @Test
  void functionsInAPass() {
    Algebra nd4j = new Nd4jAlgebra();
    InvocationHandler isOnDevice =
        (proxy, method, arguments) ->
            method.getName().equals("isOnDevice") || (boolean) method.invoke(nd4j, arguments);
    Algebra onDevice =
        (Algebra)
            Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Algebra.class}, isOnDevice);
    noneForTheProcess();
    assertThatThrownBy(Retraction::preferred).hasMessageContaining("got 'none'");
    try (Backend.Pass pass = Backend.of(onDevice).pass()) {
      assertThat(Retraction.preferred()).isEqualTo(Retraction.POLAR);
    }
    try (Backend.Pass pass = usual.pass()) {
      INDArray matrix = Nd4j.eye(4).castTo(DataType.DOUBLE);
      assertThat(SymmetricEigen.valuesOf(matrix)).isEqualTo(Nd4j.ones(DataType.DOUBLE, 4));
      assertThat(Stiefel.nearest(matrix)).isEqualTo(matrix);
    }
  }
}
