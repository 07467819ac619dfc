/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.manifold.Spd;
import io.github.spd4j.testing.FiniteDifferences;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** The laws that every kernel keeps. A concrete test supplies the kernel and its definition. */
abstract class KernelContract {

  /** The kernel under test. */
  abstract Kernel kernel();

  /** k(f_i, f_j) by its definition, in plain Java; σ is that of the image. */
  abstract double byDefinition(double[] fi, double[] fj, double sigma);

  /** σ of an image by its definition; kernels without one return anything. */
  double sigmaByDefinition(double[][] maps) {
    return Double.NaN;
  }

  /** The kernel whose finite differences the backward pass gives: σ frozen where it is constant. */
  Kernel frozenAt(double sigma) {
    return kernel();
  }

  /** The values of the kernel's parameters, if it has any; not their start. */
  Map<String, Double> parameters() {
    return Map.of();
  }

  private KernelRun run(INDArray maps) {
    return new KernelRun(kernel(), maps, parameters());
  }

  /** Normal maps, and the degenerate ones by name. */
  static Stream<Maps> maps() {
    return Stream.of(Maps.values());
  }

  /** Feature maps [N, C, P] to try a kernel on. */
  enum Maps {
    MORE_PIXELS_THAN_CHANNELS(2, 4, 9),
    MORE_CHANNELS_THAN_PIXELS(2, 8, 3),
    ONE_CHANNEL(2, 1, 5),
    ONE_PIXEL(2, 4, 1),
    ONE_EXAMPLE(1, 5, 6),
    TINY(2, 4, 6) {
      @Override
      INDArray degenerate(INDArray maps) {
        return maps.muli(1e-3);
      }
    },
    TWO_DEAD_CHANNELS(2, 5, 6) {
      @Override
      INDArray degenerate(INDArray maps) {
        for (int b = 0; b < maps.size(0); b++) {
          maps.slice(b).getRow(1).assign(0);
          maps.slice(b).getRow(3).assign(0);
        }
        return maps;
      }
    },
    ALL_EQUAL(2, 4, 6) {
      @Override
      INDArray degenerate(INDArray maps) {
        for (int b = 0; b < maps.size(0); b++) {
          for (int i = 1; i < maps.size(1); i++) {
            maps.slice(b).getRow(i).assign(maps.slice(b).getRow(0));
          }
        }
        return maps;
      }
    },
    ALL_DEAD(2, 4, 6) {
      @Override
      INDArray degenerate(INDArray maps) {
        return maps.assign(0);
      }
    };

    private final long[] shape;

    Maps(long... shape) {
      this.shape = shape;
    }

    INDArray degenerate(INDArray maps) {
      return maps;
    }

    INDArray create(DataType type) {
      Nd4j.getRandom().setSeed(ordinal() + 1);
      return degenerate(Nd4j.randn(DataType.DOUBLE, shape)).castTo(type);
    }

    boolean hasEqualMaps() {
      return this == TWO_DEAD_CHANNELS || this == ALL_EQUAL || this == ALL_DEAD;
    }
  }

  private static INDArray randomGradient(INDArray maps) {
    return Nd4j.randn(DataType.DOUBLE, maps.size(0), maps.size(1), maps.size(1));
  }

  @ParameterizedTest
  @MethodSource("maps")
  void forwardAgreesWithTheDefinition(Maps kind) {
    INDArray maps = kind.create(DataType.DOUBLE);
    INDArray expected = Nd4j.zeros(DataType.DOUBLE, maps.size(0), maps.size(1), maps.size(1));
    for (int b = 0; b < maps.size(0); b++) {
      double[][] f = maps.slice(b).toDoubleMatrix();
      double sigma = sigmaByDefinition(f);
      for (int i = 0; i < f.length; i++) {
        for (int j = 0; j < f.length; j++) {
          expected.putScalar(new int[] {b, i, j}, byDefinition(f[i], f[j], sigma));
        }
      }
    }
    assertClose(run(maps).matrix(), expected, ROUNDING);
    INDArray inFloat = run(maps.castTo(DataType.FLOAT)).matrix();
    assertThat(inFloat.dataType()).isEqualTo(DataType.FLOAT);
    assertClose(inFloat, expected, FLOAT_ROUNDING);
  }

  /** Not shorter: a kernel of tiny maps hardly moves, and what it moves by must not be rounding. */
  private static final double STEP = 5e-4;

  @ParameterizedTest
  @MethodSource("maps")
  void backwardAgreesWithFiniteDifferences(Maps kind) {
    if (kind.hasEqualMaps()) {
      return; // distances are not differentiable there; the next test says what is wanted
    }
    INDArray maps = kind.create(DataType.DOUBLE);
    INDArray gradient = randomGradient(maps);
    INDArray actual = run(maps).backward(gradient);
    for (int b = 0; b < maps.size(0); b++) {
      INDArray image = one(maps, b);
      INDArray g = one(gradient, b);
      KernelRun run = run(image);
      Kernel frozen = run.sigma() == null ? kernel() : frozenAt(run.sigma().getDouble(0));
      INDArray expected =
          FiniteDifferences.gradientAtOnce(
              x -> KernelRun.losses(frozen, x, parameters(), g), image, STEP);
      assertClose(one(actual, b), expected, DERIVATIVE);
    }
  }

  private static INDArray one(INDArray stack, int b) {
    return stack.slice(b).dup().reshape(1, stack.size(1), stack.size(2));
  }

  @Test
  void parametersAreTheOnesThatAreGiven() {
    assertThat(kernel().parameters()).containsExactlyElementsOf(parameters().keySet());
  }

  /** The degenerate maps too: a distance that is 0 does not move with a parameter. */
  @ParameterizedTest
  @MethodSource("maps")
  void gradientsByParametersAgreeWithFiniteDifferences(Maps kind) {
    INDArray maps = kind.create(DataType.DOUBLE);
    INDArray gradient = randomGradient(maps);
    KernelRun run = run(maps);
    run.backward(gradient);
    for (String name : kernel().parameters()) {
      INDArray at = Nd4j.valueArrayOf(new long[] {1, 1}, parameters().get(name), DataType.DOUBLE);
      INDArray expected =
          FiniteDifferences.gradient(
              x -> KernelRun.loss(kernel(), maps, with(name, x.getDouble(0)), gradient), at);
      assertClose(run.byParameter(name), expected, DERIVATIVE);
    }
  }

  private Map<String, Double> with(String name, double value) {
    Map<String, Double> changed = new HashMap<>(parameters());
    changed.put(name, value);
    return changed;
  }

  @ParameterizedTest
  @MethodSource("maps")
  void backwardIsFiniteAndEqualInBothTypes(Maps kind) {
    INDArray maps = kind.create(DataType.FLOAT);
    INDArray gradient = randomGradient(maps).castTo(DataType.FLOAT);
    KernelRun inFloat = run(maps);
    KernelRun inDouble = run(maps.castTo(DataType.DOUBLE));
    INDArray single = inFloat.backward(gradient);
    INDArray exact = inDouble.backward(gradient.castTo(DataType.DOUBLE));
    assertThat(single.dataType()).isEqualTo(DataType.FLOAT);
    assertThat(exact.norm2Number().doubleValue()).isFinite();
    assertClose(single, exact, FLOAT_ROUNDING * 10);
    for (String name : kernel().parameters()) {
      assertClose(inFloat.byParameter(name), inDouble.byParameter(name), FLOAT_ROUNDING);
    }
  }

  @ParameterizedTest
  @MethodSource("maps")
  void matricesAreSymmetricAndSemidefinite(Maps kind) {
    INDArray matrices = run(kind.create(DataType.DOUBLE)).matrix();
    for (int b = 0; b < matrices.size(0); b++) {
      INDArray k = matrices.slice(b);
      double size = Math.max(1, k.norm2Number().doubleValue());
      assertSmall(Spd.asymmetry(k) / size, ROUNDING);
      assertThat(Spd.smallestEigenvalue(k) / size).isGreaterThan(-ROUNDING);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void leavesItsArgumentsAlone(int seed) {
    Nd4j.getRandom().setSeed(seed);
    INDArray maps = Nd4j.randn(DataType.DOUBLE, 2, 4, 5);
    INDArray gradient = randomGradient(maps);
    INDArray mapsBefore = maps.dup();
    INDArray gradientBefore = gradient.dup();
    KernelRun run = run(maps);
    Map<String, INDArray> before = new HashMap<>();
    run.values().forEach((name, value) -> before.put(name, value.dup()));
    run.backward(gradient);
    assertThat(maps).isEqualTo(mapsBefore);
    assertThat(gradient).isEqualTo(gradientBefore);
    assertThat(run.values()).isEqualTo(before);
  }

  @Test
  void survivesJson() throws Exception {
    ObjectMapper mapper = NeuralNetConfiguration.mapper();
    String json = mapper.writeValueAsString(kernel());
    Kernel copy = mapper.readValue(json, Kernel.class);
    assertThat(copy).isEqualTo(kernel()).hasSameHashCodeAs(kernel()).hasToString(kernel() + "");
    Kernel other = PolynomialKernel.degree(7).offset(3).scale(2);
    assertThat(copy).isNotEqualTo(other).isNotEqualTo(new RbfKernel(Bandwidth.fixed(77)));
  }
}
