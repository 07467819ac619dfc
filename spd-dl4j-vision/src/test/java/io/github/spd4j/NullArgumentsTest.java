/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every public static function, constructor and method of a builder, called with null in each
 * place: what is refused is named, which the words of the Java machine do not.
 */
class NullArgumentsTest {

  @TestFactory
  Stream<DynamicTest> nullIsRefusedByName() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(new ArchitectureTest.DoNotIncludeJarsOfTests())
            .importPackages("io.github.spd4j")
            .stream()
            .filter(type -> !type.getPackageName().startsWith("io.github.spd4j.internal"))
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::reflect)
            .filter(NullArgumentsTest::isSeen)
            .flatMap(NullArgumentsTest::functions)
            .filter(
                function ->
                    Arrays.stream(function.getParameterTypes()).anyMatch(t -> !t.isPrimitive()))
            .map(
                function ->
                    dynamicTest(
                        function.getDeclaringClass().getName().replaceFirst(".*[.]", "")
                            + "."
                            + function.getName()
                            + Arrays.toString(function.getParameterTypes()),
                        () -> refuses(function)));
  }

  private static boolean isSeen(Class<?> type) {
    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
      if (!Modifier.isPublic(outer.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  private static Stream<Executable> functions(Class<?> type) {
    Stream<Executable> constructors =
        Modifier.isAbstract(type.getModifiers())
            ? Stream.of()
            : Arrays.stream(type.getConstructors());
    Stream<Executable> methods =
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .filter(method -> !(type.isEnum() && method.getName().equals("valueOf")))
            .filter(method -> Modifier.isStatic(method.getModifiers()) || made(type) != null)
            .filter(method -> !method.getName().equals("equals"))
            .map(method -> method);
    return Stream.concat(constructors, methods);
  }

  /** An object, where one can be made of nothing. */
  private static Object made(Class<?> type) {
    if (!type.getSimpleName().equals("Builder")) {
      return null;
    }
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static void refuses(Executable function) throws ReflectiveOperationException {
    Object[] nothing =
        Arrays.stream(function.getParameterTypes())
            .map(type -> type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null)
            .toArray();
    try {
      if (function instanceof Constructor) {
        ((Constructor<?>) function).newInstance(nothing);
      } else {
        ((Method) function).invoke(made(function.getDeclaringClass()), nothing);
      }
    } catch (InvocationTargetException e) {
      String message = String.valueOf(e.getCause().getMessage());
      assertThat(message)
          .as("%s: %s", function, e.getCause())
          .doesNotStartWith("Cannot ")
          .isNotEqualTo("null");
    }
  }
}
