/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.spd4j.internal.backend.Bounds;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a builder takes, a file may have: nothing can be trained that cannot be loaded. */
class BoundsTest {

  private static final double[] NUMBERS = {0.25, 3, 1e6, (1 << 24) + 1, 1e9, 1e300};

  /** Each number of each builder of layers. */
  @TestFactory
  Stream<DynamicTest> whatABuilderTakesCanBeLoaded() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.github.spd4j.layers")
            .stream()
            .filter(type -> type.getSimpleName().equals("Builder"))
            .map(JavaClass::reflect)
            .filter(type -> !Modifier.isAbstract(type.getModifiers()))
            .flatMap(
                type ->
                    Arrays.stream(type.getMethods())
                        .filter(BoundsTest::takesANumber)
                        .map(
                            method ->
                                dynamicTest(
                                    type.getName().replaceFirst(".*[.]", "")
                                        + "."
                                        + method.getName(),
                                    () -> isBounded(type, method))));
  }

  private static boolean takesANumber(Method method) {
    return method.getDeclaringClass().getName().startsWith("io.github.spd4j.")
        && method.getParameterCount() == 1
        && !method.isBridge()
        && List.of(int.class, double.class).contains(parameter(method));
  }

  private static Class<?> parameter(Method method) {
    return method.getParameterTypes()[0];
  }

  private static void isBounded(Class<?> type, Method method) throws ReflectiveOperationException {
    String field = method.getName();
    assertThat(isTaken(type, method, Bounds.most(field) + 1)).isFalse();
    boolean isTaken = isTaken(type, method, Bounds.most(field));
    if (Bounds.isNumber(field) && !field.equals("directions")) { // of which there is a product
      assertThat(isTaken).isTrue();
    }
    for (double number : NUMBERS) {
      isTaken(type, method, number);
    }
  }

  /** What is taken can be loaded. */
  private static boolean isTaken(Class<?> type, Method method, double number)
      throws ReflectiveOperationException {
    if (parameter(method) == int.class && number != (int) number) {
      return false;
    }
    Object builder = type.getConstructor().newInstance();
    Object argument = number;
    if (parameter(method) == int.class) {
      argument = (int) number;
    }
    try {
      method.invoke(builder, argument);
      requireLoadable((Layer) builder.getClass().getMethod("build").invoke(builder));
      return true;
    } catch (InvocationTargetException e) {
      assertThat(e.getCause()).isInstanceOf(RuntimeException.class);
      return false;
    }
  }

  private static void requireLoadable(Layer layer) {
    String json = new NeuralNetConfiguration.Builder().list().layer(layer).build().toJson();
    try {
      new ConfigurationCheck(List.of()).fields(json);
    } catch (java.io.IOException e) {
      throw new AssertionError("was built: " + layer, e);
    }
  }

  /** The same of what a layer has. */
  @Test
  void kernelsToo() {
    for (double number : NUMBERS) {
      for (Kernel kernel :
          new Kernel[] {
            PolynomialKernel.degree((int) Math.max(1, Math.min(Integer.MAX_VALUE, number))),
            PolynomialKernel.degree(2).offset(number),
            PolynomialKernel.degree(2).scale(number),
            new RbfKernel(Bandwidth.fixed(number)),
            new RbfKernel(Bandwidth.meanDistance().times(number))
          }) {
        KernelAggregationLayer.Builder builder =
            new KernelAggregationLayer.Builder().kernel(kernel);
        if (number <= 3) {
          requireLoadable(builder.build());
        } else if (number > 1 << 24) {
          assertThatThrownBy(builder::build).as("%s", kernel).hasMessageContaining("of at most");
        }
      }
    }
  }

  /** Each side is allowed, and their product is not. */
  @Test
  void noArrayHasMoreNumbersThanThereCanBe() {
    for (Layer layer :
        List.of(
            new KernelAggregationLayer.Builder().build(),
            new io.github.spd4j.layers.BilinearPoolingLayer.Builder().build())) {
      assertThatThrownBy(() -> layer.getOutputType(0, InputType.convolutional(2, 2, 1 << 20)))
          .hasMessageContaining("an output of at most 2147483647 numbers");
    }
    assertThatThrownBy(
            () ->
                new SpdTransformLayer.Builder()
                    .nOut(1 << 20)
                    .build()
                    .getOutputType(0, InputType.convolutional(1 << 20, 1 << 20, 1)))
        .hasMessageContaining("an output of at most 2147483647 numbers");
  }
}
